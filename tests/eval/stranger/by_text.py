"""Asks in text: the product's router, device skills, vision brick, decoder and object detector, without its
ears and voice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from host.answers.device import DeviceState, answer_device
from host.answers.memory_replies import OFF
from host.answers.seen.evidence import Evidence, weighed
from host.answers.sureness import Sureness
from host.config import AnswerConfig
from host.language.router import Router
from host.language.understanding import understand
from host.turn.steps import NOT_CAUGHT, ONE_VIEW
from hw.device import Image
from hw.supply import BatteryReading
from models.brick import BrickError, Completion, Context, Embedding, Frame, Prompt
from models.bricks import llm
from models.bricks.eye import vision
from models.pack.catalogue import Pack
from models.sensing.looking_again import other_looks, support
from power.policy.policy import Policy
from tests.eval.eye.pieces import detector_of, reader_of
from tests.eval.stranger.outcome import Outcome
from tests.eval.stranger.questions import Question
from tests.eval.stranger.render import render
from tests.eval.stranger.truth import Picture

_BATTERY = BatteryReading(82, 4000, -400, 25.0, False, "good")
_NOW_S = time.mktime((2026, 3, 7, 14, 5, 0, 0, 0, -1))
_VOLUME_PERCENT = 55


@dataclass(frozen=True)
class Doubt:
    """The decoder's sentence about pictures, "" for none, and the least probability of its words, or its
    support where the decoder was asked about other looks; at_first: that of its words at the first look.
    """

    sentence: str = ""
    probability: float = 1.0
    at_first: float = 1.0


class ByText:
    """The pack's eye and decoder, loaded in this process."""

    def __init__(self, pack: Pack) -> None:
        self.see: Callable[[Picture, int], Image] = render
        """What the camera takes of a picture and its place among those of the question."""
        self._doubt = Doubt()
        self._sureness = Sureness.of(pack.caution_levels, AnswerConfig().caution)
        self._looks = pack.looks
        self._usual, self._pack = pack.usual_wording, pack
        self._stack = ExitStack()
        self._detects = self._stack.enter_context(detector_of(pack))
        self._reads = reader_of(pack)
        self._router, self._plan = Router(), Policy().decide(_BATTERY, 0.0)[0]
        self._eye = vision.create(pack.bricks["vision"].options, Context())
        self._eye.load()
        llm.NICENESS = 0  # the brick's niceness would apply to this process until its end
        self._decoder = llm.Decoder(pack.bricks["llm"].options, Context())
        self._decoder.load()

    def close(self) -> None:
        """Frees the models."""
        self._eye.release()
        self._decoder.release()
        self._stack.close()

    def ask(self, question: Question) -> Outcome:
        """What the headband says, by the route that its words take."""
        self._doubt = Doubt()
        said = self._answer(question)
        doubt = self._doubt
        return Outcome(
            question, question.text, said,
            decoded=doubt.sentence, probability=doubt.probability, at_first=doubt.at_first,
        )  # fmt: skip

    def _answer(self, question: Question) -> str:
        understood = understand(question.text, self._router, usual=self._usual)
        decision = understood.decision
        if decision.route == "device":
            state = DeviceState(volume_percent=_VOLUME_PERCENT)
            return answer_device(decision, state, _BATTERY, self._plan, _NOW_S).text
        if decision.route == "memory":
            return OFF
        if decision.route == "unclear":
            return NOT_CAUGHT
        if decision.route == "open":
            return self._decoded(understood.question, ())
        if decision.route == "frames" and len(question.pictures) < 2:
            return ONE_VIEW
        used = question.pictures if decision.route == "frames" else question.pictures[-1:]
        first = len(question.pictures) - len(used)
        seen = [self.see(picture, frame) for frame, picture in enumerate(used, first)]
        return self._decoded(understood.question, tuple(self._rows_of(each) for each in seen), seen)

    def _rows_of(self, picture: Image) -> Embedding:
        (rows,) = self._eye.execute(Frame(picture))
        assert isinstance(rows, Embedding)
        return rows

    def _decoded(self, text: str, images: tuple[Embedding, ...], seen: Sequence[Image] = ()) -> str:
        try:
            said, at_first = self._said(text, images)
            if not images:
                return said
            least, detected = at_first, [self._detects(each) for each in images]
            known = [each for each in detected if each is not None]
            reading = self._reads(text, seen[0]) if len(seen) == 1 else None
            evidence, pack = Evidence(tuple(known), reading), self._pack
            verdict = weighed(said, least, text, evidence, pack.detection, pack.reading).verdict
            if verdict is not None:
                said, least = verdict.said, verdict.probability
            final = verdict is not None and verdict.final
            if not final and len(seen) == 1 and self._looks.wanted(least, said):
                others = other_looks(seen[0], self._looks.number)
                least = support(said, least, (self._said(text, (self._rows_of(each),)) for each in others))
        except BrickError as error:
            return str(error)
        self._doubt = Doubt(said, least, at_first)
        return self._sureness.said(said, least)

    def _said(self, text: str, images: tuple[Embedding, ...]) -> tuple[str, float]:
        """The decoder's sentence and the least probability of its words. Raises `BrickError`."""
        for chunk in self._decoder.execute(Prompt(text, images, self._plan.answer_max_tokens)):
            if isinstance(chunk, Completion):
                return chunk.text, chunk.probability
        return "", 1.0


def ask_by_text(pack: Pack, questions: Iterable[Question]) -> Iterator[Outcome]:
    """The outcome of each question."""
    headband = ByText(pack)
    try:
        for question in questions:
            yield headband.ask(question)
    finally:
        headband.close()
