"""Applies a plan to the kernel: CPU clock, cores, memory, NPU and GPU clock, all under one `sysfs_root`.

Every knob is optional: one that is absent or does not take its value becomes a note, not an error. The value
of a knob before its first change is saved and written back by `restore`. It is saved in a file too, so that a
program that was killed restores it at its next start.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from hw.board import Clocks
from power.policy.plan import PowerPlan

_CPUFREQ = "devices/system/cpu/cpufreq"
_DEVFREQ = "class/devfreq"
_USUAL_CLOCKS = Clocks()


@dataclass(frozen=True)
class Knob:
    """One file to write and the value a plan wants in it."""

    path: Path
    value: str


@dataclass(frozen=True)
class Applied:
    """The result of applying a plan."""

    written: tuple[Knob, ...]
    """Changed now, and verified by reading back."""
    notes: tuple[str, ...]
    """One sentence for each knob that is absent or refused."""


class Knobs:
    """Writes plans under one root; as a context manager it restores everything at the end, also after an
    error.
    """

    def __init__(
        self, sysfs_root: Path, kept: Path | None = None, clocks: Clocks | None = _USUAL_CLOCKS
    ) -> None:
        """`clocks` None: no knob is changed and nothing is noted. `kept`: the file for the original values,
        in a folder that a restart of the computer empties. A file that exists was left by a program that was
        killed: its values are written back now.
        """
        self._root = sysfs_root
        self._folders = (
            None if clocks is None else {"memory": clocks.memory, "NPU": clocks.npu, "GPU": clocks.gpu}
        )
        self._kept = kept
        self._saved: dict[Path, str] = self._left_behind()
        self.restore()

    def present(self) -> dict[str, bool]:
        """Which knobs this kernel offers, by name."""
        return {name: bool(files) for name, files in self._files().items()}

    def denied(self) -> dict[str, Path]:
        """Knobs that this user may not turn: name -> a file that takes no value from it."""
        denied = {
            name: next((path for path in files if not os.access(path, os.W_OK)), None)
            for name, files in self._files().items()
        }
        return {name: path for name, path in denied.items() if path is not None}

    def _files(self) -> dict[str, list[Path]]:
        """The files of each knob, by name; none where the kernel does not offer it."""
        if self._folders is None:
            return {}
        folders = {what: self._devfreq(what) for what in self._folders}
        state = self._root / "power/state"
        return {
            "CPU clock": sorted((self._root / _CPUFREQ).glob("policy*/scaling_max_freq")),
            "cores": sorted((self._root / "devices/system/cpu").glob("cpu[1-9]*/online")),
            **{f"{what} clock": [folder / "max_freq"] if folder else [] for what, folder in folders.items()},
            "suspend": [state] if "mem" in (_read(state) or "").split() else [],
        }

    def apply(self, plan: PowerPlan, *, loading: bool = False) -> Applied:
        """Write what differs from the plan. A limit of None restores the knob's original value. `loading`:
        models are loaded and none computes, for which the plan has a CPU clock of its own.
        """
        if self._folders is None:
            return Applied((), ())
        notes: list[str] = []
        wanted = [*self._cpu(plan, notes, loading), *self._cores(plan, notes)]
        limits_hz = {"memory": plan.ddr_max_hz, "NPU": plan.npu_max_hz, "GPU": plan.gpu_max_hz}
        for what, limit_hz in limits_hz.items():
            wanted += self._clock(what, limit_hz, notes)
        written = self._change(wanted, notes)
        return Applied(tuple(written), tuple(notes))

    def apply_cpu_clock(self, plan: PowerPlan, *, loading: bool) -> Applied:
        """`apply` of the CPU clock alone."""
        if self._folders is None:
            return Applied((), ())
        notes: list[str] = []
        written = self._change(self._cpu(plan, notes, loading), notes)
        return Applied(tuple(written), tuple(notes))

    def _change(self, wanted: list[Knob], notes: list[str]) -> list[Knob]:
        """Those that had another value and have this one now."""
        written = []
        for knob in wanted:
            before = _read(knob.path)
            if before is None or before == knob.value:
                continue
            problem = self._write(knob, before)
            if problem:
                notes.append(problem)
            else:
                written.append(knob)
        return written

    def restore(self) -> tuple[str, ...]:
        """Write every original value back; returns one sentence for each that failed. May be repeated."""
        problems = []
        for path, value in reversed(self._saved.items()):
            problem = _put(Knob(path, value))
            if problem:
                problems.append(problem)
        self._saved.clear()
        if self._kept is not None:
            with suppress(OSError):
                self._kept.unlink(missing_ok=True)
        return tuple(problems)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.restore()

    def _cpu(self, plan: PowerPlan, notes: list[str], loading: bool) -> list[Knob]:
        limit_khz = plan.load_cpu_max_khz if loading else plan.cpu_max_khz
        policies = sorted((self._root / _CPUFREQ).glob("policy*"))
        if not policies:
            notes.append("The CPU clock cannot be limited here: there is no cpufreq.")
        knobs = []
        for policy in policies:
            steps = policy / "scaling_available_frequencies"
            limit = self._limit(policy / "scaling_max_freq", steps, limit_khz)
            if limit:
                knobs.append(limit)
        return knobs

    def _cores(self, plan: PowerPlan, notes: list[str]) -> list[Knob]:
        switches = {
            int(path.parent.name[3:]): path
            for path in (self._root / "devices/system/cpu").glob("cpu[0-9]*/online")
            if path.parent.name[3:].isdigit()
        }
        switches.pop(0, None)  # core 0 cannot be switched off
        if not switches and plan.online_cpus < 4:
            notes.append("Cores cannot be switched off here.")
        return [
            Knob(path, "1" if core < plan.online_cpus else "0") for core, path in sorted(switches.items())
        ]

    def _devfreq(self, what: str) -> Path | None:
        ending = (self._folders or {})[what]
        folders = sorted((self._root / _DEVFREQ).glob(f"*{ending}"))
        return next((path for path in folders if path.name in (ending, f"{path.stem}.{ending}")), None)

    def _clock(self, what: str, limit_hz: int | None, notes: list[str]) -> list[Knob]:
        folder = self._devfreq(what)
        if folder is None:
            notes.append(f"The {what} clock cannot be limited here: the kernel does not offer it.")
            return []
        limit = self._limit(folder / "max_freq", folder / "available_frequencies", limit_hz)
        return [limit] if limit else []

    def _limit(self, path: Path, steps_path: Path, wanted: int | None) -> Knob | None:
        """The knob for a clock limit: the kernel's highest step not above it."""
        if wanted is None:
            return Knob(path, self._saved[path]) if path in self._saved else None
        steps = sorted(int(step) for step in (_read(steps_path) or "").split())
        reachable = [step for step in steps if step <= wanted] or steps[:1] or [wanted]
        return Knob(path, str(reachable[-1]))

    def _write(self, knob: Knob, before: str) -> str | None:
        if knob.path not in self._saved:
            self._saved[knob.path] = before
            self._keep()
        problem = _put(knob)
        if problem:
            _put(Knob(knob.path, before))
        return problem

    def _keep(self) -> None:
        """Save the original values; when that fails, only a killed program leaves its limits behind."""
        if self._kept is None:
            return
        values = {str(path.relative_to(self._root)): value for path, value in self._saved.items()}
        unfinished = self._kept.with_suffix(".new")
        with suppress(OSError):
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            unfinished.write_text(json.dumps(values))
            os.replace(unfinished, self._kept)

    def _left_behind(self) -> dict[Path, str]:
        text = None if self._kept is None else _read(self._kept)
        try:
            values = json.loads(text) if text else {}
            paths = {self._root / name: str(value) for name, value in values.items()}
            return {path: value for path, value in paths.items() if path.exists()}
        except (ValueError, AttributeError, RecursionError):
            return {}


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None


def _put(knob: Knob) -> str | None:
    """Write and read back; one sentence when the value was not taken."""
    try:
        knob.path.write_text(knob.value)
    except OSError as error:
        return f"{knob.path} cannot be written: {error.strerror}."
    now = _read(knob.path)
    return None if now == knob.value else f"{knob.path} was set to {knob.value} and says {now}."
