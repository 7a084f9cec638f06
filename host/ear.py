"""What the microphone hears without the headband's own voice, chunk by chunk, and whether somebody else
speaks.

The reference is read from the speaker's loopback at the moment the chunk was recorded. Nothing is computed
while the speaker is silent: the chunk then passes unchanged.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from host.echo import BLOCK, PARTITIONS, EchoCanceller
from host.listen import SAMPLE_RATE, Pcm
from hw.device import PlayedSound

_CHUNK_S = BLOCK / SAMPLE_RATE
_MEMORY = 94
"""Chunks (3 s) over which arrivals and levels are remembered."""
_REANCHOR_S = 0.02
_AUDIBLE = 1e-6
"""Power under which a chunk counts as silent, of full scale: -60 dB."""
_SURE_CHUNKS, _SURE_LEFT = 16, 0.2
"""The path is known when a quarter of at least so many chunks kept less than this share (-7 dB)."""
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

    def hear(self, pcm: Pcm, arrived_s: float) -> Sounding:
        """Takes the next chunk, int16 [512], and when it arrived (monotonic seconds of the board)."""
        began_s = self._clock.began_s(arrived_s)
        if self._loopback is None or len(pcm) != BLOCK:
            return Sounding(pcm)
        played = self._loopback.read(began_s, BLOCK)
        self._silent_chunks = 0 if played.any() else self._silent_chunks + 1
        if self._silent_chunks > PARTITIONS:
            return Sounding(pcm)
        if self._silent_chunks == PARTITIONS:
            self._canceller.flush()
            return Sounding(pcm)
        left, echo = self._canceller.process(pcm / 32768.0, played.astype(np.float64))
        near, sure = self._judge(pcm / 32768.0, left, echo)
        clean = np.clip(np.round(left * 32768.0), -32768, 32767).astype(np.int16)
        return Sounding(clean, playing=True, near=near, sure=sure)

    def _judge(self, heard: np.ndarray, left: np.ndarray, echo: np.ndarray) -> tuple[bool, bool]:
        heard_power, left_power = float(np.mean(heard**2)), float(np.mean(left**2))
        self._echo_power.append(float(np.mean(echo**2)))
        loudest = max(self._echo_power)
        if heard_power > _AUDIBLE:
            self._left_share.append(left_power / heard_power)
        if loudest > _AUDIBLE:
            self._leak.append(left_power / loudest)
        sure = (
            len(self._left_share) >= _SURE_CHUNKS and float(np.quantile(self._left_share, 0.25)) < _SURE_LEFT
        )
        leak = float(np.median(self._leak)) if self._leak else 1.0
        return not sure or left_power > max(_AUDIBLE, _NEAR * leak * loudest), sure
