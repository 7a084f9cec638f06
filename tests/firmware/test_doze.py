"""The PMU dozes: the firmware as it is, on an emulated RP2040 and RP2350 whose clocks rest meanwhile."""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.pmu import guard_rail as rails
from firmware.pmu import registers as r
from firmware.pmu import sleep_state
from firmware.pmu.sound_adpcm import Recorder
from firmware.pmu.sound_gate import SoundGate
from tests.firmware.micropython.board import machine
from tests.firmware.micropython.board.rig import CHIPS, RIG, Ended

SOUND, BUTTON, POWER_GOOD, SHIP, LATCHED, RAIL = 17, 13, 9, 3, 26, 10
MODULES = tuple(f"firmware.pmu.board{part}" for part in ("", "_sleep", "_ship"))


@pytest.fixture(params=["RP2040", "RP2350"])
def bench(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    monkeypatch.chdir(tmp_path)  # the flash: what one test stores is nothing to the next
    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setitem(sys.modules, "micropython", ModuleType("micropython"))
    monkeypatch.setitem(sys.modules, "firmware.pmu.sound_loops_viper", None)  # machine code
    bench = importlib.import_module("tests.firmware.micropython.board.bench")
    RIG.clear()
    RIG.chip = request.param
    RIG.hz = CHIPS[request.param][0]
    RIG.levels.update({SOUND: 0, BUTTON: 1, POWER_GOOD: 0})
    RIG.chips[0x40] = bench.Ina226(3850, -21)
    monkeypatch.setattr(sleep_state, "START_MS", 5_000)
    for module in MODULES:
        monkeypatch.delitem(sys.modules, module, raising=False)
    yield bench
    for module in MODULES:
        sys.modules.pop(module, None)
    RIG.clear()


def target() -> Any:
    return RIG.target


def write(code: int, value: int) -> None:
    low, high = value & 0xFF, value >> 8
    target().host_write(bytes((code * 4, low, high, r.write_pec(code * 4, low, high))))


def read(code: int) -> int:
    target().host_write(bytes((code * 4,)))
    low, high, _ = target().host_read(3)
    return low | high << 8


def run(bench: Any, until_s: float, *steps: tuple[float, Callable[[], Any]]) -> None:
    """Run the board's firmware up to that time of the rig; each step at its time."""
    due = sorted(steps, key=lambda step: step[0])

    def watch() -> None:
        while due and RIG.now_us >= due[0][0] * 1e6:
            due.pop(0)[1]()

    RIG.watch, RIG.until_us = watch, int(until_s * 1e6)
    real = {name: sys.modules[name] for name in ("sys", "select", "time")}
    bench.install()
    try:
        board = importlib.import_module("firmware.pmu.board")
        board._work(board.Board(None))
    except Ended:
        pass
    finally:
        sys.modules.update(real)
    assert RIG.faults == []


def sleep_host(gate: int = r.GATE_LISTEN) -> list[tuple[float, Callable[[], None]]]:
    return [
        (1.0, lambda: write(r.HEARTBEAT_DEADLINE, 30)),
        (1.5, lambda: write(r.SOUND_GATE, gate)),
        (2.0, lambda: write(r.POWER_REQUEST, r.REQUEST_SLEEP)),
    ]


def noisy(until_s: float) -> list[tuple[float, Callable[[], None]]]:
    """Steps of a room in which there is a sound every two seconds."""
    begins_s = range(7, int(until_s), 2)
    return [
        *((at_s, lambda: RIG.levels.update({SOUND: 1})) for at_s in begins_s),
        *((at_s + 0.1, lambda: RIG.levels.update({SOUND: 0})) for at_s in begins_s),
    ]


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


def test_off_it_stores_why_and_cuts_its_own_supply(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch is GPIO 3. The button brings the supply back, and starts the host. The room is noisy."""
    files: dict[str, bytes] = {}
    cut_s: list[float] = []
    patch_files(monkeypatch, files)

    def watch_supply() -> None:
        if RIG.levels.get(SHIP) == 0:
            cut_s.append(RIG.now_us / 1e6)
            raise Ended

    steps = [(6.0, lambda: RIG.levels.update({BUTTON: 0})), (17.0, lambda: RIG.levels.update({BUTTON: 1}))]
    run(bench, 60.0, *steps, *noisy(60), *((20 + n / 4, watch_supply) for n in range(160)))
    assert cut_s and 36.5 < cut_s[0] < 40, "20 s after the last stir"
    assert files["off.bin"] == bytes((rails.SHUTDOWN,))

    RIG.now_us, RIG.timers, RIG.target = 0, [], None
    RIG.scratch, RIG.armed, RIG.lit, RIG.open_i2s, RIG.dozing = {}, {}, {}, None, False
    RIG.levels.update({SHIP: 1, LATCHED: 0, BUTTON: 1})
    for module in MODULES:
        sys.modules.pop(module, None)
    run(bench, 3.0)
    assert "off.bin" not in files
    assert RIG.levels[RAIL] == 1, "the button switched it on"


@pytest.mark.parametrize("current_ma", [900, 0], ids=["charging", "full"])
def test_off_at_a_charger_that_was_there_minutes_ago_it_keeps_its_supply(
    bench: Any, monkeypatch: pytest.MonkeyPatch, current_ma: int
) -> None:
    patch_files(monkeypatch, {})
    shone: list[bool] = []
    supplied: list[int] = []

    def plug() -> None:
        RIG.levels[POWER_GOOD] = 1
        RIG.chips[0x40].current_ma = current_ma

    run(
        bench, 70.0,
        (1.0, lambda: RIG.levels.update({POWER_GOOD: 1})),
        (6.0, lambda: RIG.levels.update({POWER_GOOD: 0})),
        (10.0, lambda: RIG.levels.update({BUTTON: 0})),
        (21.0, lambda: RIG.levels.update({BUTTON: 1})),
        (24.0, plug),
        *((24.0 + n / 4, lambda: supplied.append(RIG.levels[SHIP])) for n in range(180)),
        *((26.5 + n / 20, lambda: shone.append(any(RIG.lit.values()))) for n in range(40)),
    )  # fmt: skip
    assert RIG.levels[RAIL] == 0 and all(supplied)
    assert any(shone) == (current_ma > 0), "it shows that it charges"


def test_the_battery_sensor_is_read_at_its_rate_whenever_it_came_back(bench: Any) -> None:
    """Its bus is opened anew while the processor is slow; during dozes it is not."""
    sensor = RIG.chips[0x40]
    steps = [(10.0, lambda: RIG.chips.pop(0x40)), (11.0, lambda: RIG.chips.update({0x40: sensor}))]
    sleep = [(20.0 + at_s, does) for at_s, does in sleep_host(r.GATE_OFF)]
    run(bench, 40.0, *steps, *sleep)
    assert RIG.dozed_us > 5e6


@pytest.mark.parametrize("latch", [{LATCHED: 0}, {}], ids=["latch", "no latch"])
def test_a_charger_wakes_an_off_headband_and_does_not_start_it(
    bench: Any, monkeypatch: pytest.MonkeyPatch, latch: dict[int, int]
) -> None:
    patch_files(monkeypatch, {"off.bin": bytes((rails.SHUTDOWN,))})
    RIG.levels.update({**latch, POWER_GOOD: 1})
    run(bench, 30.0)
    assert RIG.levels[RAIL] == 0
    assert RIG.dozed_us == 0


def test_off_without_such_a_switch_it_dozes_on(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"off.bin": bytes((rails.SHUTDOWN,))}
    patch_files(monkeypatch, files)
    RIG.levels.update({LATCHED: 0, POWER_GOOD: 1})
    run(bench, 60.0, (5.0, lambda: RIG.levels.update({POWER_GOOD: 0})))
    assert RIG.dozed_us > 25e6
    assert "off.bin" not in files and RIG.levels[SHIP] == 1


def room(gate: SoundGate, heard: Callable[[int], bool], seconds: int) -> list[tuple[int, bool]]:
    """When the microphone went on and off, in a room with the same hum at all times."""
    course: list[tuple[int, bool]] = []
    for now_ms in range(0, seconds * 1000, 20):
        blocks = [1]

        def microphone(samples: Any, blocks: list[int] = blocks) -> bool:
            if samples is None:
                return False
            blocks[0] -= 1
            return blocks[0] >= 0

        gate.step(now_ms, microphone, True, heard(now_ms))
        if not course or course[-1][1] is gate.resting:
            course.append((now_ms, not gate.resting))
    return course


def test_a_detector_that_ends_every_rest_makes_the_rests_seldom() -> None:
    gate = SoundGate(SimpleNamespace(add=print), SimpleNamespace(answered=print), Silent(), lambda page: None)
    gate.control(r.GATE_LISTEN)
    course = room(gate, lambda now_ms: now_ms % 100 == 0, 120)  # ten times a second
    assert len(course) < 16
    waits_ms = [off - on for (on, _), (off, _) in zip(course[::2], course[1::2], strict=False)]
    assert waits_ms[0] < 3_200 and max(waits_ms) > 40_000 and waits_ms == sorted(waits_ms)


class Silent(Recorder):
    """Encodes nothing, which is slow here."""

    def add(self, samples: Any) -> None:
        self.pages += 8


def patch_files(monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]) -> None:
    class File:
        def __init__(self, name: str, mode: str) -> None:
            if "r" in mode and name not in files:
                raise OSError(2)
            self.name = name

        def __enter__(self) -> File:
            return self

        def __exit__(self, *_: object) -> None: ...

        def write(self, data: bytes) -> None:
            files[self.name] = bytes(data)

        def read(self, limit: int = -1) -> bytes:
            return files[self.name]

    real, remove = builtins.open, os.remove

    def opened(name: Any, *arguments: Any, **named: Any) -> Any:
        if str(name).endswith(".bin") and arguments:
            return File(str(name), arguments[0])
        return real(name, *arguments, **named)

    def removed(name: Any) -> None:
        if files.pop(str(name), None) is None:
            remove(name)

    listdir = os.listdir

    def listed(*folder: Any) -> list[str]:
        return listdir(*folder) if folder else [*files]

    monkeypatch.setattr(os, "listdir", listed)
    monkeypatch.setattr(builtins, "open", opened)
    monkeypatch.setattr(os, "remove", removed)


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
