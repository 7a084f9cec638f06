"""The PMU dozes: the firmware as it is, on an emulated RP2040 and RP2350 whose clocks rest meanwhile."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.pmu import guard_rail as rails
from firmware.pmu import registers as r
from firmware.pmu import sleep_state
from tests.firmware.dozing_board import (
    BUTTON,
    CHIP_NAMES,
    POWER_GOOD,
    SOUND,
    emulated,
    noisy,
    read,
    run,
    sleep_host,
)  # fmt: skip
from tests.firmware.micropython.board.rig import RIG


@pytest.fixture(params=CHIP_NAMES)
def bench(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    yield from emulated(request.param, monkeypatch, tmp_path)


def test_in_a_quiet_room_it_dozes_nearly_always_and_feeds_the_watchdog(bench: Any) -> None:
    found: list[tuple[int, int]] = []
    steps = [(at_s, lambda: found.append((RIG.dozed_us, RIG.fed))) for at_s in (10.0, 40.0)]
    run(bench, 41.0, *sleep_host(), *steps)
    assert (found[1][0] - found[0][0]) / 30e6 > 0.98  # without what the interpreter computes
    assert found[1][1] - found[0][1] >= 20  # armed 15 s after the start


def test_a_sound_is_recorded_at_once(bench: Any) -> None:
    found: dict[str, Any] = {}

    def speak() -> None:
        found.update(dozing=RIG.dozing, opened=len(RIG.opened), spoke_us=RIG.now_us)
        RIG.levels[SOUND] = 1

    run(bench, 11.0, *sleep_host(), (10.3, speak))
    assert found["dozing"] and found["opened"] == 1, "the microphone rests"
    assert len(RIG.opened) == 2
    assert 0 <= RIG.opened[1] - found["spoke_us"] <= 5_000


def test_a_sound_that_begins_just_before_a_doze_is_recorded_at_once(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the detector was last looked at and before its edge can end the doze."""
    board_sleep = importlib.import_module("firmware.pmu.board_sleep")
    doze = board_sleep.Sleeper.doze
    spoke_us: list[int] = []

    def spoken_before(sleeper: Any, *arguments: Any) -> Any:
        if RIG.now_us > 10e6 and not spoke_us:
            spoke_us.append(RIG.now_us)
            RIG.levels[SOUND] = 1
        return doze(sleeper, *arguments)

    monkeypatch.setattr(board_sleep.Sleeper, "doze", spoken_before)
    run(bench, 13.0, *sleep_host())
    assert spoke_us and len(RIG.opened) == 2
    assert 0 <= RIG.opened[1] - spoke_us[0] <= 5_000


def test_who_does_not_listen_is_woken_by_no_sound(bench: Any) -> None:
    found: list[int] = []
    steps = [(at_s, lambda: found.append(RIG.dozed_us)) for at_s in (15.0, 45.0)]
    run(bench, 46.0, *sleep_host(r.GATE_OFF), *noisy(46), *steps)
    assert (found[1] - found[0]) / 30e6 > 0.98
    assert RIG.opened == []


def test_without_a_sound_detector_the_microphone_never_rests(bench: Any) -> None:
    RIG.levels.pop(SOUND)  # the pull-up
    run(bench, 20.0, *sleep_host())
    assert len(RIG.opened) == 1 and RIG.dozed_us == 0


def test_a_host_that_wakes_by_itself_is_answered_at_a_retry(bench: Any) -> None:
    """The host pauses 2, 10 and 50 ms between its tries (`hw.pmu.register_bus`)."""
    tries: list[bool] = []

    def look() -> None:
        try:
            tries.append(read(r.MAP) == r.MAP_MAGIC | r.MAP_VERSION)
        except OSError:
            tries.append(False)

    run(bench, 12.0, *sleep_host(r.GATE_OFF), *((at_s, look) for at_s in (10.0, 10.002, 10.012, 11.5)))
    assert tries[0] is False, "it dozed"
    assert tries[-2:] == [True, True]


def test_the_button_wakes_a_dozing_pmu(bench: Any) -> None:
    events: list[int] = []
    run(
        bench, 12.0, *sleep_host(r.GATE_OFF),
        (10.0, lambda: RIG.levels.update({BUTTON: 0})),
        (10.1, lambda: RIG.levels.update({BUTTON: 1})),
        (10.9, lambda: events.append(read(r.EVENT_1))),
    )  # fmt: skip
    assert events == [r.EVENT_KIND_BUTTON << 8 | 1]


def test_a_press_that_begins_just_before_a_doze_counts(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The contact closes after it was last looked at and before its edge can end the doze."""
    board_sleep = importlib.import_module("firmware.pmu.board_sleep")
    doze, events = board_sleep.Sleeper.doze, []

    def pressed_before(sleeper: Any, *arguments: Any) -> Any:
        if 10e6 < RIG.now_us < 11.5e6 and not pressed:
            pressed.append(RIG.now_us)
            RIG.levels[BUTTON] = 0
        return doze(sleeper, *arguments)

    pressed: list[int] = []
    monkeypatch.setattr(board_sleep.Sleeper, "doze", pressed_before)
    let_go = [
        (
            10 + n / 20,
            lambda: pressed and RIG.now_us > pressed[0] + 250_000 and RIG.levels.update({BUTTON: 1}),
        )
        for n in range(50)
    ]
    run(bench, 14.0, *sleep_host(r.GATE_OFF), *let_go, (13.0, lambda: events.append(read(r.EVENT_1))))
    assert pressed and events == [r.EVENT_KIND_BUTTON << 8 | 1]


def test_a_charger_ends_every_doze(bench: Any) -> None:
    asleep: list[int] = []
    run(
        bench, 20.0, *sleep_host(),
        (10.0, lambda: RIG.levels.update({POWER_GOOD: 1})),
        (13.0, lambda: asleep.append(RIG.dozed_us)),
    )  # fmt: skip
    assert RIG.dozed_us == asleep[0]


def test_a_doze_counts_all_that_flows(bench: Any) -> None:
    RIG.chips[0x40].current_ma = -100
    found: list[tuple[int, int]] = []

    def note() -> None:
        RIG.dozing = False  # as the first transfer does
        found.append((read(r.ENERGY_LOW), RIG.now_us))

    run(bench, 62.0, *sleep_host(r.GATE_OFF), (10.0, note), (60.0, note))
    hours = (found[1][1] - found[0][1]) / 3.6e9
    assert (found[1][0] - found[0][0]) / 100 == pytest.approx(0.1 * 3850 * hours, rel=0.05)
    assert RIG.chips[0x40].read(0x00, 2) == b"\x4d\x27", "averaged over a whole doze"


def test_the_battery_sensor_is_read_at_its_rate_whenever_it_came_back(bench: Any) -> None:
    """Its bus is opened anew while the processor is slow; during dozes it is not."""
    sensor = RIG.chips[0x40]
    steps = [(10.0, lambda: RIG.chips.pop(0x40)), (11.0, lambda: RIG.chips.update({0x40: sensor}))]
    sleep = [(20.0 + at_s, does) for at_s, does in sleep_host(r.GATE_OFF)]
    run(bench, 40.0, *steps, *sleep)
    assert RIG.dozed_us > 5e6


@given(st.lists(st.tuples(st.integers(0, 5_000), st.booleans(), st.integers(0, 3), st.booleans())))
def test_it_never_sleeps_while_it_is_needed(looks: list[tuple[int, bool, int, bool]]) -> None:
    sleep, now_ms, stirred_ms = sleep_state.Sleep(), 0, 0
    for step_ms, stirs, reason, asleep in looks:
        now_ms += step_ms
        state = sleep.step(now_ms, stirs, reason, asleep)
        off = reason in (rails.SHUTDOWN, rails.EMPTY)
        if stirs or not (off or (asleep and reason == rails.NOT_OFF)):
            stirred_ms = now_ms
        if now_ms - stirred_ms < sleep_state.SETTLE_MS or now_ms < sleep_state.START_MS:
            assert state == sleep_state.AWAKE
        if state == sleep_state.SHIP:
            assert off and now_ms - stirred_ms >= sleep_state.SHIP_MS
