"""Bricks of the packs that refuse to work unless their rows lie in the ring's own memory."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Mapping
from typing import Any

import numpy as np

from models.brick import BrickError, Context


def ring_pages() -> list[range]:
    """Where this process has rings in its memory, by its own map (proc(5))."""
    with open("/proc/self/maps") as file:
        lines = [line.split() for line in file if "headband-ring" in line]
    return [range(*(int(end, 16) for end in line[0].split("-"))) for line in lines]


def require_ring(address: int, size: int) -> None:
    """Raises BrickError for memory outside the ring's slots."""
    for pages in ring_pages():
        if address >= pages.start + mmap.PAGESIZE and address + size <= pages.stop:
            return
    raise BrickError("The rows lie outside the ring.")


def create(options: Mapping[str, Any], context: Context) -> Any:
    """Sight for a `vit`, else answers: the brick itself, with a check where native code gets the address."""
    if "mean" in options or "tokens" in options:
        from models.bricks.vision import Vision

        class WatchedVision(Vision):
            def load(self) -> None:
                super().load()
                assert self._session is not None
                run_bound = self._session.run_bound

                def watched(binding: Any) -> None:
                    run_bound(binding)
                    (output,) = binding.get_outputs()
                    require_ring(
                        output.data_ptr(), self._tokens * self._width * np.dtype(self._dtype).itemsize
                    )

                self._session.run_bound = watched  # type: ignore[method-assign]

        return WatchedVision(options, context)
    from models.bricks.llm import Decoder

    class WatchedDecoder(Decoder):
        def _decode(self, batch: Any) -> None:
            if batch.embd:
                size = 4 * batch.n_tokens * self._width
                require_ring(ctypes.addressof(batch.embd.contents), size)
            super()._decode(batch)

    return WatchedDecoder(options, context)
