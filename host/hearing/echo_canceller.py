"""Acoustic echo canceller: removes the headband's own voice from the microphone's signal.

A frequency-domain Kalman filter over partitioned blocks (G. Enzner and P. Vary, Signal Processing 86, 2006;
F. Kuech et al., ICASSP 2014) estimates the echo path from loudspeaker to microphone. Its step size per bin
follows from the variance of the path estimate and the power of the residual, so it needs no double-talk
detector: while the wearer speaks it adapts little. `expect` bounds the gain of an unknown path: without that
bound, a filter for an echo that does not exist fits the room's noise and adds up to 20 dB of the own voice.

It is written in numpy because no library fits better: the bindings of WebRTC's canceller with aarch64 wheels
add 30 MB of a conferencing stack to a process that must stay small, and the others have to be compiled. The
filter of speexdsp (pyaec 1.0, with an equally long tail) removes as much echo (30 dB in seconds 8 to 30 and
33 dB later; this one 32 and 31 dB), but its path cannot be shifted when a sound card starts with another
latency (`delay`, `replay`). Both take under 1 % of a desktop core.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

BLOCK = 512
"""Samples per block: one microphone chunk, 32 ms at 16 kHz."""
PARTITIONS = 6
"""Partitions of the path, one block each: 192 ms after the alignment."""
_FORGET = 0.9995
"""State-transition factor of the Kalman filter per block; below 1, so that the path follows a moved head."""
_START_VARIANCE, _VARIANCE_DECAY = 0.1, 0.3
"""Initial variance of the path estimate, relative to the expected power gain: in the first partition, and the
factor from one partition to the next.
"""
_SMOOTH = 0.9
"""Smoothing factor per block of the residual's power spectrum."""
_PASSES = 2
"""Adaptation steps with each new block."""
_REPEATED = 20
"""Earlier blocks whose adaptation step is repeated with each new block, when `process` is told `eager`."""
_ALIKE = 0.5
"""Least correlation coefficient of two recordings of the same sound."""
_NOISE = 1e-4
"""Least residual power per bin: noise at -67 dB of full scale. Without it the first faint samples of a voice
give an absurd path.
"""

Array = NDArray[np.float64]
Spectra = NDArray[np.complex128]


def power(sound: Array) -> float:
    """Mean square of `sound`."""
    return float(np.mean(sound**2))


class EchoCanceller:
    """One echo path, adapted block by block."""

    def __init__(self, partitions: int = PARTITIONS) -> None:
        self._partitions = partitions
        self.reset()

    def reset(self) -> None:
        """Forgets the path."""
        shape = (self._partitions, BLOCK + 1)
        decay = _VARIANCE_DECAY ** np.arange(self._partitions)[:, None]
        self._path = np.zeros(shape, np.complex128)
        self._variance: Array = np.full(shape, _START_VARIANCE) * decay
        self._start: Array = self._variance.copy()
        self._unexplained: Array = np.zeros(BLOCK + 1)
        self._before: deque[tuple[Array, Spectra, Array]] = deque(maxlen=_REPEATED)
        self._turn = 0
        self.flush()

    def expect(self, gain: float) -> None:
        """Sets the largest power gain (echo over played sound) that an unknown path may have."""
        self._variance = self._start * gain

    def flush(self) -> None:
        """Forgets what was played and keeps the path; for the time between two segments of sound."""
        self._played = np.zeros((self._partitions, BLOCK + 1), np.complex128)
        self._window: Array = np.zeros(2 * BLOCK)

    def delay(self, samples: float) -> None:
        """Shifts the path by `samples`, between -1 and 1; positive is later."""
        bins = np.arange(BLOCK + 1)
        self._path = _causal(self._path * np.exp(-1j * np.pi * bins * samples / BLOCK))

    def replay(self, played: Array) -> None:
        """Replaces what was played before the next block with `played`, float [512 * (partitions + 1)], after
        the alignment of loudspeaker and microphone has changed.
        """
        blocks = played.reshape(self._partitions + 1, BLOCK)
        windows = np.concatenate([blocks[:-1], blocks[1:]], axis=1)
        self._played = np.fft.rfft(windows[::-1], axis=1)
        self._window = windows[-1]

    def process(
        self, heard: Array, played: Array, *, learn: bool = True, eager: bool = False
    ) -> tuple[Array, Array]:
        """Takes one block of each signal, float [512] of the same moment with full scale 1; returns the
        residual (`heard` without the echo) and the estimated echo. `learn`: adapt the path. `eager`: also
        repeat the adaptation with the last blocks, which takes five times as long.
        """
        self._window = np.concatenate([self._window[BLOCK:], played])
        self._played = np.concatenate([np.fft.rfft(self._window)[None], self._played[:-1]])
        echo, left = self._split(heard, self._played)
        if not learn:
            return left, echo
        power = np.abs(self._played) ** 2
        self._unexplained = _SMOOTH * self._unexplained + (1 - _SMOOTH) * np.abs(_spectrum(left)) ** 2
        if eager:
            for before in self._before:
                self._step(*before)
        for _ in range(_PASSES):
            gain = self._step(heard, self._played, power)
        if eager:
            self._before.append((heard, self._played, power))
        self._path = _causal(self._path)
        kept = (1 - 0.5 * gain * power) * self._variance
        self._variance = _FORGET**2 * kept + (1 - _FORGET**2) * np.abs(self._path) ** 2
        return left, echo

    def _step(self, heard: Array, played: Spectra, power: Array) -> Array:
        """One adaptation step with this block; returns the Kalman gain. Only one partition per step, in turn,
        is made causal, because all of them would take most of the computing time.
        """
        unexplained = _spectrum(self._split(heard, played)[1])
        gain = self._variance / (0.5 * (self._variance * power).sum(0) + self._unexplained + _NOISE)
        self._path += gain * played.conj() * unexplained
        self._turn = (self._turn + 1) % self._partitions
        self._path[self._turn] = _causal(self._path[self._turn])
        return gain

    def _split(self, heard: Array, played: Spectra) -> tuple[Array, Array]:
        """The estimated echo and the residual."""
        echo = np.fft.irfft((self._path * played).sum(0))[BLOCK:]
        return echo, heard - echo


def _spectrum(left: Array) -> NDArray[np.complex128]:
    return np.fft.rfft(np.concatenate([np.zeros(BLOCK), left]))


def _causal(path: Spectra) -> Spectra:
    """The path without the taps beyond one block, which circular convolution would wrap around."""
    taps = np.fft.irfft(path, axis=-1)
    taps[..., BLOCK:] = 0.0
    return np.fft.rfft(taps, axis=-1)


def lateness(heard: Array, echo: Array, most: int) -> float | None:
    """Delay of `heard` relative to `echo` in samples, with a fraction, between `-most` and `most`; None when
    the two correlate too little.
    """
    n = 1 << (2 * len(heard) - 1).bit_length()
    both = np.fft.irfft(np.fft.rfft(heard, n) * np.fft.rfft(echo, n).conj(), n)
    lags = np.concatenate([both[-most - 1 :], both[: most + 2]])
    at = int(np.argmax(lags[1:-1])) + 1
    before, peak, after = lags[at - 1 : at + 2]
    if peak <= _ALIKE * np.sqrt(np.sum(heard**2) * np.sum(echo**2)) or before + after >= 2 * peak:
        return None
    return float(at - most - 1 + 0.5 * (before - after) / (before - 2 * peak + after))
