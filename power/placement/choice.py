"""The rule that chooses where a brick computes, and with how many threads, from the table of placements.

Performance wants the least time, every other mode the least energy. So many threads work as take the least
energy among those that are hardly slower than the fastest: a core more than memory can feed is better left to
others. Of a brick without a row nothing is known: it computes where its pack says, with all threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from power.placement.table import Cost, Place, Table

HARDLY_SLOWER = 1.05
"""Times the fastest; so much slower nobody notices."""
PATIENCE = 3.0
"""Times the high end of a time's range: what takes longer at another place than the cores counts as stuck."""
LEAST_PATIENCE_S = 5.0
PATIENCE_ON_CORES, LEAST_ON_CORES_S = 10.0, 20.0
"""The same on the cores, which nothing can take over from, and which other programs keep busy as well."""
_CORES: tuple[Place, ...] = ("cores",)
TITLES: Mapping[Place, str] = {"cores": "the cores", "npu": "the NPU", "gpu": "the GPU"}


@dataclass(frozen=True)
class Placed:
    """Where a brick computes."""

    brick: str
    place: Place
    threads: int
    """At most; fewer where the computer has fewer cores."""
    reason: str
    """Why, in words."""
    patience_s: float | None = None
    """After so long without an answer it counts as stuck: at another place the cores take over, on the cores
    its process ends, and the wearer is told. None: no limit of its own.
    """


@dataclass(frozen=True)
class _Total:
    """All tasks of a brick together, loading left out."""

    place: Place
    threads: int
    seconds: float
    high_s: float
    energy_j: float
    kinds: tuple[str, ...]

    def __str__(self) -> str:
        kinds = " and ".join(self.kinds)
        takes = "take" if self.place == "cores" else "takes"
        return f"{TITLES[self.place]} {takes} {self.seconds:.3g} s and {self.energy_j:.3g} J, {kinds}"


def choose(
    table: Table,
    brick: str,
    mode: str,
    possible: Sequence[Place] = _CORES,
    *,
    cores: int = 4,
    unplugged: Mapping[Place, str] | None = None,
) -> Placed:
    """Where a brick computes. `possible`: the places for which it has a model here, the pack's own first.
    `unplugged`: the places that cannot be used now, with the reason; the cores always can.
    """
    unplugged = unplugged or {}
    usable = [place for place in possible if place == "cores" or place not in unplugged]
    lost = [f"{TITLES[place]} cannot be used: {unplugged[place]}" for place in possible if place in unplugged]
    best = [each for each in (_best(table, brick, place, mode, cores) for place in usable) if each]
    if not best:
        first = usable[0] if usable else "cores"
        unknown = [f"nothing is known of what it takes here, so {TITLES[first]}, as the pack says"]
        return Placed(brick, first, cores, "; ".join([*lost, *unknown]))
    fast = mode == "performance"
    chosen = min(best, key=lambda each: each.seconds if fast else each.energy_j)
    known = {each.place for each in best}
    unknown = [f"nothing is known of {TITLES[place]}" for place in usable if place not in known]
    others = [str(each) for each in best if each is not chosen]
    wanted = "the least time" if fast else "the least energy"
    why = f"{chosen}: {wanted}" if others else str(chosen)
    reason = "; ".join([why, *others, *unknown, *lost])
    times, least_s = PATIENCE, LEAST_PATIENCE_S
    if chosen.place == "cores":
        times, least_s = PATIENCE_ON_CORES, LEAST_ON_CORES_S
    patience_s = max(least_s, times * chosen.high_s)
    return Placed(brick, chosen.place, chosen.threads, reason, patience_s)


def choose_all(
    table: Table,
    mode: str,
    possible: Mapping[str, Sequence[Place]],
    *,
    cores: int = 4,
    unplugged: Mapping[Place, str] | None = None,
) -> tuple[Placed, ...]:
    """`choose` for every brick in `possible`."""
    return tuple(
        choose(table, brick, mode, places, cores=cores, unplugged=unplugged)
        for brick, places in possible.items()
    )


def _best(table: Table, brick: str, place: Place, mode: str, cores: int) -> _Total | None:
    """The place with its best number of threads; None without a row."""
    totals = list(_totals(table.rows(brick, place, mode), place, cores))
    if not totals:
        return None
    least_s = min(each.seconds for each in totals)
    quick = [each for each in totals if each.seconds <= HARDLY_SLOWER * least_s]
    return min(quick, key=lambda each: (each.energy_j, each.threads))


def _totals(costs: Iterable[Cost], place: Place, cores: int) -> Iterable[_Total]:
    """By threads, those only with which every task is known."""
    by_threads: dict[int, dict[str, Cost]] = {}
    for cost in costs:
        if cost.task != "load" and cost.threads <= cores:
            by_threads.setdefault(cost.threads, {})[cost.task] = cost
    most = max((len(tasks) for tasks in by_threads.values()), default=0)
    for threads, tasks in sorted(by_threads.items()):
        if len(tasks) == most:
            each = tasks.values()
            yield _Total(
                place,
                threads,
                sum(cost.seconds for cost in each),
                max(cost.high_s for cost in each),
                sum(cost.energy_j for cost in each),
                tuple(sorted({cost.kind for cost in each})),
            )
