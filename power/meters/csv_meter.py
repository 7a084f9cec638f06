"""A CSV file as a meter; its recording is the whole file."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from power.meters.csv_file import read_csv
from power.meters.meter import MeterError, MeterKind, MeterRecording
from power.meters.options import place_and_numbers


class CsvMeter:
    """`power.meters.meter.Meter` over a file. Rate, kind and marker are known from the start."""

    name = "csv"

    def __init__(self, path: Path, *, voltage_mv: float | None = None) -> None:
        self._recording = read_csv(path, voltage_mv=voltage_mv)
        self._path = path
        self._voltage_mv = voltage_mv

    @property
    def kind(self) -> MeterKind:
        return self._recording.kind

    @property
    def sample_rate_hz(self) -> float:
        return self._recording.sample_rate_hz

    async def start(self) -> None:
        pass

    async def stop(self) -> MeterRecording:
        """The file as it is now."""
        return await asyncio.to_thread(read_csv, self._path, voltage_mv=self._voltage_mv)

    async def close(self) -> None:
        pass


def from_argument(argument: str) -> CsvMeter:
    """The meter of "FILE" or "FILE,mv=3800". Raises `MeterError`."""
    place, numbers = place_and_numbers(argument, "mv")
    if not place:
        raise MeterError("Which file? Write csv:FILE.")
    return CsvMeter(Path(os.path.expanduser(place)), voltage_mv=numbers.get("mv"))
