"""Decides for one clip when its pictures are enough (E10, E11 of MMEdge), and counts what was not sensed."""

from __future__ import annotations

from collections.abc import Callable

from host.answers.motion import ClipAsked
from models.clip import ClipAnswer
from models.sensing.stop_gate import CHECKPOINTS, StopGate, stop_features

LEAST_UNITS = 4
"""With fewer there is nothing to save."""
REST_S = 0.6
"""From an early transcript to the end of the question, where the words are whole."""


class Stopping:
    """The gate's work on one clip."""

    def __init__(self, gate: StopGate | None, clock: Callable[[], float]) -> None:
        self._gate, self._clock = gate, clock
        self._before: tuple[ClipAsked, ClipAnswer] | None = None
        self._stopped_s: float | None = None
        self.stopped_for: ClipAsked | None = None
        """The question for which the camera stopped; None while it looks on."""

    def checkpoints(self, expected: int) -> tuple[int, ...]:
        """Numbers of units, rising, after which it is asked, of so many when everything is looked at."""
        if self._gate is None or expected < LEAST_UNITS:
            return ()
        return tuple(sorted({max(2, round(share * expected)) for share in CHECKPOINTS} - {expected}))

    def enough(self, asked: ClipAsked, answer: ClipAnswer, interval_s: float) -> bool:
        """While the question is spoken: whether the camera can stop. It counts as stopped from then on."""
        expected = answer.units + max(1, round(REST_S / interval_s))
        if answer.units < LEAST_UNITS or not self.enough_of(asked, answer, answer.units, expected):
            return False
        self._stopped_s, self.stopped_for = self._clock(), asked
        return True

    def enough_of(self, asked: ClipAsked, answer: ClipAnswer, units: int, expected: int) -> bool:
        """Whether the answer from `units` units would be the same from all that are expected."""
        before = self._before[1] if self._before is not None and self._before[0] == asked else None
        self._before = asked, answer
        gate = self._gate
        if gate is None or not answer.label:
            return False
        features = stop_features(
            asked.family, gate.families, gate.labels, answer, before, units=units, expected=expected
        )
        return gate.probability(features) >= gate.threshold

    def revoked(self) -> bool:
        """Takes back that the camera stopped; whether it had."""
        stopped, self._stopped_s, self.stopped_for = self._stopped_s is not None, None, None
        return stopped

    def not_sensed(self, until_s: float, interval_s: float) -> int:
        """Pictures that were not taken because the camera stopped."""
        return 0 if self._stopped_s is None else max(0, int((until_s - self._stopped_s) / interval_s))
