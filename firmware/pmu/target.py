"""The PMU's side of the register map: 256 bytes that the I2C target serves, kept whole by Python beside it.

The bus may read at any moment and write anything anywhere. `publish` therefore frames every update with the
SEQUENCE register and keeps each word's PEC, and `accept_writes` compares the memory with a private copy: a
write to a writable register with the right PEC stays, anything else is put back as it was.
"""

from . import registers as r


class Target:
    """Memory of the I2C target; hand `memory` to `machine.I2CTarget(mem=...)`."""

    def __init__(self):
        self.memory = bytearray(r.MEMORY_BYTES)
        self._private = bytearray(r.MEMORY_BYTES)
        self._values = [0] * r.REGISTER_COUNT
        self._sequence = 0
        for code in range(r.REGISTER_COUNT):
            self._store(code, 0)
        self._store(r.MAP, r.MAP_MAGIC | r.MAP_VERSION)
        self._store(r.SPECIFICATION_INFO, 0x0031)

    def _store(self, code, value):
        start = code * r.CELL_BYTES
        four = r.cell(code, value)
        self._values[code] = value & 0xFFFF
        self._private[start : start + r.CELL_BYTES] = four
        self.memory[start : start + r.CELL_BYTES] = four

    def value(self, code: int) -> int:
        """The word the PMU holds for the register, 0..65535."""
        return self._values[code]

    def publish(self, values: dict) -> None:
        """Replace the given registers (code -> value) as one update that a reader can tell from a half-done
        one.
        """
        self.accept_writes()
        self._store(r.SEQUENCE, self._sequence + 1)
        for code, value in values.items():
            if self._values[code] != value & 0xFFFF:
                self._store(code, value)
        self._sequence = (self._sequence + 2) & 0xFFFF
        self._store(r.SEQUENCE, self._sequence)

    def accept_writes(self) -> list:
        """Take in what the bus wrote since the last call; call it on END_WRITE and before every update.

        Returns the codes of writable registers that were written with a right PEC. Every other change is
        undone.
        """
        written: list = []
        if self.memory == self._private:
            return written
        for code in range(r.REGISTER_COUNT):
            start = code * r.CELL_BYTES
            four = self.memory[start : start + r.CELL_BYTES]
            if four == self._private[start : start + r.CELL_BYTES]:
                continue
            low, high, check, _ = four
            if code in r.WRITABLE and check == r.write_pec(start, low, high):
                self._store(code, low | high << 8)
                written.append(code)
            else:
                self._store(code, self._values[code])
        return written
