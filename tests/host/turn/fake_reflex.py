"""A reflex brick without a network: it answers as its options say, and reads the rows like the real one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from models.brick import BrickError, BrickSpec, Context, Placement
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.detection import Detect, Detection
from models.pack.catalogue import Pack
from models.reading import Read, Reading, Word
from tests.host.fake_speech import without_speech_models

SURE = {"text": "The cross is yellow.", "confidence": 0.95, "answerable": 0.99, "layer": 2,
        "values": {"colour": "yellow", "shape": "cross"}, "reasons": ("the answer is certain",)}  # fmt: skip
HANDED_OVER = {"text": "", "confidence": 0.2, "answerable": 0.9, "layer": 5, "reasons": ("handed over",)}
TOO_DARK = {"text": "It is too dark to see, please turn on a light.", "confidence": 0.0, "answerable": 0.02,
            "cause": "dark", "advice": True}  # fmt: skip
SIGN = {"text": "The sign says EXIT.", "confidence": 0.9, "answerable": 0.99, "layer": 3,
        "values": {"word": "EXIT"}}  # fmt: skip
OTHER_SIGN = {**SIGN, "text": "The sign says EAST.", "confidence": 0.6, "values": {"word": "EAST"}}


class FakeReflex:
    """Answers its n-th question with the n-th of the option `says`, the last one again and again. With `echo`
    the last reason says what was asked. Asked what the picture shows, it answers with the option `sees`, and
    asked what is written in it with `words`.
    """

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options, self._context = options, context
        self._asked = 0

    def load(self) -> None:
        if self._options.get("fault") == "load":
            raise BrickError("the front is no graph")

    def execute(
        self, request: ClosedQuestion | Detect | Read
    ) -> Iterator[ClosedAnswer | Detection | Reading]:
        if isinstance(request, Read):
            if self._options.get("fault") == "blind":
                raise BrickError("The reader is gone.")
            yield Reading(
                tuple(Word(text, 0.5, 0.5, 0.3, 0.1, sure) for text, sure in self._options["words"])
            )
            return
        if isinstance(request, Detect):
            if self._options.get("fault") == "blind":
                raise BrickError("The detector reads other rows.")
            while self._options.get("fault") in ("slow eye", "stuck") and not self._context.cancelled():
                time.sleep(0.002)
            yield self._options["sees"]
            return
        fault = self._options.get("fault")
        if fault == "refuse":
            raise BrickError("The picture's rows are of another eye.")
        if fault == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        while fault in ("hang", "stuck") and not self._context.cancelled():
            time.sleep(0.002)
        says = self._options["says"]
        answer = ClosedAnswer(**says[min(self._asked, len(says) - 1)])
        self._asked += 1
        if request.image.slot is None:
            assert request.image.rows is not None
            rows = request.image.rows
        else:
            assert self._context.ring is not None
            with self._context.ring.peek(request.image.slot) as there:
                rows = np.array(there)
        budget = [None if each is None else round(each, 3) for each in (request.certainty, request.keep)]
        asked = f"{request.caution} {budget[0]} {budget[1]} {request.keep_slot} {request.text}"
        saliency = np.zeros(len(rows), np.float32)
        saliency[0] = 1.0
        yield replace(
            answer, kept=len(rows), saliency=saliency, reasons=(*answer.reasons, *self._told(asked))
        )

    def _told(self, asked: str) -> tuple[str, ...]:
        return (asked,) if self._options.get("echo") else ()

    def release(self) -> None:
        """There is nothing to free."""


def create(options: Mapping[str, Any], context: Context) -> FakeReflex:
    """The brick, not yet loaded."""
    return FakeReflex(options, context)


def without_reflex() -> Pack:
    """The micro pack without a reflex brick, and without models of speech and motion."""
    return without_speech_models(without=("reflex", "motion"))


def reflex_pack(*says: Mapping[str, Any], **options: Any) -> Pack:
    """That pack with this brick, which is small; `says`: fields of its answers, in turn."""
    pack = without_reflex()
    given = {"says": list(says or (SURE,)), "exit_score": 0.8, "keep": 0.2, **options}
    spec = BrickSpec("reflex", Placement.CPU, 5, __name__, given)
    return replace(pack, bricks={**pack.bricks, "reflex": spec})
