"""A double of rknn-toolkit-lite2 2.5.0, over ONNX Runtime: the methods, defaults, constants and return values
that a brick uses. tests/models/bricks/test_rknn_wheel.py compares them with the package itself.

A compiled model is the chip's name, the converter's version and an ONNX file, one after another. The
properties of the board are in $RKNN_DOUBLE, as JSON: `chip`, `api`, `driver`, `library`, a file that is
mapped in place of librknnrt.so, and `fails`, the method that fails. Like the original it leaks memory, in
each run and more at each release, and crashes its process where the runtime's version is not the converter's
(`fails` is "crash").
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
from typing import Any

import numpy as np
import onnxruntime as ort

MAGIC = b"RKNN"
LOST_IN_A_RUN, LOST_IN_A_RELEASE = 424_000, 40 << 20
"""Bytes that are leaked; in a run ten times what was reported, so that a few runs are enough for a test."""
_lost: list[Any] = []
_mapped: list[mmap.mmap] = []


def _lose(size: int) -> None:
    _lost.append(np.ones(size, np.uint8))


class RKNNLite:
    """Errors are return values, -1 or None, with lines on both standard outputs."""

    NPU_CORE_AUTO = 0
    NPU_CORE_0 = 1
    NPU_CORE_1 = 2
    NPU_CORE_2 = 4
    NPU_CORE_0_1 = 3
    NPU_CORE_0_1_2 = 7
    NPU_CORE_ALL = 0xFFFF

    def __init__(self, verbose=False, verbose_file=None):
        self._board = json.loads(os.environ["RKNN_DOUBLE"])
        self._model: bytes | None = None
        self._session: ort.InferenceSession | None = None
        self._staging: np.ndarray | None = None
        if library := self._board.get("library"):
            with open(library, "rb") as file:
                _mapped.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        print("W rknn-toolkit-lite2 version: 2.5.0", flush=True)

    def _fails(self, name: str, line: str) -> bool:
        if self._board.get("fails") == name:
            print(f"E {line}", file=sys.stderr, flush=True)
            return True
        return False

    def load_rknn(self, path, key_path=None):
        if not os.path.exists(path) or self._fails("load_rknn", "Catch exception when loading RKNN model!"):
            return -1
        with open(path, "rb") as file:
            self._model = file.read()
        return 0

    def list_devices(self):
        return [], []

    def init_runtime(self, target=None, device_id=None, async_mode=False, core_mask=NPU_CORE_AUTO):
        if self._model is None or self._fails("init_runtime", "Catch exception when init runtime!"):
            return -1
        if self._board.get("fails") == "symbol":
            raise AttributeError("/usr/lib/librknnrt.so: undefined symbol: rknn_set_input_shapes")
        try:
            magic, chip, _, network = self._model.split(b"\0", 3)
        except ValueError:
            magic = b""
        if magic != MAGIC or chip.decode() != self._board["chip"]:
            print(
                "Exception: RKNN init failed. error code: RKNN_ERR_MODEL_INVALID", file=sys.stderr, flush=True
            )
            return -1
        if self._board.get("fails") == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        self._session = ort.InferenceSession(network, providers=["CPUExecutionProvider"])
        return 0

    def inference(
        self, inputs, data_type=None, data_format=None, inputs_pass_through=None, get_frame_id=False,
        reuse_outputs=False,
    ):  # fmt: skip
        if self._session is None or self._fails("inference", "Catch exception when running RKNN model."):
            return None
        if len(inputs) != 1 or data_format not in (None, "nchw", ["nchw"]):
            print("E Inputs are invalid.", file=sys.stderr, flush=True)
            return None
        if isinstance(data_format, list):
            data_format[:] = [1]  # as in the original, so a list can be used once only
        picture = inputs[0]
        if data_format is None and picture.ndim == 4:  # the layout is not converted: [1, side, side, 3]
            side = picture.shape[-1]
            picture = np.ascontiguousarray(picture.reshape(1, side, side, 3).transpose(0, 3, 1, 2))
        _lose(LOST_IN_A_RUN)
        try:
            (output,) = self._session.run(None, {self._session.get_inputs()[0].name: picture})
        except Exception:
            print(
                "E RKNN: rknn_inputs_set fail! error code: RKNN_ERR_PARAM_INVALID",
                file=sys.stderr,
                flush=True,
            )
            return None
        if self._board.get("fails") == "shape":
            output = output[:, :-1]
        if self._board.get("fails") == "numbers":
            output = np.full_like(output, np.nan)
        if not reuse_outputs:
            return [output]
        if self._staging is None:
            self._staging = np.empty_like(output)
        self._staging[:] = output
        return [self._staging]

    def get_sdk_version(self):
        if self._session is None or self._fails("get_sdk_version", "Catch exception when get sdk version"):
            return None
        line = "=" * 46
        driver = self._board["driver"]
        built = "(429f97ae6b@2026-04-09T09:09:27)"
        return f"{line}\nRKNN VERSION:\n  API: {self._board['api']} {built}\n  DRV: {driver}\n{line}\n"

    def list_support_target_platform(self, rknn_model=None):
        return {"support_target": ["RK3566", "RK3568"]}

    def release(self):
        if self._session is not None:
            _lose(LOST_IN_A_RELEASE)
        self._session = None


def compiled(network: bytes, chip: str, toolkit: str) -> bytes:
    """A model file of this double."""
    return b"\0".join([MAGIC, chip.encode(), toolkit.encode(), network])
