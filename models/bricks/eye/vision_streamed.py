"""A chain of graphs of which only two pieces' weights are in memory: one in use, and the next being read.

The sessions hold the graphs without their weights (`models.bricks.onnx_weights`); pieces of the same form
share one. A thread reads the weights of the next piece into one of two buffers while the current piece runs
with those in the other. Without packed weights a piece takes up to a fifth more processor time. Settings:
`stream_mb_s`, the declared read rate for experiments; 0: as fast as the files can be read.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Cancelled, Context
from models.bricks.eye.encoder import Piece, Ports, require_fit
from models.bricks.onnx_weights import SplitGraph, split
from models.bricks.ort import CancellableSession
from models.bricks.threads import threads_for
from models.pack.chain import Chain

_ALIGNMENT = 64
_STEP_BYTES = 1 << 20
"""Read at once; a cancelled request waits for no more than this."""

Weights = dict[str, NDArray[Any]]


class _StreamedPiece:
    """A graph with the weights that lie in a buffer."""

    def __init__(self, session: CancellableSession, ports: Ports, weights: Weights) -> None:
        self.ports = ports
        self._session, self._weights = session, weights
        self._input, self._output = session.names

    def run(self, feed: NDArray[Any]) -> NDArray[Any]:
        result: NDArray[Any] = self._session.run([self._output], {self._input: feed, **self._weights})[0]
        return result

    def fill(self, feed: NDArray[Any], out: NDArray[Any]) -> None:
        binding = self._session.session.io_binding()
        for name, value in {self._input: feed, **self._weights}.items():
            binding.bind_cpu_input(name, value)
        binding.bind_output(self._output, "cpu", 0, out.dtype, out.shape, out.ctypes.data)
        self._session.run_bound(binding)


class StreamedPieces:
    """All graphs of a chain, without their weights."""

    def __init__(self, options: Mapping[str, Any], context: Context, chain: Chain) -> None:
        """Raises BrickError for a file that is no graph, and for graphs that do not fit each other."""
        self._context = context
        self._bytes_per_s = float(options.get("stream_mb_s", 0.0)) * 1e6
        self._graphs: dict[str, SplitGraph] = {}
        self._sessions: dict[bytes, CancellableSession] = {}
        self._ports: dict[str, Ports] = {}
        for key in chain.keys:
            path = Path(options[key])
            graph = self._graphs[key] = split(path)
            if graph.skeleton not in self._sessions:
                session = CancellableSession(
                    graph.skeleton,
                    context,
                    shared_arena=True,
                    threads=threads_for(graph.size_bytes),
                    named=str(path),
                )
                self._sessions[graph.skeleton] = session
            self._ports[key] = self._sessions[graph.skeleton].ports(path)
            require_fit(chain, key, path, self._ports[key])
        room = max(_room(graph) for graph in self._graphs.values())
        self._buffers = [_aligned(room) for _ in range(2)]
        self._reader = ThreadPoolExecutor(1, "weights")

    def through(self, keys: Sequence[str]) -> Iterator[Piece]:
        left = threading.Event()
        reading: Future[Weights] | None = None
        try:
            for index, key in enumerate(keys):
                weights = self._await(reading or self._begin_read(key, index, left), left)
                after = keys[index + 1 : index + 2]
                reading = self._begin_read(after[0], index + 1, left) if after else None
                yield _StreamedPiece(self._sessions[self._graphs[key].skeleton], self._ports[key], weights)
        finally:
            left.set()
            if reading is not None:
                wait([reading])  # it writes into a buffer that the next request uses

    def close(self) -> None:
        self._reader.shutdown()
        self._sessions.clear()
        self._buffers.clear()

    def _begin_read(self, key: str, turn: int, left: threading.Event) -> Future[Weights]:
        return self._reader.submit(self._read, self._graphs[key], self._buffers[turn % 2], left)

    def _await(self, reading: Future[Weights], left: threading.Event) -> Weights:
        """What was read. Raises Cancelled as soon as the request is cancelled."""
        self._context.on_cancel = left.set
        try:
            if self._context.cancelled():
                raise Cancelled
            return reading.result()
        finally:
            self._context.on_cancel = None

    def _read(self, graph: SplitGraph, buffer: NDArray[np.uint8], left: threading.Event) -> Weights:
        """Reads a graph's tensors into the buffer at the declared rate; they are views of it. left: set when
        nobody needs them.
        """
        weights, at, done, begun_s = {}, 0, 0, time.monotonic()
        try:
            file = os.open(graph.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise BrickError(f"{graph.path} can't be read ({error.strerror}).") from error
        try:
            for tensor in graph.tensors:
                place = buffer[at : at + tensor.size_bytes]
                for start in range(0, tensor.size_bytes, _STEP_BYTES):
                    part = place[start : start + _STEP_BYTES]
                    if os.preadv(file, [part.data], tensor.offset + start) != len(part):
                        raise BrickError(f"{graph.path} is shorter than when it was loaded.")
                    done += len(part)
                    self._hold_back(done, begun_s, left)
                weights[tensor.name] = place.view(tensor.dtype).reshape(tensor.shape)
                at += _padded(tensor.size_bytes)
        finally:
            os.close(file)
        return weights

    def _hold_back(self, done: int, begun_s: float, left: threading.Event) -> None:
        """Wait until the declared rate allows so many bytes. Raises Cancelled."""
        rate = self._bytes_per_s
        left_s = begun_s + done / rate - time.monotonic() if rate else 0.0
        if left.wait(max(0.0, left_s)) or self._context.cancelled():
            raise Cancelled


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _room(graph: SplitGraph) -> int:
    return sum(_padded(tensor.size_bytes) for tensor in graph.tensors)


def _aligned(size: int) -> NDArray[np.uint8]:
    """Memory of that size whose address is a multiple of the alignment; its pages come with their use."""
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + size]
