"""What the microphone hears without the headband's own voice, chunk by chunk, and whether somebody else
speaks.

The reference is read from the speaker's loopback at the moment the chunk was recorded. A sound card starts
now a little sooner and now a little later, so the beginning of each stretch of sound is compared with the
echo that was expected (with what was played, as long as the path is unknown), and the reference moved.
Nothing is computed while the speaker is silent: the chunk then passes unchanged.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from host.hearing.echo_canceller import BLOCK, PARTITIONS, Array, EchoCanceller, lateness, power
from host.hearing.endpointer import Pcm
from hw.device import MICROPHONE_RATE_HZ, PlayedSound

_CHUNK_S = BLOCK / MICROPHONE_RATE_HZ
_MEMORY = 94
"""Chunks (3 s) over which arrivals and levels are remembered."""
_REANCHOR_S = 0.02
_AUDIBLE = 1e-6
"""Power under which a chunk counts as silent, of full scale: -60 dB."""
_KNOWN_CHUNKS, _KNOWN_LEFT = 31, 0.1
"""The path is known when a quarter of at least so many chunks kept less than this share (-10 dB)."""
_LOST_LEFT = 0.5
"""It is learned anew when three quarters of the last 3 s kept more than this share."""
_LOUDER = 4.0
"""An unknown path is looked for anew when what is heard is so many times louder than was expected."""
_FADES = 0.5
"""Share of the played sound's power that may still be heard a chunk later."""
_MEASURED = 8
"""Chunks of the own voice after which it is known how much of it is left."""
_OVER_NOISE = 4.0
"""Somebody else is so many times louder (6 dB) than a quarter of what is left."""
_RECENT = 31
"""Chunks of the last second."""
_LOUD = 0.05
"""Share of the own voice's power (-13 dB) that drowns somebody else's speech."""
_TONE = 0.6
"""A sound with so much of its power in three neighbouring bins says nothing about others."""
_COMPARED = 5
"""Chunks at the beginning of a stretch of sound that are compared with the expected echo."""
_PAUSE = 3
"""Silent chunks that end a stretch."""
_MOST_LATE = 480
"""How much sooner or later a sound card may start than the last time, in samples (30 ms)."""
_STEADY = 3
"""After so many stretches in a row that began within a sample of the expected moment, the next is trusted."""
_BEHIND = 32
"""Samples by which the reference is kept before its echo."""
_LONGEST_WAY = 2048
"""Samples from the reference to its echo at most, while the path is unknown."""
_WEARER = 0.3
"""About how loud a wearer speaks, over what was played, in power: -5 dB."""
_NEAR_LEAST, _NEAR_MOST = 2.5, 16.0
"""Somebody else speaks when so many times (4 to 12 dB) more is left than the own voice leaves otherwise:
halfway, in dB, to how loud a wearer speaks.
"""


@dataclass(frozen=True)
class EchoFreeChunk:
    """One chunk after the canceller: `pcm` int16 [512]."""

    pcm: Pcm
    playing: bool = False
    """The headband's own voice was part of what was heard."""
    near: bool = True
    """More is left than the own voice explains; also when that is not known."""
    sure: bool = True
    """It is known how much of the own voice is left: after its first syllables."""
    own: Pcm | None = None
    """What was played, int16 [512]; None where nothing of it can be heard."""


class StreamClock:
    """When a chunk was recorded, from when chunks arrive: none arrives early, and the recorder's pace is
    even.
    """

    def __init__(self) -> None:
        self._position_s = 0.0
        self._offset_s: float | None = None
        self._seen: deque[float] = deque(maxlen=_MEMORY)

    def began_s(self, arrived_s: float, length_s: float = _CHUNK_S) -> float:
        """Time of the first sample of the next chunk, which arrived at that monotonic time."""
        self._position_s += length_s
        self._seen.append(arrived_s - self._position_s)
        earliest = min(self._seen)
        if self._offset_s is None or not 0 <= earliest - self._offset_s < _REANCHOR_S:
            self._offset_s = earliest
        return self._position_s + self._offset_s - length_s


class OwnVoice:
    """How loud the own voice may be in what the microphone hears, and in what the canceller leaves of it.

    Both are measured against what was played, so that they are known after a few syllables, whether the echo
    is loud, faint or none at all, and long before a path is learned.
    """

    def __init__(self) -> None:
        self._reach = 0.0
        """Power of what was played and may still be heard."""
        self._pause = 0
        self._telling = False
        self._played: deque[float] = deque(maxlen=_MEMORY)
        self._heard: deque[float] = deque(maxlen=_MEMORY)
        self._left: deque[float] = deque(maxlen=_MEMORY)
        self._heard_share: deque[float] = deque(maxlen=_MEMORY)
        self._left_share: deque[float] = deque(maxlen=_MEMORY)

    def follow(self, played: Array, heard: Array, left: Array) -> None:
        """One chunk: what was played, what the microphone heard and what the canceller left."""
        now = power(played)
        self._reach = max(now, _FADES * self._reach)
        self._pause += 1
        if now > _AUDIBLE:
            self._pause, self._telling = 0, not _tonal(played)
        if self._pause < _PAUSE and self._telling:
            self._played.append(now)
            self._heard.append(power(heard))
            self._left.append(power(left))
            self._heard_share.append(power(heard) / self._reach)
            self._left_share.append(power(left) / self._reach)

    @property
    def measured(self) -> bool:
        """Is it known how much of the own voice is left?"""
        return len(self._left_share) >= _MEASURED

    @property
    def audible(self) -> bool:
        """May the microphone hear any of it at this moment?"""
        gain = self.gain
        return gain is None or gain * self._reach > _AUDIBLE

    @property
    def loud(self) -> bool:
        """Is so much of it left that it may drown somebody else's?"""
        return bool(self._left_share) and float(np.median(self._left_share)) > _LOUD

    @property
    def gain(self) -> float | None:
        """What is heard over what was played, in power: the echo is not louder. None before its first
        sound.
        """
        return sum(self._heard) / sum(self._played) if self._played else None

    def exceeded(self, sound: Array, taken_out: bool) -> bool:
        """Is there more in this sound than the own voice leaves there? Also when that is not known.
        `taken_out`: the canceller took out what it could.
        """
        if not self.measured:
            return True
        share, floor = self._share(self._left_share if taken_out else self._heard_share), self._floor()
        times = min(_NEAR_MOST, max(_NEAR_LEAST, math.sqrt(_WEARER / max(share, 1e-9))))
        return power(sound) > max(_AUDIBLE, times * share * self._reach, _OVER_NOISE * floor)

    def _floor(self) -> float:
        """Power of what sounds all the time."""
        return float(np.quantile(self._left, 0.25))

    @staticmethod
    def _share(shares: deque[float]) -> float:
        """Of the last 3 s, in which somebody else may have spoken, or of the last second, in which more of
        the path was known.
        """
        return float(min(np.median(shares), np.median(list(shares)[-_RECENT:])))


def _tonal(sound: Array) -> bool:
    bins = np.abs(np.fft.rfft(sound * np.hanning(len(sound)))) ** 2
    at = int(np.argmax(bins))
    return bool(bins[max(0, at - 1) : at + 2].sum() > _TONE * bins.sum())


class OwnVoiceRemover:
    """The microphone's stream without the own voice."""

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

    def hear(self, pcm: Pcm, arrived_s: float) -> EchoFreeChunk:
        """Takes the next chunk, int16 [512], and when it arrived (monotonic seconds of the board)."""
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
                self._compared = None
        clean = np.clip(np.round(left * 32768.0), -32768, 32767).astype(np.int16)
        own = np.round(played * 32767.0).astype(np.int16) if self._own.audible else None
        return EchoFreeChunk(clean, playing=True, near=near, sure=self._own.measured, own=own)

    def _compare(self, compared: list[tuple[Array, Array, Array]], until_s: float) -> None:
        """The beginning of a stretch, with what was expected of it."""
        heard, played, echo = (np.concatenate(part) for part in zip(*compared, strict=True))
        gain, unaligned = self._own.gain, not self._aligned
        self._align(heard, echo if self._known else played, until_s)
        if self._known or gain is None:
            return
        if unaligned and self._aligned:
            self._expected = None  # what was learned lies elsewhere
        if self._expected is None:
            self._learn(gain, heard, until_s)
        elif gain > _LOUDER * self._expected:
            self._canceller.expect(gain)
            self._expected = gain

    def _learn(self, gain: float, heard: Array, until_s: float) -> None:
        """Begins anew, with what was heard last."""
        self._expected = gain
        self._canceller.reset()
        self._canceller.expect(gain)
        played = self._played_before(until_s, len(heard))
        for first in range(0, len(heard), BLOCK):
            block = slice(first, first + BLOCK)
            self._canceller.process(heard[block], played[block], eager=True)

    def _align(self, heard: Array, expected: Array, until_s: float) -> None:
        late = lateness(heard, expected, _MOST_LATE if self._known else _LONGEST_WAY)
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
        """Is the path known, or lost?"""
        if power(heard) > _AUDIBLE:
            self._left_share.append(power(left) / power(heard))
        kept = float(np.quantile(self._left_share, 0.25)) if self._left_share else 1.0
        self._known = len(self._left_share) >= _KNOWN_CHUNKS and kept < _KNOWN_LEFT
        if kept > _LOST_LEFT and len(self._left_share) == _MEMORY:
            self._left_share.clear()
            if (gain := self._own.gain) is not None:
                self._canceller.reset()
                self._canceller.expect(gain)
                self._expected = gain
