"""The strongest simple ways to answer beside ours: one look at the nearest view, at the newest whose caption
names the thing, and at the newest in which the pack's object detector sees it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from host.answers import memory_replies as replies
from host.memory.things import things_of
from models.pack.catalogue import Pack
from tests.eval.eye.pieces import Eye, answer, decoder_of, detector_of, loaded, phrases
from tests.eval.memory_voice.asking import MIDNIGHT_S
from tests.eval.memory_voice.days import WornDay
from tests.eval.stranger_home import said

NEAREST = "the nearest view, looked at once"
CAPTIONED = "the newest view whose caption names it"
DETECTED = "the newest view in which the detector sees it"
SIMPLE = (NEAREST, CAPTIONED, DETECTED)
SEES_FROM = 0.5
"""Probability from which the detector sees a thing."""
KINDS = ("where", "when", "seen")
"""Kinds of questions that they can answer."""
_ASKED = "what do you see"


def captions(pack: Pack, day: WornDay, file: Path | None) -> list[str]:
    """What the decoder says of every kept view; from the file if it is there."""
    if file is not None and file.is_file():
        return file.read_text(encoding="utf-8").split("\n")
    with loaded(pack.bricks["vision"]) as eye, decoder_of(pack) as decoder:
        made = [
            re.sub(r"\s+", " ", answer(decoder, _ASKED, Eye(eye).look(picture))) for picture in day.pictures
        ]
    if file is not None:
        file.write_text("\n".join(made), encoding="utf-8")
    return made


class Simple:
    """Answers about a day in this process, with the pack's own models."""

    def __init__(self, pack: Pack, day: WornDay, captioned: Sequence[str]) -> None:
        self._day, self._captions = day, captioned
        with ExitStack() as opened:
            self._tower = opened.enter_context(loaded(pack.bricks["text"]))
            self._eye = Eye(opened.enter_context(loaded(pack.bricks["vision"])))
            self._decoder = opened.enter_context(decoder_of(pack))
            self._detects = opened.enter_context(detector_of(pack))
            self._opened = opened.pop_all()
        self._said: dict[tuple[str, int], str] = {}
        self._seen: dict[int, set[str]] = {}

    def close(self) -> None:
        """Frees the models."""
        self._opened.close()

    def answer(self, way: str, name: str, window: tuple[float, float], kept: int, now_s: float) -> str:
        """The sentence about a thing, from what is kept of a window, seconds after midnight."""
        thing = f"my {name}"
        times = [self._day.sights[number].at_s for number in self._day.kept[:kept]]
        within = [at for at, time_s in enumerate(times) if window[0] <= time_s < window[1]]
        if way == CAPTIONED:
            within = [at for at in within if name in said.things(self._captions[at])][-1:]
        if way == DETECTED:
            within = [at for at in within if name in self._things(at)][-1:]
        if not within:
            return replies.not_seen(thing)
        scores = self._day.places[within] @ phrases(self._tower, [thing])[0]
        at = within[int(np.argmax(scores))]
        told = self._look(thing, at)
        if not replies.tells_of(told, thing):
            return replies.not_seen(thing)
        return replies.seen(thing, told, MIDNIGHT_S + times[at], MIDNIGHT_S + now_s, "fairly sure")

    def _things(self, at: int) -> set[str]:
        """What the object detector sees in a view."""
        if at not in self._seen:
            found = self._detects(self._eye.look(self._day.pictures[at]))
            things = () if found is None else things_of(found)
            self._seen[at] = {each.name for each in things if each.probability >= SEES_FROM}
        return self._seen[at]

    def _look(self, thing: str, at: int) -> str:
        if (thing, at) not in self._said:
            rows = self._eye.look(self._day.pictures[at])
            self._said[thing, at] = answer(self._decoder, replies.question_about(thing), rows)
        return self._said[thing, at]
