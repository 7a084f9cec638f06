"""Whether anybody wears the headband.

A worn camera rarely sees the same view for long; on a table it does. A sign of the wearer is a wake word, the
button, the charger, or a changed view. The wearer counts as away when the camera has looked again
`away_after_s` after the last sign and the view has not changed. While the headband sleeps or its camera is
off, nobody is counted as away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class Presence(Enum):
    """What is known of the wearer."""

    UNKNOWN = "unknown"
    PRESENT = "present"
    AWAY = "away"


@dataclass(frozen=True)
class Signs:
    """Times of the last observations, monotonic seconds; None: never."""

    sign_s: float | None = None
    """The last sign of a wearer."""
    looked_s: float | None = None
    """The last frame of the camera."""

    def sign(self, now_s: float) -> Signs:
        """With a sign of a wearer at that time."""
        return replace(self, sign_s=now_s)

    def look(self, now_s: float, *, changed: bool) -> Signs:
        """The camera looked; `changed`: at another view than the last time."""
        first = self.sign_s is None
        return Signs(now_s if changed or first else self.sign_s, now_s)

    def presence(self, now_s: float, away_after_s: float) -> Presence:
        """The presence by these signs; `away_after_s` 0: never away."""
        if self.sign_s is None:
            return Presence.UNKNOWN
        if now_s - self.sign_s < away_after_s or away_after_s <= 0:
            return Presence.PRESENT
        seen_alone = self.looked_s is not None and self.looked_s - self.sign_s >= away_after_s
        return Presence.AWAY if seen_alone else Presence.UNKNOWN
