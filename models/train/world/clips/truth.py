"""Which questions about a clip its pictures decide, and their answers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.train.world.clips.values import NOTHING, STILL, UNSEEN, ClipQuestion
from models.train.world.home.splits import KINDS
from models.train.world.home.truth import NOTHING as INVISIBLE
from models.train.world.home.truth import SEEN, truth_of
from models.train.world.home.views import View

_MOSTLY = 0.75


@dataclass(frozen=True)
class Seen:
    """What each view shows. `shares`: visible share of a kind, by view, 0 where it is not there; `at`: middle
    of its box in parts of the picture, where it is there.
    """

    shares: Mapping[str, tuple[float, ...]]
    frames: int

    def throughout(self, kind: str) -> bool:
        """Recognisable in the first view, the last one, and most of those between."""
        shares = self.shares.get(kind, (0.0,))
        clear = sum(share >= SEEN for share in shares)
        return shares[0] >= SEEN and shares[-1] >= SEEN and clear >= _MOSTLY * self.frames

    def never(self, kind: str) -> bool:
        """In no view, not even a part."""
        return max(self.shares.get(kind, (0.0,))) < INVISIBLE

    def first_view(self, kind: str) -> int | None:
        """The number of the first view where it is recognisable; None where a part is seen much earlier."""
        shares = self.shares.get(kind, (0.0,))
        clear = [number for number, share in enumerate(shares) if share >= SEEN]
        part = [number for number, share in enumerate(shares) if share >= INVISIBLE]
        return clear[0] if clear and clear[0] - part[0] <= 1 else None


def seen_in(views: Sequence[View]) -> Seen:
    """What the views show."""
    shares: dict[str, list[float]] = {}
    for number, view in enumerate(views):
        for thing in truth_of(view, 192).things:
            shares.setdefault(thing.kind, [0.0] * len(views))[number] = thing.visible
    return Seen({kind: tuple(each) for kind, each in shares.items()}, len(views))


def questions_about(
    seen: Seen, facts: Mapping[str, str], times_s: Sequence[float], turned: bool, rng: random.Random
) -> list[ClipQuestion]:
    """Questions about a clip in which `facts` happened."""
    there = [kind for kind in seen.shares if seen.throughout(kind)]
    absent = [kind for kind in KINDS if seen.never(kind)]
    changes = {"appeared", "gone", "swapped", "came", "moved"} & set(facts)
    asked = _about_light(facts)
    if "moved" in facts:
        if facts["moved"] not in there:
            return []
        asked += _about_motion(facts, turned)
    elif not changes:
        asked += [ClipQuestion("whether", "", "", "no"), ClipQuestion("moved", "", "", NOTHING)]
    asked += _about_change(seen, facts, there, changes, turned)
    asked += _about_order(seen, facts, there, rng)
    still = [kind for kind in there if kind not in facts.values()]
    for kind in rng.sample(still, min(1, len(still))):
        asked += [ClipQuestion("direction", kind, "", STILL), ClipQuestion("whether", kind, "", "no")]
        asked += [] if turned else [ClipQuestion("speed", kind, "", STILL)]
    unseen = rng.choice(absent)
    family = rng.choice(("direction", "whether", "speed"))
    asked.append(ClipQuestion(family, unseen, "", UNSEEN))
    return asked


def _about_light(facts: Mapping[str, str]) -> list[ClipQuestion]:
    count = facts.get("flashes", "0")
    return [
        ClipQuestion("flashes", "", "", count),
        ClipQuestion("blinked", "", "", "no" if count == "0" else "yes"),
    ]


def _about_motion(facts: Mapping[str, str], turned: bool) -> list[ClipQuestion]:
    kind = facts["moved"]
    asked = [
        ClipQuestion("direction", kind, "", facts["direction"]),
        ClipQuestion("whether", kind, "", "yes"),
        ClipQuestion("whether", "", "", "yes"),
        ClipQuestion("moved", "", "", kind),
    ]
    return asked if turned else [*asked, ClipQuestion("speed", kind, "", facts["speed"])]


def _about_change(
    seen: Seen, facts: Mapping[str, str], there: Sequence[str], changes: set[str], turned: bool
) -> list[ClipQuestion]:
    """What came, went or changed places. Where the head turns, the border makes things come and go."""
    asked = []
    for family, opposite in (("appeared", "gone"), ("gone", "appeared")):
        kind = facts.get(family)
        if kind is not None:
            shares = seen.shares[kind]
            clear = shares[-1] if family == "appeared" else shares[0]
            if clear >= SEEN:
                asked.append(ClipQuestion(family, "", "", kind))
                asked += [] if turned else [ClipQuestion(opposite, "", "", NOTHING)]
        elif not changes and not turned:
            asked.append(ClipQuestion(family, "", "", NOTHING))
    if "swapped" in facts:
        if facts["swapped"] in there and facts["with"] in there:
            asked.append(ClipQuestion("swapped", facts["swapped"], facts["with"], "yes"))
    elif len(there) > 1 and not changes - {"moved"}:
        asked.append(ClipQuestion("swapped", there[0], there[1], "no"))
    if "swapped" in facts:
        others = [kind for kind in there if kind not in (facts["swapped"], facts["with"])]
        if others:
            asked.append(ClipQuestion("swapped", others[0], facts["with"], "no"))
    return asked


def _about_order(
    seen: Seen, facts: Mapping[str, str], there: Sequence[str], rng: random.Random
) -> list[ClipQuestion]:
    """Which of two things came into view first, and which of all."""
    begins = {kind: seen.first_view(kind) for kind in seen.shares}
    known = {kind: number for kind, number in begins.items() if number is not None}
    asked = []
    pairs = [(a, b) for a in known for b in known if known[a] < known[b]]
    if pairs:
        first, second = rng.choice(pairs)
        named = (first, second) if rng.random() < 0.5 else (second, first)
        asked.append(ClipQuestion("first", named[0], named[1], first))
        earliest = [kind for kind, number in known.items() if number == min(known.values())]
        if len(earliest) == 1 and all(number is not None for number in begins.values()):
            asked.append(ClipQuestion("first", "", "", earliest[0]))
    absent = [kind for kind in KINDS if seen.never(kind)]
    if rng.random() < 0.15 and len(absent) > 1:
        first, second = rng.sample(absent, 2)
        asked.append(ClipQuestion("first", first, second, UNSEEN))
    return asked
