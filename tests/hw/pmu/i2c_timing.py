"""A bus that takes the time of the I2C specification (NXP UM10204, table 10), edge by edge, with the longest
edges that it allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hw.emulated.bus import EmulatedBus, MemoryTarget


@dataclass(frozen=True)
class I2cTiming:
    """Microseconds, by the specification's names."""

    t_hd_sta: float
    t_low: float
    t_high: float
    t_su_sta: float
    t_su_sto: float
    t_buf: float
    t_r: float
    t_f: float

    def transfer_s(self, messages: list[int]) -> float:
        """Of messages with that many bytes each, addresses included, between one start and one stop."""
        us = self.t_hd_sta
        for number, count in enumerate(messages):
            if number:
                us += self.t_low + self.t_r + self.t_su_sta + self.t_hd_sta  # a repeated start
            for _ in range(9 * count):  # the ninth is the acknowledgement
                us += self.t_f + self.t_low + self.t_r + self.t_high
        return (us + self.t_f + self.t_low + self.t_r + self.t_su_sto + self.t_buf) / 1e6


STANDARD_MODE = I2cTiming(4.0, 4.7, 4.0, 4.7, 4.0, 4.7, 1.0, 0.3)
FAST_MODE = I2cTiming(0.6, 1.3, 0.6, 0.6, 0.6, 1.3, 0.3, 0.3)
INTERRUPTS_S = 200e-6
"""Of a transfer, on a computer that does something else as well."""


class SpecifiedBus(EmulatedBus):
    """Takes that time for each transfer."""

    def __init__(self, target: MemoryTarget, timing: I2cTiming, spend: Callable[[float], None]) -> None:
        super().__init__(target, spend=spend)
        self._timing = timing

    def _take_time(self, acknowledged: bool, register: int | None, written: int, read: int) -> None:
        messages = [1 if not acknowledged or register is None else 2 + written]
        if acknowledged and read:
            messages = [*messages, 1 + read] if register is not None else [1 + read]
        seconds = self._timing.transfer_s(messages) + INTERRUPTS_S
        self.busy_s += seconds
        self._spend(seconds)
