"""MicroPython's raw prompt in front of the emulated microcontroller."""

from __future__ import annotations

from tests.firmware.pico import Pico


class RawPrompt:
    """MicroPython's raw prompt on an emulated board: Ctrl-A enters it, Ctrl-D runs what came, as in the
    interpreter's `pyexec`. `raw_paste`: the board knows that mode, with its flow control.
    """

    WINDOW = 128

    def __init__(self, pico: Pico, raw_paste: bool = True) -> None:
        self._pico = pico
        self._raw_paste = raw_paste
        self._raw = False
        self._code = b""
        self._pasting = False
        self._left = 0

    def __call__(self, data: bytes) -> bytes:
        out = b""
        for byte in data:
            out += self._byte(bytes([byte]))
        return out

    def _byte(self, byte: bytes) -> bytes:
        if self._pasting:
            return self._paste(byte)
        if byte == b"\x03":
            self._pico.interrupt()
            self._code = b""
            return b""
        if self._pico.state != "prompt":
            return b""
        if byte == b"\x01":
            self._raw, self._code = True, b""
            return b"raw REPL; CTRL-B to exit\r\n>"
        if not self._raw:
            return b""
        if byte == b"\x04":
            code, self._code = self._code, b""
            return b"OK" + self._run(code)
        self._code += byte
        return b""

    def feed(self, data: bytes) -> bytes:
        """Called by the port; checks first for the sequence that requests raw-paste mode."""
        out = b""
        while data:
            at = data.find(b"\x05A\x01")
            if at < 0 or self._pasting:
                return out + self(data)
            out += self(data[:at])
            data = data[at + 3 :]
            if self._raw_paste:
                self._pasting, self._left = True, self.WINDOW
                out += b"R\x01" + self.WINDOW.to_bytes(2, "little")
            else:
                out += b"R\x00"
        return out

    def _paste(self, byte: bytes) -> bytes:
        if byte == b"\x04":
            self._pasting = False
            code, self._code = self._code, b""
            return b"\x04" + self._run(code)
        self._code += byte
        self._left -= 1
        if self._left:
            return b""
        self._left = self.WINDOW
        return b"\x01"

    def _run(self, code: bytes) -> bytes:
        printed, error = self._pico.execute(code.decode())
        return printed.encode() + b"\x04" + error.encode() + b"\x04>"
