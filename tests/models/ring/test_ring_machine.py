"""The ring under random schedules of three processes, which are killed between calls and inside them.

The test runs this file as a program of its own, because the cost of a fork grows with the memory of the
parent process.
"""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from models.brick import SlotRef
from models.ring.header import SlotState
from models.ring.ring import Ring
from tests.models.ring.ring_players import SLOTS, TOKENS, WIDTH, Died, Player

ROOT = Path(__file__).parents[3]
FREE, WRITING, READY, READING = SlotState
PLAYERS = 3
LONG_PAST_S = 1e-3

players = st.integers(0, PLAYERS - 1)
lifetimes = st.one_of(st.none(), st.none(), st.integers(0, 60))
"""Number of lines of the ring's code that a process executes before it is killed; None: it is not killed."""


@dataclass
class Slot:
    """The expected state of a slot."""

    state: SlotState = FREE
    ref: SlotRef | None = None
    memory: bool = False
    late: bool = False
    """Rows of a live frame whose deadline is before they are written."""
    owner: int = -1


class RingMachine(RuleBasedStateMachine):
    """Rows are read as they were written, oldest first; memory frames are kept; late frames are dropped; no
    slot is lost.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ring = Ring.create(SLOTS, TOKENS, WIDTH)
        self.players = [Player(self.ring) for _ in range(PLAYERS)]
        self.slots = [Slot() for _ in range(SLOTS)]
        self.known: list[SlotRef] = []

    def teardown(self) -> None:
        for player in self.players:
            player.end()
        self.ring.close()

    def unread(self) -> list[Slot]:
        return sorted(
            (s for s in self.slots if s.state == READY), key=lambda s: s.ref.sequence if s.ref else 0
        )

    def bury(self, player: int, *outcomes: tuple[Slot, SlotState]) -> None:
        """A process died, so the slots that it held are free or readable again. `outcomes`: other possible
        states.
        """
        for slot in self.slots:
            if slot.owner == player:
                slot.owner = -1
                slot.state = FREE if slot.state == WRITING else READY
        found = self.ring.states()
        for slot, state in outcomes:
            if found[self.slots.index(slot)] == state:
                slot.state = state
        self.players[player] = Player(self.ring)

    @rule(player=players, memory=st.booleans(), expired=st.booleans(), lines=lifetimes)
    def allocate(self, player: int, memory: bool, expired: bool, lines: int | None) -> None:
        free = [slot for slot in self.slots if slot.state == FREE]
        live = [slot for slot in self.unread() if not slot.memory]
        victims = free or live[:1]
        deadline_s = LONG_PAST_S if expired else math.inf
        try:
            ref = self.players[player].ask("allocate", memory, deadline_s, die_after=lines)
        except Died:
            self.bury(player, *((slot, FREE) for slot in victims))
            return
        if ref is None:
            assert not victims
            return
        assert self.slots[ref.index] in victims
        assert all(ref.sequence > slot.ref.sequence for slot in self.slots if slot.ref is not None)
        self.slots[ref.index] = Slot(WRITING, ref, memory, expired and not memory, player)

    @precondition(lambda self: any(slot.state == WRITING for slot in self.slots))
    @rule(data=st.data(), commit=st.booleans(), lines=lifetimes)
    def finish_writing(self, data: st.DataObject, commit: bool, lines: int | None) -> None:
        slot = data.draw(st.sampled_from([slot for slot in self.slots if slot.state == WRITING]))
        assert slot.ref is not None
        self.known.append(slot.ref)
        player, after = slot.owner, READY if commit and not slot.late else FREE
        try:
            self.players[player].ask("commit" if commit else "abandon", slot.ref, die_after=lines)
        except Died:
            self.bury(player, (slot, after))
            return
        slot.state, slot.owner = after, -1

    @rule(player=players, lines=lifetimes)
    def take(self, player: int, lines: int | None) -> None:
        expected = self.unread()
        try:
            taken = self.players[player].ask("take", die_after=lines)
        except Died:
            self.bury(player)
            return
        assert taken == ((expected[0].ref, True) if expected else None)
        if expected:
            expected[0].state, expected[0].owner = READING, player

    @precondition(lambda self: self.known)
    @rule(player=players, data=st.data(), lines=lifetimes)
    def acquire(self, player: int, data: st.DataObject, lines: int | None) -> None:
        ref = data.draw(st.sampled_from(self.known))
        slot = self.slots[ref.index]
        try:
            taken = self.players[player].ask("acquire", ref, die_after=lines)
        except Died:
            self.bury(player)
            return
        readable = slot.state == READY and slot.ref == ref
        assert taken == ((ref, True) if readable else None)
        if readable:
            slot.state, slot.owner = READING, player

    @precondition(lambda self: any(slot.state == READING for slot in self.slots))
    @rule(data=st.data(), keep=st.booleans(), lines=lifetimes)
    def release(self, data: st.DataObject, keep: bool, lines: int | None) -> None:
        slot = data.draw(st.sampled_from([slot for slot in self.slots if slot.state == READING]))
        player, after = slot.owner, READY if keep else FREE
        try:
            intact = self.players[player].ask("release", slot.ref, keep, die_after=lines)
        except Died:
            self.bury(player, (slot, after))
            return
        assert intact, "rows changed while they were read"
        slot.state, slot.owner = after, -1

    @rule(player=players)
    def kill(self, player: int) -> None:
        self.players[player].end()
        self.bury(player)

    @invariant()
    def every_slot_is_what_it_ought_to_be(self) -> None:
        assert self.ring.states() == [slot.state for slot in self.slots]


SETTINGS = settings(
    max_examples=12, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)


def test_no_schedule_and_no_kill_breaks_the_ring():
    command = [sys.executable, "-m", "tests.models.ring.test_ring_machine"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    run_state_machine_as_test(RingMachine, settings=SETTINGS)
