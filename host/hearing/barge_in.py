"""Barge-in: detects that the wearer interrupts an answer with the wake word or with a stop word.

Input is the microphone's sound after the echo canceller (`host.hearing.own_voice_removed`). Only chunks with
more power than the residual echo count as the wearer's. The wake word is accepted at a lower probability and
over a shorter window than in standby, so that it is detected before it ends. Neither word is accepted where
the headband's own answer contains it and its echo may be audible. A stop word is a burst of speech that the
speech recogniser transcribes as one. A burst is transcribed while it grows (one transcript with high
probability, or two in a row, decide) and once more when it is over. The recogniser does this because no
maintained package has a keyword model for stop words.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from host.config import BargeConfig
from host.hearing.endpointer import CHUNK, Pcm, SpeechDetector
from host.hearing.own_voice_removed import EchoFreeChunk

_BEFORE = 4
"""Chunks before the first speech of a burst that belong to it."""
_NEAR_WITHIN, _NEAR_CHUNKS = 40, 8
"""The wake word counts only if, of the last 40 chunks (1.3 s), 8 surely hold somebody else's speech."""
_OWN, _OWN_WITHIN = 2.0, 31
"""Its probability is at least `_OWN` times the highest one in the headband's own voice over `_OWN_WITHIN`
chunks (1 s).
"""
_FALLEN, _LONGEST_WORD = 0.3, 16
"""The wake word is over when its probability has fallen by `_FALLEN`, or after `_LONGEST_WORD` chunks (0.5
s).
"""
_SPEECH = 0.5
"""Least voice-activity probability of speech."""
_FIRST, _STEP, _LONGEST = 4, 1, 32
"""Chunks of a burst before its first transcript, between two transcripts, and at most for a stop word."""
_SURE_TRANSCRIPT = 0.85
"""Probability (mean over tokens) from which one transcript of a growing burst is enough."""
_OTHER_TRANSCRIPTS = 2
"""After this many transcripts that are no stop word, only the whole burst is transcribed."""
_ALONE = 8
"""Chunks without speech that precede a stop word, so that one inside a sentence does not count."""
_VOICED = 3
"""Least number of chunks with speech in a stop word."""
_OVER = 3
"""Chunks without speech that end a burst."""
_HELD = 64
"""Chunks (2 s) that are kept for `unfinished_speech`."""
_GAP, _STILL = 10, 6
"""Chunks without speech that separate two sentences; chunks without speech after which the wearer is silent.
"""


class GradedWakeWord(Protocol):
    """A wake-word detector that gives its probability."""

    probability: float

    def process(self, pcm: Pcm) -> bool: ...

    def reset(self) -> None: ...


@dataclass(frozen=True)
class Burst:
    """Speech for the recogniser: `pcm` int16 [n] at 16 kHz; `whole` when the burst is over."""

    pcm: Pcm
    number: int
    whole: bool
    own: Pcm | None = None
    """What the headband played meanwhile, int16 [n]; None if its echo in `pcm` is inaudible."""


class BargeIn:
    """Detects interruptions of one answer at a time; call `begin` before each answer."""

    def __init__(
        self, wake: GradedWakeWord, own_wake: GradedWakeWord, speech: SpeechDetector, config: BargeConfig
    ) -> None:
        """`own_wake`: a second detector like `wake`, fed with what the headband plays."""
        self._wake, self._own_wake = wake, own_wake
        self._speech = speech
        self._config = config
        self._number = 0
        self._begin()

    def begin(self) -> None:
        """Resets all state for a new answer."""
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
        self._returned_at = 0
        self._judged_number = 0
        self._agreeing, self._others = 0, 0
        self._over: Burst | None = None

    def feed(self, chunk: EchoFreeChunk) -> bool:
        """Processes the next chunk; returns True when the wake word is detected."""
        self._wake.process(chunk.pcm)
        if chunk.own is not None:
            self._own_wake.process(chunk.own)
        self._own.append(0.0 if chunk.own is None else self._own_wake.probability)
        speaking = self._speech.process(chunk.pcm) >= _SPEECH and chunk.near
        self._near.append(speaking and chunk.sure)
        self._follow(chunk, speaking)
        self._recent.append(chunk)
        self._held.append((chunk.pcm, speaking and chunk.sure))
        self._since_voice = 0 if chunk.playing else self._since_voice + 1
        eager = chunk.sure and self._since_voice < _NEAR_WITHIN
        threshold = self._config.wake_threshold if eager else self._config.unsure_threshold
        self._best, self._since_wake = self._wake.probability, 0
        threshold = max(threshold, _OWN * max(self._own))
        somebody = sum(self._near) >= _NEAR_CHUNKS or not chunk.sure
        return self._wake.probability >= threshold and somebody

    @property
    def speech_chunks(self) -> int:
        """Chunks with speech in the present burst; 0 outside one."""
        return self._voiced if self._burst else 0

    def unfinished_speech(self) -> list[Pcm]:
        """The chunks, int16 [512] each, of a sentence that the wearer has begun and not ended; empty when
        nobody speaks, or while the residual echo is not measured yet.
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
        """For each chunk after `feed` returned True: whether the wake word still goes on. Its end is not part
        of the question.
        """
        self._wake.process(chunk.pcm)
        self._since_wake += 1
        rising = self._wake.probability >= self._best - _FALLEN
        self._best = max(self._best, self._wake.probability)
        return rising and self._best < self._config.unsure_threshold and self._since_wake < _LONGEST_WORD

    def next_burst(self) -> Burst | None:
        """The next burst to transcribe because it may be a stop word; None when there is none. A growing
        burst is returned again each time it has become longer.
        """
        if self._over is not None:
            over, self._over = self._over, None
            return over
        size = len(self._burst)
        excluded = self._judged_number == self._number and self._others >= _OTHER_TRANSCRIPTS
        if self._may_be_stop() and size >= self._returned_at + _STEP and not excluded:
            self._returned_at = size
            return self._burst_so_far(whole=False)
        return None

    def judge_transcript(self, burst: Burst, stop: bool, probability: float) -> bool:
        """Takes whether the burst's transcript is a stop word, and its probability (mean over tokens);
        returns True when the answer must stop.
        """
        if burst.number != self._judged_number:
            self._judged_number, self._agreeing, self._others = burst.number, 0, 0
        self._agreeing = self._agreeing + 1 if stop else 0
        self._others += not stop
        return stop and (burst.whole or self._agreeing >= 2 or probability >= _SURE_TRANSCRIPT)

    def _follow(self, chunk: EchoFreeChunk, speaking: bool) -> None:
        if not self._burst:
            if speaking:
                self._number += 1
                self._burst = [*self._recent, chunk]
                self._quiet, self._voiced, self._returned_at = 0, 1, 0
                self._candidate = chunk.sure and self._since_speech >= _ALONE
            self._since_speech += 1
            return
        self._burst.append(chunk)
        self._quiet = 0 if speaking else self._quiet + 1
        self._voiced += speaking
        if self._quiet >= _OVER:
            if self._may_be_stop():
                self._over = self._burst_so_far(whole=True)
            self._since_speech = _OVER if self._voiced >= _FIRST else _ALONE
            self._burst = []

    def _burst_so_far(self, whole: bool) -> Burst:
        silence, own = np.zeros(CHUNK, np.int16), None
        if any(chunk.own is not None for chunk in self._burst):
            own = np.concatenate([silence if part.own is None else part.own for part in self._burst])
        return Burst(np.concatenate([part.pcm for part in self._burst]), self._number, whole, own)

    def _may_be_stop(self) -> bool:
        """Whether the burst's length and beginning fit a stop word."""
        fits = _FIRST <= len(self._burst) - _BEFORE <= _LONGEST and self._voiced >= _VOICED
        return self._candidate and fits
