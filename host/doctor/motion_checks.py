"""Check of `headband doctor` for questions about the last seconds."""

from __future__ import annotations

import asyncio
from pathlib import Path

from host.doctor.finding import Finding
from hw.supply import BatteryReading
from models.pack.catalogue import PackError, load_pack
from power.policy.config import PowerConfig
from power.policy.policy import Policy

_CHARGES = (("performance", 80), ("throttled", 35), ("cascade", 12))
"""Mode -> a charge at which the policy chooses it."""


async def motion_finding(pack: str | Path, power: PowerConfig) -> Finding:
    """Says whether the pack understands several pictures in order, and how often the plan of each mode has
    one taken while a question is spoken.
    """
    try:
        loaded = await asyncio.to_thread(load_pack, pack, verify=False)
    except PackError:
        return Finding("motion", "note", "see pack")
    if "motion" not in loaded.bricks:
        two = "questions about what moved are answered from two views"
        return Finding("motion", "note", f"pack '{loaded.name}' knows no motion: {two}")
    if not power.clips:
        says = f"pack '{loaded.name}' knows motion, and [power] clips is off: no pictures are kept for it"
        return Finding("motion", "note", says)
    taken = "; ".join(f"{mode} {_sampled(power, percent)}" for mode, percent in _CHARGES)
    return Finding("motion", "ok", f"pictures while a question is spoken: {taken}")


def _sampled(power: PowerConfig, percent: int) -> str:
    reading = BatteryReading(percent, 3800, -200, 25.0, charging=False, state="good")
    plan, _ = Policy(power).decide(reading, 0.0)
    if plan.clip_interval_s is None:
        return "none"
    when = "as it comes" if plan.clip_on_arrival else "when it is asked about"
    return f"every {plan.clip_interval_s:g} s, encoded {when}"
