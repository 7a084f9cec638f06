"""Endpointing: finds utterances in the microphone's stream by wake word and voice activity.

`Endpointer` is pure: it is fed with samples and reports when the wearer pauses and when an utterance ends.
The silence that ends an utterance depends on how complete its words are (`judge`). It never waits and owns no
device, so a recording and a live microphone are processed alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from host.config import ListenConfig
from host.hearing.onset import speech_began
from hw.device import MICROPHONE_RATE_HZ

CHUNK = 512
"""Samples per chunk, the step of the voice-activity model: 32 ms."""
_WORD_CHUNKS = 48
"""Longest wake word, in chunks (1.5 s)."""
_LEVEL_CHUNKS = 6
"""Chunks of detected speech whose level counts beside that of what was before; each question has as many."""

Pcm = NDArray[np.int16]


class WakeDetector(Protocol):
    """A wake-word detector: `process` takes int16 [512] and returns True when the word was just said."""

    def process(self, pcm: Pcm) -> bool: ...

    def reset(self) -> None: ...


class SpeechDetector(Protocol):
    """A voice-activity detector: `process` takes int16 [512] and returns the probability of speech."""

    def process(self, pcm: Pcm) -> float: ...

    def reset(self) -> None: ...


@dataclass(frozen=True)
class RecordedQuestion:
    """An utterance: `pcm` int16 [n] at 16 kHz; times in seconds since the microphone's stream began."""

    pcm: Pcm
    woken_s: float
    speech_start_s: float
    speech_end_s: float
    endpoint_s: float
    """When the utterance was found to be over; `endpoint_s - speech_end_s` is the endpointing silence."""
    cut: bool = False
    """`max_utterance_s` ended it, not a silence."""


@dataclass(frozen=True)
class SpeechEvent:
    """What the endpointer found: woken: the wake word; speech: the first speech after it; pause: a short
    silence; resumed: speech after a pause; unit: `unit_s` more seconds of speech; utterance: the end of the
    question; timeout: no speech in time. `heard` is the speech so far, for pause, unit and utterance.
    """

    kind: Literal["woken", "speech", "pause", "resumed", "unit", "utterance", "timeout"]
    heard: RecordedQuestion | None = None


def silence_after(complete: float | None, config: ListenConfig) -> float:
    """Seconds of silence that end an utterance, by the probability `complete` that it is a whole question
    (None: unknown).
    """
    if complete is None:
        return config.end_silence_s
    if complete == 0.0:
        return config.incomplete_silence_s
    return config.complete_silence_s + (1.0 - complete) * (config.end_silence_s - config.complete_silence_s)


class Endpointer:
    """Finds one utterance after the other; `feed` takes the stream chunk by chunk."""

    def __init__(self, wake: WakeDetector, speech: SpeechDetector, config: ListenConfig) -> None:
        self._wake = wake
        self._speech = speech
        self._config = config
        keep = max(config.pre_roll_s, config.onset_margin_s) + 0.1
        self._recent: deque[Pcm] = deque(maxlen=max(1, round(keep * MICROPHONE_RATE_HZ / CHUNK)))
        self._position = 0
        self.unit_s: float | None = None
        """Seconds of speech between two events "unit"; None: no such events."""
        self.judged = False
        """True when `judge` is called for every pause; until it is, `incomplete_silence_s` applies."""
        self._begin: _Utterance | None = None

    @property
    def now_s(self) -> float:
        """Seconds of sound fed so far."""
        return self._position / MICROPHONE_RATE_HZ

    @property
    def listening(self) -> bool:
        """True from the wake word or `open` to the end of the utterance."""
        return self._begin is not None

    def open(
        self,
        *,
        pre_roll_s: float = 0.0,
        tail_s: float = 0.0,
        timeout_s: float | None = None,
        spoken: Sequence[Pcm] = (),
    ) -> None:
        """Begins an utterance now. `pre_roll_s`: seconds of earlier sound that belong to it; `tail_s`:
        seconds in which speech is ignored as the end of the wake word; `timeout_s`: wait for speech, default
        `start_timeout_s`; `spoken`: the latest chunks, int16 [512] each, when the utterance has begun
        already. The wake-word detector processes those as well.
        """
        for pcm in spoken[-_WORD_CHUNKS:]:
            self._wake.process(pcm)
        recent = list(self._recent)
        chunks = round(pre_roll_s * MICROPHONE_RATE_HZ / CHUNK)
        spoken_s = len(spoken) * CHUNK / MICROPHONE_RATE_HZ
        self._begin = _Utterance(
            chunks=list(spoken) or recent[max(0, len(recent) - chunks) :],
            speaking=bool(spoken),
            speech_start_s=self.now_s - spoken_s if spoken else None,
            speech_end_s=self.now_s,
            speech_s=spoken_s,
            woken_s=self.now_s,
            ignore_until_s=self.now_s + tail_s,
            timeout_s=self._config.start_timeout_s if timeout_s is None else timeout_s,
            end_silence_s=self._config.end_silence_s,
        )

    def judge(self, complete: float | None, at_s: float = 0.0) -> None:
        """Takes the probability that the words up to the present pause are a whole question (None: unknown).
        `at_s`: when that became known, in seconds of the microphone's stream.
        """
        if self._begin is not None and self._begin.paused:
            known_s = at_s - self._begin.speech_end_s
            silence_s = silence_after(complete, self._config)
            self._begin.end_silence_s = max(silence_s, min(known_s, self._config.incomplete_silence_s))

    def remember(self, pcm: Pcm) -> None:
        """Stores an int16 [512] chunk for the pre-roll, without detecting anything in it."""
        self._recent.append(pcm)

    def close(self) -> None:
        """Drops a begun utterance and resets the detectors."""
        self._begin = None
        self._recent.clear()
        self._wake.reset()
        self._speech.reset()

    def feed(self, pcm: Pcm) -> SpeechEvent | None:
        """Takes the next int16 [512] chunk; returns what it ends or begins, or None."""
        woken = self._wake.process(pcm)
        probability = self._speech.process(pcm)
        self._position += len(pcm)
        self._recent.append(pcm)
        if woken:
            self.open(pre_roll_s=self._config.pre_roll_s, tail_s=self._config.wake_tail_s)
            return SpeechEvent("woken")
        if self._begin is None:
            return None
        return self._advance(self._begin, pcm, probability)

    def _advance(self, begun: _Utterance, pcm: Pcm, probability: float) -> SpeechEvent | None:
        config = self._config
        now_s = self.now_s
        begun.chunks.append(pcm)
        begun.speaking = probability >= (
            config.silence_threshold if begun.speaking else config.speech_threshold
        )
        if begun.paused:
            begun.burst_s = begun.burst_s + len(pcm) / MICROPHONE_RATE_HZ if begun.speaking else 0.0
            if begun.burst_s and begun.burst_s < config.resume_s:
                return None  # a click so far
        if begun.speaking and now_s > begun.ignore_until_s:
            if begun.speech_start_s is None:
                begun.speech_start_s = now_s - len(pcm) / MICROPHONE_RATE_HZ
            begun.speech_s += len(pcm) / MICROPHONE_RATE_HZ
            begun.speech_end_s = now_s
            if begun.paused:
                begun.paused, begun.burst_s = False, 0.0
                begun.end_silence_s = config.end_silence_s
                return SpeechEvent("resumed")
            if not begun.announced and self._enough(begun):
                begun.announced = True
                return SpeechEvent("speech")
            if self.unit_s is not None and begun.speech_s - begun.unit_at_s >= self.unit_s:
                begun.unit_at_s = begun.speech_s
                return SpeechEvent("unit", begun.heard(now_s, config))
        return self._ended(begun)

    def _enough(self, begun: _Utterance) -> bool:
        """Whether there is as much speech as `min_speech_s`, to the nearest chunk; a quick "stop" has six
        chunks.
        """
        return begun.speech_s > self._config.min_speech_s - CHUNK / MICROPHONE_RATE_HZ / 2

    def _ended(self, begun: _Utterance) -> SpeechEvent | None:
        config, now_s = self._config, self.now_s
        if begun.speech_start_s is not None:
            silence_s = now_s - begun.speech_end_s
            ended = silence_s >= begun.end_silence_s
            if ended and not self._enough(begun):
                begun.speech_start_s, begun.speech_s = None, 0.0
            elif ended or now_s - begun.speech_start_s >= config.max_utterance_s:
                self._begin = None
                return SpeechEvent("utterance", replace(begun.heard(now_s, config), cut=not ended))
            elif silence_s >= config.pause_s and not begun.paused and self._enough(begun):
                begun.paused = True
                if self.judged:
                    begun.end_silence_s = config.incomplete_silence_s
                return SpeechEvent("pause", begun.heard(now_s, config))
        elif now_s - begun.woken_s >= begun.timeout_s:
            self._begin = None
            return SpeechEvent("timeout")
        return None


@dataclass
class _Utterance:
    chunks: list[Pcm]
    woken_s: float
    ignore_until_s: float
    timeout_s: float
    end_silence_s: float
    paused: bool = False
    burst_s: float = 0.0
    """Seconds of uninterrupted sound after a pause; below `resume_s` it counts as a click."""
    unit_at_s: float = 0.0
    speaking: bool = False
    announced: bool = False
    speech_start_s: float | None = None
    speech_end_s: float = 0.0
    speech_s: float = 0.0

    def heard(self, now_s: float, config: ListenConfig) -> RecordedQuestion:
        assert self.speech_start_s is not None
        pcm = np.concatenate(self.chunks)
        begin_s = now_s - len(pcm) / MICROPHONE_RATE_HZ
        start_s = self._began_s(begin_s, self.speech_start_s)
        first = max(0, round((start_s - config.onset_margin_s - begin_s) * MICROPHONE_RATE_HZ))
        last = min(len(pcm), round((self.speech_end_s + 0.2 - begin_s) * MICROPHONE_RATE_HZ))
        return RecordedQuestion(pcm[first:last], self.woken_s, start_s, self.speech_end_s, now_s)

    def _began_s(self, begin_s: float, detected_s: float) -> float:
        """When the speech began that was detected at `detected_s`, by its level, at the earliest with the end
        of the wake word. begin_s: when the first chunk began.
        """
        step_s = CHUNK / MICROPHONE_RATE_HZ
        first = max(0, round((self.woken_s - begin_s) / step_s))
        detected = round((detected_s - begin_s) / step_s)
        if detected <= first:
            return detected_s
        blocks = np.stack(self.chunks[first : detected + _LEVEL_CHUNKS])
        return detected_s - (detected - first - speech_began(blocks, detected - first)) * step_s
