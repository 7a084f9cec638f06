"""MAX17048: a fuel gauge that models the cell from its voltage, without current and temperature."""

from __future__ import annotations

import time
from collections.abc import Callable

from hw.gauges.reading import absent_reading, checked_reading
from hw.gauges.words import ChipRegisters, WordBus
from hw.plausible import UnchangedTimer
from hw.pmu.register_bus import GaugeError
from hw.supply import BatteryReading

ADDRESS = 0x36
VCELL = 0x02  # 78.125 uV
SOC = 0x04  # 1/256 percent
VERSION = 0x08  # 0x001x
CRATE = 0x16  # signed, 0.208 percent per hour, positive while charging
STALE_AFTER_S = 1800.0
"""At 2 percent per hour the cell loses 1 percent in this time, 256 steps of the register."""
MOVING_PERCENT_PER_HOUR = 2.0
OVERSHOOT_PERCENT = 5.0
"""The chip reports up to this much above 100 percent for a full cell."""


class Max17048:
    """`hw.supply.Gauge` over the chip's registers (high byte first)."""

    def __init__(
        self,
        bus: WordBus,
        monotonic: Callable[[], float] = time.monotonic,
        outside_power: Callable[[], bool | None] = lambda: None,
    ) -> None:
        """`outside_power` returns whether a charger is connected, None for unknown: then the charge's rise
        decides.
        """
        self._chip = ChipRegisters(bus, ADDRESS, "The MAX17048", big_endian=True)
        self._outside_power = outside_power
        self._unchanged = UnchangedTimer(monotonic)

    def read(self) -> BatteryReading:
        """One reading; every fault of chip or bus is in its state."""
        try:
            version = self._chip.read(VERSION)
            soc, cell, rate = (self._chip.read(register) for register in (SOC, VCELL, CRATE))
        except GaugeError as problem:
            return absent_reading(str(problem), problem.state)
        if version == 0xFFFF:
            return absent_reading("The bus reads only ones: the MAX17048 is unpowered or not connected.")
        if version & 0xFFF0 != 0x0010:
            return absent_reading(
                "Something answers at the MAX17048's address that is another chip.", "implausible"
            )
        percent = soc / 256
        if 100 < percent <= 100 + OVERSHOOT_PERCENT:
            percent = 100.0
        percent_per_hour = (rate - 0x10000 if rate & 0x8000 else rate) * 0.208
        powered = self._outside_power()
        return checked_reading(
            percent=percent,
            voltage_mv=round(cell * 0.078125),
            current_ma=None,
            temperature_c=None,
            charging=powered is not False
            and (percent_per_hour > 0.5 or bool(powered and percent >= 99 and percent_per_hour > -0.5)),
            unchanged_s=self._unchanged.seconds(
                (soc, cell, rate), must_move=percent_per_hour <= -MOVING_PERCENT_PER_HOUR
            ),
            stale_after_s=STALE_AFTER_S,
        )

    def answers(self) -> bool:
        """Does a MAX17048 answer at the address?"""
        try:
            return self._chip.read(VERSION) & 0xFFF0 == 0x0010
        except GaugeError:
            return False
