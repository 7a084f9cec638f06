"""Which settings of the power policy the training days choose; nothing that is published is judged on them.

`headband power replay DAY --draws N` judges the policy with those settings on held-out days.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from host.states import StateMachine
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from power.replay.draws import drawn, lives
from power.twin.break_even import break_even
from power.twin.day import load_day
from power.twin.governors import OurPolicy
from power.twin.other_days import TRAINING, another_day
from power.twin.parameters import load_parameters
from tests.eval.arguments import counted

DAYS, PACKS = ("light", "normal", "heavy"), ("micro", "standard", "fast")
CLOCKS_KHZ = (1_104_000, 1_416_000, 1_608_000, 1_800_000)
MOST_WAIT = 1.25
"""Declared: at the end of the battery a quarter longer wait is what a wearer would miss least."""


@dataclass(frozen=True)
class Clock:
    """The end of the battery with one lowest clock, relative to the full one."""

    khz: int
    longer: float
    """Hours, mean over days, packs and draws."""
    longer_in: float
    """Share of these in which it lasts longer."""
    wait: float
    """Mean wait."""


def clocks(count: int) -> list[Clock]:
    """Every candidate over `count` draws of parameters on training days, each pack on each kind of day."""
    ends: dict[int, list[dict[str, float]]] = {khz: [] for khz in CLOCKS_KHZ}
    parameters = load_parameters()
    for number in TRAINING[:count]:
        for name in DAYS:
            day, values = another_day(load_day(name), number), drawn(parameters, number)
            for pack in PACKS:
                makers = [lambda khz=khz: OurPolicy(_with(khz)) for khz in CLOCKS_KHZ]  # type: ignore[misc]
                runs = lives(day, values, StateMachine, makers, pack, parts=("end",))
                for khz, run in zip(CLOCKS_KHZ, runs, strict=True):
                    ends[khz].append(run["end"])
    full = ends[CLOCKS_KHZ[-1]]
    found = []
    for khz, runs in ends.items():
        hours = np.array([run["hours"] / best["hours"] for run, best in zip(runs, full, strict=True)])
        waits = [
            run["wait_s"] / best["wait_s"] for run, best in zip(runs, full, strict=True) if best["wait_s"]
        ]
        found.append(Clock(khz, float(hours.mean()), float((hours > 1).mean()), float(np.mean(waits))))
    return found


def chosen(found: list[Clock]) -> int:
    """The clock with the longest end among those with a bearable wait."""
    return max((clock for clock in found if clock.wait <= MOST_WAIT), key=lambda clock: clock.longer).khz


def quiet_s(count: int) -> list[float]:
    """The break-even of sleep in every draw, rising."""
    parameters = load_parameters()
    return sorted(
        break_even(drawn(parameters, number), PACKS[-1])["sleep_after_s"] for number in TRAINING[:count]
    )


def _with(khz: int) -> PowerConfig:
    higher = tuple(step for step in PowerConfig().cpu_steps_khz if step > khz)
    return PowerConfig(cpu_steps_khz=(khz, *higher))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="justw eval policy", description=__doc__)
    parser.add_argument("--draws", type=counted, default=20, help="draws of the parameters (default 20)")
    count = min(len(TRAINING), max(1, parser.parse_args().draws))
    print(f"{count} draws of all parameters, each on a training day of each kind, every pack (modelled)")
    found = clocks(count)
    for clock in found:
        print(
            f"  lowest clock {clock.khz / 1e6:.3f} GHz: the end from 20 percent lasts "
            f"{100 * (clock.longer - 1):+.1f} % (longer in {clock.longer_in:.0%}), "
            f"wait {100 * (clock.wait - 1):+.0f} %"
        )
    print(
        f"  chosen: {chosen(found) / 1e6:.3f} GHz, the longest with at most {100 * (MOST_WAIT - 1):.0f} % "
        f"more wait; the policy has {PowerConfig().cpu_steps_khz[0] / 1e6:.3f} GHz in {Mode.CASCADE.value}"
    )
    quiet = quiet_s(count)
    print(
        f"  asleep after: break-even {np.median(quiet):.1f} s (nine in ten draws {quiet[count // 20]:.1f} to "
        f"{quiet[-1 - count // 20]:.1f} s); the policy has {PowerConfig().sleep_within_s:g} s"
    )


if __name__ == "__main__":
    main()
