"""Joulescope JS110 and JS220 as a meter: current, voltage and power, and two digital inputs.

The instrument samples one or two million times a second; the vendor's driver averages that down to the rate
of the recording. Samples that the driver marks as missing (not a number) count as lost.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from power.meters.meter import MeterError, MeterKind, MeterRecording
from power.meters.options import INSTALL_METERS, place_and_numbers

RECORDED_HZ = 10_000
RATES_HZ = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
"""Those of the driver's rates that a recording may have."""
_FIELDS = ("current", "voltage", "power", "current_lsb", "voltage_lsb")
"""The last two carry the digital inputs 0 and 1."""
_FIRST_S = 5.0
_DRIVERS_ERRORS = (RuntimeError, ValueError, OSError)
"""What the driver raises."""


class JoulescopeMeter:
    """`power.meters.meter.Meter` over a device of the package `joulescope`. `connect` finds the device; it
    may raise `RuntimeError`.
    """

    name = "joulescope"
    kind: MeterKind = "measured"

    def __init__(
        self,
        connect: Callable[[], Any],
        *,
        recorded_hz: int = RECORDED_HZ,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.sample_rate_hz = float(recorded_hz)
        self._connect = connect
        self._monotonic = monotonic
        self._device: Any = None
        self._collector: _Collector | None = None

    async def start(self) -> None:
        """Returns after the first samples."""
        self._collector = await asyncio.to_thread(self._start)
        if not await asyncio.to_thread(self._collector.began.wait, _FIRST_S):
            await self.close()
            raise MeterError("The Joulescope sends no samples.")

    async def stop(self) -> MeterRecording:
        collector, self._collector = self._collector, None
        if collector is None:
            raise MeterError("The Joulescope's meter was not started.")
        try:
            await asyncio.to_thread(self._device.stop)
        except _DRIVERS_ERRORS as error:
            raise MeterError(f"The Joulescope stopped by itself ({error}).") from None
        finally:
            collector.driver_active = False
        if collector.fault:
            raise MeterError(f"The Joulescope stopped by itself ({collector.fault}).")
        return collector.recording(self.sample_rate_hz)

    async def close(self) -> None:
        device, self._device, self._collector = self._device, None, None
        if device is not None:
            with suppress(*_DRIVERS_ERRORS):  # it was pulled out
                await asyncio.to_thread(device.close)

    def _start(self) -> _Collector:
        collector = _Collector(self._monotonic)
        try:
            if self._device is None:
                device = self._connect()
                device.open()
                self._device = device
                device.parameter_set("sampling_frequency", int(self.sample_rate_hz))
            self._device.stream_process_register(collector)
            self._device.start(stop_fn=collector.stopped)
        except _DRIVERS_ERRORS as error:
            raise MeterError(f"The Joulescope cannot be used ({error}).") from None
        return collector


class _Collector:
    """Collects samples in the driver's thread, which calls `stream_notify`."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.driver_active = True
        self.began = threading.Event()
        self.fault = ""
        self._monotonic = monotonic
        self._next: int | None = None
        self._first = 0
        self._begin_s = 0.0
        self._parts: list[tuple[NDArray[Any], ...]] = []
        self._numbers: list[NDArray[np.int64]] = []

    def stream_notify(self, stream_buffer: Any) -> bool:
        """Take the samples since the last call; False lets the driver continue."""
        start, end = stream_buffer.sample_id_range
        if end is None or end <= start:
            return False
        if self._next is None:
            self._first = start
            self._begin_s = self._monotonic() - (end - start) / stream_buffer.output_sampling_frequency
        else:
            start = max(start, self._next)
        if end <= start:
            return False
        signals = stream_buffer.samples_get(start, end, fields=list(_FIELDS))["signals"]
        self._parts.append(tuple(np.array(signals[field]["value"]) for field in _FIELDS))
        self._numbers.append(np.arange(start, end) - self._first)
        self._next = end
        self.began.set()
        return False

    def stopped(self, event: int, message: str) -> None:
        """Called when the stream ends; an event above 0 is an error."""
        if event:
            self.fault = message or f"event {event}"

    def recording(self, rate_hz: float) -> MeterRecording:
        """Raises `MeterError` when every sample is missing."""
        current_a, voltage_v, power_w, input_0, input_1 = (
            np.concatenate(parts) for parts in zip(*self._parts, strict=True)
        )
        number = np.concatenate(self._numbers)
        good = np.isfinite(current_a) & np.isfinite(voltage_v) & np.isfinite(power_w)
        if not good.any():
            raise MeterError("The Joulescope sent no samples.")
        expected = int(number[-1]) + 1
        marker = (input_0 > 0).astype(np.uint8) | (input_1 > 0).astype(np.uint8) << np.uint8(1)
        return MeterRecording(
            "joulescope", "measured", rate_hz, (number[good] + 0.5) / rate_hz,
            power_w[good].astype(np.float64) * 1000, voltage_v[good].astype(np.float64) * 1000, True,
            marker[good], expected, expected - int(good.sum()), self._begin_s,
        )  # fmt: skip


def missing() -> str | None:
    """What has to be installed; None: nothing."""
    if importlib.util.find_spec("joulescope") is None:
        return f"The Joulescope needs the package joulescope: {INSTALL_METERS}."
    return None


def from_argument(argument: str) -> JoulescopeMeter:
    """The meter of "" (the only one plugged in) or "SERIAL", with `rate_hz=1000` to record less finely.

    Raises `MeterError`.
    """
    if sentence := missing():
        raise MeterError(sentence)
    serial, numbers = place_and_numbers(argument, "rate_hz")
    rate_hz = int(numbers.get("rate_hz", RECORDED_HZ))
    if rate_hz not in RATES_HZ:
        raise MeterError(f"The Joulescope records at {', '.join(map(str, RATES_HZ))} Hz.")
    library = importlib.import_module("joulescope")

    def connect() -> Any:
        if not serial:
            return library.scan_require_one(config="auto")
        for device in library.scan(config="auto"):
            if device.serial_number == serial:
                return device
        raise RuntimeError(f"there is none with the number {serial}")

    return JoulescopeMeter(connect, recorded_hz=rate_hz)
