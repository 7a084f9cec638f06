"""The rule for work before the end of a question: is the picture encoded from the wake word on, or only once
the words are known to ask about it; and does the language model take it in ahead as well?

What is begun at the wake word is hidden behind the wearer's speech, as far as that lasts. Where the
question turns out to be about something else, it was for nothing: its energy is lost, and what is not yet
done delays the recogniser, which shares the cores with it, or, with room for one brick at a time, waits for
its end. The rule adds up both by how often either happens, with the times of this board, and takes what is
least: in performance the wait; in cascade the energy, in which an awake second counts; in throttled the
energy and the wait, a second of which counts as much as the board draws in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

from power.placement.choice import Placed
from power.placement.table import Table, Task

Start = Literal["wake word", "question"]
Sensor = Literal["sound", "wake word"]

WOKEN_S = 1.5
"""How much of what is said has passed when a computer that sleeps has heard the wake word, seconds: it wakes
up, and reads what was recorded meanwhile (`sleep.resume_s` and `sleep.hand_over_s` of `power.twin`).
"""


@dataclass(frozen=True)
class Ahead:
    """What is begun before a question has ended."""

    picture: Start
    """When a picture's encoding begins: at the wake word, or when a question asks about the view."""
    prefill: bool
    """The language model takes the picture in before the question is known."""
    reason: str
    """Why, with the waits and energies that were compared."""
    sensor: Sensor = "wake word"
    """When the camera's sensor starts: at the wake word, or when sound has woken the computer, so that its
    exposure has settled by the wake word. No picture from before that is looked at.
    """


@dataclass(frozen=True)
class Expected:
    """The mean over questions of one way, from the pause that ends the question on."""

    picture: Start
    prefill: bool
    wait_s: float
    """For the picture and the recogniser; what follows is the same in every way."""
    energy_j: float
    """The awake board during the wait, and work for nothing."""

    def __str__(self) -> str:
        what = "nothing ahead" if self.picture == "question" else "the picture ahead"
        what += " and taken in" if self.prefill else ""
        return f"{what}: {self.wait_s:.3g} s, {self.energy_j:.3g} J"


@dataclass(frozen=True)
class _Work:
    seconds: float
    extra_j: float
    """Beyond the awake board."""


_NONE = _Work(0.0, 0.0)
WAIT_WORTH = {"throttled": 1.0, "cascade": 0.0}
"""A second of waiting, in seconds of the awake board's power, beside the energy that it takes."""
NOTHING = Ahead("question", False, "the settings want nothing done before a question ends")
UNKNOWN = Ahead(
    "wake word", True, "nothing is known of what it takes here, so everything begins at the wake word"
)


def choose_ahead(
    table: Table | None,
    mode: str,
    placed: Sequence[Placed],
    *,
    alone: bool,
    reflex: bool,
    room_mib: float | None = 0.0,
) -> Ahead:
    """The way to go. `alone`: there is room for one brick at a time, and for a second beside it where both
    take no more than `room_mib`; None: no more than the largest brick. `reflex`: the pack answers closed
    questions without the language model, which is then not loaded ahead where there is no room beside.
    """
    ways = []
    if table is not None:
        ways = expected(table, mode, placed, alone=alone, reflex=reflex, room_mib=room_mib)
    if not ways:
        return UNKNOWN
    assert table is not None
    second_w = WAIT_WORTH.get(mode, 0.0) * table.awake(mode)
    if mode == "performance":
        wanted, best = "least expected wait", min(ways, key=lambda way: (way.wait_s, way.energy_j))
    else:
        best = min(ways, key=lambda way: (way.energy_j + second_w * way.wait_s, way.wait_s))
        wanted = "least expected energy" + (" and wait" if second_w else "")
    others = "; ".join(str(way) for way in ways if way is not best)
    reason = f"{wanted}: {best}; {others}"
    late = best.picture == "wake word" and not alone and _late(table, mode, placed)
    return Ahead(best.picture, best.prefill, reason, "sound" if late else "wake word")


def _late(table: Table, mode: str, placed: Sequence[Placed]) -> bool:
    """Does a question that woke the computer wait for its picture, with the eye in memory? Where that is
    loaded first, the load takes longer than the start of the camera's sensor.
    """
    at = next(each for each in placed if each.brick == "vision")
    cost = table.find("vision", "picture", at.place, mode, at.threads)
    return cost is not None and WOKEN_S + cost.seconds > table.habits.spoken_s


def expected(
    table: Table,
    mode: str,
    placed: Sequence[Placed],
    *,
    alone: bool,
    reflex: bool,
    room_mib: float | None = 0.0,
) -> list[Expected]:
    """Every way with what it costs on average; none where a time is missing from the table."""
    where = {each.brick: each for each in placed}

    def work(brick: str, task: Task) -> _Work | None:
        at = where.get(brick)
        cost = None if at is None else table.find(brick, task, at.place, mode, at.threads)
        if cost is None and at is not None and task == "load":
            cost = table.find(brick, task, at.place, mode, 1)
        return None if cost is None else _Work(cost.seconds, cost.energy_j - awake_w * cost.seconds)

    if mode not in dict(table.awake_w):
        return []
    awake_w = table.awake(mode)
    picture, prompt, words = work("vision", "picture"), work("llm", "picture"), work("stt", "question")
    if picture is None or prompt is None or words is None:
        return []
    loads = [work(brick, "load") if alone else _NONE for brick in ("vision", "llm", "stt")]
    if any(each is None for each in loads):
        return []
    eye, language, recogniser = (each or _NONE for each in loads)
    whole_s = eye.seconds + picture.seconds + language.seconds + prompt.seconds + words.seconds
    share, spoken_s = table.habits.about_view, table.habits.spoken_s

    def way(start: Start, prefill: bool, view_s: float, other_s: float, wasted_j: float) -> Expected:
        wait_s = share * view_s + (1 - share) * other_s
        return Expected(start, prefill, wait_s, awake_w * wait_s + (1 - share) * wasted_j)

    ways = [way("question", False, whole_s, words.seconds, 0.0)]
    seen_s = eye.seconds + picture.seconds
    if alone:
        fits = _pairs(table, mode, placed, room_mib)
        wasted_j = eye.extra_j + picture.extra_j
        if ("vision", "stt") in fits and where["vision"].place != "cores":
            # The recogniser is loaded beside the encoder, and what is not yet encoded goes on beside it.
            left_s = max(0.0, seen_s - spoken_s)
            load_s = language.seconds
            if ("vision", "llm") in fits:  # so is the language model, once the words are known
                load_s -= min(load_s, max(0.0, left_s - words.seconds))
            view_s = max(words.seconds, left_s) + load_s + prompt.seconds
            begun_s = max(0.0, spoken_s + words.seconds - eye.seconds)
            seen = min(1.0, begun_s / picture.seconds) if picture.seconds else 1.0
            way_j = eye.extra_j + picture.extra_j * seen
            ways.append(way("wake word", False, view_s, words.seconds, way_j))
        else:
            # The recogniser is loaded after the picture, and the words wait for both.
            late_s = max(0.0, seen_s + recogniser.seconds - spoken_s)
            view_s = late_s + words.seconds + language.seconds + prompt.seconds
            ways.append(way("wake word", False, view_s, late_s + words.seconds, wasted_j))
        taken_s = min(prompt.seconds, spoken_s - seen_s - language.seconds)
        if not reflex and taken_s > 0:
            # A picture not yet taken in is left off when the words end, and the recogniser loads only then.
            all_s = seen_s + language.seconds + prompt.seconds + recogniser.seconds
            late_s = max(0.0, all_s - spoken_s) if taken_s == prompt.seconds else recogniser.seconds
            view_s = late_s + words.seconds + language.seconds + prompt.seconds - taken_s
            wasted_j += language.extra_j + prompt.extra_j * taken_s / prompt.seconds
            ways.append(way("wake word", True, view_s, late_s + words.seconds, wasted_j))
        return ways
    left_s = max(0.0, picture.seconds - spoken_s)
    taken_s = min(prompt.seconds, max(0.0, spoken_s - picture.seconds))
    beside_s = 0.0 if where["vision"].place == "cores" else left_s
    for prefill in (False, True):
        # On the cores recogniser and picture share the time; beside them the picture goes on by itself.
        to_take_s = prompt.seconds - (taken_s if prefill else 0.0)
        on_cores_s = (left_s - beside_s) + (to_take_s if prefill else 0.0)
        other_s = words.seconds + min(max(0.0, words.seconds - beside_s), on_cores_s)
        view_s = max(words.seconds, beside_s) + (left_s - beside_s) + to_take_s
        until_s = spoken_s + other_s
        seen = min(1.0, until_s / picture.seconds) if picture.seconds else 1.0
        taken = min(1.0, max(0.0, until_s - picture.seconds) / prompt.seconds) if prompt.seconds else 1.0
        wasted_j = picture.extra_j * seen + (prompt.extra_j * taken if prefill else 0.0)
        ways.append(way("wake word", prefill, view_s, other_s, wasted_j))
    return ways


def _pairs(
    table: Table, mode: str, placed: Sequence[Placed], room_mib: float | None
) -> frozenset[tuple[str, str]]:
    """The bricks of which two may be in memory together."""
    place = {each.brick: each.place for each in placed}
    need_mib = {
        cost.brick: cost.memory_mib
        for cost in table.costs
        if cost.mode == mode and cost.place == place.get(cost.brick)
    }
    if room_mib is None:
        room_mib = max(need_mib.values(), default=0.0)
    return frozenset(
        (one, other)
        for one, other in permutations(need_mib, 2)
        if need_mib[one] + need_mib[other] <= room_mib
    )
