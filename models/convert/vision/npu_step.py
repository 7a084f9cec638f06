"""Compiles an ONNX graph for the RK3566's NPU and runs it in Rockchip's simulator, in a process of its own.

    PYTHON npu_step.py job.json

PYTHON is an interpreter with rknn-toolkit2; nothing of this project is imported. The job: `onnx`, `target`
(where the .rknn goes), `platform`, `calibration` (a list file for int8, empty for fp16), `inputs` (.npy, [n,
1, 3, side, side] or [n, 1, rows, width]) and `outputs` (.npy, where the simulator's results go). Exit status
0, or 1 with one sentence as the last line of standard error.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np


def main() -> int:
    """Runs the job that the command line names."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job: dict[str, Any] = json.load(file)
    try:
        from rknn.api import RKNN
    except ImportError as error:
        print(f"rknn-toolkit2 can't be loaded: {error}", file=sys.stderr)
        return 1
    toolkit = RKNN(verbose=False)
    try:
        return _build(toolkit, job)
    finally:
        toolkit.release()


def _build(toolkit: Any, job: dict[str, Any]) -> int:
    quantise = bool(job["calibration"])
    steps = (
        ("set up", lambda: toolkit.config(target_platform=job["platform"], quantized_method="channel")),
        ("read the graph", lambda: toolkit.load_onnx(model=job["onnx"])),
        ("build", lambda: toolkit.build(do_quantization=quantise, dataset=job["calibration"] or None)),
        ("write the file", lambda: toolkit.export_rknn(job["target"])),
        ("start the simulator", lambda: toolkit.init_runtime()),
    )
    for name, step in steps:
        code = step()
        if code:
            print(f"rknn-toolkit2 could not {name} (code {code}).", file=sys.stderr)
            return 1
    batches = np.load(job["inputs"])
    layout = {"data_format": "nchw"} if batches[0].ndim == 4 else {}  # of pictures; rows have none
    results = [toolkit.inference(inputs=[batch], **layout)[0] for batch in batches]
    np.save(job["outputs"], np.stack(results).astype(np.float32))
    return 0


if __name__ == "__main__":
    sys.exit(main())
