"""When the wearer interrupts an answer: by the wake word, or by telling it to stop.

Both are looked for in the microphone's sound without the headband's own voice
(`host.hearing.own_voice_removed`), and only where more is left than that voice explains. The wake word counts
at a lower probability than in standby, over a shorter window: it is recognised while it still sounds. Neither
counts where the headband said it itself and may hear that. A stop word is a burst of speech that the speech
recogniser reads as one: while it grows, surely once or twice in a row, among the first readings; or when it
is over. There is no keyword model with the word in a package that is kept up.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from host.config import BargeConfig
from host.hearing.endpointer import CHUNK, SAMPLE_RATE, Pcm, SpeechDetector
from host.hearing.own_voice_removed import EchoFreeChunk

_CHUNK_S = CHUNK / SAMPLE_RATE
_BEFORE = 4
"""Chunks kept from before the first speech of a burst."""
_NEAR_WITHIN = 40
"""The wake word lies within so many chunks (1.3 s) and needs the wearer's voice in some of them."""
_NEAR_CHUNKS = 6
_OWN, _OWN_WITHIN = 2.0, 31
"""It is so many times more probable than what the headband itself said within so many chunks (1 s)."""
_FALLEN, _LONGEST_WORD = 0.3, 16
"""The wake word is over when its probability has fallen by so much, or after so many chunks (0.5 s)."""
_SPEECH = 0.5
_FIRST, _STEP, _LONGEST = 4, 1, 32
"""Chunks of a burst before the first reading, between readings, and in a burst that may be a stop word."""
_SURE_READING = 0.85
"""Probability (mean over tokens) at which one reading of a growing burst is enough."""
_OTHER_READINGS = 2
"""After so many readings as something else, or nothing, only the whole burst is read."""
_ALONE = 8
"""Chunks without speech before a stop word: it is not said in the middle of a sentence."""
_VOICED = 3
"""Of these, so many with speech at least."""
_OVER = 3
"""Quiet chunks after which a burst is over."""
_HELD = 64
"""Chunks (2 s) in which a sentence of the wearer's may have begun when the answer ends."""
_GAP, _STILL = 10, 6
"""Quiet chunks between two sentences; quiet chunks at the end after which nothing is being said."""


class GradedWakeWord(Protocol):
    """A wake word that says how sure it is."""

    probability: float

    def process(self, pcm: Pcm) -> bool: ...

    def reset(self) -> None: ...


@dataclass(frozen=True)
class Burst:
    """Speech to be read: `pcm` int16 [n] at 16 kHz; `whole` when it is over."""

    pcm: Pcm
    number: int
    whole: bool
    own: Pcm | None = None
    """What the headband itself said meanwhile, as long as it may be heard in `pcm`."""


class BargeIn:
    """Follows the sound during one answer; `begin` before the next."""

    def __init__(
        self, wake: GradedWakeWord, own_wake: GradedWakeWord, speech: SpeechDetector, config: BargeConfig
    ) -> None:
        """`own_wake`: a second one like `wake`, which listens to what the headband itself says."""
        self._wake, self._own_wake = wake, own_wake
        self._speech = speech
        self._config = config
        self._number = 0
        self._begin()

    def begin(self) -> None:
        """A new answer: forget what was heard."""
        self._wake.reset()
        self._own_wake.reset()
        self._speech.reset()
        self._begin()

    def _begin(self) -> None:
        self._recent: deque[EchoFreeChunk] = deque(maxlen=_BEFORE)
        self._held: deque[tuple[Pcm, bool]] = deque(maxlen=_HELD)
        self._near: deque[bool] = deque(maxlen=_NEAR_WITHIN)
        self._own: deque[float] = deque(maxlen=_OWN_WITHIN)
        self._since_voice = _NEAR_WITHIN
        self._best, self._since_wake = 0.0, 0
        self._burst: list[EchoFreeChunk] = []
        self._quiet, self._voiced = 0, 0
        self._candidate = True
        self._since_speech = _ALONE
        self._read_at = 0
        self._read_number = 0
        self._agreeing, self._others = 0, 0
        self._over: Burst | None = None

    def feed(self, chunk: EchoFreeChunk) -> bool:
        """Takes the next chunk; True when the wake word was said."""
        near = chunk.near
        self._near.append(near)
        self._wake.process(chunk.pcm)
        if chunk.own is not None:
            self._own_wake.process(chunk.own)
        self._own.append(0.0 if chunk.own is None else self._own_wake.probability)
        speaking = self._speech.process(chunk.pcm) >= _SPEECH and near
        self._follow(chunk, speaking)
        self._recent.append(chunk)
        self._held.append((chunk.pcm, speaking and chunk.sure))
        self._since_voice = 0 if chunk.playing else self._since_voice + 1
        eager = chunk.sure and self._since_voice < _NEAR_WITHIN
        threshold = self._config.wake_threshold if eager else self._config.unsure_threshold
        self._best, self._since_wake = self._wake.probability, 0
        threshold = max(threshold, _OWN * max(self._own))
        return self._wake.probability >= threshold and sum(self._near) >= _NEAR_CHUNKS

    @property
    def speech_chunks(self) -> int:
        """Chunks with somebody's speech in the present burst."""
        return self._voiced if self._burst else 0

    def unfinished_speech(self) -> list[Pcm]:
        """What the wearer is saying at this moment, from a little before its first word; nothing when nobody
        speaks, or as long as it may be the own voice.
        """
        chunks = list(self._held)
        spoken = [index for index, (_, speaking) in enumerate(chunks) if speaking]
        if len(spoken) < _VOICED or len(chunks) - spoken[-1] > _STILL:
            return []
        first = spoken[-1]
        for index in reversed(spoken):
            if first - index > _GAP:
                break
            first = index
        return [pcm for pcm, _ in chunks[max(0, first - _BEFORE) :]]

    def wake_word_continues(self, chunk: EchoFreeChunk) -> bool:
        """After `feed` said True, the next chunk: is the wake word not over yet? It is recognised early, and
        its end is no question.
        """
        self._wake.process(chunk.pcm)
        self._since_wake += 1
        rising = self._wake.probability >= self._best - _FALLEN
        self._best = max(self._best, self._wake.probability)
        return rising and self._best < self._config.unsure_threshold and self._since_wake < _LONGEST_WORD

    def next_burst(self) -> Burst | None:
        """A burst that may be a stop word by now and has not been handed out as long as this."""
        if self._over is not None:
            over, self._over = self._over, None
            return over
        size = len(self._burst)
        hopeless = self._read_number == self._number and self._others >= _OTHER_READINGS
        if self._may_be_stop() and size >= self._read_at + _STEP and not hopeless:
            self._read_at = size
            return self._read_out(whole=False)
        return None

    def judge_transcript(self, burst: Burst, stop: bool, probability: float) -> bool:
        """Takes what a burst was read as, and how probable that is; True when the wearer said stop."""
        if burst.number != self._read_number:
            self._read_number, self._agreeing, self._others = burst.number, 0, 0
        self._agreeing = self._agreeing + 1 if stop else 0
        self._others += not stop
        return stop and (burst.whole or self._agreeing >= 2 or probability >= _SURE_READING)

    def _follow(self, chunk: EchoFreeChunk, speaking: bool) -> None:
        if not self._burst:
            if speaking:
                self._number += 1
                self._burst = [*self._recent, chunk]
                self._quiet, self._voiced, self._read_at = 0, 1, 0
                self._candidate = chunk.sure and self._since_speech >= _ALONE
            self._since_speech += 1
            return
        self._burst.append(chunk)
        self._quiet = 0 if speaking else self._quiet + 1
        self._voiced += speaking
        if self._quiet >= _OVER:
            if self._may_be_stop():
                self._over = self._read_out(whole=True)
            self._since_speech = _OVER if self._voiced >= _FIRST else _ALONE
            self._burst = []

    def _read_out(self, whole: bool) -> Burst:
        silence, own = np.zeros(CHUNK, np.int16), None
        if any(chunk.own is not None for chunk in self._burst):
            own = np.concatenate([silence if part.own is None else part.own for part in self._burst])
        return Burst(np.concatenate([part.pcm for part in self._burst]), self._number, whole, own)

    def _may_be_stop(self) -> bool:
        """By how long it is, and when it began."""
        fits = _FIRST <= len(self._burst) - _BEFORE <= _LONGEST and self._voiced >= _VOICED
        return self._candidate and fits
