"""Bricks whose own place fails go on, on the cores: their NPU's driver is gone, it is busy, or too hot to
answer.

A detour lasts a while and then the brick's own place is tried again, with each failure in a row after twice
as long. Only the loss of a process or of its model begins one; a refused request says nothing of the place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from models.brick import BrickSpec, Placement

FIRST_S, LONGEST_S = 60.0, 3600.0
"""How long the first detour lasts, and the longest."""


@dataclass(frozen=True)
class _Detour:
    until_s: float
    failures: int


class Detours:
    """Says how each brick is loaded now."""

    def __init__(self, own: Mapping[str, BrickSpec], on_cores: Mapping[str, BrickSpec]) -> None:
        """own: the pack's bricks as placed; on_cores: the same on the cores, for those placed elsewhere."""
        self._own, self._on_cores = own, on_cores
        self._preferred: frozenset[str] = frozenset()
        self._patience_s: Mapping[str, float] = {}
        self._begun: dict[str, _Detour] = {}

    def prefer(self, on_cores: Collection[str], patience_s: Mapping[str, float]) -> None:
        """Bricks that are to compute on the cores although they may have another place; and after how many
        seconds without an answer each counts as stuck where it is to compute.
        """
        self._preferred, self._patience_s = frozenset(on_cores), dict(patience_s)

    def spec(self, name: str, now_s: float) -> BrickSpec:
        """How a brick of the pack is loaded at that time. Raises KeyError for another brick."""
        detour = self._begun.get(name)
        away = name in self._preferred or (detour is not None and now_s < detour.until_s)
        return self._on_cores.get(name, self._own[name]) if away else self._own[name]

    def patience_s(self, spec: BrickSpec, timeout_s: float) -> float:
        """The longest wait for a chunk from a brick that is loaded in this way."""
        own = self._own.get(spec.name, spec)  # the memory's store is no brick of the pack
        wanted_on_cores = spec.name in self._preferred or own.placement is Placement.CPU
        if (spec.placement is Placement.CPU) != wanted_on_cores:
            return timeout_s
        return min(timeout_s, self._patience_s.get(spec.name, timeout_s))

    def begin(self, failed: BrickSpec, now_s: float) -> bool:
        """A process of that brick failed: begins a detour; False where there is none."""
        if failed.placement is Placement.CPU or failed.name not in self._on_cores:
            return False
        before = self._begun.get(failed.name)
        failures = 1 if before is None else before.failures + 1
        lasts_s = min(LONGEST_S, FIRST_S * 2 ** (failures - 1))
        self._begun[failed.name] = _Detour(now_s + lasts_s, failures)
        return True

    def worked(self, spec: BrickSpec) -> None:
        """A request was answered by a brick that is loaded in this way."""
        if spec.placement is not Placement.CPU:
            self._begun.pop(spec.name, None)
