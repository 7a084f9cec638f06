"""Spans of time on named tracks, from which timings, traces and pictures are made."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Span:
    """`track` is a row of the picture (turn, stt, vision, llm, tts, speaker); times in seconds of the
    monotonic clock.
    """

    track: str
    name: str
    start_s: float
    end_s: float
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def duration_ms(self) -> float:
        """Length in milliseconds."""
        return (self.end_s - self.start_s) * 1000


class Timeline:
    """Collects spans; drops the oldest when there are more than `keep`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, keep: int = 5_000) -> None:
        self.clock = clock
        self._keep = keep
        self.spans: list[Span] = []

    def add(self, span: Span) -> None:
        """Records a finished span."""
        self.spans.append(span)
        if len(self.spans) > self._keep:
            del self.spans[: self._keep // 10]

    @contextmanager
    def span(self, track: str, name: str, **details: Any) -> Iterator[None]:
        """A context manager that records how long its body takes, also when it raises."""
        start_s = self.clock()
        try:
            yield
        finally:
            self.add(Span(track, name, start_s, self.clock(), details))


def seconds_since_launch() -> float:
    """Seconds since the kernel started this process."""
    start_ticks = int(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
    uptime_s = float(Path("/proc/uptime").read_text().split()[0])
    return uptime_s - start_ticks / os.sysconf("SC_CLK_TCK")
