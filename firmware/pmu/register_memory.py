"""The PMU's side of the register map: 256 bytes of memory that the I2C target serves without Python.

The bus may read at any moment and may write any byte. `publish` therefore frames every update with the
SEQUENCE register and stores each word's PEC. `accept_writes` compares the memory with a private copy: a write
to a writable register with the right PEC is accepted, any other change is undone. A write of the value that
is already there is detected too, because on no writable register the PEC of a write equals that of a read.
"""

from . import registers as r

_BLOCK_BYTES = 32  # compared at once in the search for writes


class Target:
    """Memory of the I2C target; hand `memory` to `machine.I2CTarget(mem=...)`."""

    def __init__(self):
        self.memory = bytearray(r.MEMORY_BYTES)
        self._private = bytearray(r.MEMORY_BYTES)
        self._handlers: dict = {}
        self._sequence = 0
        self._publishing = False
        self._accepting = False
        self._again = False
        for code in range(r.REGISTER_COUNT):
            self._store(code, 0)
        self._store(r.MAP, r.MAP_MAGIC | r.MAP_VERSION)
        self._store(r.SPECIFICATION_INFO, 0x0031)

    def _store(self, code, value):
        start = code * r.CELL_BYTES
        four = r.cell(code, value)
        self._private[start : start + r.CELL_BYTES] = four
        self.memory[start : start + r.CELL_BYTES] = four

    def value(self, code: int) -> int:
        """The word the PMU holds for the register, 0..65535."""
        start = code * r.CELL_BYTES
        # Allocates nothing, so a write may come between the bytes: a deadline is then a mix for one step.
        return self._private[start] | self._private[start + 1] << 8

    def on_write(self, code: int, handler) -> None:
        """Call `handler(value)` whenever the host writes that register, also with the value it holds already.

        It runs in the soft interrupt after the write, so between any two bytecodes of the main program: it
        should only store what is to be done. It may return registers (code -> value) that are published
        together with the written one. One handler per register.
        """
        self._handlers[code] = handler

    def take(self, code: int) -> int:
        """The request in the register, or 0; the register then reads 0, which acknowledges it."""
        self.accept_writes()
        value = self.value(code)
        if value:
            self._frame({code: 0})
        return int(value)

    def publish(self, values: dict) -> None:
        """Set the given registers (code -> value) as one update; a reader detects an incomplete one by
        SEQUENCE.
        """
        self.accept_writes()
        self._frame(values)

    def _frame(self, values, written=-1):
        outermost = not self._publishing  # an update from an interrupt within an update is part of it
        if outermost:
            self._publishing = True
            self._store(r.SEQUENCE, self._sequence + 1)
        private = self._private
        for code, value in values.items():
            start = code * r.CELL_BYTES
            if code == written or private[start] | private[start + 1] << 8 != value & 0xFFFF:
                self._store(code, value)
        if outermost:
            self._sequence = (self._sequence + 2) & 0xFFFF
            self._store(r.SEQUENCE, self._sequence)
            self._publishing = False

    def accept_writes(self) -> list:
        """Accept or undo what the bus wrote since the last call; call it on END_WRITE and before every
        update.

        Returns the codes of writable registers that were written with a right PEC, after their handlers ran.
        Every other change is undone.
        """
        written: list = []
        if self._accepting:
            self._again = True  # called from an interrupt within the loop below, which then runs once more
            return written
        self._accepting = True
        try:
            while self.memory != self._private:
                self._again = False
                for start in range(0, r.MEMORY_BYTES, _BLOCK_BYTES):
                    end = start + _BLOCK_BYTES
                    if self.memory[start:end] != self._private[start:end]:
                        self._accept_block(start // r.CELL_BYTES, end // r.CELL_BYTES, written)
                if not self._again:
                    break
        finally:
            self._accepting = False
        return written

    def _accept_block(self, first, end, written):
        for code in range(first, end):
            start = code * r.CELL_BYTES
            four = self.memory[start : start + r.CELL_BYTES]
            if four == self._private[start : start + r.CELL_BYTES]:
                continue
            low, high, check, _ = four
            if code in r.WRITABLE and check == r.write_pec(start, low, high):
                self._accept(code, low | high << 8)
                written.append(code)
            else:
                self.memory[start : start + r.CELL_BYTES] = self._private[start : start + r.CELL_BYTES]

    def _accept(self, code, value):
        handler = self._handlers.get(code)
        if handler is None:
            self._store(code, value)
            return
        # One update, so that the host never reads its own value together with old results.
        words = {code: value}
        words.update(handler(value) or {})
        self._frame(words, code)
