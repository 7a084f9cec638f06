"""An ONNX graph in ONNX Runtime with random inputs, one thread: GRAPH [NAME=LENGTH of a free dimension]..."""

from __future__ import annotations

import sys

from marks import counted  # type: ignore[import-not-found]  # beside it where it runs


def main(path: str, *lengths: str) -> None:
    """Runs it once."""
    import numpy as np
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    known = dict(each.split("=") for each in lengths)
    random = np.random.default_rng(1)
    inputs: dict[str, object] = {}
    for each in session.get_inputs():
        shape = [size if isinstance(size, int) else int(known.get(str(size), 1)) for size in each.shape]
        if "int" in each.type:
            inputs[each.name] = np.full(shape, shape[-1], np.int64)
        else:
            inputs[each.name] = random.standard_normal(shape).astype(np.float32)
    with counted():
        session.run(None, inputs)


if __name__ == "__main__":
    main(*sys.argv[1:])
