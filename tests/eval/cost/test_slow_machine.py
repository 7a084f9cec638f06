from __future__ import annotations

import asyncio
import time

from models.brick import Sentence
from models.process.residency import BrickEvent, Residency
from tests.eval.cost.latency_report import Series, verdict
from tests.eval.cost.slow_machine import held
from tests.models.process.toy_bench import run_bricks


def test_a_held_brick_computes_in_its_share_of_the_time() -> None:
    taken_s: list[float] = []
    computed_s: list[float] = []

    async def scenario(bricks: object, events: list[BrickEvent]) -> None:
        async for _ in bricks.run("a", Sentence("begin")):  # type: ignore[attr-defined]
            pass
        began_s = time.monotonic()
        async for _ in bricks.run("a", Sentence("compute")):  # type: ignore[attr-defined]
            pass
        taken_s.append(time.monotonic() - began_s)
        computed_s.append(events[-1].processor_s or 0.0)
        await asyncio.sleep(0)

    with held(4):
        run_bricks(scenario, Residency("budgeted"), a={"compute_s": 0.3})
    assert computed_s[0] > 0.2
    assert taken_s[0] > 2.5 * computed_s[0]


def test_what_loses_is_called_so() -> None:
    def series(work_s: float, bar_s: float | None = None) -> Series:
        return Series([0.4] * 3, [work_s] * 3, bar_s=bar_s)

    said = verdict("performance", {"a": series(1.0), "b": series(3.0), "performance": series(2.0, 2.0)})
    assert said == (
        "L 2.40 s [2.40, 2.40] LOSES to (a) 1.40 s [1.40, 1.40], wins against (b) 3.40 s [3.40, 3.40], "
        "MISSES the bar of 2 s"
    )
