"""One turn: utterance -> text -> route -> answer -> voice.

    heard -> transcribe -> decide -> device skill | memory | look + think -> sentences -> say

The turn is a value; each step returns it with more fields set. When a brick fails, the turn ends with a
spoken apology and the headband goes on.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace

from host.answers.device import answer_device
from host.answers.energy_replies import PastAnswer
from host.hearing.endpointer import RecordedQuestion
from host.language.follow_up import resolve
from host.language.router import Decision, plain_words
from host.session.parts import Exchange, Parts, Turn
from host.speaking.sentence_splitter import first_phrase, sentences
from host.speaking.tones import RATE, earcon
from host.turn.answer_player import AnswerPlayer
from host.turn.early_look import EarlyLook, encode
from host.turn.early_transcript import EarlyTranscript
from hw.device import LightPattern
from models.brick import AudioChunk, BrickError, Completion, Embedding, Prefilled, Prompt, TextPiece
from models.process.residency import BrickFailed

NOT_CAUGHT = "I did not catch that."
NO_MEMORY = "I do not keep a memory of what I saw yet, so I can only tell you what is in front of you now."
ONE_VIEW = "I have only one picture so far, so I cannot compare. Please ask me again in a moment."
NO_CAMERA = "I cannot see anything, because there is no camera."
BLIND = "I cannot see anything, because the camera does not answer."
LONG_WORDS = 12
"""A complete answer with more words than this is synthesised in two parts, so that the first plays while the
second is made.
"""
HISTORY_S = 180.0
"""Questions older than this (seconds) are not context of a new one."""
ABOUT_ANSWERS = ("why_short", "repeat", "cost")
"""Device intents about the previous answer."""
APOLOGY = "Sorry, something went wrong inside me. Please ask again."


async def take_turn(
    heard: RecordedQuestion, early_look: EarlyLook, early_transcript: EarlyTranscript, parts: Parts
) -> Turn:
    """Runs one turn to the last sample of its answer."""
    turn = Turn(heard, parts.timeline.clock(), parts.plan)
    parts.answer_tokens = None
    try:
        turn = await transcribe(turn, early_transcript)
        turn = decide(turn, parts)
        turn = await respond(turn, early_look, parts)
    except BrickFailed as failed:
        turn = await apologise(turn, failed, APOLOGY, parts)
    except BrickError as refused:
        turn = await apologise(turn, refused, str(refused), parts)
    finally:
        await early_transcript.close()
        await early_look.close()
    turn = replace(turn, ended_s=parts.timeline.clock(), answer_tokens=parts.answer_tokens)
    if turn.decision.route in ("now", "frames", "open") and turn.answer and turn.failure is None:
        parts.history.append(Exchange(turn.question, turn.answer, parts.timeline.clock()))
    if turn.decision.route != "unclear" and turn.decision.intent not in ABOUT_ANSWERS:
        parts.device = replace(
            parts.device, past_answer=PastAnswer(turn.plan, turn.answer_tokens, parts.silenced)
        )
    return turn


async def transcribe(turn: Turn, early_transcript: EarlyTranscript) -> Turn:
    """Speech to text; uses the early transcript if it covers the whole utterance."""
    said = await early_transcript.transcript(turn.heard)
    return replace(turn, transcript=said.text, probability=said.probability)


def decide(turn: Turn, parts: Parts) -> Turn:
    """Text to route. A follow-up question is completed from the last question; an improbable transcript is
    "unclear".
    """
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


async def respond(turn: Turn, early_look: EarlyLook, parts: Parts) -> Turn:
    """Route to spoken answer."""
    if turn.decision.route not in ("now", "frames"):
        early_look.abandon()
    match turn.decision.route:
        case "unclear":
            return await say(turn, _whole(NOT_CAUGHT), parts)
        case "memory":
            return await say(turn, _whole(NO_MEMORY), parts)
        case "device":
            reply = answer_device(
                turn.decision,
                parts.device,
                parts.battery_reading,
                parts.plan,
                parts.clock.time(),
                parts.outlook(),
                parts.clock.monotonic(),
            )
            parts.device = reply.state
            await parts.apply_recording()
            await parts.save_settings()
            parts.speaker.set_volume(reply.state.volume_percent)
            return await say(turn, _whole(reply.text), parts)
        case "open":
            return await think_aloud(turn, (), None, parts)
    images = await see(turn, early_look, parts)
    if isinstance(images, str):
        return await say(turn, _whole(images), parts)
    turn = replace(turn, views=len(images))
    return await think_aloud(turn, images, early_look.ahead, parts)


async def see(turn: Turn, early_look: EarlyLook, parts: Parts) -> tuple[Embedding, ...] | str:
    """The image embeddings for the question, oldest first; a sentence for the wearer when there is no
    picture.
    """
    rows = await early_look.rows()
    if rows is None or early_look.view is None:
        return NO_CAMERA if early_look.no_camera else BLIND
    if turn.decision.route != "frames":
        return (rows,)
    earlier = parts.recent_views.before(early_look.view)
    if earlier is None:
        return ONE_VIEW
    return (await encode(earlier, parts), rows)


async def think_aloud(
    turn: Turn, images: tuple[Embedding, ...], ahead: Prefilled | None, parts: Parts
) -> Turn:
    """Speaks the language model's answer while it is generated. `ahead`: the saved state after the prefill of
    the one picture, if any.
    """
    speech = AnswerPlayer(parts)
    since_s = parts.timeline.clock() - HISTORY_S
    history = tuple((past.question, past.answer) for past in parts.history if past.ended_s > since_s)
    prompt = Prompt(turn.question, images, parts.plan.answer_max_tokens, ahead, history)
    return await say(turn, think(prompt, speech, parts), parts, speech)


async def think(prompt: Prompt, speech: AnswerPlayer, parts: Parts) -> AsyncGenerator[str, None]:
    """Pieces of the language model's answer, each as soon as it can be spoken."""

    async def pieces() -> AsyncGenerator[str, None]:
        async for chunk in parts.bricks.run("llm", prompt):
            if isinstance(chunk, TextPiece):
                parts.bricks.prepare("tts")
                speech.text_came()
                yield chunk.text
            elif isinstance(chunk, Completion):
                parts.answer_tokens = chunk.n_generated

    async with contextlib.aclosing(pieces()) as written:
        async for sentence in sentences(written, speech.urgent):
            yield sentence


async def say(
    turn: Turn, spoken: AsyncGenerator[str, None], parts: Parts, speech: AnswerPlayer | None = None
) -> Turn:
    """Speaks pieces of text in order. With room for one brick only, all text is collected first. Ends early
    when the turn is silenced.
    """
    speech = speech or AnswerPlayer(parts)
    if parts.plan.residency == "one_at_a_time":
        whole = " ".join([sentence async for sentence in spoken])
        long = len(whole.split()) > LONG_WORDS
        spoken = _whole("\n".join(filter(None, first_phrase(whole))) if long else whole)
    parts.machine.interact("answer", f"the {turn.decision.route} route has an answer")
    await speech.speak(spoken)
    turn = replace(turn, first_audio_s=speech.first_audio_s)
    answer = parts.playback.heard
    if answer and turn.decision.intent != "repeat":
        parts.device = replace(parts.device, last_answer=answer)
    return replace(turn, answer=answer)


async def apologise(turn: Turn, failed: Exception, sentence: str, parts: Parts) -> Turn:
    """Speaks `sentence` as an apology; after a second failure of the voice, plays the error tone."""
    parts.machine.interact("failed", str(failed))
    parts.light.set(LightPattern.ERROR)
    turn = replace(turn, failure=str(failed), answer=sentence)
    parts.machine.interact("apology", "the turn failed and the wearer must know")
    for _ in range(2):
        try:
            speech = AnswerPlayer(parts)
            await speech.speak(_whole(sentence))
            return replace(turn, first_audio_s=turn.first_audio_s or speech.first_audio_s)
        except (BrickFailed, BrickError):
            continue
    await play_earcon("error", parts)
    return replace(turn, answer="", notes=(*turn.notes, "the apology could not be spoken"))


async def announce(sentence: str, parts: Parts, tone: str = "") -> None:
    """Speaks an announcement, after the earcon `tone` if one is named; plays the error tone when the voice
    fails.
    """
    parts.silenced = False
    if tone:
        await play_earcon(tone, parts)
    if parts.silenced:
        return
    try:
        await AnswerPlayer(parts).speak(_whole(sentence))
    except (BrickFailed, BrickError):
        await play_earcon("error", parts)


async def play_earcon(name: str, parts: Parts) -> None:
    """Plays one of `host.speaking.tones`, unless earcons are switched off."""
    if parts.config.answer.earcons:
        await parts.speaker.play(_chunks(AudioChunk(earcon(name), RATE)))


async def _chunks(*items: AudioChunk) -> AsyncIterator[AudioChunk]:
    for item in items:
        yield item


async def _whole(text: str) -> AsyncGenerator[str, None]:
    if text:
        yield text
