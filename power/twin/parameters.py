"""The numbers of the twin: each with the range it may lie in and the place it comes from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from power.energy import DEFAULT_PARAMETERS as BOARD_FILE
from power.energy import EnergyModel, load_energy_model

TWIN_FILE = Path(__file__).with_name("parameters.toml")
ROUTES = ("device", "memory", "frames", "now", "open", "unclear")
BRICKS = ("stt", "vision", "llm", "tts")


class TwinError(Exception):
    """The twin cannot run with what it was given; one sentence."""


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
        """Nobody measured it."""
        return "estimate" in self.source.lower()


@dataclass(frozen=True)
class PackCosts:
    """What a model pack needs on the board at its full clocks."""

    name: str
    vision_stage: str
    """Stage of the energy table that the vision encoder is."""
    stt_s: float
    stt_s_per_s: float
    """Transcription besides `stt_s`, per second of speech."""
    vision_s: float
    prefill_s: float
    token_s: float
    tts_s_per_s: float
    """Synthesis per second of speech."""
    load_s: Mapping[str, float]
    memory_mib: Mapping[str, float]


@dataclass(frozen=True)
class Parameters:
    """Every number by its dotted name, "cell.capacity_mah", and the energy table that is built from some."""

    quantities: Mapping[str, Quantity]
    packs: Mapping[str, Mapping[str, Any]]
    """Per pack what is no number: `scaled` and `vision_stage`."""
    table: EnergyModel
    """The energy table as its file has it."""

    def __getitem__(self, name: str) -> float:
        return self.quantities[name].value

    def changed(self, values: Mapping[str, float]) -> Parameters:
        """The same with other values. Raises `TwinError` for a name that is unknown."""
        unknown = set(values) - set(self.quantities)
        if unknown:
            raise TwinError(f"The twin has no parameter {', '.join(sorted(unknown))}.")
        changed = {name: replace(self.quantities[name], value=value) for name, value in values.items()}
        return replace(self, quantities={**self.quantities, **changed})

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
            conversion=self["board.conversion"],
            slowdown=self["board.slowdown"],
        )

    def pack(self, name: str) -> PackCosts:
        """The costs of a pack. Raises `TwinError` when it is unknown."""
        if name not in self.packs:
            raise TwinError(f"The twin knows no pack {name!r}; it knows {', '.join(sorted(self.packs))}.")
        words = self.packs[name]
        scale = self["board.slowdown"] if words["scaled"] else 1.0

        def seconds(what: str) -> float:
            return self[f"pack.{name}.{what}"] * scale

        return PackCosts(
            name=name,
            vision_stage=words["vision_stage"],
            stt_s=seconds("stt_s"),
            stt_s_per_s=seconds("stt_s_per_s"),
            vision_s=seconds("vision_s"),
            prefill_s=seconds("prefill_s"),
            token_s=seconds("token_s"),
            tts_s_per_s=seconds("tts_s_per_s"),
            load_s={brick: seconds(f"load_{brick}_s") for brick in BRICKS},
            memory_mib={brick: self[f"pack.{name}.{brick}_mib"] for brick in BRICKS},
        )


def load_parameters(twin_file: Path = TWIN_FILE, board_file: Path = BOARD_FILE) -> Parameters:
    """Both files. Raises `TwinError`, or `EnergyError` for the board's, when one cannot be read or a number
    lacks source or range.
    """
    table = load_energy_model(board_file)
    quantities: dict[str, Quantity] = {}
    packs: dict[str, dict[str, Any]] = {}
    try:
        board = tomllib.loads(board_file.read_text(encoding="utf-8"))
        twin = tomllib.loads(twin_file.read_text(encoding="utf-8"))
        for section in ("board", "cpu", "parts"):
            numbers = {name: entry for name, entry in board[section].items() if name != "points"}
            quantities |= _section(board_file, section, numbers)
        for section, entries in twin.items():
            if section != "pack":
                quantities |= _section(twin_file, section, entries)
                continue
            for name, pack in entries.items():
                words = {key: value for key, value in pack.items() if not isinstance(value, dict)}
                packs[name] = {"scaled": bool(words["scaled"]), "vision_stage": str(words["vision_stage"])}
                numbers = {key: value for key, value in pack.items() if key not in words}
                quantities |= _section(twin_file, f"pack.{name}", numbers)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise TwinError(f"{twin_file} is not a usable table of twin parameters ({error}).") from None
    parameters = Parameters(quantities, packs, table)
    _check(parameters, twin_file)
    return parameters


def _section(path: Path, section: str, entries: Mapping[str, Any]) -> dict[str, Quantity]:
    found = {}
    for key, entry in entries.items():
        name = f"{section}.{key}"
        if not entry.get("source"):
            raise TwinError(f"{path} gives no source for {name}.")
        if "low" not in entry or "high" not in entry:
            raise TwinError(f"{path} gives no range for {name}.")
        value, low, high = float(entry["value"]), float(entry["low"]), float(entry["high"])
        if not low <= value <= high:
            raise TwinError(f"{path} has {name} outside its own range.")
        found[name] = Quantity(value, low, high, str(entry["source"]))
    return found


def _check(parameters: Parameters, path: Path) -> None:
    """Use every number once, so that a missing one is told now."""
    needed = (
        "cell.capacity_mah cell.resistance_mohm cell.cold_resistance cell.cold_capacity cell.empty_mv "
        "cell.charge_ma sleep.resume_s sleep.enter_s sleep.quiet_s sleep.household_wakes_per_hour "
        "sleep.speech_wakes_per_hour camera.capture_s camera.streaming_s memory.clock_range_mw "
        "memory.full_hz memory.llm_bound memory.other_bound heat.soc_k_per_w heat.soc_settling_s "
        "heat.cell_k_per_w heat.cell_settling_s heat.worn_k talk.wake_word_s talk.pause_s "
        "talk.end_silence_s "
        "talk.follow_up_s talk.tokens_per_s talk.text_prompt_share talk.fixed_reply_s "
        "talk.first_sentence_tokens"
    ).split()
    missing = [name for name in needed if name not in parameters.quantities]
    if missing:
        raise TwinError(f"{path} lacks {', '.join(missing)}.")
    for name, words in parameters.packs.items():
        try:
            parameters.pack(name)
        except KeyError as error:
            raise TwinError(f"{path} lacks {error.args[0]}.") from None
        if words["vision_stage"] not in parameters.table.stages:
            raise TwinError(f"{path} gives the pack {name} an unknown stage, {words['vision_stage']}.")
