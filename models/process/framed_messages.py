"""Framed messages between the main process and a brick's process, over a stream socket.

A frame is eight bytes of length, little-endian, and one pickled tuple. Both ends are the same program on
the same machine. The main process reads and writes with asyncio; a brick's process blocks.
"""

from __future__ import annotations

import pickle
import socket
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a brick's process does without asyncio
    import asyncio

_HEADER_BYTES = 8


def encode(message: tuple[Any, ...]) -> bytes:
    """One frame."""
    body = pickle.dumps(message, protocol=5)
    return len(body).to_bytes(_HEADER_BYTES, "little") + body


async def receive(reader: asyncio.StreamReader) -> tuple[Any, ...]:
    """The next message. Raises EOFError when the other end is gone."""
    try:
        size = int.from_bytes(await reader.readexactly(_HEADER_BYTES), "little")
        body = await reader.readexactly(size)
    except (EOFError, ConnectionError) as error:  # asyncio's IncompleteReadError is an EOFError
        raise EOFError from error
    message: tuple[Any, ...] = pickle.loads(body)
    return message


class MainGone(Exception):
    """The main process has closed its end."""


class BlockingChannel:
    """The brick's end: blocking, and safe to send on from any thread."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._sending = threading.Lock()

    def send(self, *message: Any) -> None:
        """Raises MainGone."""
        frame = encode(message)
        with self._sending:
            try:
                self._sock.sendall(frame)
            except OSError as error:
                raise MainGone from error

    def receive(self) -> tuple[Any, ...]:
        """The next message. Raises MainGone."""
        size = int.from_bytes(self._exactly(_HEADER_BYTES), "little")
        message: tuple[Any, ...] = pickle.loads(self._exactly(size))
        return message

    def _exactly(self, size: int) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        filled = 0
        while filled < size:
            try:
                count = self._sock.recv_into(view[filled:])
            except OSError as error:
                raise MainGone from error
            if not count:
                raise MainGone
            filled += count
        return data
