"""The vision brick on the CPU, under ONNX Runtime: the output rows are the decoder's input rows.

Files: as in `models.bricks.eye.sight`; outputs are float32, or float16 (half the size in the ring). Settings
in addition to those there: `arena`, for one graph; `stream`: the weights of a chain are read while they are
needed (`models.bricks.eye.vision_streamed`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from models.brick import BrickError, Context
from models.bricks.eye.encoder import Pieces, Ports, ResidentPieces, require_fit
from models.bricks.eye.sight import VisionBrick
from models.bricks.eye.vision_streamed import StreamedPieces
from models.bricks.ort import CancellableSession
from models.bricks.threads import threads_for
from models.pack.chain import Chain


class OnnxPiece:
    """One graph; it writes in place, because the ring slot is bound as the session's output."""

    def __init__(self, path: Path, context: Context, **options: Any) -> None:
        """options: of `CancellableSession`. Raises BrickError."""
        self.session = CancellableSession(str(path), context, **options)
        self.ports = self.session.ports(path)
        self._input, self._output = self.session.names

    def run(self, feed: NDArray[Any]) -> NDArray[Any]:
        result: NDArray[Any] = self.session.run([self._output], {self._input: feed})[0]
        return result

    def fill(self, feed: NDArray[Any], out: NDArray[Any]) -> None:
        binding = self.session.session.io_binding()
        binding.bind_cpu_input(self._input, feed)
        binding.bind_output(self._output, "cpu", 0, out.dtype, out.shape, out.ctypes.data)
        self.session.run_bound(binding)


class OnnxPieces(ResidentPieces[OnnxPiece]):
    """All graphs of an encoder, loaded. Raises BrickError for a file that is no graph, and for graphs that do
    not fit each other.
    """

    piece = OnnxPiece

    def load(self, key: str, path: Path) -> OnnxPiece:
        if self.chain is None:
            return self.piece(path, self.context, arena=bool(self.options.get("arena", False)))
        return self.piece(path, self.context, shared_arena=True, threads=threads_for(path.stat().st_size))

    def require_use(self, key: str, path: Path, piece: OnnxPiece) -> None:
        if self.chain is None:
            _require_picture_to_rows(piece.ports)
        else:
            require_fit(self.chain, key, path, piece.ports)


def _require_picture_to_rows(ports: Ports) -> None:
    """Raises BrickError for a single graph of other shapes."""
    if len(ports.takes) != 4 or len(ports.gives) != 3:
        extents = [*ports.takes, *ports.gives]
        raise BrickError(
            f"The vision model's shapes are {extents}, not [1, 3, side, side] and [1, tokens, width]."
        )


def load(options: Mapping[str, Any], context: Context, chain: Chain | None) -> Pieces:
    """The encoder's graphs, all loaded or streamed as the options say."""
    if chain is not None and options.get("stream"):
        return StreamedPieces(options, context, chain)
    return OnnxPieces(options, context, chain)


def create(options: Mapping[str, Any], context: Context) -> VisionBrick:
    """The brick, not yet loaded."""
    return VisionBrick(options, context, load)
