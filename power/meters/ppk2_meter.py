"""Nordic's Power Profiler Kit II as a meter: current and eight digital inputs, 100,000 times a second.

It does not measure the voltage: the recording has the one that it supplies, or, as an ampere meter, the one
stated for the external supply. The headband stays powered when the meter is closed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Callable, Mapping

import numpy as np

from power.meters.meter import MeterError, MeterKind, MeterRecording
from power.meters.options import INSTALL_METERS, place_and_numbers
from power.meters.ppk2_process import Ppk2Process
from power.meters.ppk2_samples import SAMPLE_RATE_HZ, Calibration, Ppk2Decoder

SUPPLY_MV = 3_800.0
RECORDED_HZ = 10_000.0
_SUPPLY_RANGE_MV = (800, 5_000)
_READY_S = 15.0
_ANSWER_S = 10.0


class Ppk2Meter:
    """`power.meters.meter.Meter` over a PPK2. A row of its recording is the mean of so many of the
    instrument's samples as make `recorded_hz`; `expected` and `lost` count the instrument's own.
    """

    name = "ppk2"
    kind: MeterKind = "measured"

    def __init__(
        self,
        port: str = "",
        *,
        supply_mv: float = SUPPLY_MV,
        ampere_mode: bool = False,
        recorded_hz: float = RECORDED_HZ,
        monotonic: Callable[[], float] = time.monotonic,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._per_block = max(1, round(SAMPLE_RATE_HZ / recorded_hz))
        self.sample_rate_hz = SAMPLE_RATE_HZ / self._per_block
        self._port = port
        self._supply_mv = supply_mv
        self._mode = "ampere" if ampere_mode else "source"
        self._monotonic = monotonic
        self._environment = environment
        self._process: Ppk2Process | None = None
        self._calibration: Calibration | None = None
        self._decoder: Ppk2Decoder | None = None

    async def start(self) -> None:
        await asyncio.to_thread(self._start)

    async def stop(self) -> MeterRecording:
        return await asyncio.to_thread(self._stop)

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await asyncio.to_thread(process.close)

    def _start(self) -> None:
        if self._process is None:
            self._process = Ppk2Process(
                self._port, round(self._supply_mv), self._mode, self._feed,
                monotonic=self._monotonic, environment=self._environment,
            )  # fmt: skip
            try:
                modifiers = self._process.hear("ready", _READY_S)["modifiers"]
                self._calibration = Calibration.of(modifiers)
            except (KeyError, TypeError, ValueError):
                self._give_up()
                raise MeterError("The PPK2's calibration cannot be read.") from None
            except MeterError:
                self._give_up()
                raise
        assert self._calibration is not None
        self._decoder = Ppk2Decoder(self._calibration, self._supply_mv, self._per_block)
        self._process.tell("start")
        self._process.hear("started", _ANSWER_S)

    def _stop(self) -> MeterRecording:
        decoder, process = self._decoder, self._process
        if decoder is None or process is None:
            raise MeterError("The PPK2's meter was not started.")
        process.tell("stop")
        try:
            process.hear("stopped", _ANSWER_S)
        except MeterError:
            self._give_up()
            raise
        finally:
            self._decoder = None
        try:
            seen = decoder.result()
        except ValueError:
            raise MeterError("The PPK2 sent no samples.") from None
        return MeterRecording(
            self.name, self.kind, self.sample_rate_hz, seen.time_s, seen.current_ma * self._supply_mv / 1000,
            np.full(len(seen.time_s), self._supply_mv), False, seen.inputs, seen.expected, seen.lost,
            seen.begin_monotonic_s, unplaced_s=seen.hidden_s,
        )  # fmt: skip

    def _feed(self, data: bytes, arrived_s: float) -> None:
        if self._decoder is not None:
            self._decoder.feed(data, arrived_s)

    def _give_up(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()


def missing() -> str | None:
    """What has to be installed; None: nothing. The package itself is not imported here."""
    if importlib.util.find_spec("ppk2_api") is None:
        return f"The PPK2 needs the package ppk2-api (GPL-2.0): {INSTALL_METERS}."
    return None


def from_argument(argument: str) -> Ppk2Meter:
    """The meter of "PORT", "PORT,mv=3800", with `ampere_mv=3800` for one that an external supply feeds, and
    `rate_hz=1000` to record less finely. Raises `MeterError`.
    """
    if sentence := missing():
        raise MeterError(sentence)
    port, numbers = place_and_numbers(argument, "mv", "ampere_mv", "rate_hz")
    supply_mv = numbers.get("ampere_mv", numbers.get("mv", SUPPLY_MV))
    if not _SUPPLY_RANGE_MV[0] <= supply_mv <= _SUPPLY_RANGE_MV[1]:
        raise MeterError("The PPK2 works with 800 to 5000 mV.")
    return Ppk2Meter(
        port,
        supply_mv=supply_mv,
        ampere_mode="ampere_mv" in numbers,
        recorded_hz=numbers.get("rate_hz", RECORDED_HZ),
    )
