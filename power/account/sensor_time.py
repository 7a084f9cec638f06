"""How long a camera's sensor streams for pictures at an interval, for models of a camera of the headband."""

from __future__ import annotations


def streamed_s(interval_s: float, capture_s: float, hold_s: float) -> float:
    """Seconds of each interval in which the sensor streams. `capture_s`: of a single picture, from its start
    to its first settled frame; `hold_s`: up to this interval it streams on between two pictures.
    """
    return interval_s if interval_s <= max(capture_s, hold_s) else capture_s
