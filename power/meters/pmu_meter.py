"""The PMU's own INA226 as a meter: current and voltage of the cell, over the PMU's USB serial port.

The chip converts the current continuously, and each sample is the mean of as many conversions as
`firmware.pmu.console_power_trace.setting` says (at 4 ms, 16 of 0.2 ms: 3.26 ms by the chip's clock). So the
energy of an event above its surroundings is within 5 percent from a length of 1.4 ms on
(`hw.pmu.trace_timing`). The voltage is measured once a second; in between it is computed from the current and
the cell's resistance as the PMU's gauge knows it. During that millisecond the current is not measured: of an
event of 2 ms that coincides with it, as 3 in 1000 do, up to half is missing.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np

from hw.pmu.trace_timing import PERIODS_MS, result_s, shortest_event_s
from hw.pmu_usb.console_client import Console
from hw.pmu_usb.serial_link import LinkError, SerialLink, find_board
from power.meters.meter import MeterError, MeterKind, MeterRecording
from power.meters.options import place_and_numbers

DEFAULT_PERIOD_MS = 4
_TRACE_S = 3_600
"""The longest trace of the PMU."""
_FIRST_S = 1.0
"""Beginning of every trace in which the arrival of samples is compared with the host's clock."""


class PmuMeter:
    """`power.meters.meter.Meter` over the console's power trace. `connect` opens the console, and may raise
    `LinkError`.
    """

    name = "pmu"
    kind: MeterKind = "measured"

    def __init__(
        self,
        connect: Callable[[], Console],
        *,
        period_ms: int = DEFAULT_PERIOD_MS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.sample_rate_hz = 1 / result_s(period_ms)
        self.shortest_event_s = shortest_event_s(period_ms)
        """From this length on an event's energy above its surroundings is within 5 percent."""
        self._connect = connect
        self._period_ms = period_ms
        self._monotonic = monotonic
        self._reader: _Reader | None = None

    async def start(self) -> None:
        """Returns after the first sample."""
        await self.close()
        reader = _Reader(self._connect, self._period_ms, self._monotonic)
        reader.start()
        await asyncio.to_thread(reader.began.wait)
        if reader.error is not None:
            await asyncio.to_thread(reader.join)
            raise MeterError(str(reader.error))
        self._reader = reader

    async def stop(self) -> MeterRecording:
        reader, self._reader = self._reader, None
        if reader is None:
            raise MeterError("The PMU's meter was not started.")
        reader.stopping.set()
        await asyncio.to_thread(reader.join)
        if reader.error is not None:
            raise MeterError(str(reader.error))
        time_s, voltage_mv, current_ma = np.array(reader.samples, np.float64).T
        return MeterRecording(
            self.name, self.kind, self.sample_rate_hz, time_s, -current_ma * voltage_mv / 1000, voltage_mv,
            True, None, len(time_s) + reader.lost, reader.lost, reader.start_monotonic_s,
            self.shortest_event_s,
        )  # fmt: skip

    async def close(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.stopping.set()
            await asyncio.to_thread(reader.join)


class _Reader(threading.Thread):
    """Reads one trace after the other until `stopping`; the PMU limits each to an hour."""

    def __init__(
        self, connect: Callable[[], Console], period_ms: int, monotonic: Callable[[], float]
    ) -> None:
        super().__init__(name="pmu-meter", daemon=True)
        self.began = threading.Event()
        self.stopping = threading.Event()
        self.error: LinkError | None = None
        self.samples: list[tuple[float, int, int]] = []
        """(seconds since the start, mV, mA with + = charging)."""
        self.lost = 0
        self.start_monotonic_s = 0.0
        self._connect = connect
        self._period_ms = period_ms
        self._result_s = result_s(period_ms)
        self._monotonic = monotonic

    def run(self) -> None:
        try:
            console = self._connect()
            try:
                while not self.stopping.is_set():
                    self._read_trace(console)
            finally:
                console.close()
        except LinkError as error:
            self.error = error
        finally:
            self.began.set()

    def _read_trace(self, console: Console) -> None:
        first = len(self.samples)
        end_s = self.samples[-1][0] if self.samples else 0.0
        # The middle of this trace's first sample on the host's clock. A sample arrives after its end, so the
        # earliest arrival is the best estimate.
        begin_s = float("inf")
        traced: Any = console.power_trace(_TRACE_S, self._period_ms)
        with closing(traced):
            for sample in traced:
                if sample.time_s < _FIRST_S:
                    begin_s = min(begin_s, self._monotonic() - sample.time_s - self._result_s / 2)
                self.samples.append((sample.time_s, sample.voltage_mv, sample.current_ma))
                self.began.set()
                if self.stopping.is_set():
                    break
        self.lost += console.samples_lost
        if first == 0:
            self.start_monotonic_s = begin_s
            return
        offset_s = max(begin_s - self.start_monotonic_s, end_s + self._result_s)
        self.lost += max(0, round((offset_s - end_s) / self._result_s) - 1)
        self.samples[first:] = [(time_s + offset_s, mv, ma) for time_s, mv, ma in self.samples[first:]]


def from_argument(argument: str) -> PmuMeter:
    """The meter of "", "PORT" or "PORT,period_ms=10". Raises `MeterError`."""
    port, numbers = place_and_numbers(argument, "period_ms")
    period_ms = numbers.get("period_ms", DEFAULT_PERIOD_MS)
    if period_ms not in PERIODS_MS:
        raise MeterError(
            f"period_ms is {period_ms:g}; it must be a whole number from {PERIODS_MS[0]} to {PERIODS_MS[-1]}."
        )
    return PmuMeter(
        lambda: Console(SerialLink(find_board(port or None).path)),
        period_ms=int(period_ms),
    )
