"""The report of a run of the virtual board; written after each finding, so it exists however the run ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.virtual.attached import Check

BUILDING = "everything"
"""The remaining step before the steps are known."""


class Report:
    """Findings, figures and remaining steps of a run; `say` prints a line for each finding."""

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        """Writes an empty report. Raises `OSError` when it cannot be written."""
        self.figures: dict[str, Any] = {}
        """Figures by name, as JSON values."""
        self._path = path
        self._say = say
        self._checks: list[Check] = []
        self._to_come = [BUILDING]
        self._running = ""
        self._ended = "it is running, or was killed"
        self.write()

    @property
    def held(self) -> bool:
        """Whether every step was reached and passed."""
        return not self._to_come and all(check.held for check in self._checks)

    def expect(self, steps: Iterable[str]) -> None:
        """Sets the steps that remain, when the board is built."""
        self._to_come = list(steps)
        self.write()

    def check(self, name: str, held: bool, says: str) -> None:
        """Adds a finding."""
        self._checks.append(Check(name, held, says))
        self._say(f"{'ok    ' if held else 'BROKEN'} {name}: {says}")
        self.write()

    def reached(self, step: str) -> None:
        """Records that a step has begun."""
        self._to_come.remove(step)
        self._running = step
        self.write()

    def over(self) -> None:
        """Records that a step has ended; its failures are among the findings."""
        self._running = ""
        self.write()

    def end(self, how: str) -> None:
        """Writes the report for the last time; returns a summary as text."""
        self._ended = f"{how} during {self._running}" if self._running else how
        self.write()
        failed = [check.name for check in self._checks if not check.held]
        said = [f"{len(self._checks) - len(failed)} passed"]
        said += [f"{len(failed)} failed ({', '.join(failed)})"] if failed else []
        said += [f"{len(self._to_come)} not reached ({', '.join(self._to_come)})"] if self._to_come else []
        self._say(f"{self._ended}: {'; '.join(said)}; all of it is in {self._path}")

    def write(self) -> None:
        """Replaces the file in one step. Raises `OSError`."""
        text = json.dumps(
            {
                "ended": self._ended,
                "passed": [asdict(check) for check in self._checks if check.held],
                "failed": [asdict(check) for check in self._checks if not check.held],
                "not_reached": self._to_come,
                **self.figures,
            },
            indent=2,
        )
        part = self._path.with_name(f"{self._path.name}.part")
        part.write_text(text + "\n")
        os.replace(part, self._path)
