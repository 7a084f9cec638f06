"""How people ask about the past. {item}: "my keys"; {are}, {were}: fitting it; {time}: a part of the day."""

from __future__ import annotations

from collections.abc import Mapping

DOCUMENTED, OWN, LATER = "documented", "a stranger's", "a stranger's, later"
"""Wordings that the documentation names; a stranger's, which were looked at when routes were made; and a
stranger's that were written before these routes, and looked at only after they had been measured once.
"""
WORDINGS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "where": {
        DOCUMENTED: (
            "where did i leave {item}", "where did i put {item}", "where have i left {item}",
            "where did i drop {item}", "where did i last see {item}", "where did you last see {item}",
            "where {were} {item}",
        ),
        OWN: (
            "where have i put down {item}", "do you remember where {item} {are}", "where did {item} end up",
            "where did i have {item} last", "can you remember where i left {item}",
            "i cannot remember where i put {item}", "where could i have left {item}",
        ),
        LATER: (
            "in which place did i leave {item}", "any memory of where i put {item}",
            "remind me where {item} {were}", "tell me where i last had {item}",
            "i forgot where i left {item}", "do you know where i left {item}",
            "where on earth did i put {item}",
        ),
    },
    "when": {
        DOCUMENTED: (
            "when did i last see {item}", "when did you last see {item}", "when did i see {item}",
            "when did you see {item}",
        ),
        OWN: (
            "what time did i last see {item}", "at what time did you see {item}",
            "when was the last time i saw {item}", "how long ago did i see {item}",
        ),
        LATER: (
            "when have i last seen {item}", "when {were} {item} last in view",
            "what was the last time you saw {item}", "at which time did i last have {item}",
            "how long has it been since i saw {item}",
        ),
    },
    "seen": {
        DOCUMENTED: ("have you seen {item} {time}", "have you seen {item} today"),
        OWN: ("did you see {item} {time}", "did i see {item} {time}", "have i seen {item} {time}"),
        LATER: (
            "did {item} show up {time}", "{were} {item} anywhere to be seen {time}",
            "has the camera caught {item} {time}", "did you come across {item} {time}",
        ),
    },
    "looked at": {
        DOCUMENTED: ("what did i look at {time}", "what did i see {time}", "what have i seen {time}"),
        OWN: ("what was i looking at {time}", "tell me what i saw {time}", "what did you see {time}"),
        LATER: (
            "what things did i see {time}", "what was there to see {time}", "what have i looked at {time}",
            "describe what i saw {time}",
        ),
    },
    "sign": {
        DOCUMENTED: ("what did the sign at the {place} say", "what did the sign in the {place} say"),
        OWN: (
            "what was on the sign in the {place}", "what was written on the sign in the {place}",
            "read me the sign from the {place}",
        ),
        LATER: (
            "do you remember the sign in the {place}", "which word was on the sign in the {place}",
            "what did it say on the sign in the {place}",
        ),
    },
    "was on": {
        DOCUMENTED: ("{were} {item} on the {spot}",),
        OWN: ("did i leave {item} on the {spot}", "had i left {item} on the {spot}"),
        LATER: ("did i put {item} on the {spot}", "was it the {spot} where i left {item}"),
    },
    "lamp": {
        DOCUMENTED: ("was the lamp on when i left",),
        OWN: ("was the light on {time}", "did i leave the lamp on"),
        LATER: ("had i switched off the lamp {time}", "was the lamp still burning {time}"),
    },
    "before": {
        DOCUMENTED: ("and before that", "and where was it before that"),
        OWN: ("where was it before", "and before"),
        LATER: ("and where had it been earlier", "where was that thing earlier"),
    },
    "why": {
        DOCUMENTED: ("why do you think so", "how do you know"),
        OWN: ("what makes you think so",),
        LATER: ("why do you say that", "what is that based on"),
    },
}  # fmt: skip
KINDS = tuple(WORDINGS)
