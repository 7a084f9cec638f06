"""The packs' bricks, which here refuse rows that are not in the ring's memory."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from models.brick import BrickError, Context


def ring_pages() -> list[range]:
    """The addresses at which rings are mapped in this process, from its memory map (proc(5))."""
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
    """The brick for vision, for closed questions or for answers, with a check at the calls that give native
    code the address.
    """
    if "answers" in options:
        from models.bricks.reflex import ReflexBrick

        class WatchedReflex(ReflexBrick):
            def load(self) -> None:
                super().load()
                assert self._graphs is not None
                front = self._graphs.front
                run = front.run

                def watched(feeds: dict[str, NDArray[Any]], outputs: Sequence[str]) -> list[NDArray[Any]]:
                    require_ring(feeds["rows"].ctypes.data, feeds["rows"].nbytes)
                    return run(feeds, outputs)

                front.run = watched  # type: ignore[method-assign]

        return WatchedReflex(options, context)
    if "mean" in options or "tokens" in options:
        from models.bricks.eye.sight import VisionBrick
        from models.bricks.eye.vision import OnnxPiece, OnnxPieces

        class WatchedPiece(OnnxPiece):
            def fill(self, feed: NDArray[Any], out: NDArray[Any]) -> None:
                run_bound = self.session.run_bound

                def watched(binding: Any) -> None:
                    run_bound(binding)
                    (output,) = binding.get_outputs()
                    require_ring(output.data_ptr(), out.nbytes)

                self.session.run_bound = watched  # type: ignore[method-assign]
                try:
                    super().fill(feed, out)
                finally:
                    self.session.run_bound = run_bound  # type: ignore[method-assign]

        class WatchedPieces(OnnxPieces):
            piece = WatchedPiece

        return VisionBrick(options, context, WatchedPieces)
    from models.bricks.llm import Decoder

    class WatchedDecoder(Decoder):
        def _decode(self, batch: Any) -> None:
            if batch.embd:
                size = 4 * batch.n_tokens * self._width
                require_ring(ctypes.addressof(batch.embd.contents), size)
            super()._decode(batch)

    return WatchedDecoder(options, context)
