"""The host's client of the PMU: readings, settings and the bus."""

from __future__ import annotations

import pytest

from firmware.pmu import registers as r
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.pmu import EmulatedPmu
from hw.pmu.gauge import PmuGauge, PowerRequest
from hw.pmu.register_bus import GaugeError
from hw.supply import Energy, EventSource, Gauge
from tests.hw.pmu.pmu_bench import Bench


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_good_reading(bench: Bench) -> None:
    gauge: Gauge = bench.client
    assert isinstance(gauge, EventSource)
    reading = gauge.read()
    assert (reading.percent, reading.state, reading.problem) == (57, "good", None)
    assert reading.voltage_mv == 3843
    assert reading.current_ma == -150
    assert reading.temperature_c == 25.0
    assert not reading.charging
    assert reading.alarms == ()


def test_a_reading_says_what_the_cell_holds(bench: Bench) -> None:
    assert bench.client.read().full_mah == 2000
    bench.pmu.firmware.gauge.fit(1, 3000)
    bench.clock.jump(1)
    assert bench.client.read().full_mah == 3000


def test_charging_and_alarms_arrive(bench: Bench) -> None:
    bench.pmu.set_battery(8)
    assert bench.client.read().alarms == ("charge threshold",)
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
    assert bench.client.read().alarms == ("charge threshold",)
    bench.bus.inject(Fault.NAK, times=2)
    bench.client.write(r.REMAINING_CAPACITY_ALARM, 100)
    with pytest.raises(GaugeError, match="did not take"):
        bench.client.write(r.VOLTAGE, 4200)
    bench.bus.inject(Fault.STALL)
    with pytest.raises(GaugeError, match="time out"):
        bench.client.write(r.REMAINING_CAPACITY_ALARM, 100)


def test_energy_and_identity_have_their_units(bench: Bench) -> None:
    publish = bench.pmu.firmware.target.publish
    publish({r.ENERGY_LOW: 0x86A0, r.ENERGY_HIGH: 1, r.MARKED_ENERGY_LOW: 250, r.MARKED_ENERGY_HIGH: 0})
    assert bench.client.energy() == Energy(since_start_mwh=1000.0, since_mark_mwh=2.5)
    publish({r.COMMIT_LOW: 0xBEEF, r.COMMIT_HIGH: 0x1BAD, r.RESET_CAUSE: r.CAUSE_SOFT})
    identity = bench.client.identity()
    assert (identity.map_version, identity.commit, identity.reset_cause) == (
        r.MAP_VERSION,
        "1badbeef",
        r.CAUSE_SOFT,
    )
    publish({r.COMMIT_LOW: 0, r.COMMIT_HIGH: 0})
    assert bench.client.identity().commit is None


def test_marks_beats_and_settings_reach_the_pmu(bench: Bench) -> None:
    heard: list[tuple[int, int]] = []
    target = bench.pmu.firmware.target
    for code in (r.MARK, r.HEARTBEAT):
        target.on_write(code, lambda value, code=code: heard.append((code, value)))
    client = bench.client
    for _ in range(2):
        client.mark()
        client.beat()
    assert heard == [(r.MARK, 1), (r.HEARTBEAT, 1), (r.MARK, 2), (r.HEARTBEAT, 2)]
    client.set_heartbeat_deadline(30)
    client.set_light(3)
    assert [target.value(code) for code in (r.HEARTBEAT_DEADLINE, r.LIGHT)] == [30, 3]
    target.publish({r.GUARD: r.GUARD_ARMED, r.PMU_REQUEST: r.ASK_SHUTDOWN})
    assert (client.guard(), client.asks()) == (r.GUARD_ARMED, r.ASK_SHUTDOWN)


def test_a_request_is_taken_once_however_soon(bench: Bench) -> None:
    target = bench.pmu.firmware.target
    bench.client.request(PowerRequest.SLEEP)
    assert target.take(r.POWER_REQUEST) == r.REQUEST_SLEEP
    assert target.take(r.POWER_REQUEST) == 0
    taken: list[int] = []

    def at_once(value: int) -> dict[int, int]:
        taken.append(value)
        return {r.POWER_REQUEST: 0}

    target.on_write(r.POWER_REQUEST, at_once)
    bench.client.request(PowerRequest.SAVED)
    assert set(taken) == {r.REQUEST_SAVED}
    bench.bus.inject(Fault.NAK)
    with pytest.raises(GaugeError, match="does not answer"):
        bench.client.request(PowerRequest.SAVED)


def test_calls_from_two_threads_do_not_mix(bench: Bench) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as threads:
        readings = [threads.submit(bench.client.read) for _ in range(50)]
        for _ in range(50):
            bench.client.beat()
    assert {future.result().state for future in readings} == {"good"}


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
