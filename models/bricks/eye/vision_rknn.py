"""The vision brick on Rockchip's NPU: the same network as `models.bricks.eye.vision`, compiled for one chip.

Files (.rknn): one graph or a chain, as in `models.bricks.eye.sight`; `side_px`, `librknnrt` and `driver` from
the pack's `npu` table, and the settings there: files contain neither their shapes nor the runtime version.
The setting `stream` has no effect: each release of a network loses memory of this process.

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
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickBroken, BrickError, Cancelled, Context
from models.bricks.eye.encoder import Ports, ResidentPieces, wanted_ports
from models.bricks.eye.sight import VisionBrick
from models.pack.npu_fit import BINDINGS, NpuNeed, unfit_versions
from models.process.process_title import last_line

_OK = 0
_PICTURE = 4
"""Dimensions of a picture's values."""


class RknnPiece:
    """One graph on the NPU."""

    def __init__(self, path: Path, options: Mapping[str, Any], context: Context, ports: Ports) -> None:
        """ports: the shapes that the pack says. Raises BrickError with one sentence: no bindings, no such
        file, another chip or another runtime.
        """
        self.ports = ports
        self._model = path
        self._context = context
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

    def run(self, feed: NDArray[Any]) -> NDArray[Any]:
        return np.array(self._run(feed), np.float32)

    def fill(self, feed: NDArray[Any], out: NDArray[Any]) -> None:
        np.copyto(out, self._run(feed), casting="same_kind")

    def close(self) -> None:
        """Free the network."""
        self._network.release()

    def _run(self, feed: NDArray[Any]) -> NDArray[Any]:
        """The output, a view of the library's buffer, valid until the next run."""
        if self._context.cancelled():
            raise Cancelled
        # A layout is only for pictures; values of three dimensions are passed as they are.
        layout = ["nchw"] if feed.ndim == _PICTURE else None
        try:
            outputs = self._network.inference(inputs=[feed], data_format=layout, reuse_outputs=True)
        finally:
            gc.collect()
        if self._context.cancelled():
            raise Cancelled
        if not outputs:
            raise BrickBroken(f"The NPU failed at a picture with {self._model.name}{_reason()}.")
        given = np.asarray(outputs[0])
        if len(outputs) != 1 or given.size != math.prod(self.ports.gives):
            shapes = ", ".join(str(np.asarray(output).shape) for output in outputs)
            raise BrickBroken(f"{self._model.name} gives {shapes}, and the pack says {self._wanted()}.")
        if not np.isfinite(given).all():  # beyond float16, in which it computes
            raise BrickBroken(f"The NPU gives values that are no numbers with {self._model.name}.")
        return given.reshape(self.ports.gives)

    def _wanted(self) -> str:
        *rows, width = self.ports.gives[1:]
        return f"{rows[0]} rows of {width}" if rows else f"{width} values"


class RknnPieces(ResidentPieces[RknnPiece]):
    """All graphs of an encoder on the NPU. Raises BrickError as `RknnPiece`."""

    def load(self, key: str, path: Path) -> RknnPiece:
        if self.chain is not None:
            ports = Ports(*wanted_ports(self.chain, key))
        else:
            side, rows = int(self.options["side_px"]), (self.options["tokens"], self.options["width"])
            ports = Ports((1, 3, side, side), (1, *map(int, rows)))
        return RknnPiece(path, self.options, self.context, ports)

    def close(self) -> None:
        for piece in self.by_file.values():
            piece.close()
        super().close()


def _reason() -> str:
    """The library's last log line, in parentheses."""
    with contextlib.suppress(OSError):
        if said := last_line(2):
            return f" ({said.rstrip('.!')})"
    return ""


def create(options: Mapping[str, Any], context: Context) -> VisionBrick:
    """The brick, not yet loaded."""
    return VisionBrick(options, context, RknnPieces)
