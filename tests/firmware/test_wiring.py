"""The whole PMU on a board that records its lines: rail, reset, wake, light and watchdog."""

from __future__ import annotations

import pytest

from firmware.known_charge import set_percent
from firmware.pmu import gauge_cell as cell
from firmware.pmu import guard_heartbeat as heartbeat
from firmware.pmu import guard_light as light
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from firmware.pmu.app import PERIOD_MS, WATCHDOG_GRACE_MS, Pmu
from firmware.pmu.guard import SAVED_MS


class Lines:
    """A board that records its outputs."""

    def __init__(self) -> None:
        self.now_ms = 0x3FFFFF00  # the tick counter wraps soon
        self.pressed = False
        self.cell = (3_900, -200, r.ZERO_CELSIUS_DK + 250, False)
        self.driven: list[tuple[str, object]] = []
        self.fed_ms: list[int] = []
        self._armed = False
        self.rail_reason = 0

    def ticks_ms(self) -> int:
        return self.now_ms & 0x3FFFFFFF

    def sense(self) -> tuple[int, int, int, bool]:
        return self.cell

    def alert(self, active: bool) -> None: ...

    def rail(self, on: bool) -> None:
        self.driven.append(("rail", on))

    def reset_line(self, active: bool) -> None:
        self.driven.append(("reset", active))

    def wake(self, active: bool) -> None:
        self.driven.append(("wake", active))

    def button(self) -> bool:
        return self.pressed

    def light(self, red: int, green: int, blue: int) -> None:
        self.driven.append(("light", (red, green, blue)))

    def feed(self, arm: bool) -> None:
        self._armed = self._armed or arm
        self.fed_ms.append(self.now_ms)

    def armed(self) -> bool:
        return self._armed

    def keep_guard(self, word: int) -> None:
        self.rail_reason = word

    def kept_guard(self) -> int:
        return self.rail_reason


class Rig:
    """A PMU on such a board, and a host that writes registers."""

    def __init__(self, board: Lines | None = None) -> None:
        self.board = board or Lines()
        self.pmu = Pmu(self.board)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 1000 / PERIOD_MS)):
            self.board.now_ms += PERIOD_MS
            self.pmu.step()

    def press(self) -> None:
        """Presses the button for half a second."""
        self.board.pressed = True
        self.run(0.5)
        self.board.pressed = False

    def write(self, code: int, value: int) -> None:
        start = code * r.CELL_BYTES
        low, high = value & 0xFF, value >> 8
        self.pmu.target.memory[start : start + 3] = bytes((low, high, r.write_pec(start, low, high)))
        self.pmu.target.accept_writes()

    def course(self, line: str) -> list[object]:
        return [value for name, value in self.board.driven if name == line]

    def colour(self) -> object:
        return self.course("light")[-1]


def test_a_hung_host_is_reset_then_cycled_at_the_lines() -> None:
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 10)
    rig.run(10 + heartbeat.WARN_MS / 1000 + 1)
    assert rig.course("reset") == [False, True, False]
    rig.run(heartbeat.BOOT_MS / 1000 + 4)
    assert rig.course("rail") == [True, False, True]
    assert rig.pmu.target.value(r.GUARD) == r.GUARD_CYCLED
    assert rig.pmu.target.value(r.LIGHT) == 0


def test_the_same_heartbeat_written_again_is_a_heartbeat() -> None:
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 10)
    for _ in range(20):
        rig.run(5)
        rig.write(r.HEARTBEAT, 1)
    assert rig.pmu.target.value(r.GUARD) == r.GUARD_ARMED and rig.course("reset") == [False]


def test_saved_drops_the_rail_and_a_press_brings_it_back() -> None:
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 10)
    rig.write(r.POWER_REQUEST, r.REQUEST_SAVED)
    rig.run(SAVED_MS / 1000 + 1)
    assert rig.course("rail") == [True, False]
    assert rig.pmu.target.value(r.POWER_REQUEST) == 0 and rig.pmu.target.value(r.HEARTBEAT_DEADLINE) == 0
    rig.press()
    rig.run(1.5)
    assert rig.course("rail") == [True, False, True]


@pytest.mark.parametrize("kind", cell.NAMES)
@pytest.mark.parametrize(
    ("percent", "powered", "starts"),
    [(50, False, True), (8, False, True), (7, False, False), (4, True, True), (3, True, False)],
)
def test_the_button_starts_a_cell_of_any_kind_above_the_same_charge(
    kind: str, percent: int, powered: bool, starts: bool
) -> None:
    profile = cell.NAMES.index(kind)
    curve, rig = cell.curve(profile), Rig()
    rig.board.cell = (int(cell.open_circuit_mv_at(50, curve)), -20, r.ZERO_CELSIUS_DK + 250, False)
    rig.run(1)
    rig.pmu.fit(profile, 2000)
    rig.run(1)
    rig.write(r.POWER_REQUEST, r.REQUEST_SAVED)
    rig.run(SAVED_MS / 1000 + 1)
    assert rig.course("rail") == [True, False]
    rig.board.cell = (int(cell.open_circuit_mv_at(percent, curve)), 0, r.ZERO_CELSIUS_DK + 250, powered)
    rig.run(5)
    rig.press()
    rig.run(2)
    assert rig.course("rail")[-1] is starts


@pytest.mark.parametrize(("cell_mv", "reason"), [(3_900, rail.SHUTDOWN), (3_500, rail.EMPTY)])
def test_a_host_that_has_saved_is_switched_off_over_a_reset_of_the_pmu(cell_mv: int, reason: int) -> None:
    rig = Rig()
    rig.board.cell = (cell_mv, -200, r.ZERO_CELSIUS_DK + 250, False)
    rig.write(r.HEARTBEAT_DEADLINE, 10)
    rig.run(1)
    rig.write(r.POWER_REQUEST, r.REQUEST_SAVED)
    rig.run(5)
    again = Rig(rig.board)
    again.board.driven.clear()
    again.run(SAVED_MS / 1000 - 1)
    assert again.course("rail") == [True], "its system may not have stopped yet"
    again.run(2)
    assert again.course("rail") == [True, False] and again.pmu.guard.rail.reason == reason
    again.run(heartbeat.BOOT_MS / 500)
    assert again.course("rail") == [True, False] and True not in again.course("reset")


def test_a_sleeping_host_is_woken_by_the_button() -> None:
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 10)
    rig.write(r.POWER_REQUEST, r.REQUEST_SLEEP)
    rig.run(100)
    rig.press()
    rig.run(3)
    assert rig.course("wake") == [False, True]
    rig.write(r.HEARTBEAT, 7)
    rig.run(1)
    assert rig.course("wake") == [False, True, False]


def test_a_guard_goes_on_after_a_reset_of_the_pmu() -> None:
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 10)
    rig.run(1)
    again = Rig(rig.board)
    again.run(1)
    assert again.pmu.target.value(r.GUARD) == r.GUARD_ARMED
    assert again.pmu.target.value(r.HEARTBEAT_DEADLINE) == 10
    again.run(heartbeat.BOOT_MS / 1000 - 3)
    assert True not in again.course("reset"), "the host may be starting"
    again.run(heartbeat.WARN_MS / 1000 + 4)
    assert True in again.course("reset")


def test_a_sleeping_host_sleeps_on_over_a_reset_of_the_pmu() -> None:
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 10)
    rig.write(r.POWER_REQUEST, r.REQUEST_SLEEP)
    rig.run(1)
    again = Rig(rig.board)
    again.run(1_000)  # longer than each of the guard's own times, of which maintenance is the longest
    assert again.pmu.target.value(r.GUARD) == r.GUARD_ASLEEP and True not in again.course("reset")
    again.press()
    again.run(3)
    assert True in again.course("wake")
    again.write(r.POWER_REQUEST, r.REQUEST_NORMAL)
    again.run(1)
    assert again.pmu.target.value(r.GUARD) == r.GUARD_ARMED and again.course("wake")[-1] is False


def test_the_light_shows_the_host_and_above_it_what_is_urgent() -> None:
    rig = Rig()
    rig.write(r.LIGHT, light.LISTENING)
    rig.run(1)
    assert rig.colour() == light.BLUE
    rig.board.cell = (3_080, -200, r.ZERO_CELSIUS_DK + 250, False)
    rig.run(6)
    assert rig.pmu.light.pattern == light.LOW_BATTERY
    rig.board.cell = (3_900, 500, r.ZERO_CELSIUS_DK + 250, True)
    rig.run(15)
    assert rig.colour() == light.BLUE
    rig.write(r.LIGHT, light.OWN_CHOICE)
    rig.run(1)
    assert rig.pmu.light.pattern == light.CHARGING


def test_the_light_warns_by_the_charge_and_not_by_when_the_host_wants_to_be_woken() -> None:
    rig = Rig()
    rig.write(r.REMAINING_TIME_ALARM, 0)
    for percent, alarm_mah, pattern in (
        (50, 1_100, light.STANDBY), (11, 300, light.STANDBY), (10, 0, light.LOW_BATTERY),
    ):  # fmt: skip
        rig.run(1)
        set_percent(rig.pmu.gauge, percent)
        rig.write(r.REMAINING_CAPACITY_ALARM, alarm_mah)
        rig.run(1)
        assert rig.pmu.target.value(r.RELATIVE_STATE_OF_CHARGE) == percent
        assert rig.pmu.light.pattern == pattern
    set_percent(rig.pmu.gauge, 50)
    rig.write(r.REMAINING_TIME_ALARM, 1_000)
    rig.run(1)
    assert rig.pmu.light.pattern == light.LOW_BATTERY


def test_the_watchdog_waits_for_console_and_deploy_and_is_fed_by_each_step() -> None:
    rig = Rig()
    rig.run(WATCHDOG_GRACE_MS / 1000 - 1)
    assert not rig.board.armed()
    rig.run(2)
    assert rig.board.armed()
    steps = len(rig.board.fed_ms)
    for _ in range(100):
        rig.board.now_ms += 20
        rig.pmu.tick()  # ticks between the steps do not feed the watchdog
    assert len(rig.board.fed_ms) == steps


def test_the_watchdog_is_never_armed_in_maintenance() -> None:
    rig = Rig()
    rig.write(r.POWER_REQUEST, r.REQUEST_MAINTENANCE)
    rig.run(60)
    assert not rig.board.armed() and rig.board.fed_ms
    rig.write(r.POWER_REQUEST, r.REQUEST_NORMAL)
    rig.run(1)
    assert rig.board.armed()


def test_a_host_that_was_off_stays_off_when_the_pmu_restarts() -> None:
    first = Rig()
    first.write(r.POWER_REQUEST, r.REQUEST_SAVED)
    first.run(SAVED_MS / 1000 + 1)
    again = Rig(first.board)
    again.run(60)
    assert not again.pmu.guard.rail.on
    again.board.rail_reason = rail.CYCLE
    assert Pmu(again.board).guard.rail.on, "a power cycle that was cut short is over"
