"""Monsoon's High Voltage Power Monitor as a meter: current and voltage of its main channel, 5,000 times a
second. It supplies the headband, which stays powered when the meter is closed.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Any

import numpy as np

from power.meters.meter import MeterError, MeterKind, MeterRecording
from power.meters.options import INSTALL_METERS, place_and_numbers

SAMPLE_RATE_HZ = 5_000.0
SUPPLY_MV = 3_800.0
_SUPPLY_RANGE_MV = (800, 13_500)
_BEGIN_S = 30.0
"""It calibrates itself first, which takes seconds."""
_END_S = 10.0
_MAIN_CURRENT, _MAIN_VOLTAGE = 1, 4
_TIME_STAMP = 0
"""Rows of what the package returns, and numbers of its channels."""
_DROPPED_TURN = 1 << 16
"""The instrument's counter of dropped samples, first in every packet, has 16 bits."""
_SLACK_SAMPLES = 100
"""20 ms: by so much the arrival of packets may differ from the instrument's clock without a loss, plus ..."""
_SLACK_SHARE = 0.001
"""... this share of the recording."""


class MonsoonMeter:
    """`power.meters.meter.Meter` over the package `Monsoon`: `connect` opens the instrument (its
    `HVPM.Monsoon`, connected), `engine` makes the package's `SampleEngine` for it.
    """

    name = "monsoon"
    kind: MeterKind = "measured"
    sample_rate_hz = SAMPLE_RATE_HZ

    def __init__(
        self,
        connect: Callable[[], Any],
        engine: Callable[[Any], Any],
        *,
        supply_mv: float = SUPPLY_MV,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect = connect
        self._make_engine = engine
        self._supply_mv = supply_mv
        self._monotonic = monotonic
        self._instrument: Any = None
        self._sampler: _Sampler | None = None

    async def start(self) -> None:
        """Returns when the instrument has calibrated itself and samples."""
        if self._instrument is None:
            self._instrument = await asyncio.to_thread(self._open)
        sampler = _Sampler(self._make_engine(self._instrument), self._monotonic)
        sampler.start()
        if not await asyncio.to_thread(sampler.began.wait, _BEGIN_S):
            sampler.stopping.set()
            raise MeterError(f"The Monsoon does not begin to sample within {_BEGIN_S:g} s.")
        if sampler.error is not None:
            raise MeterError(f"The Monsoon cannot sample ({sampler.error}).")
        self._sampler = sampler

    async def stop(self) -> MeterRecording:
        sampler, self._sampler = self._sampler, None
        if sampler is None:
            raise MeterError("The Monsoon's meter was not started.")
        sampler.stopping.set()
        await asyncio.to_thread(sampler.join, _END_S)
        if sampler.is_alive():
            raise MeterError("The Monsoon does not stop.")
        if sampler.error is not None:
            raise MeterError(f"The Monsoon stopped by itself ({sampler.error}).")
        return await asyncio.to_thread(sampler.recording)

    async def close(self) -> None:
        if self._sampler is not None:
            self._sampler.stopping.set()
            await asyncio.to_thread(self._sampler.join, _END_S)
            self._sampler = None
        instrument, self._instrument = self._instrument, None
        if instrument is not None:
            with suppress(Exception):  # it was pulled out; the package raises whatever its USB library does
                await asyncio.to_thread(instrument.closeDevice)

    def _open(self) -> Any:
        try:
            instrument = self._connect()
            instrument.setVout(self._supply_mv / 1000)
        except Exception as error:  # the package raises whatever its USB library does
            raise MeterError(f"The Monsoon cannot be used ({error}).") from None
        return instrument


class _Sampler(threading.Thread):
    """The thread in which the package samples until `stopping` is set."""

    def __init__(self, engine: Any, monotonic: Callable[[], float]) -> None:
        super().__init__(name="monsoon", daemon=True)
        self.began = threading.Event()
        self.stopping = threading.Event()
        self.error: Exception | None = None
        self._engine = engine
        self._monotonic = monotonic
        self._begin_s = 0.0
        self._dropped_before: int | None = None
        self._dropped = 0

    def run(self) -> None:
        engine = self._engine
        instrument = engine.monsoon
        unpack = instrument.swizzlePacket

        def watched(packet: Any) -> Any:
            # `engine.dropped` is wrong: the package also sets it from empty rows of a batch.
            words = unpack(packet)
            if self.began.is_set():
                self._count_dropped(int(words[0]))
            return words

        instrument.swizzlePacket = watched
        engine.ConsoleOutput(False)
        engine.setTriggerChannel(_TIME_STAMP)
        engine.setStartTrigger(self._always, 0)
        engine.setStopTrigger(self._over, 0)
        try:
            engine.startSampling(samples=0xFFFF_FFFF)
            if not self.began.is_set():
                self.error = RuntimeError("it does not calibrate")
        except Exception as error:  # the package wraps whatever happened in a bare one
            self.error = error
            with suppress(Exception):
                instrument.stopSampling()
        finally:
            instrument.swizzlePacket = unpack
            self.began.set()

    def _count_dropped(self, counter: int) -> None:
        if self._dropped_before is not None:
            self._dropped += (counter - self._dropped_before) % _DROPPED_TURN
        self._dropped_before = counter

    def _always(self, stamp_s: float, _: float) -> bool:
        if not self.began.is_set():
            self._begin_s = self._monotonic()
            self.began.set()
        return True

    def _over(self, stamp_s: float, _: float) -> bool:
        return self.stopping.is_set()

    def recording(self) -> MeterRecording:
        """The samples are spread evenly over the time, because the package does not say where one was
        dropped. Samples missing by the package's time stamps count as lost, too. Raises `MeterError` when
        there are none.
        """
        rows = self._engine.getSamples()
        count = min(len(rows[_MAIN_CURRENT]), len(rows[_MAIN_VOLTAGE]))
        if not count:
            raise MeterError("The Monsoon sent no samples.")
        current_ma = np.array(rows[_MAIN_CURRENT][:count], np.float64)
        voltage_mv = np.array(rows[_MAIN_VOLTAGE][:count], np.float64) * 1000
        stamps_s = rows[_TIME_STAMP]
        missing = float(stamps_s[-1] - stamps_s[0]) * SAMPLE_RATE_HZ + 1 - count
        by_clock = int(missing) if missing > _SLACK_SAMPLES + _SLACK_SHARE * count else 0
        lost = max(self._dropped, by_clock)
        arrived_hz = SAMPLE_RATE_HZ * count / (count + lost)
        time_s = (np.arange(count, dtype=np.float64) + 0.5) / arrived_hz
        return MeterRecording(
            "monsoon", "measured", SAMPLE_RATE_HZ, time_s, current_ma * voltage_mv / 1000, voltage_mv, True,
            None, count + lost, lost, self._begin_s, unplaced_s=lost / SAMPLE_RATE_HZ,
        )  # fmt: skip


def missing() -> str | None:
    """What has to be installed; None: nothing."""
    if importlib.util.find_spec("Monsoon") is None:
        return f"The Monsoon needs the package Monsoon: {INSTALL_METERS}."
    return None


def from_argument(argument: str) -> MonsoonMeter:
    """The meter of "" (the only one plugged in) or "SERIAL", with `mv=3800` for the voltage it supplies.

    Raises `MeterError`.
    """
    if sentence := missing():
        raise MeterError(sentence)
    serial, numbers = place_and_numbers(argument, "mv")
    supply_mv = numbers.get("mv", SUPPLY_MV)
    if not _SUPPLY_RANGE_MV[0] <= supply_mv <= _SUPPLY_RANGE_MV[1]:
        raise MeterError("The Monsoon supplies 800 to 13500 mV.")

    def connect() -> Any:
        instrument = importlib.import_module("Monsoon.HVPM").Monsoon()
        with redirect_stdout(StringIO()):  # the package prints an error that is raised below
            instrument.setup_usb(serial or None)
        if instrument.Protocol.DEVICE is None:
            raise RuntimeError("it is not plugged in")
        return instrument

    library = importlib.import_module("Monsoon.sampleEngine")

    def engine(instrument: Any) -> Any:
        # with its error handling on, the package would start over and forget what it had
        return library.SampleEngine(instrument, errorMode=library.ErrorHandlingModes.off)

    return MonsoonMeter(connect, engine, supply_mv=supply_mv)
