"""The vision brick on Rockchip's NPU: the same network as `models.bricks.vision`, compiled for one chip.

File `model` (.rknn); `side_px`, `librknnrt` and `driver` from the pack's `npu` table, and the settings of
`models.bricks.sight`: the file contains neither its shapes nor the runtime version.

rknn-toolkit-lite2 is Python over `librknnrt.so`. It reports faults by return values and in its log; both
become one sentence here. It cannot bind memory of the caller as a model's output, so the rows are copied
once, from its output buffer into the ring's slot: 2.5 MiB for 729 x 896 float32, about 1 ms, against a run of
tenths of a second. A run cannot be interrupted: a cancelled request ends after its run.

The runtime is known to leak memory, on each run and on each release (airockchip/rknn-toolkit2#42,
rockchip-linux/rknn-toolkit2#284). The first is collected after every run; the second, and other memory that
the driver holds for a process, is freed when this process ends after the release.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickBroken, BrickError, Cancelled, Context
from models.bricks.sight import Shapes, VisionBrick
from models.pack.npu_fit import BINDINGS, NpuNeed, unfit_versions
from models.process.process_title import last_line

_OK = 0


class RknnEncoder:
    """One network on the NPU."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        """Raises BrickError with one sentence: no bindings, no such file, another chip or another runtime."""
        self._model = Path(options["model"])
        self._context = context
        self.shapes = Shapes(int(options["side_px"]), int(options["tokens"]), int(options["width"]))
        try:
            from rknnlite.api import RKNNLite
        except ImportError as error:
            raise BrickError(f"The NPU can't be used: {BINDINGS} can't be imported ({error}).") from error
        # The bindings and the library also print to standard output; the log is standard error.
        os.dup2(2, 1)
        self._network = RKNNLite()
        if self._network.load_rknn(str(self._model)) != _OK:
            raise BrickError(f"The NPU's model file {self._model} can't be read.")
        need = NpuNeed((), str(options["librknnrt"]), str(options.get("driver", "")))
        try:
            outcome, why = self._network.init_runtime(), ""
        except AttributeError as error:  # the bindings look up calls that an older library lacks
            outcome, why = None, f" ({error})"
        if outcome != _OK:
            raise BrickError(
                f"The NPU does not take {self._model.name}, which has to be made for this chip and for "
                f"librknnrt {need.librknnrt}{why or _reason()}."
            )
        problem = unfit_versions(self._network.get_sdk_version(), need, self._model.name)
        if problem is not None:
            raise BrickError(problem)

    def rows(self, feed: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.array(self._run(feed), np.float32)

    def fill(self, feed: NDArray[np.float32], rows: NDArray[Any]) -> None:
        np.copyto(rows, self._run(feed), casting="same_kind")

    def close(self) -> None:
        self._network.release()

    def _run(self, feed: NDArray[np.float32]) -> NDArray[Any]:
        """[tokens, width], a view of the library's buffer, valid until the next run."""
        if self._context.cancelled():
            raise Cancelled
        try:
            outputs = self._network.inference(inputs=[feed], data_format=["nchw"], reuse_outputs=True)
        finally:
            gc.collect()
        if self._context.cancelled():
            raise Cancelled
        if not outputs:
            raise BrickBroken(f"The NPU failed at a picture with {self._model.name}{_reason()}.")
        rows = np.asarray(outputs[0])
        if len(outputs) != 1 or rows.size != self.shapes.tokens * self.shapes.width:
            given = ", ".join(str(np.asarray(output).shape) for output in outputs)
            wanted = f"{self.shapes.tokens} rows of {self.shapes.width}"
            raise BrickBroken(f"{self._model.name} gives {given}, and the pack says {wanted}.")
        return rows.reshape(self.shapes.tokens, self.shapes.width)


def _reason() -> str:
    """The library's last log line, in parentheses."""
    with contextlib.suppress(OSError):
        if said := last_line(2):
            return f" ({said.rstrip('.!')})"
    return ""


def create(options: Mapping[str, Any], context: Context) -> VisionBrick:
    """The brick, not yet loaded."""
    return VisionBrick(options, context, RknnEncoder)
