"""Takes views that stopped early on to full depth: for a question to the memory, and while it charges.

What the headband remembered on a low battery stopped early, or was not placed at all; what another pack's
encoder placed cannot be compared with a question. They go on from the activation that is stored where they
stopped, or start again from their small pictures; the store keeps the new place and deletes the activation,
so the next question finds them there.

`recalled` takes the nearest views of a question on and ranks them again. The query is the phrase's place
alone, made once and before any view is known; nothing about a view decides how the question is put. How many
are taken on, and how long that may take, the power plan says; after the first several go together.

`Deepening` places all of them anew while it charges and nobody asks, and shows them to the object detector
that has not seen them: the newest first and one by one, so that a question waits for one view at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from host.memory.client import MemoryClient
from host.memory.values import Match, MemoryProblem
from host.observe.observer import Observer
from host.observe.purpose import MEMORY, working_for
from host.turn.recalling.view_places import ViewPlaces
from host.turn.tools import PowerNow, Tools
from hw.device import Clock
from models.brick import BrickError, Phrase, Recall
from models.process.answers import answers
from models.process.residency import BrickFailed

CANDIDATES = 200
"""Views that are found for a question: those of many moments, as many of them are of the same."""
SHARE_OF_LATENCY = 0.5
"""Of the plan's latency target: views are taken on within so much of it, and the rest stays as it was."""
TOGETHER = 4
"""Views that a question takes on together, once it knows the time for one: handing views over between the
processes takes longer than a small encoder's blocks, and the ring has room for so many beside the kept ones.
"""
TOO_SLOW = "There was no time for more."
AGAIN_S = 60.0
"""Pause after a pass over the views that stopped early."""
PAUSE_S = 0.2
"""Between two views, and between two looks whether a question has ended."""
_NEWEST = 1 << 62


async def placed_whole(
    numbers: Sequence[int], views: ViewPlaces, memory: MemoryClient, *, look_through: bool = False
) -> dict[int, Recall]:
    """Views' places at full depth by number, once the store has them; without those that are forgotten
    meanwhile, or whose picture is damaged. look_through: what is in them is found and stored as well. Raises
    `MemoryProblem`, `BrickError` or `BrickFailed`.
    """
    opened = memory.opened
    begun = await memory.begun(numbers, views.identity)
    if not begun:
        return {}
    stored = await views.place_stored(list(begun.values()), look_through=look_through)
    placed = dict(zip(begun, stored, strict=True))
    return {
        number: place
        for number in await memory.place(placed, opened)
        if (place := placed[number].place) is not None
    }


async def query_of(thing: str, tools: Tools) -> Recall:
    """The place of a phrase in the recall space. Raises `BrickError` or `BrickFailed`."""
    (query,) = await answers(tools.bricks, "text", Phrase(thing))
    assert isinstance(query, Recall)
    return query


async def recalled(
    thing: str, since_s: float | None, until_s: float | None, tools: Tools, query: Recall | None = None
) -> list[Match]:
    """The `CANDIDATES` views of these times that fit best, and as many of the latest in which the object
    detector found the thing, the best first. query: its place, where that is known. Raises `MemoryProblem`,
    `BrickError` or `BrickFailed`.
    """
    if tools.memory.impossible:  # the pack may have changed since the views were remembered
        raise MemoryProblem(tools.memory.impossible)
    query = await query_of(thing, tools) if query is None else query
    found = await tools.memory.find(query, CANDIDATES, since_s, until_s, *tools.view_places.named_in(thing))
    return list(await _taken_on(found, query, tools))


async def _taken_on(found: Sequence[Match], query: Recall, tools: Tools) -> Sequence[Match]:
    """The ranking with those of its nearest views at full depth that stopped before; as far as time and the
    encoder allow.
    """
    views, clock, plan = tools.view_places, tools.clock, tools.power.plan
    whole = views.exits[-1] if views.exits else 0
    early = [each.row.number for each in found[: plan.recall_deepens] if each.row.depth < whole]
    if not early:
        return found
    until_s, longest_s = clock.monotonic() + SHARE_OF_LATENCY * plan.latency_target_s, 0.0
    scores: dict[int, float] = {}
    problem = ""
    try:
        left = list(early)
        while left:
            began_s = clock.monotonic()
            count = 1 if len(left) == len(early) else views_together(until_s - began_s, longest_s)
            if not count:
                problem = TOO_SLOW
                break
            together, left = left[:count], left[count:]
            for number, place in (await placed_whole(together, views, tools.memory)).items():
                scores[number] = float(np.dot(place.vector, query.vector))
            longest_s = max(longest_s, (clock.monotonic() - began_s) / len(together))
    except (BrickError, BrickFailed, MemoryProblem) as error:
        problem = str(error)
    told = {"nearest": len(early), "taken_on": len(scores), "depth": whole}
    tools.observe("recalled", {**told, "problem": problem} if problem else told)
    return ranked_again(found, scores, whole)


def views_together(left_s: float, longest_s: float) -> int:
    """How many views are taken on together in the time that is left, seconds, when one took `longest_s`."""
    return TOGETHER if longest_s * TOGETHER <= left_s else int(max(0.0, left_s) / max(longest_s, 1e-9))


def ranked_again(found: Sequence[Match], scores: Mapping[int, float], whole: int) -> Sequence[Match]:
    """The ranking once the views in `scores` have passed all `whole` blocks, with their cosine there: what is
    at full depth comes first, by that; the others keep their order. Without any it stays as it was.
    """
    if not scores:
        return found
    deep = {each.row.number: each for each in found if each.row.depth >= whole}
    for each in found:
        if each.row.number in scores:
            row = replace(each.row, depth=whole)
            deep[row.number] = replace(each, row=row, score=scores[row.number])
    first = sorted(deep.values(), key=lambda match: -match.score)
    return [*first, *(each for each in found if each.row.number not in deep)]


class Deepening:
    """`run` beside the session. Does nothing in a pack without exits."""

    def __init__(
        self,
        memory: MemoryClient,
        places: ViewPlaces,
        power: PowerNow,
        clock: Clock,
        observe: Observer,
        wanted: Callable[[], bool],
    ) -> None:
        """`wanted`: False while the wearer has memory or recording off."""
        self._memory, self._places, self._power = memory, places, power
        self._clock, self._observe, self._wanted = clock, observe, wanted
        self._told = ""
        self.working = False
        """Bricks are at work for this, and not for the session."""

    async def run(self) -> None:
        """Deepens until cancelled. A fault ends a pass, and is told once."""
        while True:
            try:
                await self._pass()
            except (MemoryProblem, BrickError, BrickFailed) as problem:
                if self._memory.exists and self._told != str(problem):
                    self._told = str(problem)
                    self._observe("deepened", {"views": 0, "problem": self._told})
            await self._clock.sleep(AGAIN_S)

    async def _pass(self) -> None:
        """From the newest view to the oldest, as long as the plan and the wearer allow."""
        before, views = _NEWEST, 0
        try:
            while await self._free():
                self.working = True
                with working_for(MEMORY):
                    wanted, exit_ = self._places.looks_through, self._places.exits[-1]
                    numbers = await self._memory.shallow(
                        self._places.identity, exit_, before, 1, look_through=wanted
                    )
                    if not numbers:
                        break
                    (before,) = numbers
                    done = await placed_whole(numbers, self._places, self._memory, look_through=wanted)
                    views += len(done)
                self.working = False
        finally:
            self.working = False
            if views:
                self._observe("deepened", {"views": views})

    async def _free(self) -> bool:
        """True once nobody asks; False when nothing may be done."""
        await self._clock.sleep(PAUSE_S)
        while self._may and self._places.asked:
            await self._clock.sleep(PAUSE_S)
        return self._may

    @property
    def _may(self) -> bool:
        return (
            bool(self._places.exits)
            and self._power.plan.deepens_memory
            and self._wanted()
            and self._memory.exists
        )
