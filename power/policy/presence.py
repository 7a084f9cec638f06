"""Whether anybody wears the headband, from signs that it gets anyway.

A worn camera never shows the same view for long, a headband on a table does. A sign is a wake word, the
button, the charger, or a view unlike the one before; nobody is taken to be away before the camera has looked
at one view from end to end of `away_after_s` without a sign between. A sleeping or blind headband learns
nothing, so it goes on believing in its wearer.
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
    """When something was noticed last, monotonic seconds; None: never."""

    sign_s: float | None = None
    """Of a wearer."""
    looked_s: float | None = None
    """By the camera."""

    def sign(self, now_s: float) -> Signs:
        """Somebody is there."""
        return replace(self, sign_s=now_s)

    def look(self, now_s: float, *, changed: bool) -> Signs:
        """The camera looked; `changed`: at another view than the last time."""
        first = self.sign_s is None
        return replace(self, looked_s=now_s, sign_s=now_s if changed or first else self.sign_s)

    def presence(self, now_s: float, away_after_s: float) -> Presence:
        """What these signs say now; `away_after_s` 0 never takes anybody to be away."""
        if self.sign_s is None:
            return Presence.UNKNOWN
        if now_s - self.sign_s < away_after_s or away_after_s <= 0:
            return Presence.PRESENT
        seen_alone = self.looked_s is not None and self.looked_s - self.sign_s >= away_after_s
        return Presence.AWAY if seen_alone else Presence.UNKNOWN
