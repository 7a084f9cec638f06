"""A CSV file as a meter: the whole file, or of a log that goes on what came since the start."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from power.meters.csv_file import read_csv
from power.meters.meter import MeterError, MeterKind, MeterRecording
from power.meters.options import place_and_numbers


class CsvMeter:
    """`power.meters.meter.Meter` over a file. Rate, kind and marker are known from the start."""

    name = "csv"

    def __init__(self, path: Path, *, voltage_mv: float | None = None) -> None:
        """Raises `MeterError`, also for a pipe or a terminal, which `stop` could not read once more."""
        if os.path.exists(path) and not os.path.isfile(path):
            raise MeterError(f"{path} is no file; name one, which is read again at the end of each repeat.")
        self._recording = read_csv(path, voltage_mv=voltage_mv)
        self._path = path
        self._voltage_mv = voltage_mv
        self._started_s: float | None = None

    @property
    def kind(self) -> MeterKind:
        return self._recording.kind

    @property
    def sample_rate_hz(self) -> float:
        return self._recording.sample_rate_hz

    async def start(self) -> None:
        self._started_s = time.monotonic()

    async def stop(self) -> MeterRecording:
        """The file as it is now; what was written to it since the start, if it says when it began."""
        return await asyncio.to_thread(
            read_csv, self._path, voltage_mv=self._voltage_mv, since_s=self._started_s
        )

    async def close(self) -> None:
        pass


def from_argument(argument: str) -> CsvMeter:
    """The meter of "FILE" or "FILE,mv=3800". Raises `MeterError`."""
    place, numbers = place_and_numbers(argument, "mv")
    if not place:
        raise MeterError("Which file? Write csv:FILE.")
    return CsvMeter(Path(os.path.expanduser(place)), voltage_mv=numbers.get("mv"))
