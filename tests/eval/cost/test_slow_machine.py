from __future__ import annotations

import os
import shutil
import sys
import time

import pytest

from tests.eval.cost.latency_report import Series, verdict
from tests.eval.cost.slow_machine import run_stretched

Capture = pytest.CaptureFixture[str]

WAITS = """
import asyncio, select, threading, time

def lasted(what):
    begun_s = time.monotonic()
    what()
    return time.monotonic() - begun_s

print(lasted(lambda: time.sleep(4)), lasted(lambda: asyncio.run(asyncio.sleep(4))))
print(lasted(lambda: threading.Event().wait(4)), lasted(lambda: select.select([], [], [], 4)))
"""
COMPUTES = """
import time

begun_s = time.process_time()
while time.process_time() < begun_s + 4:
    pass
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_waiting_keeps_its_length_in_a_stretched_clock_and_passes_sooner(capfd: Capture) -> None:
    begun_s = time.monotonic()
    assert run_stretched(40, [sys.executable, "-c", WAITS]) == 0
    assert time.monotonic() - begun_s < 8.0
    lasted_s = [float(each) for each in capfd.readouterr().out.split()]
    assert len(lasted_s) == 4
    assert min(lasted_s) >= 3.99


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_computing_takes_longer_in_a_stretched_clock() -> None:
    def computed_s() -> float:
        return sum(os.times()[2:4])

    begun_s = computed_s()
    assert run_stretched(40, [sys.executable, "-c", COMPUTES]) == 0
    assert 0.1 <= computed_s() - begun_s < 3.0


def test_a_clock_that_cannot_be_made_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="needs a C compiler"):
        run_stretched(8, [sys.executable, "-c", ""])


def test_what_loses_is_called_so() -> None:
    def series(work_s: float, bar_s: float | None = None) -> Series:
        return Series([0.4] * 3, [work_s] * 3, bar_s=bar_s)

    said = verdict("performance", {"a": series(1.0), "b": series(3.0), "performance": series(2.0, 2.0)})
    assert said == (
        "L 2.40 s [2.40, 2.40] LOSES to (a) 1.40 s [1.40, 1.40], wins against (b) 3.40 s [3.40, 3.40], "
        "MISSES the bar of 2 s"
    )
