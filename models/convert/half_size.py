"""Stores the large constants of ONNX graphs in 16 bits: half the file.

    python -m models.convert.half_size FILE...
    python -m models.pack.catalogue seal PACK        where they are files of a pack

What is computed stays in 32 bits: each such constant gets a cast, which ONNX Runtime does once, when it loads
the graph. A constant keeps its place among the others, so `models.convert.reflex.read` still finds it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import TensorProto, helper, numpy_helper

from models.convert.checkpoint.folder import ConvertError

LARGE = 2**14
"""Values of a constant that is stored in 16 bits."""
_STORED = "_in_16_bits"


def halve(path: Path, least: int = LARGE) -> int:
    """Rewrites a graph, atomically; the bytes that it has now. least: values of a constant that is stored so;
    one that has 16 bits already stays. Raises ConvertError for a file that is no graph, or a weight that 16
    bits cannot hold.
    """
    try:
        model = onnx.load(str(path))
        onnx.checker.check_model(model)
    except (OSError, ValueError, DecodeError, onnx.checker.ValidationError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise ConvertError(f"{path} cannot be read: {reason}.") from error
    casts = []
    for constant in model.graph.initializer:
        if constant.data_type != TensorProto.FLOAT or int(np.prod(constant.dims)) < least:
            continue
        name, values = constant.name, numpy_helper.to_array(constant)
        if np.abs(values).max() > np.finfo(np.float16).max:
            raise ConvertError(f"{path} has a weight of more than {np.finfo(np.float16).max:.0f}.")
        constant.CopyFrom(numpy_helper.from_array(values.astype(np.float16), name + _STORED))
        casts.append(helper.make_node("Cast", [name + _STORED], [name], name=name, to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    temporary = path.with_name(path.name + ".part")
    onnx.save(model, str(temporary))
    os.replace(temporary, path)
    return path.stat().st_size


def main() -> int:
    """Command line; 2 with one sentence for a file that cannot be halved, those before it are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    for path in parser.parse_args().files:
        before = path.stat().st_size if path.is_file() else 0
        try:
            after = halve(path)
        except ConvertError as error:
            parser.exit(2, f"{error}\n")
        print(f"{path}: {before} -> {after} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
