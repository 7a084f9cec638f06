"""The used part of the guard's budgets is saved over a reset of the PMU, which the same fault may cause."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import guard_heartbeat as heartbeat
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge
from firmware.pmu.gauge_saved_state import Store
from tests.firmware.fake_flash import FakeFlash
from tests.firmware.guard_world import World

MINUTE_MS = 60_000
ROOM_DK = r.ZERO_CELSIUS_DK + 220


class Life:
    """A PMU between two resets: its guard, its gauge and their stored state."""

    def __init__(self, flash: FakeFlash) -> None:
        self.gauge = Gauge()
        self.store = Store(flash)
        self.store.restore(self.gauge)
        self.world = World(step_ms=1000)
        self.store.restore_budgets(self.world.guard.budgets, self.gauge)
        self.gauge.sample(0, 3_900, -20, ROOM_DK, False)

    def run(self, seconds: int, *, beats: bool = False) -> None:
        for _ in range(seconds):
            self.world.run(1, beats=beats)
            self.store.step(1000, self.gauge, not self.world.host_on())

    def until_touched(self) -> bool:
        """The host arms the guard and hangs until it is reset or power-cycled; False if neither happens any
        more.
        """
        self.world.arm(5)
        for _ in range(40):
            self.run(5)
            if self.world.resets_ms or self.world.cycles_ms:
                return True
        return False


def reset(flash: FakeFlash, kind: str) -> None:
    """The PMU loses its scratch registers with its power, and keeps them over a watchdog reset."""
    if kind == "power":
        flash.lasting = b""


@pytest.mark.parametrize("kind", ["power", "watchdog"])
def test_a_pmu_that_is_reset_by_what_it_does_to_the_host_comes_to_an_end(kind: str) -> None:
    flash = FakeFlash()
    resets = cycles = 0
    for _ in range(12):
        life = Life(flash)
        life.until_touched()
        resets, cycles = resets + len(life.world.resets_ms), cycles + len(life.world.cycles_ms)
        reset(flash, kind)
    assert (resets, cycles) == (heartbeat.RESETS_PER_HOUR, rail.STARTS_PER_HOUR)
    life = Life(flash)
    life.run(3_700)
    assert life.until_touched(), "an hour later it tries again"


def test_a_use_is_stored_before_the_rail_moves_and_nothing_is_written_for_want_of_one() -> None:
    flash = FakeFlash()
    life = Life(flash)
    on_at_saving: list[bool] = []
    save = flash.save

    def watched(record: bytes) -> None:
        on_at_saving.append(life.world.host_on())
        save(record)

    flash.save = watched  # type: ignore[method-assign]
    life.run(300)
    assert on_at_saving == [True], "the first record of a new cell"
    life.world.arm()
    life.world.request(r.REQUEST_REBOOT)
    assert on_at_saving == [True, True] and not life.world.host_on()
    again = Life(flash)
    again.world.arm()
    for _ in range(5):
        again.world.request(r.REQUEST_REBOOT)
        again.run(10)
    assert len(again.world.cycles_ms) == rail.STARTS_PER_HOUR - 1


def test_what_ran_out_is_forgotten_in_flash_too_when_the_host_is_quiet() -> None:
    flash = FakeFlash()
    life = Life(flash)
    life.world.arm()
    life.world.request(r.REQUEST_REBOOT)
    life.run(3_700, beats=True)
    assert flash.saves == 2
    reset(flash, "power")
    again = Life(flash)
    assert [budget.packed(0) for budget in again.world.guard.budgets] == [0, 0]


def test_a_flash_that_takes_nothing_stops_no_power_cycle() -> None:
    flash = FakeFlash()
    flash.broken = True
    life = Life(flash)
    life.world.arm()
    life.world.request(r.REQUEST_REBOOT)
    assert not life.world.host_on()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 45), st.sampled_from(["take", "reset", "power"])), max_size=40),
)
def test_no_course_of_resets_yields_more_than_the_budget(course: list[tuple[int, str]]) -> None:
    budget, now_ms, born_ms = rail.Budget(3), 0, 0
    used_ms: list[int] = []
    for minutes, what in course:
        now_ms += minutes * MINUTE_MS
        if what == "take":
            if budget.take(now_ms - born_ms):
                used_ms.append(now_ms)
        else:
            packed = budget.packed(now_ms - born_ms)
            budget, born_ms = rail.Budget(3), now_ms
            budget.restore(packed if what == "reset" else packed & 3, 0)
    for first_ms in used_ms:
        assert sum(first_ms <= at_ms <= first_ms + rail.HOUR_MS for at_ms in used_ms) <= 3
