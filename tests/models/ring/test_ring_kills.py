"""SIGKILL and SIGSTOP at every line of the ring's code: no slot is lost, and no process waits for ever."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from models.ring.ring import Ring
from tests.eval.ring.kills import KillFigures
from tests.models.ring.ring_players import SLOTS, TOKENS, WIDTH, Player

ROOT = Path(__file__).parents[3]


def printed(kills: str) -> Any:
    """What the program of its own that kills prints."""
    command = [sys.executable, "-m", "tests.models.ring.ring_kills", kills]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_process_killed_at_any_line_leaves_a_ring_that_works():
    assert printed("cycle") > 150


def test_a_producer_killed_at_any_line_of_its_commit_leaves_no_sleeper_asleep():
    assert printed("commit") > 2


@pytest.mark.parametrize("inherit", [False, True])
def test_calls_of_two_processes_never_mix(inherit: bool):
    """One process is stopped at any line of its call while the other makes the same call."""
    ring = Ring.create(SLOTS, TOKENS, WIDTH)
    first, second = (Player(ring, inherit=inherit) for _ in range(2))
    waited = 0
    for lines in range(1000):
        first.tell("allocate", True, math.inf, stop_after=lines)
        if not first.stops():
            break
        second.tell("allocate", True, math.inf)
        waited += not second.answers(0.02)
        os.kill(first.pid, signal.SIGCONT)
        refs = first.answer(), second.answer()
        assert refs[0].index != refs[1].index and refs[0].sequence != refs[1].sequence
        first.ask("abandon", refs[0])
        second.ask("abandon", refs[1])
    assert 0 < waited < lines
    first.end()
    second.end()
    ring.close()


def test_kills_at_random_moments_wedge_no_slot():
    figures = KillFigures(**printed("random"))
    assert figures.kills == 60 and figures.wedged == 0 and figures.torn == 0 and figures.passed > 0
