"""State that is saved over a reset: what the gauge has learned, and the used part of the guard's budgets.

On flash: a small record with version and checksum. A flash write stalls the bus, so it is written at most
every 40 seconds: when the charge has changed by 0.7 points and the host draws little current, or by 0.8
points in any case. After a loss of power the shown percentage is therefore within a point of the last one. A
day of wearing makes about twenty writes an hour, which the file system spreads over all blocks. Two slots are
written in turn, so that a loss of power during a write damages only the newest record.

In the chip's scratch registers, which outlive a watchdog or soft reset, where the board has them: the count
itself, every second. After such a reset no charge is missing.

Both hold the guard's budgets. A use is written to flash at once, before the rail or the reset line changes;
the host hangs or is off then and does not use the bus. After a loss of power the time since a use is unknown,
so it counts as just made.

The board's side, each method optional: `load()` -> bytes of all slots in any order, torn ones included, or
None; `save(record)` writes a record into slot `slot(record)`; `keep(bytes)` and `kept()` -> bytes hold
`KEPT_BYTES`.
"""

import struct

_MAGIC = b"HG"
_VERSION = 2
_LAYOUT = "<2sBBHHiHHHHHB3f3f21H"  # see `_pack`
RECORD_BYTES = struct.calcsize(_LAYOUT) + 2
_KEPT_LAYOUT = "<HiHBBH"  # percent, charge, spread, both budgets, checksum
KEPT_BYTES = struct.calcsize(_KEPT_LAYOUT)
_FLAGS_AT, _SEQUENCE_AT = 3, 4

_EMPTY, _FULL, _LEARNED = 1, 2, 0x40  # flags; the four bits between hold the uses of both budgets
_MIN_INTERVAL_MS = 40_000
_QUIET_MA = 60
_QUIET_MS = 5000
_KEEP_MS = 1000
_CHANGED_HOST_OFF = 5  # tenths of a point of charge that are worth a write when the host is switched off,
_CHANGED_QUIET = 7  # while it draws little current,
_CHANGED_BUSY = 8  # and otherwise
_UNSEEN_SPREAD = 0.06  # standard deviation of the charge since the last record, as a fraction of the capacity


def slot(record: bytes) -> int:
    """Which of the two slots the record belongs to."""
    return record[_SEQUENCE_AT] & 1


def checksum(data) -> int:
    """CRC-16, polynomial 0x1021, initial value 0xFFFF."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def newest(data: bytes) -> bytes:
    """The valid record written last among these bytes, wherever it lies; empty when there is none."""
    found = b""
    for start in range(len(data) - RECORD_BYTES + 1):
        if data[start : start + 2] != _MAGIC or data[start + 2] != _VERSION:
            continue
        record = data[start : start + RECORD_BYTES]
        if checksum(record[:-2]) != record[-2] | record[-1] << 8:
            continue
        if not found or (_sequence(record) - _sequence(found)) & 0xFFFF < 0x8000:
            found = record
    return bytes(found)


class Store:
    """Restores a gauge at the start and saves it when that is due."""

    def __init__(self, board):
        self._board = board
        self._next = 0
        self._since_ms = _MIN_INTERVAL_MS
        self._quiet_ms = 0
        self._keep_ms = 0
        self._saved = (-100.0, 0, False)  # percent, capacity, empty
        self._host_off = False
        self._now_ms = 0
        self._budgets: tuple = ()
        self._found = False  # did `restore` find anything?
        self._used = b"\0\0"  # of the budgets, as restored
        self._saved_flags = 0

    def restore(self, gauge) -> bool:
        """Restore a gauge before its first sample; False when nothing is stored."""
        record = newest(self._call("load") or b"")
        if record:
            self._next = _sequence(record) + 1 & 0xFFFF
            _unpack(record, gauge)
            flags = record[_FLAGS_AT]
            self._used = bytes((flags >> 2 & 3, flags >> 4 & 3))
            self._saved, self._saved_flags = self._summary(gauge), flags & 0x3C
        kept = self._call("kept") or b""
        if len(kept) == KEPT_BYTES and checksum(kept[:-2]) == kept[-2] | kept[-1] << 8:
            percent, charge_uah, spread, starts, resets, _ = struct.unpack(_KEPT_LAYOUT, kept)
            self._used = bytes((starts, resets))
            if not record:
                gauge.charge.declare(0.0, spread / 10_000)
            gauge.restore(percent / 100, charge_uah, gauge.shown.empty)  # complete up to the reset
        elif not record:
            return False
        else:
            gauge.charge.covariance[0][0] += _UNSEEN_SPREAD**2
            gauge.shown.unsettled = True
        self._found = True
        return True

    def restore_budgets(self, budgets, gauge) -> None:
        """Restore the guard's two `guard_rail.Budget`s from what `restore` found, and save each use of them
        from now on, together with `gauge`.
        """
        self._budgets = budgets
        for budget, used in zip(budgets, self._used):  # noqa: B905 - MicroPython
            budget.restore(used, self._now_ms)
            budget.on_use = lambda: self._budget_used(gauge)

    def step(self, elapsed_ms: int, gauge, host_off: bool = False) -> None:
        """Save if that is due. `host_off`: the host has no power, so a write cannot stall its bus."""
        self._now_ms += elapsed_ms
        self._since_ms += elapsed_ms
        self._keep_ms += elapsed_ms
        if self._keep_ms >= _KEEP_MS:
            self._keep_ms = 0
            self._call("keep", kept(gauge, self._packed()))
        quiet = host_off or abs(gauge.current_ma) < _QUIET_MA
        self._quiet_ms = self._quiet_ms + elapsed_ms if quiet else 0
        percent, capacity_mah, empty = self._summary(gauge)
        changed_mah = abs(capacity_mah - self._saved[1])
        changed = 10 * abs(percent - self._saved[0]) + 1000 * changed_mah / gauge.design_mah
        went_off, self._host_off = host_off and not self._host_off, host_off
        final = empty != self._saved[2] or (went_off and changed >= _CHANGED_HOST_OFF)
        quiet_enough = self._since_ms >= _MIN_INTERVAL_MS and self._quiet_ms >= _QUIET_MS
        overdue = self._since_ms >= _MIN_INTERVAL_MS and changed >= _CHANGED_BUSY
        due = final or overdue
        if quiet_enough and not due:
            due = changed >= _CHANGED_QUIET or self._flags() != self._saved_flags
        if due:
            self.save(gauge)

    def save(self, gauge) -> None:
        """Write a record now."""
        self._since_ms = 0
        self._saved, self._saved_flags = self._summary(gauge), self._flags()
        self._call("save", _pack(gauge, self._next, self._saved_flags))
        self._next = self._next + 1 & 0xFFFF

    def _budget_used(self, gauge):
        if gauge.known or self._found:  # else there is no count to save
            self._call("keep", kept(gauge, self._packed()))
            self.save(gauge)

    def _summary(self, gauge):
        return gauge.percent, int(gauge.charge.capacity_mah), gauge.shown.empty

    def _packed(self):
        return bytes([budget.packed(self._now_ms) for budget in self._budgets]) or b"\0\0"

    def _flags(self):
        starts, resets = self._packed()
        return (starts & 3) << 2 | (resets & 3) << 4

    def _call(self, name, *arguments):
        method = getattr(self._board, name, None)
        if method is None:
            return None
        try:
            return method(*arguments)
        except OSError:
            return None  # the gauge goes on without it; the next save tries again


def kept(gauge, used: bytes = b"\0\0") -> bytes:
    """The `KEPT_BYTES` for the board's lasting registers; `used`: both budgets, packed."""
    spread = min(0xFFFF, int(gauge.charge.spread * 10_000) + 1)
    percent = round(gauge.percent * 100)
    data = struct.pack(_KEPT_LAYOUT, percent, gauge.charge.charge_uah, spread, used[0], used[1], 0)[:-2]
    return data + struct.pack("<H", checksum(data))


def _sequence(record):
    return record[_SEQUENCE_AT] | record[_SEQUENCE_AT + 1] << 8


def _pack(gauge, sequence, flags):
    charge = gauge.charge
    flags |= (_EMPTY if gauge.shown.empty else 0) | (_FULL if gauge.full else 0)
    flags |= _LEARNED if charge.learned else 0
    data = struct.pack(
        _LAYOUT, _MAGIC, _VERSION, flags, sequence, round(gauge.percent * 100), charge.charge_uah,
        _word(gauge.resistance.total_mohm * 10), _word(gauge.resistance.spread_mohm * 10),
        gauge.cycles & 0xFFFF, gauge.discharged_uah // 1000, gauge.design_mah, gauge.profile,
        *charge.state[:3], *[charge.covariance[i][i] for i in range(3)], *charge.curve,
    )  # fmt: skip
    return data + struct.pack("<H", checksum(data))


def _word(value):
    return min(0xFFFF, max(0, round(value)))


def _unpack(record, gauge):
    (
        flags,
        _,
        percent,
        charge_uah,
        mohm,
        mohm_spread,
        cycles,
        discharged_mah,
        design_mah,
        profile,
        *learned,
    ) = struct.unpack(_LAYOUT, record[:-2])[2:]
    gauge.fit(profile, design_mah)
    charge = gauge.charge
    for i in range(3):
        charge.state[i] = learned[i]
        charge.covariance[i][i] = learned[3 + i]
    charge.curve = list(learned[6:])
    charge.learned = bool(flags & _LEARNED)
    gauge.resistance.known(mohm / 10, mohm_spread / 10)
    gauge.cycles, gauge.discharged_uah = cycles, discharged_mah * 1000
    gauge.full = bool(flags & _FULL)
    gauge.restore(percent / 100, charge_uah, bool(flags & _EMPTY))
