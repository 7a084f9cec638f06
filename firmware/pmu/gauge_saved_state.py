"""What the gauge has learned and what the guard has used up, kept over a reset.

Flash: a small record with version and checksum, written sparingly, because a flash write stalls the bus: at
most every 40 seconds, when the charge has changed by most of a point, and a little later if the host does not
sleep meanwhile. So the shown percentage goes on within a point of where a loss of power cut it off; a worn
day makes some twenty writes an hour, which the file system spreads over all blocks.
Records go to two slots in turn, so that a write cut off by a power failure costs that record and not the
one before.

Registers of the chip that outlive a watchdog or soft reset, where the board has them: the count itself,
every second. They cost nothing, and after such a reset no charge is missing.

The guard's budgets are in both. A use is written to flash at once, before the rail or the reset line moves:
the host hangs or is off then, and misses no bus. After a loss of power nobody knows how long ago it was, so
it counts as if it had just happened.

The board's side, each method optional: `load()` -> bytes of all slots in any order, torn ones included, or
None; `save(record)` writes a record into slot `slot(record)`; `keep(bytes)` and `kept()` -> bytes hold
`KEPT_BYTES`.
"""

import struct

_MAGIC = b"HG"
_VERSION = 1
_LAYOUT = "<2sBBHHiHhHHfffHHHH"  # see `_pack`
RECORD_BYTES = struct.calcsize(_LAYOUT) + 2
_KEPT_LAYOUT = "<HiHBBH"  # percent, charge, spread, both budgets, checksum
KEPT_BYTES = struct.calcsize(_KEPT_LAYOUT)
_FLAGS_AT, _SEQUENCE_AT = 3, 4

_EMPTY, _FULL = 1, 2  # flags; the four bits above hold the uses of both budgets
_SHORTEST_MS = 40_000
_QUIET_MA = 60
_QUIET_MS = 5000
_KEEP_MS = 1000
_CHANGED_LITTLE = 0.5  # points of charge worth a write when the host has just lost its power,
_CHANGED = 0.7  # while it is quiet,
_CHANGED_MUCH = 0.8  # and while it is not
_GONE_BY = 0.04  # standard deviation of the charge that went after the last record, as a fraction


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
    """Restores a gauge at the start and saves it now and then."""

    def __init__(self, board):
        self._board = board
        self._next = 0
        self._since_ms = _SHORTEST_MS
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
        """Give a gauge that has not sampled yet what was kept; False when there is nothing."""
        record = newest(self._call("load") or b"")
        if record:
            self._next = _sequence(record) + 1 & 0xFFFF
            _unpack(record, gauge)
            flags = record[_FLAGS_AT]
            self._used = bytes((flags >> 2 & 3, flags >> 4 & 3))
            self._saved, self._saved_flags = self._mark(gauge), flags & 0x3C
        kept = self._call("kept") or b""
        if len(kept) == KEPT_BYTES and checksum(kept[:-2]) == kept[-2] | kept[-1] << 8:
            percent, charge_uah, spread, starts, resets, _ = struct.unpack(_KEPT_LAYOUT, kept)
            self._used = bytes((starts, resets))
            gauge.restore_charge(percent / 100, charge_uah, spread / 10_000, bool(record))
        elif not record:
            return False
        else:
            gauge.charge.doubt(_GONE_BY)
            gauge.shown.new = True
        self._found = True
        return True

    def restore_budgets(self, budgets, gauge) -> None:
        """Give the guard's two `rail.Budget`s what `restore` found of them, and watch their use from now on;
        `gauge` is what goes into the record with them.
        """
        self._budgets = budgets
        for budget, used in zip(budgets, self._used):  # noqa: B905 - MicroPython
            budget.restore(used, self._now_ms)
            budget.on_use = lambda: self._used_up(gauge)

    def step(self, elapsed_ms: int, gauge, host_off: bool = False) -> None:
        """Time passes; `host_off`: the host has no power, so a stalled bus harms nobody."""
        self._now_ms += elapsed_ms
        self._since_ms += elapsed_ms
        self._keep_ms += elapsed_ms
        if self._keep_ms >= _KEEP_MS:
            self._keep_ms = 0
            self._call("keep", kept(gauge, self._packed()))
        quiet = host_off or abs(gauge.current_ma) < _QUIET_MA
        self._quiet_ms = self._quiet_ms + elapsed_ms if quiet else 0
        percent, capacity_mah, empty = self._mark(gauge)
        changed = abs(percent - self._saved[0]) + 100 * abs(capacity_mah - self._saved[1]) / gauge.design_mah
        went_off, self._host_off = host_off and not self._host_off, host_off
        last_word = empty != self._saved[2] or (went_off and changed >= _CHANGED_LITTLE)
        quiet_enough = self._since_ms >= _SHORTEST_MS and self._quiet_ms >= _QUIET_MS
        overdue = self._since_ms >= _SHORTEST_MS and changed >= _CHANGED_MUCH
        due = last_word or overdue
        if quiet_enough and not due:
            due = changed >= _CHANGED or self._flags() != self._saved_flags
        if due:
            self.save(gauge)

    def save(self, gauge) -> None:
        """Write a record now."""
        self._since_ms = 0
        self._saved, self._saved_flags = self._mark(gauge), self._flags()
        self._call("save", _pack(gauge, self._next, self._saved_flags))
        self._next = self._next + 1 & 0xFFFF

    def _used_up(self, gauge):
        if gauge.known or self._found:  # else there is no count that a record could hold
            self._call("keep", kept(gauge, self._packed()))
            self.save(gauge)

    def _mark(self, gauge):
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
            return None  # a full or broken file system must not stop the gauge; the next save tries again


def kept(gauge, used: bytes = b"\0\0") -> bytes:
    """The `KEPT_BYTES` for the board's lasting registers; `used`: both budgets, packed."""
    spread = min(0xFFFF, int(gauge.charge.spread * 10_000) + 1)
    percent = int(gauge.percent * 100 + 0.5)
    data = struct.pack(_KEPT_LAYOUT, percent, gauge.charge.charge_uah, spread, used[0], used[1], 0)[:-2]
    return data + struct.pack("<H", checksum(data))


def _sequence(record):
    return record[_SEQUENCE_AT] | record[_SEQUENCE_AT + 1] << 8


def _pack(gauge, sequence, flags):
    charge, covariance = gauge.charge, gauge.charge.covariance
    flags |= (_EMPTY if gauge.shown.empty else 0) | (_FULL if gauge.full else 0)
    data = struct.pack(
        _LAYOUT, _MAGIC, _VERSION, flags, sequence, int(gauge.percent * 100 + 0.5), charge.charge_uah,
        _word(charge.capacity_mah), int(charge.offset_ma * 1000), _word(gauge.resistance.total_mohm * 10),
        _word(gauge.resistance.spread_mohm * 10), covariance[0][0], covariance[0][1], covariance[1][1],
        _word(covariance[2][2] ** 0.5 * 1000), gauge.cycles & 0xFFFF, gauge.discharged_uah // 1000,
        charge.design_mah,
    )  # fmt: skip
    return data + struct.pack("<H", checksum(data))


def _word(value):
    return min(0xFFFF, max(0, int(value + 0.5)))


def _unpack(record, gauge):
    (
        _, _, flags, _, percent, charge_uah, capacity_mah, offset_ua, mohm, mohm_spread,
        charge_variance, both, capacity_variance, offset_spread, cycles, discharged_mah, design_mah,
    ) = struct.unpack(_LAYOUT, record[:-2])  # fmt: skip
    if design_mah != gauge.design_mah:
        return  # another pack: what was learned is about the one before
    charge = gauge.charge
    charge.capacity_mah, charge.offset_ma = float(capacity_mah), offset_ua / 1000
    charge.covariance[0] = [charge_variance, both, 0.0]
    charge.covariance[1] = [both, capacity_variance, 0.0]
    charge.covariance[2] = [0.0, 0.0, (offset_spread / 1000) ** 2]
    gauge.resistance.known(mohm / 10, mohm_spread / 10)
    gauge.cycles, gauge.discharged_uah = cycles, discharged_mah * 1000
    gauge.full = bool(flags & _FULL)
    gauge.restore(percent / 100, charge_uah, bool(flags & _EMPTY))
