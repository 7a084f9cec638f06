"""What the wearer is asked where a timer or an alarm is wanted without saying how long, or for when; and what
is told to one who asks what a headband can do.
"""

from __future__ import annotations

from collections.abc import Mapping

from host.language.awaited import LENGTH, TIME_OF_DAY

ASKED_BACK: Mapping[str, str] = {LENGTH: "For how long?", TIME_OF_DAY: "For what time?"}
"""Intent -> sentence."""
HELP = (
    "Ask me what I see, where something is, what a sign says, or what just moved. I can set a timer or an "
    "alarm, tell the time and the battery, and remember what you look at."
)
