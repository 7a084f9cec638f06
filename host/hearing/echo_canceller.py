"""Takes the headband's own voice out of what its microphone hears.

A frequency-domain Kalman filter over partitioned blocks (G. Enzner and P. Vary, Signal Processing 86, 2006;
F. Kuech et al., ICASSP 2014) learns the path from loudspeaker to microphone. It weighs each bin by what it is
still unsure of against what it cannot explain, so that it needs no double-talk detector: while the wearer
speaks it hardly learns, and forgets nothing. How loud an unknown path may be is told beforehand (`expect`):
a filter that believes in an echo where there is none fits the room's noise, and adds the own voice to what
the microphone hears, up to 20 dB of it.

It stands here in numpy because no library was a better fit: the bindings of WebRTC's canceller with aarch64
wheels bring 30 MB of a whole conferencing stack into a process that must stay small, and the others have to
be compiled. speexdsp's filter (pyaec 1.0, a tail as long) takes out as much of the same sound, 30 dB in the
seconds 8 to 30 and 33 dB later where this one takes 32 and 31, but its path cannot be moved when a sound
card starts at another moment than the last time (`delay`, `replay`). Both take under 1 % of a desktop core.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

BLOCK = 512
"""Samples per block: one microphone chunk, 32 ms at 16 kHz."""
PARTITIONS = 6
"""Blocks of the path that are learned: 192 ms after the alignment."""
_FORGET = 0.9995
"""How sure of itself the path stays from block to block; below 1, so that a moved head is followed."""
_START_DOUBT, _DOUBT_DECAY = 0.1, 0.3
"""Variance of an unknown path's gain over its power: in its first block, and from block to block."""
_SMOOTH = 0.9
"""Memory of the spectrum of what the path does not explain."""
_PASSES = 2
"""How often a block is used when it comes."""
_AGAIN = 20
"""Blocks before it that are used once more for every new one while an unknown path is learned."""
_ALIKE = 0.5
"""Least correlation of two sounds that are the same one."""
_NOISE = 1e-4
"""Least power per bin of what the path does not explain: noise at -67 dB of full scale. Without it the first
faint samples of a voice would teach an absurd path.
"""

Array = NDArray[np.float64]
Spectra = NDArray[np.complex128]


def power(sound: Array) -> float:
    """Mean square."""
    return float(np.mean(sound**2))


class EchoCanceller:
    """One path, learned as sound goes by."""

    def __init__(self, partitions: int = PARTITIONS) -> None:
        self._partitions = partitions
        self.reset()

    def reset(self) -> None:
        """Forget the path."""
        shape = (self._partitions, BLOCK + 1)
        decay = _DOUBT_DECAY ** np.arange(self._partitions)[:, None]
        self._path = np.zeros(shape, np.complex128)
        self._doubt: Array = np.full(shape, _START_DOUBT) * decay
        self._start: Array = self._doubt.copy()
        self._unexplained: Array = np.zeros(BLOCK + 1)
        self._before: deque[tuple[Array, Spectra, Array]] = deque(maxlen=_AGAIN)
        self._turn = 0
        self.flush()

    def expect(self, gain: float) -> None:
        """An unknown path's echo is so loud at most: its power over that of what was played."""
        self._doubt = self._start * gain

    def flush(self) -> None:
        """Forget what was played, keep the path: between two stretches of sound."""
        self._played = np.zeros((self._partitions, BLOCK + 1), np.complex128)
        self._window: Array = np.zeros(2 * BLOCK)

    def delay(self, samples: float) -> None:
        """The echo comes later by so much, less than one sample either way."""
        bins = np.arange(BLOCK + 1)
        self._path = _causal(self._path * np.exp(-1j * np.pi * bins * samples / BLOCK))

    def replay(self, played: Array) -> None:
        """What was played before the next block, float [512 * (partitions + 1)]: it turned out to have been
        played at another time.
        """
        blocks = played.reshape(self._partitions + 1, BLOCK)
        windows = np.concatenate([blocks[:-1], blocks[1:]], axis=1)
        self._played = np.fft.rfft(windows[::-1], axis=1)
        self._window = windows[-1]

    def process(
        self, heard: Array, played: Array, *, learn: bool = True, eager: bool = False
    ) -> tuple[Array, Array]:
        """heard, played: float [512] of the same moment, full scale 1 -> what is left of `heard`, and the
        echo that was taken out. `eager`: learn from the last blocks once more, which takes five times as
        long.
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
        kept = (1 - 0.5 * gain * power) * self._doubt
        self._doubt = _FORGET**2 * kept + (1 - _FORGET**2) * np.abs(self._path) ** 2
        return left, echo

    def _step(self, heard: Array, played: Spectra, power: Array) -> Array:
        """One step towards the path that explains this block; returns its gain. Of the partitions one in turn
        is kept from wrapping around: all of them each time would take most of the time.
        """
        unexplained = _spectrum(self._split(heard, played)[1])
        gain = self._doubt / (0.5 * (self._doubt * power).sum(0) + self._unexplained + _NOISE)
        self._path += gain * played.conj() * unexplained
        self._turn = (self._turn + 1) % self._partitions
        self._path[self._turn] = _causal(self._path[self._turn])
        return gain

    def _split(self, heard: Array, played: Spectra) -> tuple[Array, Array]:
        """The echo by the present path, and the rest."""
        echo = np.fft.irfft((self._path * played).sum(0))[BLOCK:]
        return echo, heard - echo


def _spectrum(left: Array) -> NDArray[np.complex128]:
    return np.fft.rfft(np.concatenate([np.zeros(BLOCK), left]))


def _causal(path: Spectra) -> Spectra:
    """Without what a filter of one block cannot hold."""
    taps = np.fft.irfft(path, axis=-1)
    taps[..., BLOCK:] = 0.0
    return np.fft.rfft(taps, axis=-1)


def lateness(heard: Array, echo: Array, most: int) -> float | None:
    """By how many samples `heard` comes later than the same sound in `echo`, at most so many either way; None
    where they are too unlike.
    """
    n = 1 << (2 * len(heard) - 1).bit_length()
    both = np.fft.irfft(np.fft.rfft(heard, n) * np.fft.rfft(echo, n).conj(), n)
    lags = np.concatenate([both[-most - 1 :], both[: most + 2]])
    at = int(np.argmax(lags[1:-1])) + 1
    before, peak, after = lags[at - 1 : at + 2]
    if peak <= _ALIKE * np.sqrt(np.sum(heard**2) * np.sum(echo**2)) or before + after >= 2 * peak:
        return None
    return float(at - most - 1 + 0.5 * (before - after) / (before - 2 * peak + after))
