"""Plays an answer while it is still being generated: the next piece is synthesised while the present one
plays.

    pieces of text -> speech synthesis -> queue of a few sounds -> speaker

`host.speaking.playback_position` tells which part was played.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator

from host.observe.timeline import Span
from host.session.parts import Parts
from host.speaking.playback_position import SpokenPiece
from hw.device import LightPattern
from models.brick import AudioChunk, Sentence

_Sounds = asyncio.Queue[tuple[int, str, AudioChunk] | None]
"""(number of the piece, from 1; its text; some of its sound); None ends the queue."""
_AHEAD = 2
"""Sounds that are synthesised before the speaker needs them."""
_LOW_BUFFER_S = 0.8
"""With less sound than this buffered, a part of a sentence is synthesised instead of leaving a gap."""
PATIENCE_S = 0.1
"""How long the first words of an answer wait for the rest of their sentence, seconds."""


class AnswerPlayer:
    """Plays one answer."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._pieces: list[SpokenPiece] = []
        self._waiting_since_s: float | None = None
        self._sounds_until_s = 0.0
        self._failure: BaseException | None = None

    @property
    def first_audio_s(self) -> float | None:
        """Timeline seconds at which the first sample was played; None before that."""
        return self._pieces[0].begins_s if self._pieces else None

    def urgent(self) -> bool:
        """True when the speaker will soon run out of sound, so that a part of a sentence should be spoken."""
        now_s = self._parts.clock.monotonic()
        if not self._pieces:
            return self._waiting_since_s is not None and now_s - self._waiting_since_s > PATIENCE_S
        return now_s > self._sounds_until_s - _LOW_BUFFER_S

    def text_came(self) -> None:
        """Called with each piece of generated text; the first starts the patience for the first sentence."""
        if self._waiting_since_s is None:
            self._waiting_since_s = self._parts.clock.monotonic()

    async def speak(self, texts: AsyncGenerator[str, None]) -> None:
        """Speaks the texts in order; returns when the last was played or the turn is silenced. Raises
        `BrickFailed` or `BrickError` when speech synthesis fails.
        """
        parts = self._parts
        sounds: _Sounds = asyncio.Queue(_AHEAD)
        making = asyncio.create_task(self._make(texts, sounds))
        try:
            await parts.speaker.play(self._sounds(sounds))
        finally:
            ended_s = parts.playback.end(interrupted=parts.silenced)
            making.cancel()
            await asyncio.wait([making])
            self._note(ended_s)
        if self._failure is not None and not parts.silenced:
            raise self._failure

    async def _make(self, texts: AsyncGenerator[str, None], sounds: _Sounds) -> None:
        parts = self._parts
        try:
            async with contextlib.aclosing(texts):
                number = 0
                async for text in texts:
                    number += 1
                    if parts.silenced:
                        break
                    request = Sentence(text, parts.config.answer.length_scale * parts.device.slowness)
                    async with contextlib.aclosing(parts.bricks.run("tts", request)) as chunks:
                        async for chunk in chunks:
                            await sounds.put((number, text, chunk))
        except Exception as error:
            self._failure = error
        await sounds.put(None)

    async def _sounds(self, sounds: _Sounds) -> AsyncIterator[AudioChunk]:
        parts = self._parts
        end_s = 0.0
        while (item := await sounds.get()) is not None:
            number, lines, chunk = item
            text = " ".join(lines.split())
            now_s = parts.timeline.clock()
            seconds = len(chunk.pcm) / chunk.sample_rate
            if number > len(self._pieces):
                parts.light.set(LightPattern.SPEAKING)
                self._pieces.append(parts.playback.begin(text, max(now_s, end_s)))
                parts.observe("speaking", {"sentence": text})
            self._pieces[-1].sound_s += seconds
            end_s = max(now_s, end_s) + seconds
            self._sounds_until_s = max(parts.clock.monotonic(), self._sounds_until_s) + seconds
            yield chunk

    def _note(self, ended_s: float) -> None:
        """Adds the played pieces to the timeline."""
        ends_s = [*(piece.begins_s for piece in self._pieces[1:]), ended_s]
        for piece, until_s in zip(self._pieces, ends_s, strict=False):
            details = {} if self._parts.silenced else {"sound_s": round(piece.sound_s, 3)}
            self._parts.timeline.add(Span("speaker", piece.text, piece.begins_s, until_s, details))
            self._parts.observe("spoken", {"start_s": piece.begins_s, "end_s": until_s})
