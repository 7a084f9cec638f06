"""The reflex brick: a closed question about one picture, answered without the language model or handed over.

The question's words and the decoder's rows of the picture pass a front, which says whether the picture has an
answer to the question at all, and then cross-modal layers one by one. Every layer has answer heads and a
score of its own answer; `models.exits.decide` says after each whether another is run, so a question that is
settled early runs none of the rest. After the first layer only those image tokens go on to which the
question's words attend most. The mechanisms are V1, V3 and V4 of MobiVQA (SenSys 2022);
`models.convert.reflex.graph` writes the graphs and says what is in them.

With the files of an object detector (`models.bricks.detector`) it also says which things the picture shows,
with that of a text reader (`models.bricks.reader`) what is written in it.

Files: `words` (`models.bricks.reflex_words`), `answers` (`models.bricks.closed_sentence`), `front`, `layer_1`
and so on, and perhaps `detector` and `things`, and `reader`. Settings:
`models.pack.brick_settings.ReflexSettings`. Rows in the ring are the graphs' input where they lie, if they
are float32, and stay readable for the language model meanwhile.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Context, Embedding
from models.bricks.closed_sentence import AnswerTable
from models.bricks.detector import Detector
from models.bricks.reader import TextReader
from models.bricks.reflex_graphs import ReflexGraphs
from models.bricks.reflex_words import QuestionWords
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.detection import Detect, Detection
from models.exits import Budget, Decision, Features, decide
from models.process.child_main import free_model_memory
from models.reading import Read, Reading
from models.ring.ring import SlotGone


@dataclass
class _Pass:
    """A question on its way through the layers."""

    words: NDArray[np.float32]
    image: NDArray[np.float32]
    layer: int = 0
    logits: NDArray[np.float32] | None = None
    certainty: float | None = None
    saliency: NDArray[np.float32] | None = None
    reasons: list[str] = field(default_factory=list)
    ended_s: list[float] = field(default_factory=list)


class ReflexBrick:
    """The brick. Requests are `ClosedQuestion`, answered by one `ClosedAnswer`, and where the pack has an
    object detector `Detect`, answered by one `Detection`, or a text reader `Read`, answered by one `Reading`.
    """

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options = options
        self._context = context
        self._graphs: ReflexGraphs | None = None
        self._detector: Detector | None = None
        self._reader: TextReader | None = None

    def load(self) -> None:
        path = Path(self._options["answers"])
        try:
            self._answers = AnswerTable.read(path)
        except (OSError, ValueError) as error:
            raise BrickError(f"The answers {path} can't be used: {error}.") from error
        unknown = int(self._options.get("unknown_words", 0))
        self._words = QuestionWords.of_file(Path(self._options["words"]), unknown)
        self._graphs = ReflexGraphs(self._options, self._context, self._answers, len(self._words))
        if "detector" in self._options:
            self._detector = Detector(self._options, self._context)
        if "reader" in self._options:
            self._reader = TextReader(Path(self._options["reader"]), self._context)

    def execute(
        self, request: ClosedQuestion | Detect | Read
    ) -> Iterator[ClosedAnswer | Detection | Reading]:
        answer: ClosedAnswer | Detection
        match request:
            case Read(rgb=rgb) if self._reader is not None:
                yield self._reader.read(rgb)
                return
            case ClosedQuestion():
                answer = self._answer(request)
            case Detect() if self._detector is not None:
                with self._rows(request.image) as rows:
                    answer = self._detector.seen(rows)
            case _:
                raise BrickError(f"The reflex brick has no answer to a {type(request).__name__}.")
        if not request.keep_slot and request.image.slot is not None and self._context.ring is not None:
            self._context.ring.discard(request.image.slot)
        yield answer

    def release(self) -> None:
        self._graphs, self._detector, self._reader = None, None, None
        free_model_memory()

    def _answer(self, question: ClosedQuestion) -> ClosedAnswer:
        numbers, unread = self._words.numbers(question.text)
        if unread:
            return ClosedAnswer("", 0.0, 1.0, reasons=(f"handed over: {unread}",))
        assert self._graphs is not None
        begun_s = time.perf_counter()
        with self._rows(question.image) as rows:
            words, image, answerable, causes = self._graphs.front.run(
                {"words": numbers, "rows": rows[None]}, ("words_out", "image", "answerable", "causes")
            )
        under_way = _Pass(words, image)
        under_way.ended_s.append(time.perf_counter())
        likely = float(answerable[0])
        cause, advice = self._cause(likely, causes[0])
        self._run_layers(under_way, question, cause)
        text, guess, confidence, understood = advice, "", 0.0, 0.0
        values: Mapping[str, str] = {}
        if under_way.logits is not None:
            said = self._answers.answer(under_way.logits)
            guess, values, confidence = said.text, said.values, said.confidence
            understood = said.understood
            text, told = self._given(guess, confidence, question)
            under_way.reasons.append(told)
        steps_ms = 1e3 * np.diff([begun_s, *under_way.ended_s])
        return ClosedAnswer(
            text, confidence, likely, cause, bool(advice), guess, values, under_way.layer,
            tuple(under_way.reasons), under_way.image.shape[1], tuple(map(float, steps_ms)),
            under_way.saliency if question.explain else None, understood,
        )  # fmt: skip

    def _run_layers(self, under_way: _Pass, question: ClosedQuestion, cause: str) -> None:
        """Runs layer after layer until the table of exits stops it. Raises Cancelled."""
        assert self._graphs is not None
        last, n_rows = self._graphs.layers, under_way.image.shape[1]
        most = last if question.layers is None else min(last, question.layers)
        share = self._options["keep"] if question.keep is None else question.keep
        certainty = self._options["exit_score"] if question.certainty is None else question.certainty
        own = (question.layers, question.keep, question.certainty) == (None, None, None)
        worthless = f"the picture has no answer to the question: {cause}" if cause else ""

        def next_step() -> Decision:
            tokens = under_way.image.shape[1] if under_way.layer else None
            features = Features(
                tuple(range(1, last + 1)), under_way.layer, last, worthless, tokens, under_way.certainty
            )
            limit = "the pack" if own else "the question's budget"
            budget = Budget(most - under_way.layer, limit, max(1, round(share * n_rows)), float(certainty))
            decision = decide(features, budget)
            under_way.reasons.append(f"{_after(under_way)}: {decision.reason}")
            return decision

        while (decision := next_step()).action != "stop":
            if decision.action == "prune" and under_way.saliency is not None:
                kept = attended(under_way.saliency, decision.amount)
                under_way.image = np.ascontiguousarray(under_way.image[:, kept])
            else:
                self._run_layer(self._graphs, under_way)

    def _run_layer(self, graphs: ReflexGraphs, under_way: _Pass) -> None:
        """The next layer; its time includes what was done since the one before. Raises Cancelled."""
        number = under_way.layer + 1
        outputs = ["words_out", "score", "answers"]
        outputs += ["image_out"] if number < graphs.layers else []
        outputs += ["saliency"] if number == 1 else []
        feeds = {"words": under_way.words, "image": under_way.image}
        found = dict(zip(outputs, graphs.layer(number).run(feeds, outputs), strict=True))
        under_way.words, under_way.layer = found["words_out"], number
        under_way.image = found.get("image_out", under_way.image)
        under_way.certainty, under_way.logits = float(found["score"][0]), found["answers"][0]
        if "saliency" in found:
            under_way.saliency = found["saliency"][0]
        under_way.ended_s.append(time.perf_counter())

    def _cause(self, answerable: float, causes: NDArray[np.float32]) -> tuple[str, str]:
        """Why the picture has no answer, and the advice against it; both empty where it may have one."""
        if answerable >= self._options["answerable_from"]:
            return "", ""
        likeliest = 1 + int(np.argmax(causes[1:])) if len(causes) > 1 else 0
        cause = self._answers.causes[likeliest] or "unknown"
        sure = float(causes[likeliest]) >= self._options["advice_from"]
        return cause, self._answers.advice.get(cause, "") if sure else ""

    def _given(self, guess: str, confidence: float, question: ClosedQuestion) -> tuple[str, str]:
        """The sentence to say, "" for none, and why."""
        if not guess:
            return "", "handed over: it is not a closed question"
        least = float(self._options["caution"][question.caution])
        if confidence < least:
            return "", f"handed over: {confidence:.0%} sure, {question.caution} caution wants {least:.0%}"
        return guess, f"answered: {confidence:.0%} sure, {question.caution} caution wants {least:.0%}"

    @contextlib.contextmanager
    def _rows(self, image: Embedding) -> Iterator[NDArray[np.float32]]:
        """A picture's rows, float32 [tokens, width]; those in the ring where they lie. Raises BrickError."""
        with contextlib.ExitStack() as stack:
            try:
                if image.slot is None:
                    rows = np.empty((0, 0), np.float32) if image.rows is None else image.rows
                elif self._context.ring is None:
                    raise BrickError("The picture lies in a ring that this process can't see.")
                else:
                    rows = stack.enter_context(self._context.ring.peek(image.slot))
                wanted = [int(self._options["tokens"]), int(self._options["width"])]
                if list(rows.shape) != wanted:
                    raise BrickError(
                        f"The picture's rows are {list(rows.shape)}, and the reflex brick reads {wanted}."
                    )
                yield np.ascontiguousarray(rows, np.float32)
                stack.close()
            except SlotGone as error:
                raise BrickError("The picture was dropped before it could be looked at.") from error


def attended(saliency: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    """Positions of the `count` largest values, in the order in which they stand."""
    return np.sort(np.argpartition(saliency, len(saliency) - count)[len(saliency) - count :])


def _after(under_way: _Pass) -> str:
    if under_way.certainty is None:
        return "before layer 1"
    return f"after layer {under_way.layer}, with a score of {under_way.certainty:.2f}"


def create(options: Mapping[str, Any], context: Context) -> ReflexBrick:
    """The brick, not yet loaded."""
    return ReflexBrick(options, context)
