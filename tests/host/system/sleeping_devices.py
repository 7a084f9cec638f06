"""A microphone and a wake-up alarm that record their calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hw.device import MICROPHONE_RATE_HZ, DeviceError, HandOver


class Sleeper:
    """A microphone that records whether it was put to sleep."""

    sample_rate = MICROPHONE_RATE_HZ

    def __init__(self, problem: str | None = None) -> None:
        self.problem = problem
        self.beside = self.slept = 0
        self.hears = False
        """Whether the microcontroller hears something already."""
        self.woken_by_sound = False
        self.handed_over: Callable[[HandOver], None] = print
        self.suspend_refusal: str | None = None
        self.around_suspend: Any = None

    async def listen_beside(self) -> None:
        if self.problem:
            raise DeviceError(self.problem)
        self.beside += 1

    async def sleep(self) -> bool:
        if self.problem:
            raise DeviceError(self.problem)
        if self.hears:
            return False
        self.slept += 1
        return True

    def called(self) -> bool:
        """Whether the microcontroller hears something."""
        return self.hears


class Alarm:
    """A wake-up alarm that records the times set."""

    def __init__(self, late_s: float = 0.0, problem: str | None = None) -> None:
        self.late_s = late_s
        self.problem = problem
        self.told: list[int] = []

    def set(self, seconds: int) -> None:
        if self.problem:
            raise DeviceError(self.problem)
        self.told.append(seconds)

    def clear(self) -> None:
        self.told.append(0)
