"""An emulated PPK2: the bytes on its serial port, which are commands of one to six bytes, the text with the
calibration, and samples of four bytes.

Written after Nordic's program for the instrument (pc-nrfconnect-ppk, `src/device/serialDevice.ts` and
`src/constants.ts`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 100_000
ADC_VOLT = 1.8 / 163_840
GET_META, REGULATOR_SET, SET_MODE, DEVICE_RUNNING = 0x19, 0x0D, 0x11, 0x0C
AVERAGE_START, AVERAGE_STOP = 0x06, 0x07
ARGUMENT_BYTES = {REGULATOR_SET: 2, SET_MODE: 1, DEVICE_RUNNING: 1}
CALIBRATION = {
    "R": (1003.9, 101.3, 10.29, 0.951, 0.0437),
    "GS": (1.0, 1.0, 0.0031, 0.0, 0.0),
    "GI": (1.003, 0.996, 1.001, 0.998, 1.004),
    "O": (161.8, 90.2, 85.1, 82.4, 78.9),
    "S": (0.0, 0.0, 1e-8, 2e-7, 4e-6),
    "I": (0.0, 0.0, -2e-8, -3e-7, -8e-6),
    "UG": (1.0, 1.0, 1.0, 1.0, 1.0),
}
TOPS_MA = (0.05, 0.5, 5.0, 55.0)
"""Upper limits of the first four ranges."""
SPIKE = 3
"""Number of samples that are wrong after a change of range."""
BURST = 2_000


class EmulatedPpk2:
    """The instrument. load_mw: the power by the time since the start, in seconds; inputs: the digital inputs;
    lose: by the number of a sample, how many samples are lost there.
    """

    def __init__(
        self,
        load_mw: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        inputs: Callable[[NDArray[np.float64]], NDArray[np.uint8]] | None = None,
        lose: dict[int, int] | None = None,
        limit_s: float = float("inf"),
    ) -> None:
        self._load_mw = load_mw
        self._inputs = inputs
        self._lose = lose or {}
        self._limit = limit_s * RATE_HZ
        self._random = np.random.default_rng(7)
        self._command = b""
        self._range = 0
        self._since_change = SPIKE
        self.supply_mv = 0
        self.source_mode: bool | None = None
        self.powered = False
        self.averaging = False
        self.sent = 0
        """Number of samples of the current measurement, including lost ones."""
        self.garbled = 0
        self.finished = threading.Event()
        """All samples of the load have been sent."""

    def monotonic(self) -> float:
        """The host's clock, in simulated time that advances as the samples are read."""
        return 100.0 + self.sent / RATE_HZ

    def done(self) -> bool:
        """All samples of the load have been sent."""
        return self.sent >= self._limit - 0.5

    def __call__(self, data: bytes) -> bytes:
        out = b""
        for byte in data:
            out += self._byte(byte)
        if self.averaging and not self.done():
            out += self._samples(int(min(BURST, round(self._limit - self.sent))))
            if self.done():
                self.finished.set()
        return out

    def _byte(self, byte: int) -> bytes:
        self._command += bytes([byte])
        code, arguments = self._command[0], self._command[1:]
        if len(arguments) < ARGUMENT_BYTES.get(code, 0):
            return b""
        self._command = b""
        if code == GET_META:
            return self._metadata()
        if code == REGULATOR_SET:
            self.supply_mv = (arguments[0] - 3) * 256 + arguments[1] - 32 + 800
        elif code == SET_MODE:
            self.source_mode = arguments[0] == 2
        elif code == DEVICE_RUNNING:
            self.powered = arguments[0] == 1
        elif code == AVERAGE_START:
            self.averaging, self.sent = True, 0
            self.finished.clear()
        elif code == AVERAGE_STOP:
            self.averaging = False
        else:
            self.garbled += 1
        return b""

    def _metadata(self) -> bytes:
        lines = ["Calibrated: 0"]
        for name, values in CALIBRATION.items():
            lines += [f"{name}{place}: {value:.6f}" for place, value in enumerate(values) if name != "UG"]
        lines += ["HW: 9173", "IA: 56"]
        return "\n".join(lines).encode() + b"\nEND"

    def _samples(self, count: int) -> bytes:
        number = self.sent + np.arange(count)
        time_s = number / RATE_HZ
        current_ma = self._load_mw(time_s) / self.supply_mv * 1000 if self.powered else np.zeros(count)
        ranges = np.searchsorted(TOPS_MA, current_ma)
        adc = self._adc(current_ma / 1000, ranges)
        changes = np.diff(ranges, prepend=self._range) != 0
        since = np.arange(count) - np.maximum.accumulate(
            np.where(changes, np.arange(count), -self._since_change)
        )
        adc = np.where(since < SPIKE, np.minimum(adc * 3 + 400, 0x3FFF), adc)
        self._range, self._since_change = int(ranges[-1]), int(since[-1]) + 1
        inputs = self._inputs(time_s) if self._inputs else np.zeros(count, np.uint8)
        words = adc | ranges << 14 | (number & 0x3F) << 18 | inputs.astype(np.int64) << 24
        kept = np.ones(count, bool)
        for first, missing in self._lose.items():
            kept &= (number < first) | (number >= first + missing)
        self.sent += count
        return words[kept].astype("<u4").tobytes()

    def _adc(self, current_a: NDArray[np.float64], ranges: NDArray[np.int64]) -> NDArray[np.int64]:
        """The value of the converter, including its noise."""
        r, gs, gi, o, s, i, _ = (np.round(np.array(values), 6)[ranges] for values in CALIBRATION.values())
        wanted = current_a - (s * self.supply_mv / 1000 + i)
        raw = wanted / gi
        for _ in range(4):
            raw = wanted / (gs * raw + gi)
        value = (raw * r / ADC_VOLT + o) / 4 + self._random.uniform(-0.5, 0.5, len(raw))
        return np.clip(np.rint(value), 0, 0x3FFF).astype(np.int64)
