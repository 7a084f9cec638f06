"""SIGKILL and SIGSTOP at every line of the ring's code: no slot is wedged, no sleeper sleeps on."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
import time

import pytest

from models.ring import ReadSlot, Ring
from models.ring_header import SlotState
from tests.eval.ring_kills import kill_at_random
from tests.models.ring_players import SLOTS, TOKENS, WIDTH, Died, Player, fill, whole


def assert_works(ring: Ring) -> None:
    """Every slot can be filled and read."""
    while (slot := ring.take()) is not None:
        assert whole(slot)
        slot.release()
    assert ring.states() == [SlotState.FREE] * SLOTS
    for _ in range(SLOTS):
        room = ring.allocate(TOKENS, WIDTH, memory=True)
        assert room is not None
        fill(room)
    assert ring.allocate(TOKENS, WIDTH) is None
    for _ in range(SLOTS):
        taken = ring.take()
        assert taken is not None and whole(taken)
        taken.release()


def test_a_process_killed_at_any_line_leaves_a_ring_that_works():
    ring = Ring.create(SLOTS, TOKENS, WIDTH)
    lines = 0
    while True:
        player = Player(ring)
        with contextlib.suppress(Died):
            player.ask("cycle", die_after=lines)
            player.end()
            break
        assert_works(ring)
        lines += 1
    assert lines > 150
    ring.close()


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
    """One is stopped at any line of its call while the other one makes the same call."""
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
