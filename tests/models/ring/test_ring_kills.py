"""SIGKILL and SIGSTOP at every line of the ring's code: no slot is lost, and no process waits for ever."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from models.ring.header import SlotState
from models.ring.ring import ReadSlot, Ring
from tests.eval.ring.kills import kill_at_random
from tests.models.ring.ring_players import SLOTS, TOKENS, WIDTH, Died, Player, fill, whole

ROOT = Path(__file__).parents[3]


def test_a_process_killed_at_any_line_leaves_a_ring_that_works():
    command = [sys.executable, "-m", "tests.models.ring.ring_kills"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 150


def test_a_producer_killed_at_any_line_of_its_commit_leaves_no_sleeper_asleep():
    ring = Ring.create(1, TOKENS, WIDTH)
    outcomes: set[bool] = set()
    for lines in range(1000):
        taken: list[ReadSlot | None] = []
        sleeper = threading.Thread(target=lambda taken=taken: taken.append(ring.take(30.0)))
        sleeper.start()
        time.sleep(0.01)
        player = Player(ring)
        ref = player.ask("allocate", True, math.inf)
        try:
            player.ask("commit", ref, die_after=lines)
        except Died:
            committed = SlotState.FREE not in ring.states()
        else:
            break
        if not committed:
            slot = ring.allocate(TOKENS, WIDTH, timeout_s=1.0)
            assert slot is not None
            fill(slot)
        outcomes.add(committed)
        sleeper.join(5.0)
        assert not sleeper.is_alive() and taken[0] is not None and whole(taken[0])
        taken[0].release()
    player.end()
    sleeper.join()
    assert outcomes == {False, True}
    ring.close()


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
    figures = kill_at_random(60, seed=1)
    assert figures.kills == 60 and figures.wedged == 0 and figures.torn == 0 and figures.passed > 0
