"""Lines of JSON with a checksum, as they go over the USB serial port: `{"id": 1, "cmd": "battery"}*1A2B3C4D`.

The eight hexadecimal digits are the CRC-32 of everything before the `*`. Both sides import this module. A
line also begins with a line feed, which ends an incomplete line before it.
"""

import binascii
import json

LIMIT = 512  # bytes of one line to the PMU; a longer line is dropped
_MARK = 9  # bytes of the checksum with its `*`


def _crc(body):
    return ("*%08X" % (binascii.crc32(body) & 0xFFFFFFFF)).encode()


def encode(message: dict) -> bytes:
    """The line that carries the message."""
    body = json.dumps(message).encode()
    return b"\n" + body + _crc(body) + b"\n"


def decode(line: bytes):
    """The message of a line without its line feed; None when the checksum or the JSON is wrong."""
    body = bytes(line[:-_MARK])
    if bytes(line[-_MARK:]) != _crc(body):
        return None
    try:
        message = json.loads(body.decode())
    except (ValueError, RuntimeError, MemoryError):  # not JSON, nested too deeply, or too large
        return None
    return message if isinstance(message, dict) else None


class Lines:
    """Cuts a stream of bytes into lines; holds at most `limit` bytes of a line."""

    def __init__(self, limit: int = LIMIT):
        self._limit = limit
        self._line = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> list:
        """The lines that these bytes complete, without line feeds. Empty and too long lines are left out."""
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
