"""A board's flash and scratch registers, for tests of what is saved over a reset."""

from __future__ import annotations

from firmware.pmu import gauge_saved_state as store


class FakeFlash:
    """Two slots and the scratch registers; counts writes."""

    def __init__(self) -> None:
        self.slots = {0: b"", 1: b""}
        self.lasting = b""
        self.saves = 0
        self.broken = False

    def load(self) -> bytes:
        return self.slots[0] + self.slots[1]

    def save(self, record: bytes) -> None:
        if self.broken:
            raise OSError(28)
        self.slots[store.slot(record)] = record
        self.saves += 1

    def kept(self) -> bytes:
        return self.lasting

    def keep(self, data: bytes) -> None:
        self.lasting = data
