"""Plays an answer while it is still being generated: the next piece is synthesised while the present one
plays.

    pieces of text -> speech synthesis -> queue of a few sounds -> speaker

`host.speaking.playback_position` tells which part was played.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable

from host.observe.timeline import Span
from host.speaking.playback_position import PlaybackPosition, SpokenPiece
from host.speaking.sentence_splitter import in_breaths
from host.speaking.spoken_form import spoken_form
from host.turn.tools import Tools
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
    """Plays one answer or announcement."""

    def __init__(self, tools: Tools, slowness: float, sounding: Callable[[], None]) -> None:
        """`slowness`: length of speech relative to the voice's own pace. `sounding` is called when the first
        sample is played.
        """
        self._tools, self._slowness, self._sounding = tools, slowness, sounding
        loopback, clock = tools.speaker.loopback, tools.clock
        played_s = None if loopback is None else lambda: loopback.played_s(clock.monotonic())
        self._playback = PlaybackPosition(tools.timeline.clock, played_s)
        self._silenced = False
        self._unheard = asyncio.Event()
        """The speaker failed: the rest of the answer is written and not made."""
        self._written: list[str] = []
        self._pieces: list[SpokenPiece] = []
        self._waiting_since_s: float | None = None
        self._sounds_until_s = 0.0
        self._failure: BaseException | None = None

    @property
    def first_audio_s(self) -> float | None:
        """Timeline seconds at which the first sample was played; None before that."""
        return self._pieces[0].begins_s if self._pieces else None

    @property
    def played(self) -> str:
        """The words that were played completely; after a failure of the speaker all that were written, so
        that the answer can be repeated.
        """
        return " ".join(" ".join(self._written).split()) if self._unheard.is_set() else self._playback.heard

    def silence(self) -> None:
        """Stops playback now; nothing further is played."""
        self._silenced = True
        self._tools.speaker.stop()

    def urgent(self) -> bool:
        """True when the speaker will soon run out of sound, so that a part of a sentence should be spoken."""
        now_s = self._tools.clock.monotonic()
        if not self._pieces:
            return self._waiting_since_s is not None and now_s - self._waiting_since_s > PATIENCE_S
        return now_s > self._sounds_until_s - _LOW_BUFFER_S

    def text_came(self) -> None:
        """Called with each piece of generated text; the first starts the patience for the first sentence."""
        if self._waiting_since_s is None:
            self._waiting_since_s = self._tools.clock.monotonic()

    async def speak(self, texts: AsyncGenerator[str, None]) -> None:
        """Speaks the texts in order; returns when the last was played or `silence` was called, after a
        failure of the speaker when the last is written. Raises `BrickFailed` or `BrickError` when speech
        synthesis fails.
        """
        tools = self._tools
        sounds: _Sounds = asyncio.Queue(_AHEAD)
        making = asyncio.create_task(self._make(texts, sounds))
        try:
            first_s = await tools.speaker.play(self._sounds(sounds))
            if first_s is None and not self._silenced:
                self._unheard.set()
                await _discarded(sounds, making)
        finally:
            ended_s = self._playback.end(interrupted=self._silenced)
            making.cancel()
            await asyncio.wait([making])
            self._note(ended_s)
        if self._failure is not None and not self._silenced:
            raise self._failure

    async def _make(self, texts: AsyncGenerator[str, None], sounds: _Sounds) -> None:
        tools = self._tools
        try:
            async with contextlib.aclosing(texts):
                number = 0
                async for text in texts:
                    number += 1
                    if self._silenced:
                        break
                    lines = in_breaths(tools.voice_pace.opened(text) if number == 1 else text)
                    words = spoken_form(lines)
                    if not any(map(str.isalnum, words)):
                        continue
                    self._written.append(lines)
                    if self._unheard.is_set():
                        continue
                    request = Sentence(words, tools.config.answer.length_scale * self._slowness)
                    loaded, took_s = "tts" in tools.bricks.pids(), 0.0
                    async with contextlib.aclosing(tools.bricks.run("tts", request)) as chunks:
                        since_s = tools.clock.monotonic()
                        async for chunk in chunks:
                            took_s += tools.clock.monotonic() - since_s
                            await sounds.put((number, lines, chunk))
                            if self._unheard.is_set():
                                break
                            since_s = tools.clock.monotonic()
                    if loaded and not self._unheard.is_set():
                        tools.voice_pace.made(text, took_s)
        except Exception as error:
            self._failure = error
        await sounds.put(None)

    async def _sounds(self, sounds: _Sounds) -> AsyncIterator[AudioChunk]:
        tools = self._tools
        end_s, begun = 0.0, 0
        while (item := await sounds.get()) is not None:
            number, lines, chunk = item
            now_s = tools.timeline.clock()
            seconds = len(chunk.pcm) / chunk.sample_rate
            if number > begun:  # a piece without words has no sound, and its number is left out
                begun = number
                if not self._pieces:
                    self._sounding()
                self._pieces.append(self._playback.begin(lines, max(now_s, end_s)))
                tools.observe("speaking", {"sentence": self._pieces[-1].text})
            self._pieces[-1].add(seconds)
            end_s = max(now_s, end_s) + seconds
            self._sounds_until_s = max(tools.clock.monotonic(), self._sounds_until_s) + seconds
            yield chunk

    def _note(self, ended_s: float) -> None:
        """Adds the played pieces to the timeline."""
        ends_s = [*(piece.begins_s for piece in self._pieces[1:]), ended_s]
        for piece, until_s in zip(self._pieces, ends_s, strict=False):
            details = {} if self._silenced else {"sound_s": round(piece.sound_s, 3)}
            self._tools.timeline.add(Span("speaker", piece.text, piece.begins_s, until_s, details))
            self._tools.observe("spoken", {"start_s": piece.begins_s, "end_s": until_s})


async def _discarded(sounds: _Sounds, making: asyncio.Task[None]) -> None:
    """Takes the sounds that nobody plays until all are made."""

    async def take() -> None:
        while True:
            await sounds.get()

    taking = asyncio.create_task(take())
    try:
        await asyncio.wait([making])
    finally:
        taking.cancel()
