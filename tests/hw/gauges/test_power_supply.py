"""Tests that are specific to the kernel's files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.gauges.power_supply import PowerSupplyGauge
from tests.hw.gauges.gauge_benches import KernelBench
from tests.hw.sysfs_files import write_supply


@pytest.mark.parametrize(
    ("status", "current_ua", "online", "charging", "current_ma"),
    [
        ("Discharging", -650_000, 0, False, -650),
        ("Discharging", 650_000, 0, False, -650),  # a driver that breaks the sign rule
        ("Charging", 500_000, 1, True, 500),
        ("Charging", -500_000, 1, False, -500),  # a charger that is weaker than the load
        ("Charging", -5_000, 1, True, 5),
        ("Full", 20_000, 1, True, 20),
        ("Not charging", 0, 1, True, 0),
        ("Not charging", 0, 0, False, 0),
        ("Not charging", -600_000, 1, False, -600),  # a cell that is too cold or too hot to be charged
        ("Unknown", 300_000, 0, False, -300),
        ("Unknown", 300_000, 1, True, 300),
        ("Unknown", -300_000, 1, False, -300),
    ],
)
def test_direction_and_outside_power_come_from_the_status(
    tmp_path: Path, status: str, current_ua: int, online: int, charging: bool, current_ma: int
) -> None:
    bench = KernelBench(tmp_path)
    write_supply(tmp_path, "rk817-battery", status=status, current_now=current_ua)
    write_supply(tmp_path, "rk817-charger", online=online)
    reading = bench.gauge.read()
    assert (reading.charging, reading.current_ma) == (charging, current_ma)


def test_a_driver_that_breaks_the_sign_rule_is_believed_that_the_cell_charges(tmp_path: Path) -> None:
    bench = KernelBench(tmp_path)
    write_supply(tmp_path, "rk817-charger", online=1)
    write_supply(tmp_path, "rk817-battery", status="Discharging", current_now=650_000)
    bench.gauge.read()
    write_supply(tmp_path, "rk817-battery", status="Charging", current_now=-500_000)
    reading = bench.gauge.read()
    assert (reading.charging, reading.current_ma) == (True, 500)


def test_a_current_from_before_the_status_makes_no_driver_one_without_signs(tmp_path: Path) -> None:
    """Status and current are two files, and the driver measures between two readings."""
    bench = KernelBench(tmp_path)
    for status, current_ua in (("Discharging", 900_000), ("Discharging", -400_000), ("Charging", -300_000)):
        write_supply(tmp_path, "rk817-battery", status=status, current_now=current_ua)
        reading = bench.gauge.read()
    assert (reading.charging, reading.current_ma) == (False, -300)


@pytest.mark.parametrize(
    ("full_uah", "full_mah"), [(4_100_000, 4100), (None, None), (0, None), (-1, None), (400, None)]
)
def test_what_a_full_battery_holds_is_what_the_kernel_says(
    tmp_path: Path, full_uah: int | None, full_mah: int | None
) -> None:
    bench = KernelBench(tmp_path)
    if full_uah is not None:
        write_supply(tmp_path, "rk817-battery", charge_full=full_uah)
    assert bench.gauge.read().full_mah == full_mah


def test_the_battery_is_found_by_its_type_and_not_by_its_name(tmp_path: Path) -> None:
    write_supply(tmp_path, "ac", type="Mains", online=1)
    write_supply(tmp_path, "hid-mouse-battery", type="Battery", scope="Device", capacity=3)
    gauge = PowerSupplyGauge(tmp_path)
    assert gauge.read().problem == "The kernel knows no battery."
    write_supply(
        tmp_path, "rk817-charger.7.auto", type="Battery", status="Full", capacity=100, voltage_now=4_190_000
    )
    reading = gauge.read()
    assert (reading.percent, reading.charging, reading.current_ma, reading.state) == (100, True, None, "good")
    write_supply(tmp_path, "rk817-charger.7.auto", present=0)
    assert gauge.read().state == "absent"


def test_a_driver_without_an_answer_is_absent_and_its_alarms_have_our_names(tmp_path: Path) -> None:
    bench = KernelBench(tmp_path)
    write_supply(tmp_path, "rk817-battery", health="Overheat", capacity_level="Low")
    assert bench.gauge.read().alarms == ("too hot", "low charge")
    (bench.folder / "voltage_now").unlink()
    (bench.folder / "voltage_now").mkdir()  # reading it fails, as a driver's EIO does
    reading = bench.gauge.read()
    assert (reading.state, reading.percent) == ("absent", None)
    for text in ("", "many", "12.5", "\udcff".encode("utf-8", "surrogateescape")):
        (bench.folder / "capacity").write_bytes(text if isinstance(text, bytes) else text.encode())
        assert bench.gauge.read().state == "absent"


def test_a_resting_battery_may_stand_still(tmp_path: Path) -> None:
    bench = KernelBench(tmp_path)
    write_supply(tmp_path, "rk817-battery", status="Full", current_now=0, capacity=100)
    for _ in range(10):
        bench.pass_time(600)
        assert bench.gauge.read().state == "good"


def test_a_laptops_battery_tells_power_and_has_several_cells(tmp_path: Path) -> None:
    write_supply(
        tmp_path, "BAT0", type="Battery", present=1, status="Discharging", capacity=64,
        voltage_now=11_500_000, power_now=9_200_000,
    )  # fmt: skip
    assert PowerSupplyGauge(tmp_path).read().state == "implausible"
    reading = PowerSupplyGauge(tmp_path, most_cells=4).read()
    assert (reading.state, reading.percent, reading.voltage_mv, reading.current_ma) == (
        "good", 64, 11_500, -800,
    )  # fmt: skip


def test_two_batteries_are_one_charge_and_the_one_at_work_gives_the_current(tmp_path: Path) -> None:
    for name, status, percent, full_uwh in (("BAT0", "Not charging", 5, 20), ("BAT1", "Discharging", 90, 60)):
        write_supply(
            tmp_path, name, type="Battery", status=status, capacity=percent, voltage_now=12_000_000,
            energy_full=full_uwh * 1_000_000, current_now=700_000 if status == "Discharging" else 0,
        )  # fmt: skip
    gauge = PowerSupplyGauge(tmp_path, most_cells=4)
    reading = gauge.read()
    assert (reading.percent, reading.current_ma, reading.charging) == (69, -700, False)
    write_supply(tmp_path, "BAT0", present=0)
    assert gauge.read().percent == 90


def test_a_computer_without_a_battery_runs_from_the_mains(tmp_path: Path) -> None:
    gauge = PowerSupplyGauge(tmp_path, mains=True)
    reading = gauge.read()
    assert (reading.state, reading.charging, reading.voltage_mv) == ("good", True, None)
    write_supply(tmp_path, "BAT0", type="Battery", present=0)
    assert gauge.read() == reading


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            "type status capacity voltage_now current_now temp present scope online health".split()
        ),
        st.one_of(st.integers(-(10**9), 10**9).map(str), st.text(max_size=8), st.just("Battery")),
    )
)
def test_whatever_the_kernel_writes_a_reading_comes_out(tmp_path_factory, files: dict[str, str]) -> None:
    root = tmp_path_factory.mktemp("sys")
    write_supply(root, "battery", **{"type": "Battery", **files})
    reading = PowerSupplyGauge(root).read()
    assert (reading.problem is None) == (reading.state == "good")
    if reading.state == "good":
        assert reading.percent in range(101)
        assert reading.voltage_mv in range(2000, 5001)
