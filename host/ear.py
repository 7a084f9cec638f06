"""What the microphone hears without the headband's own voice, chunk by chunk, and whether somebody else
speaks.

The reference is read from the speaker's loopback at the moment the chunk was recorded. A sound card starts
now a little sooner and now a little later, so the beginning of each stretch of sound is compared with the
echo that was expected (with what was played, as long as the path is unknown), and the reference moved.
Nothing is computed while the speaker is silent: the chunk then passes unchanged.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from host.echo import BLOCK, PARTITIONS, EchoCanceller, lateness
from host.listen import SAMPLE_RATE, Pcm
from hw.device import PlayedSound

_CHUNK_S = BLOCK / SAMPLE_RATE
_MEMORY = 94
"""Chunks (3 s) over which arrivals and levels are remembered."""
_REANCHOR_S = 0.02
_AUDIBLE = 1e-6
"""Power under which a chunk counts as silent, of full scale: -60 dB."""
_SURE_CHUNKS, _SURE_LEFT = 31, 0.1
"""The path is known when a quarter of at least so many chunks kept less than this share (-10 dB)."""
_LOST_LEFT = 0.5
"""It is learned anew when three quarters of the last 3 s kept more than this share."""
_COMPARED = 5
"""Chunks at the beginning of a stretch of sound that are compared with the expected echo."""
_PAUSE = 3
"""Silent chunks that end a stretch."""
_MOST_LATE = 480
"""How much sooner or later a sound card may start than the last time, in samples (30 ms)."""
_STEADY = 3
"""After so many stretches in a row that began within a sample of the expected moment, the next is trusted."""
_LONGEST_WAY = 2048
"""Samples from the reference to its echo at most, while the path is unknown."""
_NEAR = 6.0
"""Somebody else speaks when so many times (8 dB) more is left than the echo leaves otherwise."""


@dataclass(frozen=True)
class Sounding:
    """One chunk after the canceller: `pcm` int16 [512]."""

    pcm: Pcm
    playing: bool = False
    """The headband's own voice was part of what was heard."""
    near: bool = True
    """More is left than the own voice explains; also when that is not known."""
    sure: bool = True
    """The canceller knows the way from loudspeaker to microphone."""


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


class Ear:
    """The microphone's stream without the own voice."""

    def __init__(self, loopback: PlayedSound | None) -> None:
        """`loopback` None: every chunk passes unchanged."""
        self._loopback = loopback
        self._clock = StreamClock()
        self._canceller = EchoCanceller()
        self._left_share: deque[float] = deque(maxlen=_MEMORY)
        self._leak: deque[float] = deque(maxlen=_MEMORY)
        self._echo_power: deque[float] = deque(maxlen=3)
        self._silent_chunks = PARTITIONS
        self._sure = False
        self._shift_s = 0.0
        self._anchor: float | None = None
        self._steady: deque[bool] = deque([False] * _STEADY, maxlen=_STEADY)
        self._compared: list[tuple[np.ndarray, np.ndarray]] | None = None

    def hear(self, pcm: Pcm, arrived_s: float) -> Sounding:
        """Takes the next chunk, int16 [512], and when it arrived (monotonic seconds of the board)."""
        began_s = self._clock.began_s(arrived_s)
        if self._loopback is None or len(pcm) != BLOCK:
            return Sounding(pcm)
        played = self._loopback.read(began_s - self._shift_s, BLOCK)
        if np.mean(played**2) > _AUDIBLE:
            if self._silent_chunks >= _PAUSE:
                self._compared = []
            self._silent_chunks = 0
        else:
            self._silent_chunks += 1
        if self._silent_chunks > PARTITIONS:
            return Sounding(pcm)
        if self._silent_chunks == PARTITIONS:
            self._canceller.flush()
            return Sounding(pcm)
        heard = pcm / 32768.0
        doubtful = self._compared is not None and not all(self._steady)
        left, echo = self._canceller.process(heard, played.astype(np.float64), learn=not doubtful)
        near = self._judge(heard, left, echo)
        if self._compared is not None:
            self._compared.append((heard, echo if self._sure else played.astype(np.float64)))
            if len(self._compared) >= _COMPARED:
                self._align(self._compared, began_s + _CHUNK_S)
                self._compared = None
        clean = np.clip(np.round(left * 32768.0), -32768, 32767).astype(np.int16)
        return Sounding(clean, playing=True, near=near, sure=self._sure and not doubtful)

    def _align(self, compared: list[tuple[np.ndarray, np.ndarray]], until_s: float) -> None:
        heard, expected = (np.concatenate(part) for part in zip(*compared, strict=True))
        late = lateness(heard, expected, _MOST_LATE if self._sure else _LONGEST_WAY)
        if late is None or self._loopback is None:
            return
        if not self._sure:
            self._anchor = late if self._anchor is None else self._anchor
            late -= self._anchor
        self._steady.append(abs(late) < 1.0)
        whole = round(late)
        self._shift_s += whole / SAMPLE_RATE
        self._canceller.delay(late - whole)
        if whole:
            blocks = PARTITIONS + 1
            again = self._loopback.read(until_s - self._shift_s - blocks * _CHUNK_S, blocks * BLOCK)
            self._canceller.replay(again.astype(np.float64))

    def _judge(self, heard: np.ndarray, left: np.ndarray, echo: np.ndarray) -> bool:
        heard_power, left_power = float(np.mean(heard**2)), float(np.mean(left**2))
        self._echo_power.append(float(np.mean(echo**2)))
        loudest = max(self._echo_power)
        if heard_power > _AUDIBLE:
            self._left_share.append(left_power / heard_power)
        if loudest > _AUDIBLE:
            self._leak.append(left_power / loudest)
        kept = float(np.quantile(self._left_share, 0.25)) if self._left_share else 1.0
        self._sure = len(self._left_share) >= _SURE_CHUNKS and kept < _SURE_LEFT
        leak = float(np.median(self._leak)) if self._leak else 1.0
        if kept > _LOST_LEFT and len(self._left_share) == _MEMORY:
            self._canceller.reset()
            self._left_share.clear()
            self._leak.clear()
        return not self._sure or left_power > max(_AUDIBLE, _NEAR * leak * loudest)
