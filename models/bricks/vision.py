"""The vision brick on the CPU, under ONNX Runtime: the output rows are the decoder's input rows.

Files: as in `models.bricks.sight`; outputs are float32, or float16 (half the size in the ring). Settings, in
addition to those of `models.bricks.sight`: `arena`, for one graph; `stream`: the weights of a chain are read
while they are needed (`models.bricks.vision_streamed`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from models.brick import BrickError, Context
from models.bricks.encoder import Piece, Pieces, Ports, require_fit, stages, threads_for
from models.bricks.ort import CancellableSession
from models.bricks.sight import VisionBrick
from models.bricks.vision_streamed import StreamedPieces
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


class OnnxPieces:
    """All graphs of an encoder, loaded; an exit is loaded with its first use. Exits that are one file share
    it.
    """

    piece = OnnxPiece

    def __init__(self, options: Mapping[str, Any], context: Context, chain: Chain | None) -> None:
        """Raises BrickError for a file that is no graph, and for graphs that do not fit each other."""
        self._options, self._context, self._chain = options, context, chain
        self._by_file: dict[Path, OnnxPiece] = {}
        self._pieces = {key: self._loaded(key) for key in stages(chain)}

    def through(self, keys: Sequence[str]) -> Iterator[Piece]:
        for key in keys:
            if key not in self._pieces:
                self._pieces[key] = self._loaded(key)
            yield self._pieces[key]

    def close(self) -> None:
        self._pieces.clear()
        self._by_file.clear()

    def _loaded(self, key: str) -> OnnxPiece:
        path = Path(self._options[key])
        if self._chain is None:
            piece = self.piece(path, self._context, arena=bool(self._options.get("arena", False)))
            _require_picture_to_rows(piece.ports)
            return piece
        if path not in self._by_file:
            threads = threads_for(path.stat().st_size)
            self._by_file[path] = self.piece(path, self._context, shared_arena=True, threads=threads)
        require_fit(self._chain, key, path, self._by_file[path].ports)
        return self._by_file[path]


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
