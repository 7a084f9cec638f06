"""Kills a process at every line of the ring's code that it runs, and checks each time that the ring still
works.

    python -m tests.models.ring.ring_kills cycle      lines of everything that can happen to a slot
    python -m tests.models.ring.ring_kills commit     lines of a commit, while another waits for the slot
    python -m tests.models.ring.ring_kills random     at random moments; what the kills did

The first two print the number of these lines. It is a program of its own because the cost of a fork grows
with the memory of the parent process.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import threading
import time
from dataclasses import asdict

from models.ring.header import SlotState
from models.ring.ring import ReadSlot, Ring
from tests.eval.ring.kills import kill_at_random
from tests.models.ring.ring_players import SLOTS, TOKENS, WIDTH, Died, Player, fill, whole


def check_works(ring: Ring) -> None:
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


def kill_at_every_line() -> int:
    """The number of lines of the ring's code that run."""
    ring = Ring.create(SLOTS, TOKENS, WIDTH)
    lines = 0
    while True:
        player = Player(ring)
        with contextlib.suppress(Died):
            player.ask("cycle", die_after=lines)
            player.end()
            break
        check_works(ring)
        lines += 1
    ring.close()
    return lines


def kill_at_every_line_of_a_commit() -> int:
    """The number of lines of the ring's code that run."""
    ring = Ring.create(1, TOKENS, WIDTH)
    outcomes: set[bool] = set()
    lines = 0
    while True:
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
        assert not sleeper.is_alive() and taken[0] is not None and whole(taken[0]), "it sleeps on"
        taken[0].release()
        lines += 1
    player.end()
    sleeper.join()
    assert outcomes == {False, True}
    ring.close()
    return lines


if __name__ == "__main__":
    match sys.argv[1]:
        case "cycle":
            print(kill_at_every_line())
        case "commit":
            print(kill_at_every_line_of_a_commit())
        case _:
            print(json.dumps(asdict(kill_at_random(60, seed=1))))
