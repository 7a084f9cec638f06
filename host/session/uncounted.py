"""Takes back the count of an announcement of timers that is not said after all."""

from __future__ import annotations

from dataclasses import replace

from host.answers.timers import Timer, Timers


def uncounted(timers: Timers, due: tuple[Timer, ...]) -> Timers:
    """The timers with those in `due` as they were before they were counted as announced, also where that was
    the last time.
    """
    numbers = {timer.number for timer in due}
    others = (timer for timer in timers.running if timer.number not in numbers)
    running = tuple(sorted((*others, *due), key=lambda timer: timer.number))
    return replace(timers, running=running, off=tuple(t for t in timers.off if t.number not in numbers))
