"""The twin's parameters: each with its range and its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hw.settings import SettingsError, read_settings
from power.account.energy_model import DEFAULT_PARAMETERS as BOARD_FILE
from power.account.energy_model import EnergyModel, Number, load_energy_model, read_energy_table
from power.twin.answered import PACKS, answered_share
from power.twin.work import (
    BRICKS,
    COUNTED_FILE,
    MOTION,
    RECALL,
    REFLEX,
    TEXT,
    CountedTable,
    CountedTime,
    PackCosts,
    Work,
    split,
)

TWIN_FILE = Path(__file__).with_name("parameters.toml")


class TwinError(Exception):
    """The twin cannot run with what it was given; one sentence."""


Numbers = Mapping[str, Number]


@dataclass(frozen=True)
class TwinTable:
    """The twin's parameter file."""

    cell: Numbers
    sleep: Numbers
    camera: Numbers
    memory: Numbers
    flash: Numbers
    heat: Numbers
    talk: Numbers
    reflex: Numbers
    motion: Numbers
    pack: Mapping[str, Mapping[str, Number | bool | str]] = field(default_factory=dict)
    """Per pack, what is not counted, and also `vision_stage` and, where it has those bricks, `reflex` and
    `motion`.
    """


@dataclass(frozen=True)
class Quantity:
    """One number of the parameter files."""

    value: float
    low: float
    high: float
    source: str
    """Where it comes from, or that it is an estimate."""

    @property
    def estimate(self) -> bool:
        """Is it an estimate?"""
        return "estimate" in self.source.lower()


@dataclass(frozen=True)
class Parameters:
    """Every parameter by its dotted name, "cell.capacity_mah", and the energy table."""

    quantities: Mapping[str, Quantity]
    packs: Mapping[str, Mapping[str, Any]]
    """Per pack `vision_stage`, `reflex` and `motion`."""
    counted: Mapping[str, CountedTime]
    """What was counted, by the names of its quantities."""
    table: EnergyModel
    """The energy table of the file."""
    reflex: bool | None = None
    """Whether packs answer closed questions without the language model; None: as each says."""
    motion: bool | None = None
    """Whether packs answer questions about the last seconds from pictures in order; None: as each says."""
    remembering: bool = False
    """Whether packs have the bricks of the memory in memory, as the wearer has it remember."""

    def __getitem__(self, name: str) -> float:
        return self.quantities[name].value

    def changed(self, values: Mapping[str, float]) -> Parameters:
        """A copy with other values. Raises `TwinError` for an unknown name."""
        unknown = set(values) - set(self.quantities)
        if unknown:
            raise TwinError(f"The twin has no parameter {', '.join(sorted(unknown))}.")
        changed = {name: replace(self.quantities[name], value=value) for name, value in values.items()}
        return replace(self, quantities={**self.quantities, **changed})

    def known(self, values: Mapping[str, float]) -> Parameters:
        """A copy with values that a person or a setting gives, about which nothing is unsure. Raises
        `TwinError` for an unknown name.
        """
        changed = self.changed(values)
        surely = {
            name: replace(changed.quantities[name], low=value, high=value) for name, value in values.items()
        }
        return replace(changed, quantities={**changed.quantities, **surely})

    def scaled(self, name: str, value: float) -> Parameters:
        """A copy with another value of one quantity, as unsure in proportion as before."""
        before = self.quantities[name]
        share = value / before.value
        other = replace(before, value=value, low=before.low * share, high=before.high * share)
        return replace(self, quantities={**self.quantities, name: other})

    @cached_property
    def energy(self) -> EnergyModel:
        """The energy table with the present values."""
        return replace(
            self.table,
            core_mw_per_mhz_v2=self["cpu.core_mw_per_mhz_v2"],
            parts_mw={part: self[f"parts.{part}"] for part in self.table.parts_mw},
            floor_mw=self["board.floor_mw"],
            suspend_mw=self["board.suspend_mw"],
            pmu_mw=self["board.pmu_mw"],
            pmu_asleep_mw=self["board.pmu_asleep_mw"],
            conversion=self["board.conversion"],
        )

    def answered_share(self, pack: str) -> str:
        """The name of the share of questions about the view that a pack's reflex answers: the pack's own
        where that is known, otherwise the estimate for all.
        """
        own = f"pack.{pack}.reflex_answered_share"
        return own if own in self.quantities else "reflex.answered_share"

    def pack(self, name: str) -> PackCosts:
        """The costs of a pack. Raises `TwinError` when it is unknown."""
        if name not in self.packs:
            raise TwinError(f"The twin knows no pack {name!r}; it knows {', '.join(sorted(self.packs))}.")
        words = self.packs[name]
        load = {brick: self._load(name, brick) for brick in BRICKS}
        memory_mib = {brick: self[f"pack.{name}.{brick}_mib"] for brick in BRICKS}
        reflex = words.get("reflex", False) if self.reflex is None else self.reflex
        if reflex:
            load[REFLEX] = self._own_load(name, REFLEX) or load["llm"] * self["reflex.load_share"]
            own_mib = f"pack.{name}.reflex_mib"
            share_mib = memory_mib["llm"] * self["reflex.memory_share"]
            memory_mib[REFLEX] = self[own_mib] if own_mib in self.quantities else share_mib
        vision = self._work(f"pack.{name}.vision_s", self["memory.npu_bound"])
        motion = words.get("motion", False) if self.motion is None else self.motion
        if motion:
            load[MOTION] = self._own_load(name, MOTION) or load["vision"] * self["motion.load_share"]
            memory_mib[MOTION] = self["motion.memory_mib"]
        remembers = {each: self._remembers(name, each) for each in (RECALL, TEXT)}
        for brick in (each for each, work in remembers.items() if work):
            load[brick] = self._load(name, brick)
            memory_mib[brick] = self[f"pack.{name}.{brick}_mib"]
        return PackCosts(
            name=name,
            vision_stage=words["vision_stage"],
            stt=self._work(f"pack.{name}.stt_s"),
            stt_per_s=self._work(f"pack.{name}.stt_s_per_s"),
            vision=vision,
            prefill=self._work(f"pack.{name}.prefill_s"),
            token=self._work(f"pack.{name}.token_s"),
            tts_per_s=self._work(f"pack.{name}.tts_s_per_s"),
            load=load,
            memory_mib=memory_mib,
            read_s={brick: self._read_s(name, brick) for brick in load},
            reflex=reflex,
            reflex_share=self["reflex.work_share"],
            reflex_work=self._own_work(name, REFLEX),
            read_for_reflex=(self._own_work(name, "read") or Work()) * self["reflex.read_share"],
            motion=motion,
            clip_unit=self._own_work(name, "clip_unit") or vision * self["motion.unit_share"],
            clip_answer=self._own_work(name, "clip_answer") or vision * self["motion.answer_share"],
            recall=remembers[RECALL],
            phrase=remembers[TEXT],
        )

    def _own_work(self, pack: str, work: str) -> Work | None:
        """What was counted of the pack itself; None for one of which that was not."""
        name = f"pack.{pack}.{work}_s"
        return self._work(name) if name in self.quantities else None

    def _own_load(self, pack: str, brick: str) -> Work | None:
        return self._load(pack, brick) if f"pack.{pack}.load_{brick}_s" in self.quantities else None

    def _remembers(self, pack: str, brick: str) -> Work | None:
        """What a brick of the memory takes for one view or phrase."""
        name = f"pack.{pack}.{brick}_s"
        return self._work(name) if self.remembering and name in self.quantities else None

    def _work(self, name: str, memory: float = 0.0) -> Work:
        """By the counted shares; of an estimate `memory` is the memory's, and the cores' clock changes
        nothing.
        """
        counted = self.counted.get(name)
        shares = (memory, 1 - memory) if counted is None else (counted.memory, counted.wait)
        return split(self[name], *shares)

    def _load(self, pack: str, brick: str) -> Work:
        """The work of loading a brick, and of reading its file, which its number does not include where the
        size of the file is given.
        """
        return self._work(f"pack.{pack}.load_{brick}_s") + Work(fixed_s=self._read_s(pack, brick))

    def _read_s(self, pack: str, brick: str) -> float:
        """The time to read a brick's file, where its size is given; otherwise its load includes that."""
        name = f"pack.{pack}.{brick}_file_mb"
        if name not in self.quantities and f"pack.{pack}.load_{brick}_s" not in self.counted:
            return 0.0
        return self[name] / self["flash.read_mb_s"]


def load_parameters(
    twin_file: Path = TWIN_FILE,
    board_file: Path = BOARD_FILE,
    counted_file: Path = COUNTED_FILE,
    packs_folder: Path = PACKS,
) -> Parameters:
    """The three files, and what the packs in `packs_folder` tell of themselves. Raises `TwinError`, or
    `EnergyError` for the board's, when one cannot be read or a number lacks source or range.
    """
    model, board = load_energy_model(board_file), read_energy_table(board_file)
    try:
        twin: TwinTable = read_settings(TwinTable, twin_file, "table of twin parameters")
        times: CountedTable = read_settings(CountedTable, counted_file, "table of counted times")
    except SettingsError as error:
        raise TwinError(str(error)) from None
    of_board = {item.name: getattr(board.board, item.name) for item in fields(board.board)}
    quantities = _section(board_file, "board", of_board)
    quantities |= _section(
        board_file, "cpu", {"core_mw_per_mhz_v2": board.cpu.core_mw_per_mhz_v2}
    ) | _section(board_file, "parts", board.parts)
    for item in fields(twin):
        if item.name != "pack":
            quantities |= _section(twin_file, item.name, getattr(twin, item.name))
    packs = {}
    for name, entries in twin.pack.items():
        words = {key: each for key, each in entries.items() if not isinstance(each, Number)}
        given = {"reflex": bool, "motion": bool} | {key: type(each) for key, each in words.items()}
        if given != {"vision_stage": str, "reflex": bool, "motion": bool}:
            raise TwinError(
                f"In {twin_file}, [pack.{name}] needs vision_stage, a text; reflex and motion may be true or "
                "false."
            )
        packs[name] = words
        numbers = {key: each for key, each in entries.items() if isinstance(each, Number)}
        quantities |= _section(twin_file, f"pack.{name}", numbers)
    counted: dict[str, CountedTime] = {}
    for name, entries_s in times.pack.items():
        quantities |= _section(counted_file, f"pack.{name}", entries_s)
        counted |= {f"pack.{name}.{key}": each for key, each in entries_s.items()}
    # Those of the memory last, so that what is drawn for the others does not depend on them.
    quantities = dict(sorted(quantities.items(), key=lambda each: of_memory(each[0])))
    for name in packs:  # last, too
        quantities |= _answered(name, packs_folder)
    parameters = Parameters(quantities, packs, counted, model)
    _check(parameters, twin_file)
    return parameters


def _answered(pack: str, folder: Path) -> dict[str, Quantity]:
    """What the pack's reflex answers, where its training wrote that down."""
    try:
        share = answered_share(pack, folder)
    except ValueError as error:
        raise TwinError(str(error)) from None
    if share is None:
        return {}
    source = (
        f"answered_share of models/packs/{pack}, of closed questions on validation at normal caution; range: "
        "estimate, a quarter either way, as strange pictures differ from those of validation"
    )
    return {
        f"pack.{pack}.reflex_answered_share": Quantity(share, 0.75 * share, min(1.0, 1.25 * share), source)
    }


def of_memory(name: str) -> bool:
    """Whether a quantity is one of a brick that only remembering needs."""
    section, _, number = name.rpartition(".")
    return section.startswith("pack.") and number.removeprefix("load_").startswith((f"{RECALL}_", f"{TEXT}_"))


def _section(path: Path, section: str, entries: Numbers) -> dict[str, Quantity]:
    found = {}
    for key, entry in entries.items():
        if entry.low is None or entry.high is None:
            raise TwinError(f"{path} gives no range for {section}.{key}.")
        found[f"{section}.{key}"] = Quantity(entry.value, entry.low, entry.high, entry.source)
    return found


_ABOVE_ZERO = (
    "cell.capacity_mah", "cell.resistance_mohm", "cell.cold_resistance", "memory.full_hz", "flash.read_mb_s",
    "heat.soc_settling_s", "heat.cell_settling_s", "talk.tokens_per_s", "talk.fixed_reply_s",
)  # fmt: skip
"""The twin divides by them."""


def _check(parameters: Parameters, path: Path) -> None:
    """Raise `TwinError` for a missing parameter, and for one that may not be 0."""
    needed = (
        "cell.capacity_mah cell.resistance_mohm cell.cold_resistance cell.cold_capacity cell.empty_mv "
        "cell.charge_ma sleep.resume_s sleep.hand_over_s sleep.enter_s sleep.quiet_s "
        "sleep.household_wakes_per_hour sleep.sound_share sleep.pmu_recording_mw "
        "sleep.speech_wakes_per_hour camera.capture_s camera.streaming_s memory.clock_range_mw "
        "memory.full_hz memory.keep_mw_per_gib memory.npu_bound flash.read_mb_s "
        "heat.soc_k_per_w heat.soc_settling_s "
        "heat.cell_k_per_w heat.cell_settling_s heat.worn_k talk.wake_word_s talk.pause_s "
        "talk.end_silence_s "
        "talk.follow_up_s talk.tokens_per_s talk.text_prompt_share talk.fixed_reply_s "
        "talk.first_sentence_tokens talk.first_written_tokens talk.first_spoken_tokens talk.patience_s "
        "talk.first_piece_s "
        "reflex.answered_share reflex.work_share reflex.read_share reflex.load_share "
        "reflex.memory_share "
        "motion.unit_share motion.answer_share motion.load_share motion.memory_mib"
    ).split()
    missing = [name for name in needed if name not in parameters.quantities]
    if missing:
        raise TwinError(f"{path} lacks {', '.join(missing)}.")
    for name in _ABOVE_ZERO:
        if parameters.quantities[name].low <= 0:
            raise TwinError(f"In {path}, {name} must be above 0, its low end as well.")
    for name, words in parameters.packs.items():
        try:
            replace(parameters, remembering=True).pack(name)
        except KeyError as error:
            raise TwinError(f"{path} lacks {error.args[0]}.") from None
        if words["vision_stage"] not in parameters.table.stages:
            raise TwinError(f"{path} gives the pack {name} an unknown stage, {words['vision_stage']}.")
