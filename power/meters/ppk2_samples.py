"""The PPK2's stream of samples: 100,000 words of four bytes a second, decoded in bulk.

A word is little-endian: 14 bits of the converter, 3 of the measuring range, 6 of a counter that shows gaps,
8 digital inputs. Layout, calibration formula and constants: Nordic's own program for the instrument
(pc-nrfconnect-ppk, `src/device/serialDevice.ts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SAMPLE_RATE_HZ = 100_000
RANGES = 5
ADC_VOLT = 1.8 / 163_840
SETTLING = 3
"""Invalid samples after a change of range and after the start."""
_SLACK_SAMPLES = 2_048
"""20 ms: by so much the host's clock may differ from the instrument's without a loss, plus ..."""
_SLACK_SHARE = 0.001
"""... this share of the recording."""
_COUNTER = 64


@dataclass(frozen=True)
class Calibration:
    """The instrument's calibration, one number per measuring range."""

    resistance_ohm: NDArray[np.float64]
    offset: NDArray[np.float64]
    square: NDArray[np.float64]
    slope: NDArray[np.float64]
    per_volt: NDArray[np.float64]
    constant: NDArray[np.float64]
    user_gain: NDArray[np.float64]

    @classmethod
    def of(cls, modifiers: Mapping[str, Any]) -> Calibration:
        """From the tables R, O, GS, GI, S, I and UG, each with the keys "0" to "4". Raises `KeyError`,
        `TypeError` or `ValueError`.
        """
        return cls(
            *(
                np.array([float(modifiers[name][str(place)]) for place in range(RANGES)])
                for name in ("R", "O", "GS", "GI", "S", "I", "UG")
            )
        )

    def current_ma(
        self, ranges: NDArray[np.int64], adc: NDArray[np.int64], supply_mv: float
    ) -> NDArray[np.float64]:
        """Current by the converter's value (14 bits) in its range."""
        raw = (adc * 4 - self.offset[ranges]) * (ADC_VOLT / self.resistance_ohm[ranges])
        linear = raw * (self.square[ranges] * raw + self.slope[ranges])
        shift = self.per_volt[ranges] * (supply_mv / 1000) + self.constant[ranges]
        current: NDArray[np.float64] = self.user_gain[ranges] * (linear + shift) * 1000
        return current


@dataclass(frozen=True)
class _Samples:
    position: NDArray[np.int64]
    current_ma: NDArray[np.float64]
    inputs: NDArray[np.uint8]

    def __getitem__(self, rows: slice) -> _Samples:
        return _Samples(self.position[rows], self.current_ma[rows], self.inputs[rows])


class Ppk2Decoder:
    """Bytes in, blocks of the mean of `per_block` samples out, so that an hour fits into memory."""

    def __init__(self, calibration: Calibration, supply_mv: float, per_block: int) -> None:
        self._calibration = calibration
        self._supply_mv = supply_mv
        self._per_block = per_block
        self._rest = b""
        self._open = _Samples(np.empty(0, np.int64), np.empty(0), np.empty(0, np.uint8))
        self._blocks: list[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.uint8]]] = []
        self._counter: int | None = None
        self._range = 0
        self._unsettled = SETTLING
        """Samples at the beginning of the next bytes that are still invalid."""
        self._held_ma = 0.0
        self._begin_s = float("inf")
        self._last_s = 0.0
        self._received = 0
        self._position = 0
        """Position of the next sample: number of received and missing samples so far."""

    def feed(self, data: bytes, arrived_s: float) -> None:
        """The next bytes of the stream, and the host's monotonic clock at their arrival."""
        data = self._rest + data
        whole = len(data) // 4 * 4
        if whole <= (0 if self._received else 4 * SETTLING):
            self._rest = data
            return
        self._rest = data[whole:]
        words = np.frombuffer(data[:whole], "<u4").astype(np.int64)
        position = self._positions(words >> 18 & 0x3F)
        ranges = np.minimum(words >> 14 & 0x7, RANGES - 1)
        current_ma = self._calibration.current_ma(ranges, words & 0x3FFF, self._supply_mv)
        current_ma = self._settled(ranges, current_ma)
        self._received += len(words)
        if self._position <= SAMPLE_RATE_HZ or self._begin_s == float("inf"):
            self._begin_s = min(self._begin_s, arrived_s - self._position / SAMPLE_RATE_HZ)
        self._last_s = arrived_s
        self._collect(_Samples(position, current_ma, (words >> 24).astype(np.uint8)))

    def _positions(self, counter: NDArray[np.int64]) -> NDArray[np.int64]:
        before = (counter[0] - 1) % _COUNTER if self._counter is None else self._counter
        steps = (np.diff(counter, prepend=before) - 1) % _COUNTER + 1
        position = self._position - 1 + np.cumsum(steps)
        self._counter = int(counter[-1])
        self._position = int(position[-1]) + 1
        return position

    def _settled(self, ranges: NDArray[np.int64], current_ma: NDArray[np.float64]) -> NDArray[np.float64]:
        """Replace invalid samples after a change of range by the last valid one, at the start by the first
        one.
        """
        rows = np.arange(len(ranges))
        before = self._range if self._received else ranges[0]
        changed = np.diff(ranges, prepend=before) != 0
        last_change = np.maximum.accumulate(np.where(changed, rows, self._unsettled - SETTLING))
        good = rows - last_change >= SETTLING
        if not self._received:
            self._held_ma = float(current_ma[np.argmax(good)])  # the first good one, if there is any
        source = np.maximum.accumulate(np.where(good, rows, -1))
        result = np.where(source >= 0, current_ma[source], self._held_ma)
        self._range = int(ranges[-1])
        self._unsettled = max(0, SETTLING - (len(rows) - int(last_change[-1])))
        self._held_ma = float(result[-1])
        return result

    def _collect(self, new: _Samples) -> None:
        """Close every block that is complete."""
        samples = _Samples(
            np.concatenate((self._open.position, new.position)),
            np.concatenate((self._open.current_ma, new.current_ma)),
            np.concatenate((self._open.inputs, new.inputs)),
        )
        closed = int(np.searchsorted(samples.position // self._per_block, self._position // self._per_block))
        self._open = samples[closed:]
        self._close(samples[:closed])

    def _close(self, samples: _Samples) -> None:
        if not len(samples.position):
            return
        block, starts, counts = np.unique(
            samples.position // self._per_block, return_index=True, return_counts=True
        )
        mean_ma = np.add.reduceat(samples.current_ma, starts) / counts
        self._blocks.append((block, mean_ma, np.bitwise_or.reduceat(samples.inputs, starts)))

    def result(self) -> Decoded:
        """The decoded samples, an open block included. Raises `ValueError` when there are none."""
        self._close(self._open)
        self._open = self._open[:0]
        if not self._blocks:
            raise ValueError("no samples")
        block, current_ma, inputs = (np.concatenate(parts) for parts in zip(*self._blocks, strict=True))
        seen_s = self._last_s - self._begin_s
        missing = seen_s * SAMPLE_RATE_HZ - self._position
        hidden = 0
        if missing > _SLACK_SAMPLES + _SLACK_SHARE * self._position:
            hidden = int(missing) // _COUNTER * _COUNTER  # whole turns of the counter leave no gap in it
        expected = self._position + hidden
        time_s = (block + 0.5) * self._per_block / SAMPLE_RATE_HZ
        hidden_s = hidden / SAMPLE_RATE_HZ
        return Decoded(
            time_s, current_ma, inputs, expected, expected - self._received, hidden_s, self._begin_s
        )


@dataclass(frozen=True)
class Decoded:
    """The decoded stream."""

    time_s: NDArray[np.float64]
    current_ma: NDArray[np.float64]
    inputs: NDArray[np.uint8]
    """Every input that was high at any moment of the block."""
    expected: int
    lost: int
    hidden_s: float
    """Time of lost samples that left no gap in the instrument's counter."""
    begin_monotonic_s: float
