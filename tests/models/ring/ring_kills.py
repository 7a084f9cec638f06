"""Kills a process at every line of the ring's code that it runs, and checks each time that the ring still
works. `python -m tests.models.ring.ring_kills` prints the number of these lines.

It is a program of its own because the cost of a fork grows with the memory of the parent process.
"""

from __future__ import annotations

import contextlib

from models.ring.header import SlotState
from models.ring.ring import Ring
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


if __name__ == "__main__":
    print(kill_at_every_line())
