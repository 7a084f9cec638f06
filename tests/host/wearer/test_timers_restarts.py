"""Timers of a worn headband: announced in time, after every restart, never lost and never too often."""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host.answers.timers import MOST, REPEAT_S, TIMES
from host.session.events import SwitchOffAsked
from host.wearer.saved_settings import FORGOTTEN, PARTLY_FORGOTTEN
from tests.host.wearer.timers_bench import Worn


def test_a_timer_is_announced_when_it_ends_and_again_until_the_button_is_pressed(tmp_path: Path) -> None:
    async def scene() -> None:
        worn = Worn(tmp_path / "kept.json")
        await worn.start()
        await worn.set(600)
        await worn.wait(600 + REPEAT_S + 5)
        assert worn.said == [
            (600.0, "Your 10 minute timer is done."),
            (630.0, "Your 10 minute timer is done."),
        ]
        assert await worn.press(), "that press is free to open a question"
        await worn.wait(600)
        assert len(worn.said) == 2

    asyncio.run(scene())


def test_a_press_during_the_announcement_only_silences_it(tmp_path: Path) -> None:
    async def scene() -> None:
        worn = Worn(tmp_path / "kept.json")
        await worn.start()
        await worn.set(60)
        worn.press_while_speaking = True
        await worn.wait(600)
        assert len(worn.said) == 1 and worn.store.next_timer_s is None
        assert worn.state.interaction == "standby"
        await worn.start()
        await worn.wait(600)
        assert len(worn.said) == 1

    asyncio.run(scene())


def test_a_sleeping_computer_is_awake_in_time(tmp_path: Path) -> None:
    async def scene() -> None:
        worn = Worn(tmp_path / "kept.json")
        await worn.start()
        await worn.set(1200)
        assert await worn.sleep(math.inf)
        assert 1190 < worn.clocks.true_s < 1200
        await worn.wait(10)
        assert worn.said[0] == (1200.0, "Your 20 minute timer is done.")

    asyncio.run(scene())


def test_an_announcement_waits_for_the_end_of_an_answer(tmp_path: Path) -> None:
    async def scene() -> None:
        worn = Worn(tmp_path / "kept.json")
        await worn.start()
        await worn.set(60)
        await worn.begin_turn()
        await worn.wait(70)
        assert worn.said == []
        await worn.end_turn()
        assert worn.said == [(70.0, "Your 1 minute timer is done.")]

    asyncio.run(scene())


def test_after_a_restart_of_the_computer_overdue_timers_say_how_long_ago_they_ended(tmp_path: Path) -> None:
    async def scene() -> None:
        worn = Worn(tmp_path / "kept.json")
        await worn.start()
        await worn.set(600)
        await worn.set(1200)
        await worn.wait(300)
        worn.clocks.reboot(off_s=480)
        await worn.start()
        await worn.wait(1)
        assert worn.sentences == ["Your 10 minute timer ended 3 minutes ago."]
        await worn.press()
        await worn.wait(1000)
        assert worn.said[1] == (1200.0, "Your 20 minute timer is done.")

    asyncio.run(scene())


def test_a_computer_whose_clock_lost_the_date_waits_at_most_what_was_left(tmp_path: Path) -> None:
    async def scene() -> None:
        worn = Worn(tmp_path / "kept.json")
        await worn.start()
        await worn.set(600)
        worn.clocks.reboot(off_s=20, wall_jump_s=-50 * 365 * 86_400)
        await worn.start()
        await worn.wait(610)
        assert worn.said == [(620.0, "Your 10 minute timer is done.")]

    asyncio.run(scene())


@pytest.mark.parametrize("jump_s", [3600, -3600])
def test_a_clock_that_is_set_before_a_restart_changes_no_timer(tmp_path: Path, jump_s: float) -> None:
    async def scene() -> None:
        worn = Worn(tmp_path / "kept.json")
        await worn.start()
        await worn.set(600)
        worn.clocks.wall_ahead_s += jump_s
        await worn.wait(10)
        worn.clocks.reboot(off_s=60)
        await worn.start()
        await worn.wait(600)
        assert worn.said[0] == (600.0, "Your 10 minute timer is done.")

    asyncio.run(scene())


def test_volume_and_pace_outlive_a_restart_until_the_settings_change(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "kept.json"
        worn = Worn(path)
        await worn.start()
        await worn.ask(lambda before: replace(before, volume_percent=95, slowness=1.44))
        worn.clocks.reboot(off_s=60)
        await worn.start()
        assert (worn.state.settings.volume_percent, worn.state.settings.slowness) == (95, 1.44)
        other = Worn(path, volume_percent=40)
        await other.start()
        assert (other.state.settings.volume_percent, other.state.settings.slowness) == (40, 1.0)

    asyncio.run(scene())


def test_caution_outlives_a_restart_until_the_settings_change(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "kept.json"
        worn = Worn(path)
        await worn.start()
        await worn.ask(lambda before: replace(before, caution="high"))
        worn.clocks.reboot(off_s=60)
        await worn.start()
        assert worn.state.settings.caution == "high"
        other = Worn(path, caution="low")
        await other.start()
        assert other.state.settings.caution is None

    asyncio.run(scene())


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 9}', "\x00" * 50, '{"version": 1}', "[" * 9000])
def test_a_damaged_file_is_said_once_put_aside_and_stops_nothing(tmp_path: Path, text: str) -> None:
    async def scene() -> None:
        path = tmp_path / "kept.json"
        path.write_text(text)
        worn = Worn(path)
        await worn.start()
        await worn.press()  # the file may have said that recording is off
        await worn.set(60)
        await worn.wait(61)
        about_the_rest = [each for each in worn.sentences if "(recording" not in each]
        assert about_the_rest == [FORGOTTEN, "Your 1 minute timer is done."]
        assert path.with_suffix(".bad.json").read_text() == text
        await worn.start()
        await worn.wait(1)
        assert FORGOTTEN not in worn.sentences[1:]

    asyncio.run(scene())


@pytest.mark.parametrize("reboots", [False, True])
def test_a_timer_keeps_its_name_over_a_restart(tmp_path: Path, reboots: bool) -> None:
    async def scene() -> None:
        worn = Worn(tmp_path / "kept.json")
        await worn.start()
        await worn.set(60, "mum's tea")
        await worn.set(120)
        if reboots:
            worn.clocks.reboot(10)
        await worn.start()
        assert [timer.name for timer in worn.running] == ["mum's tea", ""]
        await worn.wait(61)
        assert worn.sentences[0] == "Your mum's tea timer is done."

    asyncio.run(scene())


@pytest.mark.parametrize("name", [None, 7, "", "Your", "x" * 500, "egg\nsalt", ["egg"], {"egg": 1}])
def test_a_timer_with_a_damaged_name_rings_without_it(tmp_path: Path, name: object) -> None:
    async def scene() -> None:
        path = tmp_path / "kept.json"
        worn = Worn(path)
        await worn.start()
        await worn.set(60, "egg")
        table = json.loads(path.read_text())
        assert table["timers"][0]["name"] == "egg"
        table["timers"][0]["name"] = name
        path.write_text(json.dumps(table))
        await worn.start()
        await worn.wait(61)
        known = [] if name == "" else [PARTLY_FORGOTTEN]
        assert worn.sentences == [*known, "Your 1 minute timer is done."]

    asyncio.run(scene())


def test_timers_that_were_saved_without_names_ring(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "kept.json"
        worn = Worn(path)
        await worn.start()
        await worn.set(60)
        assert "name" not in json.loads(path.read_text())["timers"][0]
        await worn.start()
        await worn.wait(61)
        assert worn.sentences == ["Your 1 minute timer is done."]

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("key", "value"), [("due_s", "soon"), ("ends_s", None), ("seconds", -5), ("said", 1.5), ("number", True)]
)
def test_one_damaged_timer_leaves_the_others(tmp_path: Path, key: str, value: object) -> None:
    async def scene() -> None:
        path = tmp_path / "kept.json"
        worn = Worn(path)
        await worn.start()
        for seconds in (60, 120):
            await worn.set(seconds)
        table = json.loads(path.read_text())
        table["timers"][0][key] = value
        path.write_text(json.dumps(table))
        await worn.start()
        await worn.wait(300)
        assert worn.sentences[:2] == [PARTLY_FORGOTTEN, "Your 2 minute timer is done."]
        assert await worn.set(60) == 3, "no number is given twice"

    asyncio.run(scene())


def test_a_disk_that_refuses_is_journalled_and_said_at_the_end(tmp_path: Path) -> None:
    async def scene() -> None:
        (tmp_path / "file").write_text("")
        worn = Worn(tmp_path / "file" / "kept.json")
        await worn.start()
        await worn.press()  # what cannot be read counts as recording off
        await worn.set(600)
        await worn.set(7200)
        assert worn.store.problem is not None
        assert worn.journal.recent[-1]["problem"] == worn.store.problem
        await worn.wait(601)
        assert "Your 10 minute timer is done." in worn.sentences
        await worn.press()
        worn.queue.post(SwitchOffAsked("Goodbye.", "a test"))
        assert worn.sentences[-1].startswith("Goodbye. Your 2 hour timer is lost")

    asyncio.run(scene())


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(1, 900)),
        st.tuples(st.just("set"), st.integers(900, 5000)),
        st.tuples(st.just("wait"), st.integers(1, 400)),
        st.tuples(st.just("restart"), st.just(0)),
        st.tuples(st.just("reboot"), st.integers(1, 600)),
        st.tuples(st.just("clock"), st.integers(-7200, 7200)),
        st.tuples(st.just("busy"), st.integers(1, 90)),
        st.tuples(st.just("sleep"), st.integers(1, 3000)),
        st.tuples(st.just("press"), st.just(0)),
        st.tuples(st.just("cancel"), st.integers(0, MOST)),
        st.tuples(st.just("crash"), st.just(0)),
    ),
    max_size=30,
)


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_no_timer_is_ever_lost_early_or_announced_too_often(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_lived(Worn(Path(folder) / "kept.json"), steps))


async def _lived(worn: Worn, steps: list[tuple[str, int]]) -> None:
    ends_s: dict[int, float] = {}
    cancelled: set[int] = set()
    silenced: dict[int, int] = {}  # announcements until then
    waits: list[tuple[float, float]] = []  # when nothing could be announced, in true time
    await worn.start()
    for step, value in steps:
        running = worn.running
        begun = len(worn.begun)
        began_s = worn.clocks.true_s
        if (
            step == "press"
            or (step == "set" and len(running) < MOST)
            or (step == "cancel" and value < len(running))
        ):
            silenced |= {timer.number: timer.said for timer in running if timer.said}
        match step:
            case "set" if len(running) < MOST:
                ends_s[await worn.set(value)] = worn.clocks.true_s + value
            case "wait":
                await worn.wait(value)
            case "sleep":
                await worn.sleep(value)
            case "restart":
                await worn.start()
            case "reboot":
                worn.clocks.reboot(value)
                await worn.start()
            case "clock":
                worn.clocks.wall_ahead_s += value
                await worn.wait(0)
            case "busy":
                await worn.begin_turn()
                await worn.wait(value)
                assert len(worn.begun) == begun
                await worn.end_turn()
            case "press":
                await worn.press()
                await worn.wait(0)
            case "cancel" if value < len(running):
                timer = running[value]
                cancelled.add(timer.number)
                await worn.cancel(timer)
            case "crash" if running:
                worn.crashes = True
                await worn.wait(max(0.0, running[0].left_s(worn.clocks.now())) + 5)
                worn.crashes = False
        if step in ("reboot", "busy"):
            waits.append((began_s, worn.clocks.true_s))
    await worn.wait(2 * 3600)
    counts = Counter(number for _, number in worn.begun)
    first_s = {number: at_s for at_s, number in reversed(worn.begun)}
    assert worn.running == ()
    for number, end_s in ends_s.items():
        if number in first_s:
            assert first_s[number] >= end_s - 1.5, "not before its time"
            hindered_s = sum(to_s - from_s for from_s, to_s in waits if to_s >= end_s)
            assert first_s[number] <= end_s + hindered_s + 60, "not long after it"
        if number in silenced:
            assert counts[number] == silenced[number], "not once more after the wearer noticed"
        elif number in cancelled:
            assert counts[number] < TIMES
        else:
            assert counts[number] == TIMES
