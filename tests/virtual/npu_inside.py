"""Runs the NPU's brick with rknn-toolkit-lite2 itself, inside Debian for arm64, where
`librknnrt.so` is the stand-in beside this file. Prints one JSON object.
"""

import json
import os
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from models.brick import BrickError, Context
from models.bricks.eye.encoder import WHOLE
from models.bricks.eye.vision_rknn import RknnPieces

GOOD, BAD = Path("/tmp/good.rknn"), Path("/tmp/bad.rknn")
OPTIONS = {
    "model": str(GOOD), "side_px": 8, "tokens": 4, "width": 16, "librknnrt": "2.5.0", "driver": "0.9.6",
}  # fmt: skip
FAULTS: dict[str, dict[str, Any]] = {
    "no file": {"model": "/tmp/none.rknn"},
    "no model": {"model": str(BAD)},
    "another runtime": {"librknnrt": "2.3.2"},
    "an older driver": {"driver": "0.9.9"},
    "another shape": {"tokens": 5},
}


def main() -> None:
    """One picture in each type of rows, then each fault."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(os.open("/tmp/log", os.O_RDWR | os.O_CREAT), 2)  # as in a brick's process
    GOOD.write_bytes(b"RKNN" + bytes(100))
    BAD.write_bytes(b"XXXX" + bytes(100))
    feed = np.random.default_rng(0).random((1, 3, 8, 8), np.float32)
    wanted = feed.transpose(0, 2, 3, 1).ravel()[:64].reshape(4, 16)
    encoder = RknnPieces(OPTIONS, Context(), None)
    (piece,) = encoder.through([WHOLE])
    said: dict[str, Any] = {"errors": {}}
    for dtype in ("float32", "float16"):
        rows = np.zeros((4, 16), dtype)
        piece.fill(feed, rows[None])
        said[dtype] = float(np.abs(rows - wanted).max())
    (first,), (second,) = piece.run(feed), piece.run(feed * 0)
    said["rows of their own"] = bool(np.array_equal(first, wanted) and not second.any())
    encoder.close()
    for name, options in FAULTS.items():
        try:
            (piece,) = RknnPieces({**OPTIONS, **options}, Context(), None).through([WHOLE])
            piece.run(feed)
        except BrickError as error:
            said["errors"][name] = str(error)
    json.dump(said, answer)
    answer.close()


if __name__ == "__main__":
    errors = os.dup(2)
    try:
        main()
    except Exception:
        os.write(errors, traceback.format_exc().encode())
        raise
