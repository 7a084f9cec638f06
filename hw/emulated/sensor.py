"""The time that an emulated camera's sensor takes, on the board's clock."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hw.camera_use import UseMeter
from hw.device import CameraUse, Clock

_SAME_S = 1e-9
"""Two times that differ by less are the same frame's."""


@dataclass(frozen=True)
class SensorTimes:
    """How a sensor starts and streams; without a value it takes no time."""

    start_s: float = 0.0
    """From switching it on to the beginning of its first frame, seconds."""
    frame_s: float = 0.0
    """From frame to frame, seconds."""
    settling_frames: int = 0
    """Frames after a start whose exposure is wrong."""
    hold_s: float = 1.0
    """Interval between two wanted pictures up to which it streams on between them, seconds."""


class EmulatedSensor:
    """Streams while a picture is waited for, and on where the next is wanted within `hold_s`; a stream that
    nobody asks for any longer ends `hold_s` after the last picture. Needs no task: what has happened is
    worked out when somebody asks.
    """

    def __init__(self, clock: Clock, times: SensorTimes) -> None:
        self._clock, self._times = clock, times
        self._meter = UseMeter(clock.monotonic)
        self._interval_s: float | None = None
        self._waiting = 0
        self._began_s: float | None = None
        """When the present stream began; None while there is none."""
        self._counted = 0
        """Frames of this stream that the meter knows."""
        self._idle_since_s = 0.0

    @property
    def use(self) -> CameraUse:
        """So far."""
        self._work_out()
        return self._meter.use

    @property
    def streaming(self) -> bool:
        """Whether it is on."""
        self._work_out()
        return self._began_s is not None

    def want(self, interval_s: float | None) -> None:
        """Pictures are wanted at that interval; None: no more."""
        self._work_out()
        self._interval_s = interval_s
        self._work_out()

    def wait(self) -> float:
        """Somebody waits for a picture: returns the seconds until the first settled frame that ends after
        now. `leave` has to follow.
        """
        self._work_out()
        self._waiting += 1
        now_s = self._clock.monotonic()
        if self._began_s is None:
            self._began_s, self._counted = now_s, 0
            self._meter.started()
        number = max(self._ended(now_s) + 1, self._times.settling_frames + 1)
        return self._began_s + self._times.start_s + number * self._times.frame_s - now_s

    def leave(self, *, delivered: bool) -> None:
        """The wait has ended, with the picture if `delivered`."""
        self._work_out()
        self._waiting -= 1
        self._idle_since_s = self._clock.monotonic()
        if delivered and not self._times.frame_s:  # frames that take no time are counted where they are used
            self._meter.sensed(1 if self._counted else 1 + self._times.settling_frames)
            self._counted += 1
        self._work_out()

    def end(self) -> None:
        """It stops now."""
        self._stop(self._clock.monotonic())

    def _work_out(self) -> None:
        """Ends the stream if its time is over, and counts its frames."""
        now_s = self._clock.monotonic()
        if self._began_s is None:
            return
        if not self._waiting:
            soon = self._interval_s is not None and self._interval_s <= self._times.hold_s
            until_s = self._idle_since_s + self._times.hold_s if soon else now_s
            if now_s >= until_s:
                self._stop(until_s)
                return
        self._count(now_s)

    def _count(self, until_s: float) -> None:
        ended = self._ended(until_s)
        if ended > self._counted:
            self._meter.sensed(ended - self._counted)
            self._counted = ended

    def _stop(self, at_s: float) -> None:
        if self._began_s is not None:
            self._count(at_s)
            self._began_s = None
            self._meter.stopped(at_s)

    def _ended(self, until_s: float) -> int:
        """Frames of this stream that have ended by then."""
        if self._began_s is None or not self._times.frame_s:
            return 0
        streamed_s = until_s - self._began_s - self._times.start_s
        return max(0, math.floor((streamed_s + _SAME_S) / self._times.frame_s))
