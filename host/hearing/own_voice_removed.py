"""Removes the headband's own voice from the microphone's chunks, and tells whether somebody else speaks.

The reference signal is read from the speaker's loopback for the moment when the chunk was recorded. The
latency of a sound card varies from start to start, so the beginning of each segment of sound is compared with
the estimated echo (with the played sound while the echo path is unknown), and the reference is shifted so
that the echo path begins where the echo does.

The residual echo is measured against the played sound (`OwnVoice`), whether the echo path is known or not: an
inaudible echo is told from one that is not learned yet by its power alone, within eight chunks. While the
speaker is silent nothing is computed and chunks pass unchanged.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from host.hearing.echo_canceller import BLOCK, PARTITIONS, Array, EchoCanceller, lateness, power
from host.hearing.endpointer import Pcm
from host.hearing.quantile import quantile
from hw.device import MICROPHONE_RATE_HZ, PlayedSound

_CHUNK_S = BLOCK / MICROPHONE_RATE_HZ
_MEMORY = 94
"""Chunks (3 s) over which arrival times and levels are remembered."""
_REANCHOR_S = 0.02
"""A shift of the stream's clock by more than this replaces its offset."""
_AUDIBLE = 1e-6
"""Power under which a chunk counts as silent, of full scale: -60 dB."""
_KNOWN_CHUNKS, _KNOWN_LEFT = 31, 0.1
"""The path is known when, of at least `_KNOWN_CHUNKS` chunks, a quarter keep less than this share of their
power (-10 dB) after the canceller.
"""
_LOST_LEFT = 0.5
"""The path is learned again when three quarters of the last 3 s keep more than this share of their power, and
the residual echo is loud.
"""
_LOUDER = 4.0
"""The expected gain of an unknown path is raised when the measured gain is this many times higher."""
_FADES = 0.5
"""Share of the played sound's power that may be audible one chunk later (reverberation)."""
_MEASURED = 8
"""Chunks of own voice after which the residual echo is known."""
_OVER_NOISE = 4.0
"""Somebody else's speech has at least this many times (6 dB) the power of the noise floor."""
_RECENT = 31
"""Chunks in the last second."""
_LOUD = 0.05
"""Residual echo over played sound, in power (-13 dB), above which it may mask somebody else's speech."""
_TONE = 0.6
"""A played sound with more than this share of its power in three adjacent bins is a tone; levels are not
measured with it.
"""
_COMPARED = 5
"""Chunks at the beginning of a segment of sound that are compared with the estimated echo."""
_PAUSE = 3
"""Silent chunks that end a segment of sound."""
_MOST_LATE = 480
"""Largest change of a sound card's latency between two starts, in samples (30 ms)."""
_STEADY = 3
"""After this many segments in a row whose latency changed by less than a sample, the next segment is
trusted.
"""
_BEHIND = 32
"""Samples by which the reference precedes its echo after alignment."""
_LONGEST_DELAY = 2048
"""Largest delay of the echo after the reference, in samples, while the path is unknown."""
_WEARER = 0.3
"""Typical power of the wearer's speech over that of the played sound: -5 dB."""
_NEAR_LEAST, _NEAR_MOST = 2.5, 16.0
"""Bounds (4 and 12 dB) of the factor over the usual residual echo from which somebody else speaks. The factor
lies halfway, in dB, between the residual echo and `_WEARER`.
"""


@dataclass(frozen=True)
class EchoFreeChunk:
    """One chunk after the echo canceller: `pcm` int16 [512] at 16 kHz."""

    pcm: Pcm
    playing: bool = False
    """True when the speaker played during the chunk."""
    near: bool = True
    """Near-end speech: True when the chunk has more power than the residual echo, or while that is unknown.
    """
    sure: bool = True
    """True when the residual echo is measured, which takes a few syllables; `near` is then meaningful."""
    own: Pcm | None = None
    """What the speaker played, int16 [512]; None when its echo is inaudible."""


class StreamClock:
    """Estimates when a chunk was recorded from when chunks arrive: the recorder's rate is constant and no
    chunk arrives before it is complete.
    """

    def __init__(self) -> None:
        self._position_s = 0.0
        self._offset_s: float | None = None
        self._seen: deque[float] = deque(maxlen=_MEMORY)

    def began_s(self, arrived_s: float, length_s: float = _CHUNK_S) -> float:
        """Monotonic time of the first sample of the next chunk, which is `length_s` long and came at
        `arrived_s`.
        """
        self._position_s += length_s
        self._seen.append(arrived_s - self._position_s)
        earliest = min(self._seen)
        if self._offset_s is None or not 0 <= earliest - self._offset_s < _REANCHOR_S:
            self._offset_s = earliest
        return self._position_s + self._offset_s - length_s


class OwnVoice:
    """Levels of the echo in the microphone's signal and in the canceller's output.

    Both are measured relative to the played sound, so that they are known after a few syllables at any
    loudness of the echo, long before the path is learned.
    """

    def __init__(self) -> None:
        self._reach = 0.0
        """Power of the played sound that may still be audible."""
        self._pause = 0
        self._measurable = False
        self._played: deque[float] = deque(maxlen=_MEMORY)
        self._heard: deque[float] = deque(maxlen=_MEMORY)
        self._left: deque[float] = deque(maxlen=_MEMORY)
        self._heard_share: deque[float] = deque(maxlen=_MEMORY)
        self._left_share: deque[float] = deque(maxlen=_MEMORY)

    def follow(self, played: Array, heard: Array, left: Array) -> None:
        """Takes one chunk: the played sound, the microphone's signal and the canceller's residual, float
        [512].
        """
        now = power(played)
        self._reach = max(now, _FADES * self._reach)
        self._pause += 1
        if now > _AUDIBLE:
            self._pause, self._measurable = 0, not _tonal(played)
        if self._pause < _PAUSE and self._measurable:
            self._played.append(now)
            self._heard.append(power(heard))
            self._left.append(power(left))
            self._heard_share.append(power(heard) / self._reach)
            self._left_share.append(power(left) / self._reach)

    @property
    def measured(self) -> bool:
        """True when the residual echo is known."""
        return len(self._left_share) >= _MEASURED

    @property
    def audible(self) -> bool:
        """True when the microphone may pick up the own voice now."""
        gain = self.gain
        return gain is None or gain * self._reach > _AUDIBLE

    @property
    def loud(self) -> bool:
        """True when the residual echo may mask somebody else's speech."""
        return bool(self._left_share) and quantile(self._left_share, 0.5) > _LOUD

    @property
    def gain(self) -> float | None:
        """Microphone power over played power, an upper bound of the echo gain; None before any sound."""
        return sum(self._heard) / sum(self._played) if self._played else None

    def exceeded(self, sound: Array, taken_out: bool) -> bool:
        """True when `sound` has more power than the own voice explains, or while that is unknown.
        `taken_out`: `sound` is the canceller's residual, not the microphone's signal.
        """
        if not self.measured:
            return True
        share, floor = self._share(self._left_share if taken_out else self._heard_share), self._floor()
        times = min(_NEAR_MOST, max(_NEAR_LEAST, math.sqrt(_WEARER / max(share, 1e-9))))
        return power(sound) > max(_AUDIBLE, times * share * self._reach, _OVER_NOISE * floor)

    def _floor(self) -> float:
        """Power of the steady noise."""
        return quantile(self._left, 0.25)

    @staticmethod
    def _share(shares: deque[float]) -> float:
        """The lower median of the last 3 s (robust against other speakers) and of the last second (after the
        path has improved).
        """
        return min(quantile(shares, 0.5), quantile(list(shares)[-_RECENT:], 0.5))


def _tonal(sound: Array) -> bool:
    bins = np.abs(np.fft.rfft(sound * np.hanning(len(sound)))) ** 2
    at = int(np.argmax(bins))
    return bool(bins[max(0, at - 1) : at + 2].sum() > _TONE * bins.sum())


class OwnVoiceRemover:
    """Turns microphone chunks into echo-free chunks."""

    def __init__(self, loopback: PlayedSound | None) -> None:
        """`loopback` None: every chunk passes unchanged."""
        self._loopback = loopback
        self._clock = StreamClock()
        self._canceller = EchoCanceller()
        self._own = OwnVoice()
        self._expected: float | None = None
        self._left_share: deque[float] = deque(maxlen=_MEMORY)
        self._silent_chunks = PARTITIONS
        self._known = False
        self._shift_s = 0.0
        self._aligned = False
        self._steady: deque[bool] = deque([False] * _STEADY, maxlen=_STEADY)
        self._compared: list[tuple[Array, Array, Array]] | None = None

    def stream_restarts(self) -> None:
        """The next chunk does not follow the last one: when it was recorded is estimated anew."""
        self._clock = StreamClock()

    def hear(self, pcm: Pcm, arrived_s: float) -> EchoFreeChunk:
        """Takes the next chunk, int16 [512], and its arrival time (the board's monotonic seconds)."""
        began_s = self._clock.began_s(arrived_s)
        if self._loopback is None or len(pcm) != BLOCK:
            return EchoFreeChunk(pcm)
        played = self._loopback.read(began_s - self._shift_s, BLOCK).astype(np.float64)
        if power(played) > _AUDIBLE:
            if self._silent_chunks >= _PAUSE:
                self._compared = []
            self._silent_chunks = 0
        else:
            self._silent_chunks += 1
        if self._silent_chunks > PARTITIONS:
            return EchoFreeChunk(pcm)
        if self._silent_chunks == PARTITIONS:
            self._canceller.flush()
            return EchoFreeChunk(pcm)
        heard = pcm / 32768.0
        doubtful = self._compared is not None and not all(self._steady)
        left, echo = self._canceller.process(
            heard,
            played,
            learn=self._expected is not None and not (doubtful and self._known),
            eager=not self._known and self._own.loud,
        )
        self._own.follow(played, heard, left)
        near = self._own.exceeded(heard if doubtful else left, taken_out=not doubtful)
        self._judge(heard, left)
        if self._compared is not None:
            self._compared.append((heard, played, echo))
            if len(self._compared) >= _COMPARED:
                self._compare(self._compared, began_s + _CHUNK_S)
                self._compared = [] if self._expected is None else None
        clean = np.clip(np.round(left * 32768.0), -32768, 32767).astype(np.int16)
        own = np.round(played * 32767.0).astype(np.int16) if self._own.audible else None
        return EchoFreeChunk(clean, playing=True, near=near, sure=self._own.measured, own=own)

    def _compare(self, compared: list[tuple[Array, Array, Array]], until_s: float) -> None:
        """Aligns the reference by the beginning of a segment of sound, and updates the expected gain."""
        heard, played, echo = (np.concatenate(part) for part in zip(*compared, strict=True))
        gain, unaligned = self._own.gain, not self._aligned
        self._align(heard, echo if self._known else played, until_s)
        if self._known or gain is None:
            return
        if unaligned and self._aligned:
            self._expected = None  # the path was learned with another alignment
        if self._expected is None:
            self._learn(gain, heard, until_s)
        elif gain > _LOUDER * self._expected:
            self._canceller.expect(gain)
            self._expected = gain

    def _learn(self, gain: float, heard: Array, until_s: float) -> None:
        """Learns the path again, from what was just heard."""
        self._expected = gain
        self._canceller.reset()
        self._canceller.expect(gain)
        played = self._played_before(until_s, len(heard))
        for first in range(0, len(heard), BLOCK):
            block = slice(first, first + BLOCK)
            self._canceller.process(heard[block], played[block], eager=True)

    def _align(self, heard: Array, expected: Array, until_s: float) -> None:
        late = lateness(heard, expected, _MOST_LATE if self._known else _LONGEST_DELAY)
        if late is None:
            return
        if not self._known:
            late -= _BEHIND
        self._steady.append(self._aligned and abs(late) < 1.0)
        self._aligned = True
        whole = round(late)
        self._shift_s += whole / MICROPHONE_RATE_HZ
        self._canceller.delay(late - whole)
        if whole:
            self._canceller.replay(self._played_before(until_s, (PARTITIONS + 1) * BLOCK))

    def _played_before(self, until_s: float, samples: int) -> Array:
        assert self._loopback is not None
        from_s = until_s - self._shift_s - samples / MICROPHONE_RATE_HZ
        return self._loopback.read(from_s, samples).astype(np.float64)

    def _judge(self, heard: Array, left: Array) -> None:
        """Updates whether the path is known; resets it when it is lost."""
        if power(heard) > _AUDIBLE:
            self._left_share.append(power(left) / power(heard))
        kept = quantile(self._left_share, 0.25) if self._left_share else 1.0
        self._known = len(self._left_share) >= _KNOWN_CHUNKS and kept < _KNOWN_LEFT
        lost = kept > _LOST_LEFT and len(self._left_share) == _MEMORY
        if lost and self._own.loud and (gain := self._own.gain) is not None:
            self._left_share.clear()
            self._canceller.reset()
            self._canceller.expect(gain)
            self._expected = gain
