"""Lines of JSON with a checksum, as they go over the USB serial port: `{"id": 1, "cmd": "battery"}*1A2B3C4D`.

The eight hexadecimal digits are the CRC-32 of everything before the `*`. Both sides import this module. A
line begins with a line feed as well, so that whatever lay half-sent before it is not taken for a part of it.
"""

import binascii
import json

LIMIT = 512  # bytes of one line towards the PMU; what is longer is dropped
_MARK = 9  # bytes of the checksum with its `*`


def _crc(body):
    return ("*%08X" % (binascii.crc32(body) & 0xFFFFFFFF)).encode()


def encode(message: dict) -> bytes:
    """The line that carries the message."""
    body = json.dumps(message).encode()
    return b"\n" + body + _crc(body) + b"\n"


def decode(line: bytes):
    """The message of a line without its line feed; None when it is anything but a whole one."""
    body = bytes(line[:-_MARK])
    if bytes(line[-_MARK:]) != _crc(body):
        return None
    try:
        message = json.loads(body.decode())
    except (ValueError, RuntimeError, MemoryError):  # no JSON, nested too deep, too much of it
        return None
    return message if isinstance(message, dict) else None


class Lines:
    """Cuts a stream of bytes into lines without ever holding more than `limit` bytes of one."""

    def __init__(self, limit: int = LIMIT):
        self._limit = limit
        self._line = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> list:
        """The lines that these bytes complete, without line feeds; empty ones and those that are too long are
        left out.
        """
        lines = []
        pieces = bytes(data).split(b"\n")
        for index, piece in enumerate(pieces):
            if index:
                line = bytes(self._line).rstrip(b"\r")
                if line and not self._too_long:
                    lines.append(line)
                self._line = bytearray()
                self._too_long = False
            if len(self._line) + len(piece) > self._limit:
                self._too_long = True
                self._line = bytearray()
            elif not self._too_long:
                self._line.extend(piece)
        return lines
