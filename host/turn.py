"""One turn: utterance -> text -> route -> answer -> voice.

    heard -> transcribe -> decide -> device skill | memory | look + think -> sentences -> say

The turn is a value that gains a field at every step. A brick that dies costs the turn one spoken apology,
never the headband.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace

import numpy as np

from host.dialogue import resolve
from host.earcons import RATE, earcon
from host.energy_talk import Answered
from host.eyes import View
from host.listen import Heard
from host.parts import Observer, Parts, Turn
from host.router import Decision, plain_words
from host.sentences import sentences
from host.skills import answer_device
from host.timeline import Span
from hw.device import DeviceError, LightPattern
from models.brick import (
    AudioChunk,
    BrickError,
    Completion,
    Embedding,
    Frame,
    Prompt,
    Sentence,
    TextPiece,
    Transcript,
    Utterance,
)
from models.lifecycle import BrickFailed

__all__ = [
    "APOLOGY", "NOT_CAUGHT", "NO_CAMERA", "NO_MEMORY", "ONE_VIEW", "Glimpse", "Observer", "Parts", "Turn",
    "announce", "play_earcon", "take_turn",
]  # fmt: skip

NOT_CAUGHT = "I did not catch that."
NO_MEMORY = "I do not keep a memory of what I saw yet, so I can only tell you what is in front of you now."
ONE_VIEW = "I have only one picture so far, so I cannot compare. Please ask me again in a moment."
NO_CAMERA = "I cannot see anything, because the camera does not answer."
ABOUT_ANSWERS = ("why_short", "repeat", "cost")
"""Device intents that ask about the answer before."""
APOLOGY = "Sorry, something went wrong inside me. Please ask again."


class Glimpse:
    """The view at the moment of the wake word, and its image rows when the plan encodes ahead of the
    question's end.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.view: View | None = None
        self._task = asyncio.create_task(self._look())

    async def _look(self) -> Embedding | None:
        try:
            self.view = await self._parts.eyes.look()
        except DeviceError:
            return None
        if self._parts.plan.residency != "resident":
            return None
        return await encode(self.view, self._parts)

    async def rows(self) -> Embedding | None:
        """The image rows of the view, encoded now unless that has happened already; None without a
        picture.
        """
        rows = await self._task
        if rows is None and self.view is not None:
            rows = await encode(self.view, self._parts)
        return rows

    async def close(self) -> None:
        """Waits for work under way and gives up rows that nobody read, so that nothing outlives the turn."""
        (rows,) = await asyncio.gather(self._task, return_exceptions=True)
        if isinstance(rows, Embedding):
            self._parts.bricks.discard(rows)


async def take_turn(heard: Heard, glimpse: Glimpse, parts: Parts) -> Turn:
    """Runs one turn to the last sample of its answer."""
    turn = Turn(heard, parts.timeline.clock(), parts.plan)
    parts.written_tokens = None
    try:
        turn = await transcribe(turn, parts)
        turn = decide(turn, parts)
        turn = await respond(turn, glimpse, parts)
    except BrickFailed as failed:
        turn = await apologise(turn, failed, APOLOGY, parts)
    except BrickError as refused:
        turn = await apologise(turn, refused, str(refused), parts)
    finally:
        await glimpse.close()
    turn = replace(turn, ended_s=parts.timeline.clock(), answer_tokens=parts.written_tokens)
    if turn.decision.route != "unclear" and turn.decision.intent not in ABOUT_ANSWERS:
        parts.device = replace(parts.device, last=Answered(turn.plan, turn.answer_tokens, parts.hushed))
    return turn


async def transcribe(turn: Turn, parts: Parts) -> Turn:
    """Speech to text."""
    if len(turn.heard.pcm) == 0:
        return turn
    pcm = turn.heard.pcm.astype(np.float32) / np.float32(32768)
    async for chunk in parts.bricks.run("stt", Utterance(pcm)):
        if isinstance(chunk, Transcript):
            turn = replace(turn, transcript=chunk.text.strip(), probability=chunk.probability)
    return turn


def decide(turn: Turn, parts: Parts) -> Turn:
    """Text to route; an improbable transcript is unclear, a further question means more than it says."""
    with parts.timeline.span("turn", "route"):
        decision = parts.router.decide(turn.transcript)
        meant = ""
        if decision.intent == "follow_up":
            meant = resolve(str(decision.slots["rest"]).lower(), parts.device.last_question) or ""
            decision = parts.router.decide(meant) if meant else decision
        if turn.probability < parts.config.answer.min_probability:
            decision = Decision("unclear")
        if parts.config.answer.fixed_route:
            decision = Decision(parts.config.answer.fixed_route)
    turn = replace(turn, decision=decision, meant=meant)
    if decision.route in ("now", "frames"):
        parts.device = replace(parts.device, last_question=plain_words(turn.question))
    parts.observe("understood", {"transcript": turn.transcript, "meant": meant, "route": decision.route})
    return turn


async def respond(turn: Turn, glimpse: Glimpse, parts: Parts) -> Turn:
    """Route to spoken answer."""
    match turn.decision.route:
        case "unclear":
            return await say(turn, _whole(NOT_CAUGHT), parts)
        case "memory":
            return await say(turn, _whole(NO_MEMORY), parts)
        case "device":
            reply = answer_device(
                turn.decision, parts.device, parts.reading, parts.plan, parts.clock.time(), parts.outlook()
            )
            parts.device = reply.state
            parts.speaker.set_volume(reply.state.volume_percent)
            return await say(turn, _whole(reply.text), parts)
        case "open":
            return await say(turn, think(turn, (), parts), parts)
    images = await see(turn, glimpse, parts)
    if isinstance(images, str):
        return await say(turn, _whole(images), parts)
    turn = replace(turn, views=len(images))
    return await say(turn, think(turn, images, parts), parts)


async def see(turn: Turn, glimpse: Glimpse, parts: Parts) -> tuple[Embedding, ...] | str:
    """Image rows for the question, oldest first; a sentence for the wearer when there is nothing to look
    at.
    """
    rows = await glimpse.rows()
    if rows is None or glimpse.view is None:
        return NO_CAMERA
    if turn.decision.route != "frames":
        return (rows,)
    earlier = parts.eyes.before(glimpse.view)
    if earlier is None:
        return ONE_VIEW
    return (await encode(earlier, parts), rows)


async def encode(view: View, parts: Parts) -> Embedding:
    """One view through the vision encoder."""
    result: Embedding | None = None
    async for chunk in parts.bricks.run("vision", Frame(view.rgb)):
        result = chunk
    if result is None:
        raise BrickFailed("vision", "execute", "The vision encoder gave no result.")
    return result


async def think(turn: Turn, images: tuple[Embedding, ...], parts: Parts) -> AsyncGenerator[str, None]:
    """Sentences of the language model's answer, each as soon as it is whole."""
    prompt = Prompt(turn.question, images, parts.plan.answer_max_tokens)

    async def pieces() -> AsyncIterator[str]:
        async for chunk in parts.bricks.run("llm", prompt):
            if isinstance(chunk, TextPiece):
                parts.bricks.prepare("tts")
                yield chunk.text
            elif isinstance(chunk, Completion):
                parts.written_tokens = chunk.n_generated

    async for sentence in sentences(pieces()):
        yield sentence


async def say(turn: Turn, spoken: AsyncGenerator[str, None], parts: Parts) -> Turn:
    """Speaks sentences in order, by sentence as they come where the plan keeps several bricks in memory; none
    once the turn is hushed.
    """
    text: list[str] = []
    if parts.plan.residency == "one_at_a_time":
        spoken = _whole(" ".join([sentence async for sentence in spoken]))
    parts.machine.interact("answer", f"the {turn.decision.route} route has an answer")
    async with contextlib.aclosing(spoken):
        async for sentence in spoken:
            if not parts.hushed:
                first_s = await _speak(sentence, parts)
                turn = replace(turn, first_audio_s=turn.first_audio_s or first_s)
                text.append(sentence)
            if parts.hushed:
                break
    answer = " ".join(text)
    if answer and turn.decision.intent != "repeat":
        parts.device = replace(parts.device, last_answer=answer)
    return replace(turn, answer=answer)


async def apologise(turn: Turn, failed: Exception, sentence: str, parts: Parts) -> Turn:
    """Says sorry once with a fresh voice; when even that fails, the error tone has to do."""
    parts.machine.interact("failed", str(failed))
    parts.light.set(LightPattern.ERROR)
    turn = replace(turn, failure=str(failed), answer=sentence)
    parts.machine.interact("apology", "the turn failed and the wearer must know")
    for _ in range(2):
        try:
            first_s = await _speak(sentence, parts)
            return replace(turn, first_audio_s=turn.first_audio_s or first_s)
        except (BrickFailed, BrickError):
            continue
    await play_earcon("error", parts)
    return replace(turn, answer="", notes=(*turn.notes, "the apology could not be spoken"))


async def announce(sentence: str, parts: Parts) -> None:
    """Says something that answers no question; when the voice fails, the error tone has to do."""
    parts.hushed = False
    try:
        await _speak(sentence, parts)
    except (BrickFailed, BrickError):
        await play_earcon("error", parts)


async def play_earcon(name: str, parts: Parts) -> None:
    """One of the short tones, unless they are switched off."""
    if parts.config.answer.earcons:
        await parts.speaker.play(_chunks(AudioChunk(earcon(name), RATE)))


async def _speak(sentence: str, parts: Parts) -> float | None:
    """Says one sentence; returns when its first sample was heard, on the timeline's clock, or None if none
    was.
    """
    first_s: float | None = None
    sound_s = 0.0

    async def audio() -> AsyncIterator[AudioChunk]:
        nonlocal first_s, sound_s
        async for chunk in parts.bricks.run(
            "tts", Sentence(sentence, parts.config.answer.length_scale * parts.device.slowness)
        ):
            if first_s is None:
                first_s = parts.timeline.clock()
                parts.spoken.begin(sentence)
                parts.observe("speaking", {"sentence": sentence})
            sound_s += len(chunk.pcm) / chunk.sample_rate
            parts.spoken.add(len(chunk.pcm) / chunk.sample_rate)
            yield chunk

    parts.light.set(LightPattern.SPEAKING)
    await parts.speaker.play(audio())
    if first_s is not None:
        ended_s = parts.timeline.clock()
        details = {} if parts.hushed else {"sound_s": round(sound_s, 3)}
        parts.timeline.add(Span("speaker", sentence, first_s, ended_s, details))
    return first_s


async def _chunks(*items: AudioChunk) -> AsyncIterator[AudioChunk]:
    for item in items:
        yield item


async def _whole(text: str) -> AsyncGenerator[str, None]:
    if text:
        yield text
