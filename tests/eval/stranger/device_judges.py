"""Judges of answers about the device: durations, times of day, loudness and charging."""

from __future__ import annotations

from dataclasses import dataclass

from tests.eval.stranger.sentences import (
    ClockTime,
    clauses,
    clock_time,
    duration_s,
    named,
    numbers,
    plain,
    tells_absence,
    uncaught,
    words,
)


@dataclass(frozen=True)
class Duration:
    """Right where a timer of so many seconds is said to run; for 0 s, where that is refused."""

    seconds: int

    def __call__(self, said: str) -> bool:
        if self.seconds == 0:
            return "no time" in plain(said) or duration_s(said) == 0
        return duration_s(said) == self.seconds and not tells_absence(said)


@dataclass(frozen=True)
class AtTime:
    """Right where that time is said; the part of the day counts where the question named it."""

    time: ClockTime

    def __call__(self, said: str) -> bool:
        found = clock_time(said)
        if found is None or uncaught(said):
            return False
        same_part = not self.time.part or found.part == self.time.part
        return (found.hour, found.minute) == (self.time.hour, self.time.minute) and same_part


@dataclass(frozen=True)
class Loudness:
    """Right where the volume is that number in percent. Up to ten, tenths are right too; 0 is the lowest."""

    number: int

    def __call__(self, said: str) -> bool:
        allowed = {self.number} | ({10 * self.number} if self.number <= 10 else set())
        found, value = plain(said), numbers(plain(said).replace("cannot", ""))
        if "highest" in found or "any louder" in found:
            return 100 in allowed
        if "lowest" in found or "more quietly" in found:
            return self.number <= 1 or 10 in allowed
        return len(value) == 1 and value[0] in allowed and not uncaught(said)


@dataclass(frozen=True)
class Charging:
    """Right where it says whether the battery charges."""

    charging: bool

    def __call__(self, said: str) -> bool:
        about = [clause for clause in clauses(said) if "charg" in clause.text]
        verdict = words(said)[:1]
        if uncaught(said) or named(said) or not (about or words(said) in (["yes"], ["no"])):
            return False
        denied = verdict == ["no"] or any(clause.denied for clause in about)
        return denied != self.charging
