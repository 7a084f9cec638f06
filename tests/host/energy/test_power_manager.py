"""Power management as a performer: what it reads and posts, and what it does with a plan."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from host.energy.battery_watch import BatteryWatch
from host.energy.power_actuator import PowerActuator
from host.energy.power_manager import PowerManager
from host.observe.journal import Journal
from host.observe.purpose import purpose
from host.sensing.kept_views import KeptViews
from host.sensing.recent_views import RecentViews
from host.session import actions, events
from hw.emulated.board import emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from models.process.bricks import Bricks
from models.process.residency import Residency
from power.placement.ahead import Sensor
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from tests.host.session.doubles import NotingQueue, perform


class FakeBricks:
    """Bricks that are released when the test allows it."""

    def __init__(self) -> None:
        self.threads = 0
        self.applied: list[Residency] = []
        self.may_release = asyncio.Event()
        self.kept = False

    def limit_threads(self, most: int, by_brick: dict[str, int]) -> None:
        self.threads = most

    def prefer(self, on_cores: set[str], patience_s: dict[str, float]) -> None:
        pass

    async def apply(self, residency: Residency) -> None:
        self.applied.append(residency)

    async def release_all(self, wanted: Callable[[], bool]) -> None:
        await self.may_release.wait()
        self.kept = wanted()


class FakeViews:
    """The interval at which the camera looks between questions, how often views were forgotten, and how many
    encodings may stay.
    """

    def __init__(self) -> None:
        self.interval_s: float | None = None
        self.purpose = ""
        self.forgotten = 0
        self.kept = KeptViews(lambda encoded: None)
        self.readied = 0

    async def ready(self) -> None:
        self.readied += 1

    async def watch(self, interval_s: float) -> None:
        self.interval_s, self.purpose = interval_s, purpose()
        try:
            await asyncio.Event().wait()
        finally:
            self.interval_s = None

    def forget(self) -> None:
        self.forgotten += 1

    def slept(self) -> None:
        """No earlier view stays."""


class Bench:
    """A power loop on an emulated board whose time the test moves."""

    def __init__(self, folder: Path, battery: float, config: PowerConfig, request: Mode | None) -> None:
        self.clock = FakeClock()
        self.board = emulated_board(
            clock=self.clock, battery_percent=battery, sound_card=False, sysfs_root=folder
        )
        journal = Journal(None, self.clock)
        self.queue, self.bricks, self.views = NotingQueue(self.clock), FakeBricks(), FakeViews()
        self.battery = BatteryWatch(self.board, journal)
        self.battery.timeout_s = 5.0
        self.actuator = PowerActuator(self.board, config, journal)
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.loop = PowerManager(
            self.queue,
            cast(Bricks, self.bricks),
            cast(RecentViews, self.views),
            self.actuator,
            self.battery,
            lambda event, fields: self.told.append((event, fields)),
            request,
        )

    def presence(self) -> str:
        """Whether somebody wears the headband."""
        return self.actuator.presence.value

    def looks_s(self) -> float | None:
        """Interval at which the camera looks between questions; None: it does not."""
        return self.views.interval_s

    async def does(self, action: actions.Action) -> list[events.Event]:
        """Begins an action; returns what is posted until it has ended."""
        perform(self.loop, action)
        for _ in range(2000):
            if not self.queue._tasks:
                break
            await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        return self.queue.taken()

    async def polled(self, now_s: float) -> list[events.Event]:
        """What is posted when the main loop comes by after `now_s` seconds of sound."""
        await self.loop.poll(now_s)
        return self.queue.taken()

    async def decided(self) -> events.PlanDecided:
        """The plan that the policy decides from a new reading."""
        (event,) = await self.does(actions.ReadBattery(3))
        assert isinstance(event, events.PlanDecided) and event.number == 3
        return event


LOOKS = PowerConfig(frames_between_questions=True)


def on_bench(
    folder: Path,
    scene: Callable[[Bench], Awaitable[None]],
    battery: float = 80.0,
    config: PowerConfig | None = None,
    request: Mode | None = None,
) -> None:
    async def whole() -> None:
        bench = Bench(folder / "sys", battery, config or LOOKS, request)
        try:
            await scene(bench)
            bench.queue.check()
        finally:
            await bench.loop.close()
            await bench.queue.close()
            bench.battery.close()
            await bench.board.close()

    asyncio.run(whole())


def test_the_battery_is_read_as_often_as_the_plan_says(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        pause_s = b.loop.plan.battery_poll_s
        reads: list[float] = []
        for step in range(40):
            now_s = step * pause_s / 10
            if await b.polled(now_s):
                reads.append(now_s)
        assert reads == pytest.approx([pause_s, 2 * pause_s, 3 * pause_s])

    on_bench(tmp_path, scene)


def test_a_plan_that_stays_keeps_its_number_and_another_gets_the_next(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        same = await b.decided()
        assert (same.plan.number, same.plan.mode) == (1, Mode.PERFORMANCE)
        b.board.set_battery(45)
        other = await b.decided()
        assert (other.plan.number, other.plan.mode) == (2, Mode.THROTTLED)
        assert b.loop.plan.mode is Mode.PERFORMANCE, "in force until it is applied"
        assert b.loop.reading.percent == 45

    on_bench(tmp_path, scene)


def test_a_battery_that_is_empty_at_the_start_is_handled_at_once(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        (event,) = await b.polled(0.0)
        assert isinstance(event, events.PlanDecided) and event.plan.mode is Mode.CUTOFF

    on_bench(tmp_path, scene, battery=0)


def test_what_is_left_ends_at_the_charge_of_the_cut_off(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        await b.decided()
        assert b.loop.empty_percent() == 0.0, "the microcontroller says when the cell is empty"
        b.loop.reading = replace(b.loop.reading, error_percent=None)
        assert b.loop.empty_percent() == PowerConfig().cutoff_percent

    on_bench(tmp_path, scene)


def test_a_reading_that_is_decided_on_again_confirms_no_empty_battery(tmp_path: Path) -> None:
    """The bus is slow, so that the next reading is late: one reading alone never ends in the cut-off."""

    async def scene(b: Bench) -> None:
        b.board.set_battery(0)
        (event,) = await b.polled(1000.0)
        assert isinstance(event, events.PlanDecided) and event.plan.mode is Mode.CASCADE
        b.battery.timeout_s, b.board.bus.blocked_s = 0.01, 0.2
        b.board.bus.inject(Fault.STALL)
        for now_s in (1005.0, 1010.0):
            b.clock.jump(1)
            (event,) = await b.polled(now_s)
            assert isinstance(event, events.PlanDecided) and event.plan.mode is Mode.CASCADE
        b.board.bus.inject(None)
        b.battery.timeout_s = 5.0
        (event,) = await b.polled(1015.0)
        assert isinstance(event, events.PlanDecided) and event.plan.mode is Mode.CUTOFF

    on_bench(tmp_path, scene)


def test_a_reading_that_an_alert_caused_is_decided_on_without_another(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        assert await b.polled(0.0) == []
        b.board.set_battery(6)
        await b.battery.refresh()
        b.battery.news = True
        completed = b.battery._completed
        (event,) = await b.polled(0.1)
        assert isinstance(event, events.PlanDecided) and event.plan.mode is Mode.CASCADE
        assert event.number == 0 and b.battery._completed == completed
        assert await b.polled(0.2) == []

    on_bench(tmp_path, scene)


def test_a_headband_that_is_put_down_or_picked_up_reads_the_battery_once(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        assert b.presence() == "present"
        assert await b.polled(0.0) == []
        b.clock.jump(61.0)
        b.actuator.note_view(changed=False)
        assert b.presence() == "away"
        assert len(await b.polled(0.1)) == 1 and await b.polled(0.2) == []
        await b.does(actions.NotePresence())
        assert b.presence() == "present"
        assert len(await b.polled(0.3)) == 1 and await b.polled(0.4) == []

    on_bench(tmp_path, scene, config=replace(LOOKS, away_after_s=60.0))


def test_a_mode_that_the_wearer_asked_for_counts_from_the_next_decision_on(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        assert b.loop.plan.mode is Mode.THROTTLED, "asked for before the start"
        assert await b.does(actions.RequestMode("cascade")) == []
        assert (await b.decided()).plan.mode is Mode.CASCADE
        await b.does(actions.RequestMode(None))
        assert (await b.decided()).plan.mode is Mode.PERFORMANCE

    on_bench(tmp_path, scene, request=Mode.THROTTLED)


def test_a_plan_is_obeyed_by_bricks_and_camera(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        assert await b.does(actions.ApplyPlan(5, 1, None)) == [events.PlanApplied(5)]
        assert b.looks_s() == b.loop.plan.frame_interval_s
        assert b.views.kept.most == b.loop.plan.kept_encodings > 0 and b.views.purpose == ""
        b.actuator.remembering = lambda: True
        remembers = (await b.decided()).plan
        await b.does(actions.ApplyPlan(7, remembers.number, remembers.unit_s))
        assert b.views.purpose == "memory" and purpose() == ""
        b.board.set_battery(12)
        plan = (await b.decided()).plan
        assert await b.does(actions.ApplyPlan(6, plan.number, plan.unit_s)) == [events.PlanApplied(6)]
        assert b.loop.plan.mode is Mode.CASCADE
        assert [each.kind for each in b.bricks.applied] == ["resident", "resident", "budgeted"]
        assert b.bricks.threads >= 1 and b.views.kept.most == 0
        assert b.looks_s() == b.loop.plan.frame_interval_s
        modes = [fields["mode"] for event, fields in b.told if event == "plan"]
        assert modes == ["performance", "performance", "cascade"]

    on_bench(tmp_path, scene)


def test_without_recording_the_camera_does_not_look_and_views_are_forgotten(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        await b.does(actions.ApplyPlan(5, 1, None))
        assert b.looks_s() is not None
        await b.does(actions.SetRecording(6, False))
        assert b.looks_s() is None and b.views.forgotten == 1
        await b.does(actions.ApplyPlan(7, 1, None))
        assert b.looks_s() is None
        kept = [each.kind for each in b.bricks.applied]
        assert kept[-1] == "budgeted", "nothing is loaded before it is needed"
        await b.does(actions.SetRecording(8, True))
        assert b.looks_s() is not None
        kept = [each.kind for each in b.bricks.applied]
        assert kept[-1] == "resident", "what the plan keeps in memory is loaded again"

    on_bench(tmp_path, scene)


def test_before_a_sleep_the_camera_stops_and_the_gauge_is_told_when_to_wake(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        await b.does(actions.ApplyPlan(5, 1, None))
        assert await b.does(actions.PrepareSleep(6)) == [events.ReadyToSleep(6)]
        assert b.looks_s() is None
        next_step = b.actuator.next_step_percent(replace(b.battery.latest, percent=55))
        alerts: list[bool] = []
        for percent in (next_step + 2, next_step - 2):
            b.board.set_battery(percent)
            alerts.append(b.board.alert.active)
        assert alerts == [False, True]
        await b.does(actions.Watch())
        assert b.looks_s() is not None

    on_bench(tmp_path, scene, battery=55)


@pytest.mark.parametrize("question_comes", [False, True])
def test_a_release_of_the_bricks_ends_early_when_a_question_comes(
    tmp_path: Path, question_comes: bool
) -> None:
    async def scene(b: Bench) -> None:
        perform(b.loop, actions.ReleaseBricks(5))
        await asyncio.sleep(0)
        if question_comes:
            perform(b.loop, actions.KeepBricks())
        b.bricks.may_release.set()
        assert await b.does(actions.NotePresence()) == [events.BricksReleased(5)]
        assert b.bricks.kept == question_comes

    on_bench(tmp_path, scene)


def test_a_bus_that_fails_does_not_keep_the_computer_awake(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        b.board.bus.inject(Fault.NAK)
        assert await b.does(actions.PrepareSleep(6)) == [events.ReadyToSleep(6)]
        b.board.bus.inject(None)

    on_bench(tmp_path, scene)


@pytest.mark.parametrize(("sensor", "battery", "readied"), [
    ("sound", 80, 1), ("wake word", 80, 0), ("sound", 0, 0),
])  # fmt: skip
def test_the_camera_is_ready_for_a_question_where_the_plan_says_so(
    tmp_path: Path, sensor: Sensor, battery: int, readied: int
) -> None:
    async def scene(b: Bench) -> None:
        b.loop.plan = replace(b.loop.plan, ahead=replace(b.loop.plan.ahead, sensor=sensor))
        await b.does(actions.ReadyCamera())
        assert b.views.readied == readied

    on_bench(tmp_path, scene, battery=battery)
