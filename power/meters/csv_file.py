"""Recordings from CSV files. Comment lines may state facts about the recording:

    # kind: measured
    # voltage_measured: true
    time_s,power_mw,voltage_mv,marker
    0.000000,612.5,3800,0

Separators are commas, semicolons (then with decimal commas too) or tabulators; blank lines and comments may
be anywhere, and a fact counts wherever it stands. A row with an empty field counts as lost, and so do the
samples that a gap in time leaves out. A last line that does not end may be half written, and is left out.
What is no finite number, a row with more fields than the header has names, and a time that does not rise, is
an error that names its line.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast, get_args

import numpy as np
from numpy.typing import NDArray

from power.meters.csv_columns import Columns, parse_header
from power.meters.meter import MeterError, MeterKind, MeterRecording

_JUMP = 1.5
"""A step in time above so many sample periods is a gap."""
_SLACK = 0.01
"""So much the clock of a logger may differ from the rate that a file states, without a loss."""
_SHORTEST_PERIODS = 10.0
"""An event of fewer samples is not told within 5 percent, as each may stand for a moment only."""
_EMPTY = "+nan"
"""Stands for an empty field; no program writes it."""
_MOST_MW, _MOST_MV, _MOST_S, _MOST_FACT = 1e6, 1e6, 1e11, 1e15
"""Greater values are errors: 1 kW, 1 kV, seconds since 1970 in the year 5138."""
_MOST_MARKER = 255
_SHOWN = 40
"""Largest number of characters of a field in an error sentence."""


def read_csv(path: Path, *, voltage_mv: float | None = None, since_s: float | None = None) -> MeterRecording:
    """The recording of a file; `voltage_mv` stands in where it has no voltage. `since_s`: of a file that says
    when it began, only the samples after that moment of this computer's monotonic clock, if there are any.
    Raises `MeterError`.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline=None) as file:
            return _Reader(path, file, voltage_mv).recording(since_s)
    except OSError as error:
        raise MeterError(f"{path} cannot be read ({error.strerror}).") from None


class _Reader:
    def __init__(self, path: Path, file: TextIO, voltage_mv: float | None) -> None:
        self._path = path
        self._file = file
        self._voltage_mv = voltage_mv
        self._facts: dict[str, str] = {}
        self._line = 0

    def recording(self, since_s: float | None) -> MeterRecording:
        header = self._header()
        separator = next((mark for mark in ("\t", ";", ",") if mark in header), ",")
        columns = parse_header(header.split(separator), str(self._path))
        self._columns, self._separator = columns, separator
        table, rows_kept = self._table()
        rows = dict(zip(columns.indices(), table.T, strict=True))
        time_s = rows[columns.time.index] * columns.time.scale
        voltage_mv, voltage_measured = self._voltage(columns, rows)
        if columns.power is not None:
            power_mw = rows[columns.power.index] * columns.power.scale
        else:
            assert columns.current is not None, "a header has power or current"
            power_mw = rows[columns.current.index] * columns.current.scale * voltage_mv / 1000.0
        self._check("power", power_mw, _MOST_MW, "mW")
        self._check("voltage", voltage_mv, _MOST_MV, "mV")
        self._check("time", time_s, _MOST_S, "s")
        if len(time_s) < 2:
            raise MeterError(f"{self._path} holds fewer than two samples.")
        steps = np.diff(time_s)
        if (steps <= 0).any():
            after = int(np.argmax(steps <= 0))
            how = f"goes back by {-steps[after]:.6g} s" if steps[after] < 0 else "is that of the line before"
            raise MeterError(f"{self._path}: line {self._line_of(rows_kept[after + 1])}: its time {how}.")
        marker, start_s = self._marker(columns, rows), self._number("start_monotonic_s")
        first = self._first(time_s, start_s, since_s)
        incomplete = int(rows_kept[-1] - rows_kept[first]) + 1 - len(rows_kept[first:])
        time_s, power_mw, voltage_mv, steps = (
            time_s[first:],
            power_mw[first:],
            voltage_mv[first:],
            steps[first:],
        )
        marker = None if marker is None else marker[first:]
        period_s = float(np.median(steps))
        gaps = steps[steps > _JUMP * period_s]
        placed = max(incomplete, int(np.sum(np.rint(gaps / period_s) - 1)))
        expected, lost = len(time_s) + placed, placed
        stated_hz = self._positive("sample_rate_hz")
        arrived_hz = (len(time_s) - 1) / float(time_s[-1] - time_s[0])
        if stated_hz is not None and arrived_hz > (1 + _SLACK) * stated_hz:
            raise MeterError(
                f"{self._path}: sample_rate_hz is {stated_hz:g}, and the file has {arrived_hz:.6g} samples a "
                "second."
            )
        stated = (None, None) if first else (self._number("expected"), self._number("lost"))
        if stated[0] is not None and stated[1] is not None and lost <= stated[1] <= stated[0]:
            expected, lost = int(stated[0]), int(stated[1])
        elif stated_hz is not None:
            missing = round((time_s[-1] - time_s[0]) * stated_hz) + 1 - expected
            if missing > _SLACK * expected:
                expected, lost = expected + missing, lost + missing
        kind = self._kind()
        return MeterRecording(
            "csv", kind, stated_hz or 1 / period_s, time_s - time_s[0], power_mw, voltage_mv,
            voltage_measured, marker, expected, lost,
            time.monotonic() if start_s is None else start_s + float(time_s[0]),
            _SHORTEST_PERIODS * period_s, (lost - placed) * period_s, start_s is not None,
        )  # fmt: skip

    def _first(self, time_s: NDArray[np.float64], start_s: float | None, since_s: float | None) -> int:
        """The first sample that counts: of a log that goes on, that after the moment `since_s`."""
        if start_s is None or since_s is None:
            return 0
        first = int(np.searchsorted(time_s, since_s - start_s))
        return first if len(time_s) - first >= 2 else 0

    def _header(self) -> str:
        for line in self._file:
            self._line += 1
            text = line.strip()
            if text.startswith("#"):
                self._note(text)
            elif text:
                return text
        raise MeterError(f"{self._path} is empty.")

    def _note(self, comment: str) -> None:
        """Takes the fact that a comment line states."""
        name, _, value = comment[1:].partition(":")
        self._facts[name.strip().lower()] = value.strip()

    def _table(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The numbers of the complete rows, and which rows below the header those are."""
        rows = self._rows()
        first = list(itertools.islice(rows, 1))
        if not first:
            raise MeterError(f"{self._path} holds no samples.")
        try:
            table = np.loadtxt(
                itertools.chain(first, rows),
                delimiter=self._separator,
                usecols=self._columns.indices(),
                ndmin=2,
            )
        except ValueError:
            line = self._line
            self._refuse_text()
            raise MeterError(f"{self._path}: line {line} is no row of numbers.") from None
        complete = np.isfinite(table).all(axis=1)
        if not complete.all():
            self._refuse_text()
        return table[complete], np.flatnonzero(complete)

    def _refuse_text(self) -> None:
        """Raises `MeterError` for the first field that is no finite number; an empty one is none either, and
        allowed.
        """
        self._again()
        names = self._columns.named()
        for row in self._rows():
            fields = row.split(self._separator)
            for index in self._columns.indices():
                text = fields[index].strip() if index < len(fields) else _EMPTY
                if text != _EMPTY and not _is_finite(text):
                    raise MeterError(
                        f"{self._path}: line {self._line}: the {names[index]} is {_shown(text)}; it must be "
                        "a finite number (leave it empty where a sample is missing)."
                    )

    def _line_of(self, row: int) -> int:
        """The line of the file that holds a row."""
        self._again()
        for _ in itertools.islice(self._rows(), int(row) + 1):
            pass
        return self._line

    def _again(self) -> None:
        """Reads the file once more, from the line after the header."""
        self._file.seek(0)
        self._line = 0
        self._header()

    def _rows(self) -> Iterator[str]:
        """The lines below the header, `_EMPTY` in each empty field. A last line that does not end is left
        out: its last number may be the beginning of one that a logger is writing.
        """
        separator = self._separator
        for line in self._file:
            self._line += 1
            text = line.strip("\r\n")
            if not text.strip():
                continue
            if text.lstrip().startswith("#"):
                self._note(text.strip())
                continue
            if not line.endswith("\n"):
                return
            if text.count(separator) + 1 > self._columns.count:
                self._refuse_more(text)
            if separator == ";":
                text = text.replace(",", ".")
            if " " in text or 2 * separator in text or separator in (text[0], text[-1]):
                text = separator.join(field.strip() or _EMPTY for field in text.split(separator))
            yield self._columns.with_levels(text, separator)

    def _refuse_more(self, row: str) -> None:
        """Raises `MeterError` for a row that goes on after the last column, unless by empty fields, a comment
        or a quoted text.
        """
        fields = row.partition("#")[0].split(self._separator)
        if '"' not in row and any(field.strip() for field in fields[self._columns.count :]):
            raise MeterError(
                f"{self._path}: line {self._line} has {len(fields)} fields, and the header "
                f"{self._columns.count} names; between numbers with decimal commas there must be semicolons."
            )

    def _voltage(
        self, columns: Columns, rows: dict[int, NDArray[np.float64]]
    ) -> tuple[NDArray[np.float64], bool]:
        count = len(rows[columns.time.index])
        if columns.voltage is not None:
            measured = self._facts.get("voltage_measured", "true").lower() != "false"
            return rows[columns.voltage.index] * columns.voltage.scale, measured
        constant_mv = self._voltage_mv or self._positive("voltage_mv")
        if constant_mv is None and columns.power is None:
            raise MeterError(
                f"{self._path} has current but no voltage: name the supply's, as in csv:FILE,mv=3800."
            )
        return np.full(count, float(constant_mv or 0)), False

    def _number(self, name: str) -> float | None:
        """A number of the comment lines. Raises `MeterError` for one that is none."""
        if name not in self._facts:
            return None
        try:
            value = float(self._facts[name])
        except ValueError:
            value = math.nan
        if not abs(value) <= _MOST_FACT:
            raise MeterError(f"{self._path}: {name} is {self._facts[name]!r}; it must be a finite number.")
        return value

    def _positive(self, name: str) -> float | None:
        """A number of the comment lines above 0. Raises `MeterError` for another."""
        value = self._number(name)
        if value is not None and value <= 0:
            raise MeterError(f"{self._path}: {name} is {self._facts[name]!r}; it must be above 0.")
        return value

    def _kind(self) -> MeterKind:
        """What the comment lines say, whatever its case: nothing modelled may count as measured."""
        said = self._facts.get("kind", "measured")
        for kind in get_args(MeterKind):
            if said.lower() == kind:
                return cast(MeterKind, kind)
        raise MeterError(f"{self._path}: kind is {said!r}; it must be measured or modelled.")

    def _check(self, what: str, values: NDArray[np.float64], most: float, unit: str) -> None:
        wrong = values[~(np.abs(values) <= most)]
        if len(wrong):
            raise MeterError(
                f"{self._path}: a {what} is {wrong[0]:g} {unit}; it must be {-most:g} to {most:g} {unit}."
            )

    def _marker(self, columns: Columns, rows: dict[int, NDArray[np.float64]]) -> NDArray[np.uint8] | None:
        if columns.marker is not None:
            levels = rows[columns.marker.index]
            wrong = levels[(levels != np.rint(levels)) | (levels < 0) | (levels > _MOST_MARKER)]
            if len(wrong):
                raise MeterError(
                    f"{self._path}: a marker is {wrong[0]:g}; it must be a whole number, 0 to "
                    f"{_MOST_MARKER}: eight inputs as bits."
                )
            return levels.astype(np.uint8)
        places = [(rows[index], bit) for index, bit in columns.marker_bits]
        if columns.marker_digits is not None:
            digits = rows[columns.marker_digits].astype(np.int64)
            places = [((digits // 10 ** (7 - bit) % 10).astype(np.float64), bit) for bit in range(8)]
        if not places:
            return None
        marker = np.zeros(len(places[0][0]), np.uint8)
        for column, bit in places:
            marker |= (column > 0).astype(np.uint8) << np.uint8(bit)
        return marker


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False
