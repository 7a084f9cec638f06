"""One turn: utterance -> text -> route -> answer -> voice.

    heard -> transcribe -> decide -> device skill | memory | look + think -> sentences -> say

The turn is a value that gains a field at every step. A brick that dies costs the turn one spoken apology,
never the headband.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from host.config import Config
from host.earcons import RATE, earcon
from host.eyes import Eyes, View
from host.listen import Heard
from host.router import Decision, Router
from host.sentences import sentences
from host.skills import DeviceState, answer_device
from host.states import StateMachine
from host.timeline import Span, Timeline
from hw.device import BatteryReading, Clock, DeviceError, Light, LightPattern, Speaker
from models.brick import (
    AudioChunk,
    BrickError,
    Embedding,
    Frame,
    Prompt,
    Sentence,
    TextPiece,
    Transcript,
    Utterance,
)
from models.lifecycle import BrickFailed, Bricks
from power.plan import PowerPlan

Observer = Callable[[str, dict[str, Any]], None]
"""Called with an event's name and fields as it happens: the command line prints from it, tests read it."""

NOT_CAUGHT = "I did not catch that."
NO_MEMORY = "I do not keep a memory of what I saw yet, so I can only tell you what is in front of you now."
ONE_VIEW = "I have only one picture so far, so I cannot compare. Please ask me again in a moment."
NO_CAMERA = "I cannot see anything, because the camera does not answer."
APOLOGY = "Sorry, something went wrong inside me. Please ask again."


@dataclass(frozen=True)
class Turn:
    """Everything about one turn; times in seconds of the monotonic clock."""

    heard: Heard
    started_s: float
    plan: PowerPlan
    transcript: str = ""
    probability: float = 0.0
    decision: Decision = field(default_factory=lambda: Decision("unclear"))
    views: int = 0
    answer: str = ""
    failure: str | None = None
    notes: tuple[str, ...] = ()
    first_audio_s: float | None = None
    ended_s: float | None = None

    @property
    def endpoint_silence_s(self) -> float:
        """Silence that had to pass before the utterance counted as finished."""
        return self.heard.endpoint_s - self.heard.speech_end_s

    @property
    def response_s(self) -> float | None:
        """End of speech to first audio, the endpointing silence included; None when nothing was said."""
        if self.first_audio_s is None:
            return None
        return self.endpoint_silence_s + self.first_audio_s - self.started_s


@dataclass
class Parts:
    """What a turn works with. `device` is the only thing that a turn changes for the next one."""

    bricks: Bricks
    eyes: Eyes
    speaker: Speaker
    light: Light
    clock: Clock
    router: Router
    machine: StateMachine
    timeline: Timeline
    config: Config
    device: DeviceState
    reading: BatteryReading
    plan: PowerPlan
    observe: Observer
    hushed: bool = False
    """The wearer silenced the present turn: no further sentence is begun."""

    def hush(self) -> None:
        """Fall silent now and stay so for the rest of the turn."""
        self.hushed = True
        self.speaker.stop()


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
    parts.device = replace(parts.device, last_reason=turn.plan.reason)
    return replace(turn, ended_s=parts.timeline.clock())


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
    """Text to route; an improbable transcript is unclear."""
    with parts.timeline.span("turn", "route"):
        decision = parts.router.decide(turn.transcript)
        if turn.probability < parts.config.answer.min_probability:
            decision = Decision("unclear")
        if parts.config.answer.fixed_route:
            decision = Decision(parts.config.answer.fixed_route)
    parts.observe("understood", {"transcript": turn.transcript, "route": decision.route})
    return replace(turn, decision=decision)


async def respond(turn: Turn, glimpse: Glimpse, parts: Parts) -> Turn:
    """Route to spoken answer."""
    match turn.decision.route:
        case "unclear":
            return await say(turn, _whole(NOT_CAUGHT), parts)
        case "memory":
            return await say(turn, _whole(NO_MEMORY), parts)
        case "device":
            reply = answer_device(turn.decision, parts.device, parts.reading, parts.plan, parts.clock.time())
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
    prompt = Prompt(turn.transcript, images, parts.plan.answer_max_tokens)

    async def pieces() -> AsyncIterator[str]:
        async for chunk in parts.bricks.run("llm", prompt):
            if isinstance(chunk, TextPiece):
                parts.bricks.prepare("tts")
                yield chunk.text

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

    async def audio() -> AsyncIterator[AudioChunk]:
        nonlocal first_s
        async for chunk in parts.bricks.run("tts", Sentence(sentence, parts.config.answer.length_scale)):
            if first_s is None:
                first_s = parts.timeline.clock()
                parts.observe("speaking", {"sentence": sentence})
            yield chunk

    parts.light.set(LightPattern.SPEAKING)
    await parts.speaker.play(audio())
    if first_s is not None:
        parts.timeline.add(Span("speaker", sentence, first_s, parts.timeline.clock()))
    return first_s


async def _chunks(*items: AudioChunk) -> AsyncIterator[AudioChunk]:
    for item in items:
        yield item


async def _whole(text: str) -> AsyncGenerator[str, None]:
    if text:
        yield text
