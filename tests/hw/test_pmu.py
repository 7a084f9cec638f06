"""The gauge as the host sees it, over a bus whose other end is the firmware."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import registers as r
from hw.device import Gauge
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.clock import FakeClock
from hw.emulated.pmu import EmulatedPmu
from hw.pmu import GaugeError, PmuGauge


class Bench:
    """Clock, PMU, bus and client, wired together."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.alerts: list[bool] = []
        self.pmu = EmulatedPmu(self.clock, self.alerts.append)
        self.pmu.set_battery(57)
        self.bus = EmulatedBus(self.pmu)
        self.client = PmuGauge(self.bus, self.clock.monotonic)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_good_reading(bench: Bench) -> None:
    gauge: Gauge = bench.client
    reading = gauge.read()
    assert (reading.percent, reading.state, reading.problem) == (57, "good", None)
    assert reading.voltage_mv == 3843
    assert reading.current_ma == -150
    assert reading.temperature_c == 25.0
    assert not reading.charging
    assert reading.alarms == ()


def test_charging_and_alarms_arrive(bench: Bench) -> None:
    bench.pmu.set_battery(8)
    assert bench.client.read().alarms == ("low charge",)
    assert bench.alerts[-1] is True
    bench.pmu.set_battery(8, charging=True)
    reading = bench.client.read()
    assert reading.charging
    assert reading.current_ma == 500
    assert reading.alarms == ()


def test_time_passes_on_the_emulated_cell(bench: Bench) -> None:
    bench.pmu.set_battery(50, current_ma=-1000)
    bench.clock.jump(360)
    assert bench.client.read().percent == 45


@pytest.mark.parametrize(
    ("fault", "state", "says"),
    [
        (Fault.NAK, "absent", "does not answer"),
        (Fault.STALL, "absent", "time out"),
        (Fault.BAD_PEC, "implausible", "wrong checksums"),
        (Fault.TORN, "implausible", "wrong checksums"),
        (Fault.ALL_ONES, "absent", "only ones"),
        (Fault.BUSY, "absent", "kernel driver"),
    ],
)
def test_a_lasting_fault_is_a_state_with_a_sentence_and_heals(
    bench: Bench, fault: Fault, state: str, says: str
) -> None:
    bench.bus.inject(fault)
    before = bench.bus.transfers
    reading = bench.client.read()
    assert reading.state == state
    assert reading.problem is not None
    assert says in reading.problem
    assert reading.percent is None
    assert not reading.charging
    assert bench.bus.transfers - before <= 24
    bench.bus.inject(None)
    assert bench.client.read().percent == 57


@pytest.mark.parametrize("fault", [Fault.NAK, Fault.BAD_PEC, Fault.TORN, Fault.ALL_ONES])
@pytest.mark.parametrize("healthy_transfers", [0, 1, 2, 3])
def test_a_passing_fault_costs_a_repeat_only(bench: Bench, fault: Fault, healthy_transfers: int) -> None:
    for _ in range(healthy_transfers):
        bench.bus.read_byte(r.ADDRESS)
    bench.bus.inject(fault, times=2)
    assert bench.client.read().state == "good"


def test_a_hung_firmware_becomes_stale(bench: Bench) -> None:
    assert bench.client.read().state == "good"
    bench.pmu.frozen = True
    bench.clock.jump(4)
    assert bench.client.read().state == "good"
    bench.clock.jump(4)
    reading = bench.client.read()
    assert reading.state == "stale"
    assert "measured nothing for 8 seconds" in str(reading.problem)
    bench.pmu.frozen = False
    assert bench.client.read().state == "good"


@pytest.mark.parametrize(
    ("code", "word", "says"),
    [
        (r.RELATIVE_STATE_OF_CHARGE, 255, "charge of 255 percent"),
        (r.VOLTAGE, 0, "0 mV"),
        (r.VOLTAGE, 20_000, "20000 mV"),
        (r.CURRENT, -30_000, "-30000 mA"),
        (r.TEMPERATURE, 0, "-273 degrees"),
    ],
)
def test_values_that_cannot_be_are_implausible(bench: Bench, code: int, word: int, says: str) -> None:
    bench.pmu.firmware.target.publish({code: word})
    reading = bench.client.read()
    assert reading.state == "implausible"
    assert says in str(reading.problem)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        (r.MAP_MAGIC | r.MAP_VERSION - 1, "flash the PMU"),
        (r.MAP_MAGIC | r.MAP_VERSION + 1, "update the application on the host"),
        (0x1234, "not our PMU"),
    ],
)
def test_a_map_mismatch_says_which_side_to_flash(bench: Bench, word: int, says: str) -> None:
    bench.pmu.firmware.target.publish({r.MAP: word})
    reading = bench.client.read()
    assert reading.state == "implausible"
    assert says in str(reading.problem)


def test_a_gauge_that_has_not_measured_is_stale(bench: Bench) -> None:
    fresh = EmulatedPmu(bench.clock, bench.alerts.append)
    assert PmuGauge(EmulatedBus(fresh), bench.clock.monotonic).read().state == "stale"


def test_thresholds_are_written_and_read_back(bench: Bench) -> None:
    bench.client.write(r.REMAINING_CAPACITY_ALARM, 1500)
    assert bench.client.words([r.REMAINING_CAPACITY_ALARM])[r.REMAINING_CAPACITY_ALARM] == 1500
    bench.clock.jump(1)
    assert bench.client.read().alarms == ("low charge",)
    bench.bus.inject(Fault.NAK, times=2)
    bench.client.write(r.REMAINING_CAPACITY_ALARM, 100)
    with pytest.raises(GaugeError, match="did not take"):
        bench.client.write(r.VOLTAGE, 4200)
    bench.bus.inject(Fault.STALL)
    with pytest.raises(GaugeError, match="time out"):
        bench.client.write(r.REMAINING_CAPACITY_ALARM, 100)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, *Fault]),
            st.one_of(st.none(), st.integers(0, 12)),
            st.integers(0, 100),
            st.floats(0, 20),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_whatever_the_bus_does_a_good_reading_is_true(
    day: list[tuple[Fault | None, int | None, int, float, bool]],
) -> None:
    bench = Bench()
    for fault, times, percent, pause_s, frozen in day:
        bench.bus.inject(fault, times)
        bench.pmu.frozen = frozen
        bench.pmu.set_battery(percent, current_ma=0)
        bench.clock.jump(pause_s)
        reading = bench.client.read()
        assert (reading.problem is None) == (reading.state == "good")
        if reading.state == "good":
            assert reading.percent == percent
    bench.bus.inject(None)
    bench.pmu.frozen = False
    bench.clock.jump(1)
    assert bench.client.read().state == "good"


def test_words_span_the_whole_map(bench: Bench) -> None:
    words = bench.client.words(range(r.REGISTER_COUNT))
    assert words[r.DESIGN_CAPACITY] == 2000
    assert words[r.SPECIFICATION_INFO] == 0x0031
    assert len(words) == r.REGISTER_COUNT


def test_the_kernels_own_pec_check_holds_on_this_map(bench: Bench) -> None:
    bench.bus.pec = 1
    assert bench.bus.read_word_data(r.ADDRESS, 4 * r.RELATIVE_STATE_OF_CHARGE) == 57
    bench.bus.write_word_data(r.ADDRESS, 4 * r.BATTERY_MODE, 0x4001)
    assert bench.bus.read_word_data(r.ADDRESS, 4 * r.BATTERY_MODE) == 0x4001
    bench.bus.inject(Fault.BAD_PEC, times=1)
    with pytest.raises(OSError, match="Bad message"):
        bench.bus.read_word_data(r.ADDRESS, 4 * r.VOLTAGE)


def test_the_bus_has_the_calls_of_smbus2() -> None:
    import inspect

    import smbus2

    for name, call in vars(EmulatedBus).items():
        if name.startswith(("read_", "write_")):
            theirs = list(inspect.signature(getattr(smbus2.SMBus, name)).parameters)
            assert list(inspect.signature(call).parameters) == theirs, name


def test_a_battery_outside_0_to_100_is_refused(bench: Bench) -> None:
    with pytest.raises(ValueError, match="0 to 100 percent, not 140"):
        bench.pmu.set_battery(140)
