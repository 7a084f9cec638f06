"""Readings of the battery outside the event loop: at once after an alert, else at the plan's interval."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import numpy as np
import pytest

from firmware.pmu import registers as r
from firmware.pmu.app import Pmu
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.bus import Fault
from hw.linux.gpio import GpioLine
from hw.supply import PmuEvent
from power.policy.plan import Mode
from tests.host.energy.battery_bench import Bench, on_bench
from tests.host.workbench import bench as host_bench
from tests.hw.test_rk3566 import FakeRequest


def test_an_alarm_reaches_the_keeper_without_waiting_for_the_poll(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        b.board.set_battery(6)
        await b.news()
        assert b.watch.latest.percent == 6
        assert b.watch.latest.alarms == ("charge threshold",)
        assert b.events == [PmuEvent("alarm", r.STATUS_REMAINING_CAPACITY >> 8)]
        assert b.power_actuator.decide(b.watch.latest, None).mode is Mode.CASCADE
        assert not b.board.alert.active  # the events were read, so the next one is an edge again
        b.board.set_battery(6, charging=True)
        await b.news()
        await b.settle()
        assert b.watch.latest.charging
        assert b.events[1:] == [PmuEvent("power", 1)]

    on_bench(tmp_path, scene)


def test_the_kernels_line_brings_alarms_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with the gpiod class of the real board and a double of the kernel's request."""
    import gpiod

    request = FakeRequest()
    monkeypatch.setattr(gpiod, "request_lines", lambda *_, **__: request)
    values = gpiod.line.Value

    def drive(active: bool) -> None:
        if active and request.level != values.ACTIVE:
            os.write(request.edge, b"x")
        request.level = values.ACTIVE if active else values.INACTIVE

    async def scene(b: Bench) -> None:
        b.board.pmu._alert = drive
        b.watch._alert = GpioLine("/dev/gpiochip0", 3, name="alert")
        task = asyncio.create_task(b.watch.run())
        for percent in (6, 40, 5):
            await asyncio.sleep(0.02)
            b.watch.news = False
            b.clock.jump(20)
            b.board.set_battery(percent, charging=percent == 40)
            await b.news()
            await b.settle()
            assert b.watch.latest.percent == percent
            assert request.level == values.INACTIVE
        task.cancel()

    on_bench(tmp_path, scene, running=False)


def test_an_event_that_waits_since_before_the_start_is_read(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        b.board.pmu.firmware.events.add(r.EVENT_KIND_BUTTON, 2)
        b.board.pmu.firmware.publish()
        assert b.board.alert.active
        task = asyncio.create_task(b.watch.run())
        await asyncio.sleep(0.01)
        await b.settle()
        assert b.events == [PmuEvent("button", 2)]
        task.cancel()

    on_bench(tmp_path, scene, running=False)


def test_a_stuck_alert_line_does_not_keep_the_thread_busy(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        b.board.bus.inject(Fault.NAK)
        b.board.alert.set(False)
        b.board.alert.set(True)
        looks = b.watch._completed
        for _ in range(600):
            await b.clock.advance(1)
            await b.settle()
        assert 10 <= b.watch._completed - looks <= 40
        b.board.bus.inject(None)
        b.board.alert.set(False)
        await b.clock.advance(60)
        b.board.set_battery(6)
        for _ in range(60):  # the reading that failed last may still be under way in its thread
            await b.clock.advance(1)
            await b.settle()
            if b.watch.latest.percent == 6:
                break
        assert b.watch.latest.percent == 6

    on_bench(tmp_path, scene)


def test_a_restart_of_the_pmu_is_told_once(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        b.clock.jump(100)
        await b.poll()
        b.board.pmu.firmware = Pmu(b.board.pmu)
        b.board.set_battery(80)
        for _ in range(3):
            b.clock.jump(5)
            await b.poll()
        assert [fields for event, fields in b.told if event == "pmu"] == [{"kind": "restart", "detail": 0}]
        assert [line["kind"] for line in b.journal.recent if line["event"] == "pmu"] == ["restart"]

    on_bench(tmp_path, scene)


def test_a_reading_asked_for_is_never_older_than_the_question(tmp_path: Path) -> None:
    """Also during a reading that an earlier alert has started."""

    async def scene(b: Bench) -> None:
        for percent in (90, 9, 70, 8, 60, 7):
            b.board.set_battery(percent)
            await asyncio.sleep(0)
            b.board.set_battery(percent + 1)
            assert (await b.watch.refresh()).percent == percent + 1

    on_bench(tmp_path, scene)


def test_without_an_alert_the_battery_is_looked_at_as_often_as_the_plan_says() -> None:
    async def looks(percent: float, seconds: float) -> int:
        async with host_bench(battery=percent) as b:
            await b.headband.battery.refresh()
            before = b.headband.battery._completed
            b.board.microphone.say(np.zeros(int(seconds * MICROPHONE_RATE_HZ), np.int16))
            told = len(b.told)
            b.headband.loop.on_chunk = lambda now_s: b.headband.stop() if now_s >= seconds else None
            await b.headband.run()
            assert not [event for event, _ in b.told[told:] if event == "pmu"]
            return b.headband.battery._completed - before

    assert asyncio.run(looks(82, 16)) == 3  # every 5 s
    assert asyncio.run(looks(15, 65)) == 2  # every 30 s
