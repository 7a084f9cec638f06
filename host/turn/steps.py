"""The steps of a turn: utterance -> text -> route -> answer -> voice.

    transcribe -> decide -> device reply | sentence | look + think -> say

Each step takes the turn as a value and returns it with more fields set.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from host.answers.seen.evidence import Evidence
from host.answers.sureness import AFTERWARDS, WITHHELD, Sureness
from host.language.awaited import surely_told, told
from host.language.further.command import gone_on, gone_on_in_any_words
from host.language.further.said import NOTHING, Before
from host.language.meaning import Abilities, meaning
from host.language.router import Decision
from host.sensing.kept_views import View
from host.sensing.view_gate import Rgb
from host.speaking.sentence_splitter import FIRST_WORDS, first_phrase, sentences
from host.speaking.tones import RATE, earcon
from host.turn.answer_player import AnswerPlayer
from host.turn.checking import to_be_read, weigh, words_in
from host.turn.dialogue import Exchange
from host.turn.early.look import EarlyLook
from host.turn.looking_again import answer_about, may_look_again, supported
from host.turn.tools import Tools
from host.turn.turn import Turn
from hw.device import DeviceError
from models.brick import AudioChunk, BrickError, Completion, Embedding, Prompt, TextPiece, Transcript
from models.caution import Caution
from models.detection import Detection
from models.process.residency import BrickFailed
from models.sensing.looking_again import says_why
from models.sensing.picture_quality import quality_of

NOT_CAUGHT, NOT_CAUGHT_REST = "I did not catch that.", "I did not catch the rest."
COMPARED_WITHIN_S = 60.0
"""So much older than the present view an earlier one may be to be compared with it."""
ONE_VIEW = "I have only one picture so far, so I cannot compare. Please ask me again in a moment."
NO_CAMERA = "I cannot see anything, because there is no camera."
BLIND = "I cannot see anything, because the camera does not answer."
APOLOGY = "Sorry, something went wrong inside me. Please ask again."
NO_ANSWER = "I have no answer to that."
"""Said where the language model ends without a word, and where a brick refuses what it is asked."""
LONG_WORDS = 12
"""A complete answer with more words than this is synthesised in two parts, so that the first plays while the
second is made.
"""
HISTORY_S = 180.0
"""Questions older than this (seconds) are not context of a new one."""


def with_transcript(turn: Turn, said: Transcript) -> Turn:
    """The turn with what was said."""
    return replace(
        turn,
        transcript=said.text,
        probability=said.probability,
        doubtful=said.doubtful,
        words=said.words,
    )


def decide(
    turn: Turn,
    last_question: str,
    tools: Tools,
    awaited: str = "",
    before: Before = NOTHING,
    awaited_name: str = "",
) -> Turn:
    """Text to route, by `host.language.meaning`. awaited: what completes the last request, as of
    `host.language.awaited`; awaited_name: the name of the timer that it is for, "" for none. before: what was
    set before, from which it may go on.
    """
    surely = surely_told(turn.words, turn.probability)
    before = before if surely else NOTHING
    completed = told(awaited, turn.transcript, awaited_name) if awaited else None
    if completed is None and not turn.doubtful:
        completed = gone_on(turn.transcript, before)
    if completed is not None and surely:
        return replace(turn, decision=completed)
    with tools.timeline.span("turn", "route"):
        heard = Transcript(turn.transcript, turn.probability, turn.doubtful, turn.words)
        can = Abilities(
            tools.config.answer.min_probability,
            remembers=tools.memory.on,
            clips=tools.has_motion,
            usual=tools.bricks.pack.usual_wording,
        )
        understood = meaning(heard, tools.router, can, last_question, before)
        going_on = None if turn.doubtful else gone_on_in_any_words(turn.transcript, before, understood)
        if going_on is not None:
            return replace(turn, decision=going_on)
        if not tools.memory.on and tools.memory.tells:
            past = meaning(heard, tools.router, replace(can, remembers=True), last_question)
            if past.decision.route == "memory" and past.decision.certainty is None:
                understood = past  # it is about the past by its form; of the present the view is asked
        decision, meant = understood.decision, understood.question
        if tools.config.answer.fixed_route:
            decision = Decision(tools.config.answer.fixed_route)
            understood = replace(understood, then=None)
    meant = "" if meant == turn.transcript else meant
    return replace(turn, decision=decision, meant=meant, then=understood.then)


async def see(turn: Turn, early_look: EarlyLook, tools: Tools) -> tuple[Embedding, ...] | str:
    """The image embeddings for the question, oldest first; a sentence for the wearer when there is no
    picture. Of two that are compared each is of the very picture: the difference may be small. Where the
    camera does not look between questions, the question takes its second picture now; what changed while it
    was spoken counts more than what an earlier question saw.
    """
    comparing = turn.decision.route == "frames"
    rows = await early_look.rows(own=comparing)
    if rows is None or early_look.view is None:
        return NO_CAMERA if early_look.no_camera else BLIND
    if not comparing:
        return (rows,)
    earlier, later = tools.recent_views.before(early_look.view, COMPARED_WITHIN_S), None
    if tools.power.plan.second_picture:
        with contextlib.suppress(DeviceError):
            later = await tools.recent_views.look()
    if later is not None and (earlier is None or tools.recent_views.newer(early_look.view) is later):
        return (rows, await _rows_of(later, tools))
    return ONE_VIEW if earlier is None else (await _rows_of(earlier, tools), rows)


async def _rows_of(view: View, tools: Tools) -> Embedding:
    encoded = await tools.view_encoder.rows(view, own=True)
    assert isinstance(encoded.data, Embedding)
    return encoded.data


class Thought:
    """The language model's answer to one question, in pieces that can be spoken."""

    def __init__(self, tools: Tools, history: tuple[Exchange, ...], caution: Caution) -> None:
        """`history`: earlier questions, oldest first."""
        self._tools, self._history = tools, history
        self._sureness = Sureness.of(tools.bricks.pack.caution_levels, caution)
        self._text = ""
        self.n_tokens: int | None = None
        """Tokens that the model generated; None until it has finished."""
        self.probability: float | None = None
        """The least probability of a token so far, or the support of the whole answer where the model was
        asked about other looks at the picture, or what the object detector makes of it; None before the first
        token and without a picture.
        """

    async def pieces(
        self,
        question: str,
        images: tuple[Embedding, ...],
        early_look: EarlyLook | None,
        player: AnswerPlayer,
        seen: Sequence[Detection] = (),
        picture: Rgb | None = None,
    ) -> AsyncGenerator[str, None]:
        """Pieces of the answer, each as soon as it can be spoken; about pictures, with the doubts of the
        model; `NO_ANSWER` where it has no word. `early_look`: of the one picture, if the model may have been
        prefilled with it. `seen`: what each picture shows, against which the answer is checked. `picture`:
        the one picture, where it is not the early look's.
        """
        tools = self._tools
        since_s = tools.clock.monotonic() - HISTORY_S
        history = tuple((past.question, past.answer) for past in self._history if past.ended_s > since_s)
        ahead = None if early_look is None else early_look.ahead
        keep = len(images) == 1 and tools.view_encoder.keeps
        prompt = Prompt(question, images, tools.power.plan.answer_max_tokens, ahead, history, keep)

        async def written() -> AsyncGenerator[str, None]:
            async for chunk in tools.bricks.run("llm", prompt):
                if isinstance(chunk, TextPiece):
                    tools.bricks.prepare("tts")
                    player.text_came()
                    if images:
                        self.probability = min(chunk.probability, self._least)
                    yield chunk.text
                elif isinstance(chunk, Completion):
                    self.n_tokens, self._text = chunk.n_generated, chunk.text

        async with contextlib.aclosing(written()) as text:
            pieces = sentences(text, player.urgent)
            cause = "" if picture is None else quality_of(picture).cause
            if len(images) == 1 and early_look is not None and early_look.view is not None:
                picture, cause = early_look.view.rgb, early_look.view.quality.cause
            pieces = self._considered(pieces, prompt, picture, cause, seen)
            worded = False
            async for piece in with_doubts(pieces, self._sureness, lambda: self._least):
                if worded := worded or any(map(str.isalnum, piece)):
                    yield piece
            if not worded:
                yield NO_ANSWER

    async def _considered(
        self,
        pieces: AsyncIterator[str],
        prompt: Prompt,
        picture: Rgb | None,
        cause: str,
        seen: Sequence[Detection],
    ) -> AsyncGenerator[str, None]:
        """The pieces; where the object detector, the text reader or the quality of the picture may decide
        about the answer, or the first is not certain, all together, once it is known how far the answer can
        be relied on. picture: the only one; cause: why nothing can be made out in it, "" for a usable one.
        """
        tools, reading = self._tools, None
        if picture is not None and to_be_read(prompt.question, tools):
            reading = asyncio.create_task(words_in(picture, tools))
        try:
            first = await anext(pieces, "")
            written = await reading if reading is not None and first else None
        finally:
            if reading is not None:
                reading.cancel()
        if first and (seen or written is not None or cause):
            rest = [piece async for piece in pieces]
            evidence = Evidence(tuple(seen), written, cause)
            verdict = weigh(self._text, self._least, prompt.question, evidence, tools)
            if verdict is not None and verdict.said != self._text:
                first, rest = verdict.said, []
            if verdict is not None and verdict.final:
                self.probability = verdict.probability
                for piece in (first, *rest):
                    yield piece
                return
            pieces = _each(rest)
        if first and picture is not None and may_look_again(first, self._least, tools):
            rest = [piece async for piece in pieces]
            ask = partial(answer_about, prompt=prompt, tools=tools)
            self.probability = await supported(self._text, self._least, picture, tools, ask)
            for piece in (first, *rest):
                yield piece
        elif first:
            yield first
            async for piece in pieces:
                yield piece

    @property
    def hesitated(self) -> bool | None:
        """Whether a word was too improbable to be said as sure; None: the pack states no levels of caution,
        or there is no picture.
        """
        if self.probability is None or self._tools.bricks.pack.caution_levels is None:
            return None
        return self.probability < self._sureness.sure_from

    @property
    def _least(self) -> float:
        return 1.0 if self.probability is None else self.probability


async def with_doubts(
    pieces: AsyncIterator[str], sureness: Sureness, least: Callable[[], float]
) -> AsyncIterator[str]:
    """The pieces, the first said as sure as its words are; a doubt that comes later is said at the end.
    `least`: the least probability of a word so far.
    """
    doubted, said = False, ""
    async for piece in pieces:
        doubted = doubted or (not said and says_why(piece))  # of that nobody has to be sure
        said = piece if said else sureness.said(piece, least())
        doubted = doubted or said != piece
        yield said
        if said == WITHHELD:
            return
    if said and not doubted and least() < sureness.sure_from:
        yield AFTERWARDS


async def collected(spoken: AsyncGenerator[str, None], tools: Tools) -> AsyncGenerator[str, None]:
    """The pieces to speak. With room for one brick only, all text is collected before any is spoken."""
    if tools.power.plan.residency != "one_at_a_time":
        return spoken
    text = " ".join([sentence async for sentence in spoken])
    long = len(text.split()) > LONG_WORDS
    return whole("\n".join(filter(None, first_phrase(text, FIRST_WORDS))) if long else text)


async def speak_or_tone(sentence: str, player: AnswerPlayer, tools: Tools) -> None:
    """Speaks a sentence; plays the error tone when the voice fails."""
    try:
        await player.speak(whole(sentence))
    except (BrickFailed, BrickError):
        await play_earcon("error", tools)


async def play_earcon(name: str, tools: Tools) -> None:
    """Plays one of `host.speaking.tones`, unless earcons are switched off."""
    if tools.config.answer.earcons:
        await tools.speaker.play(_chunks(AudioChunk(earcon(name), RATE)))


async def _each(pieces: Iterable[str]) -> AsyncGenerator[str, None]:
    for piece in pieces:
        yield piece


async def _chunks(*items: AudioChunk) -> AsyncIterator[AudioChunk]:
    for item in items:
        yield item


async def whole(text: str) -> AsyncGenerator[str, None]:
    """One piece; none for ""."""
    if text:
        yield text
