"""A battery sensor that does not answer: the PMU continues, marks its values as outdated, and recovers."""

from __future__ import annotations

from firmware.pmu import guard_light as light
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from firmware.pmu.app import PERIOD_MS, Pmu

CELL = (3_900, -200)
SILENT = (None, None)


class Board:
    """A board whose sensor can be taken away."""

    def __init__(self, cell=CELL):
        self.now_ms = 1_000
        self.cell = cell
        self.powered = False
        self.rail_on = True
        self.saved = 0
        self.kept = None

    def ticks_ms(self):
        return self.now_ms

    def sense(self):
        return self.cell[0], self.cell[1], r.ZERO_CELSIUS_DK + 250, self.powered

    def alert(self, active):
        pass

    def rail(self, on):
        self.rail_on = on

    def light(self, red, green, blue):
        pass

    def save(self, record):
        self.saved += 1


class Bench:
    def __init__(self, cell=CELL):
        self.board = Board(cell)
        self.pmu = Pmu(self.board)

    def run(self, seconds):
        for _ in range(round(seconds * 1000 / PERIOD_MS)):
            self.board.now_ms += PERIOD_MS
            self.pmu.step()

    def value(self, code):
        return self.pmu.target.value(code)

    def known(self):
        return bool(self.value(r.BATTERY_STATUS) & r.STATUS_INITIALIZED)

    def said(self):
        return [text for _, _, text in self.pmu.log.after(0, 100) if isinstance(text, str)]


def test_silent_from_the_start():
    bench = Bench(SILENT)
    bench.run(2)
    sequence = bench.value(r.SEQUENCE)
    bench.run(2)
    assert bench.value(r.SEQUENCE) != sequence and bench.value(r.UPTIME_LOW) == 4
    assert not bench.known() and bench.value(r.MAX_ERROR) == 100
    assert bench.pmu.light.pattern == light.ERROR and bench.board.rail_on
    bench.run(1_300)
    assert bench.board.saved == 0, "there is nothing to remember"
    bench.board.cell = CELL
    bench.run(1)
    assert bench.known() and bench.value(r.VOLTAGE) == 3_900 and r.signed(bench.value(r.CURRENT)) == -200
    assert bench.pmu.light.pattern != light.ERROR
    assert bench.said() == [
        "started", "the battery sensor does not answer", "the battery sensor answers again"
    ]  # fmt: skip


def test_silent_for_a_while():
    bench = Bench()
    bench.run(30)
    shown = bench.value(r.RELATIVE_STATE_OF_CHARGE)
    bench.board.cell = SILENT
    bench.run(2 * PERIOD_MS / 1000)
    assert bench.known(), "two readings may fail"
    bench.run(PERIOD_MS / 1000)
    assert not bench.known()
    bench.run(300)
    assert bench.value(r.RELATIVE_STATE_OF_CHARGE) == shown
    bench.board.cell = CELL
    bench.run(1)
    assert bench.known() and bench.value(r.MAX_ERROR) < 100
    assert abs(bench.value(r.RELATIVE_STATE_OF_CHARGE) - shown) <= 1


def test_a_single_reading_that_fails_changes_nothing():
    bench = Bench()
    bench.run(5)
    for _ in range(20):
        bench.board.cell = SILENT
        bench.run(PERIOD_MS / 1000)
        bench.board.cell = CELL
        bench.run(PERIOD_MS / 1000)
        assert bench.known()
    assert bench.said() == ["started"]


def test_nobody_is_cut_off_unseen():
    bench = Bench()
    bench.run(5)
    bench.board.cell = (0, 0)  # the last reading of a failing sensor
    bench.run(PERIOD_MS / 1000)
    bench.board.cell = SILENT
    bench.run(300)
    assert bench.board.rail_on and not bench.pmu.guard.ending


def test_an_empty_cell_that_is_no_longer_seen_starts_nothing_without_outside_power():
    bench = Bench(SILENT)
    bench.pmu.guard.rail.drop(rail.EMPTY)
    bench.run(120)
    assert not bench.board.rail_on
    bench.board.powered = True
    bench.run(rail.STEADY_MS / 1000 + 5)
    assert bench.board.rail_on


def test_outside_power_is_told_without_the_sensor():
    bench = Bench(SILENT)
    bench.run(1)
    assert bench.value(r.BATTERY_STATUS) & r.STATUS_DISCHARGING
    bench.board.powered = True
    bench.run(3)
    assert not bench.value(r.BATTERY_STATUS) & r.STATUS_DISCHARGING
