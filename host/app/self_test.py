"""The built-in question of a release that is not known to be good: every brick of the pack loads and answers,
without a sound from the loudspeaker.

It works only while the headband rests. What the wearer begins ends the step under way at once, which is done
again later; nothing waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from host.language.router import plain_words
from host.turn.tools import Tools
from hw.audio.sound_and_picture_files import read_image, read_wav
from models.brick import (
    AudioChunk,
    Completion,
    Embedding,
    Frame,
    Phrase,
    Prompt,
    Recall,
    Sentence,
    Transcript,
    Utterance,
)
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.pack.chain import RECALL_EYE, REFLEX, reflex_eye
from power.policy.plan import Mode

FILES = Path(__file__).parents[1] / "demo"
SOUND, PICTURE = FILES / "4-label.wav", FILES / "3-view.png"
QUESTION = "can you read the label"
"""What is said in `SOUND`, about `PICTURE`."""
ANSWER = "I am ready."
MOST_TOKENS = 24
CHECK_S, REST_S = 0.05, 1.0
"""Periods of checks whether the wearer has begun something, and whether the headband rests again."""
_Kind = TypeVar("_Kind")


class SelfTestFailed(Exception):
    """A brick does not answer; the text is a sentence."""


class SelfTest:
    """Asks every brick of a headband's pack."""

    def __init__(self, tools: Tools, at_rest: Callable[[], bool]) -> None:
        """at_rest: whether nothing is asked or said, and nothing waits."""
        self._tools, self._at_rest = tools, at_rest

    async def run(self) -> str:
        """Returns "" when every brick has answered, or a sentence about the first that did not. Takes as long
        as the wearer keeps the headband busy.
        """
        bricks = self._tools.bricks
        try:
            for step in (self._hears, self._sees, self._reads, self._speaks):
                await self._at_leisure(step)
        except Exception as error:  # a damaged or incomplete release raises anything
            return str(error) or type(error).__name__
        if bricks.residency.kind == "one_at_a_time":
            await bricks.release_all(wanted=lambda: not self._idle())
        return ""

    def _idle(self) -> bool:
        return self._at_rest() and self._tools.power.plan.mode is not Mode.CUTOFF

    async def _at_leisure(self, step: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Does a step while the headband rests, from the beginning again when it was interrupted."""
        while True:
            while not self._idle():
                await self._tools.clock.sleep(REST_S)
            work = asyncio.create_task(step())
            try:
                while not work.done() and self._idle():
                    await asyncio.wait([work], timeout=CHECK_S)
            finally:
                work.cancel()
                await asyncio.wait([work])
            if not work.cancelled():
                return work.result()

    async def _hears(self) -> None:
        if "stt" not in self._tools.bricks.pack.bricks:
            return
        sound = await asyncio.to_thread(read_wav, SOUND)
        heard = await self._answer("stt", Utterance(sound.astype(np.float32) / np.float32(32768)), Transcript)
        known = self._tools.bricks.pack.self_test
        _check("stt", bool(heard.text.strip()), "heard nothing")
        right = not known or plain_words(heard.text) == plain_words(known)
        _check("stt", right, f'heard "{heard.text}" instead of "{known}"')

    async def _sees(self) -> None:
        """The eye, and who reads its rows: the reflex brick and the language model."""
        bricks, pack = self._tools.bricks, self._tools.bricks.pack.bricks
        images: tuple[Embedding, ...] = ()
        try:
            if "vision" in pack:
                rgb = await asyncio.to_thread(read_image, PICTURE)
                images = (await self._answer("vision", Frame(rgb), Embedding),)
                rows = bricks.rows(images[0]) if images[0].slot or images[0].rows is not None else None
                _check("vision", rows is None or bool(np.isfinite(rows).all()), "gave no numbers")
            if REFLEX in pack and images:
                if reflex_eye(pack) != "vision":
                    images += (await self._tools.view_places.rows(rgb),)
                closed = await self._answer(REFLEX, ClosedQuestion(QUESTION, images[-1]), ClosedAnswer)
                _check(REFLEX, 0 <= closed.confidence <= 1, "gave no confidence")
            if "llm" in pack:
                prompt = Prompt(QUESTION, images[:1], MOST_TOKENS, keep=True)
                said = await self._answer("llm", prompt, Completion)
                _check("llm", bool(said.text.strip()), "said nothing")
        finally:
            for image in images:
                bricks.discard(image)

    async def _reads(self) -> None:
        """The text tower, and the memory's own eye where the pack has one."""
        pack = self._tools.bricks.pack.bricks
        if "text" in pack:
            place = await self._answer("text", Phrase(QUESTION), Recall)
            _check("text", bool(np.isfinite(place.vector).all()), "gave no numbers")
        if RECALL_EYE in pack:
            rgb = await asyncio.to_thread(read_image, PICTURE)
            (seen,) = await self._tools.view_places.place_stored([rgb])
            whole = seen.place is not None and bool(np.isfinite(seen.place.vector).all())
            _check(RECALL_EYE, whole, "gave no numbers")
        await self._tools.bricks.release_unkept()

    async def _speaks(self) -> None:
        if "tts" in self._tools.bricks.pack.bricks:
            sound = await self._answer("tts", Sentence(ANSWER), AudioChunk)
            _check("tts", bool(np.any(sound.pcm)), "made no sound")

    async def _answer(self, name: str, request: object, kind: type[_Kind]) -> _Kind:
        """The last chunk of a brick's answer. Raises what `Bricks.run` raises, and `SelfTestFailed`."""
        last: object = None
        async for chunk in self._tools.bricks.run(name, request):
            last = chunk
        _check(name, isinstance(last, kind), "gave no answer")
        assert isinstance(last, kind)
        return last


def _check(brick: str, right: bool, problem: str) -> None:
    if not right:
        raise SelfTestFailed(f"The {brick} brick {problem}.")
