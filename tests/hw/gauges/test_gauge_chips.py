"""Tests that are specific to the MAX17048 and the BQ27441."""

from __future__ import annotations

import pytest

from hw.emulated.bus import EmulatedBus
from hw.gauges.bq27441 import Bq27441
from hw.gauges.max17048 import Max17048
from tests.hw.gauges.emulated_chips import EmulatedBq27441, EmulatedMax17048


def test_max17048_registers_are_big_endian_and_in_their_units() -> None:
    chip = EmulatedMax17048()
    chip.frozen = True
    chip.memory[0x02:0x06] = bytes.fromhex("c030 3a80")  # 49200 * 78.125 uV, 58.5 percent
    chip.memory[0x16:0x18] = bytes.fromhex("ffdd")  # -35 * 0.208 percent per hour
    bus = EmulatedBus(chip, 0x36)
    reading = Max17048(bus).read()
    assert (reading.voltage_mv, reading.percent, reading.charging) == (3844, 58, False)
    assert bus.read_word_data(0x36, 0x02) == 0x30C0  # as smbus2 gives it: low byte first
    chip.memory[0x16:0x18] = bytes.fromhex("0030")
    assert Max17048(bus).read().charging
    assert not Max17048(bus, outside_power=lambda: False).read().charging


def test_a_full_cell_above_100_percent_is_100_and_another_chip_is_told_apart() -> None:
    chip = EmulatedMax17048()
    gauge = Max17048(EmulatedBus(chip, 0x36))
    chip.set_battery(103)
    assert (gauge.read().percent, gauge.read().state) == (100, "good")
    chip.version = 0x0030
    reading = gauge.read()
    assert (reading.state, reading.percent) == ("implausible", None)
    assert "another chip" in str(reading.problem)


def test_bq27441_registers_are_little_endian_and_signed() -> None:
    chip = EmulatedBq27441()
    chip.lost_settings = False
    chip.measure()
    chip.frozen = True
    chip.memory[0x02:0x08] = bytes.fromhex("a60b 040f 0980")  # 298.2 K, 3844 mV; hot, battery, discharging
    chip.memory[0x10:0x12] = bytes.fromhex("76fd")
    chip.memory[0x1C:0x1E] = bytes.fromhex("3900")
    reading = Bq27441(EmulatedBus(chip, 0x55)).read()
    assert (reading.percent, reading.voltage_mv, reading.current_ma) == (57, 3844, -650)
    assert reading.temperature_c == pytest.approx(25.1)
    assert reading.alarms == ("too hot",)


def test_a_bq27441_that_lost_its_settings_is_told_the_capacity_once() -> None:
    chip = EmulatedBq27441()
    bus = EmulatedBus(chip, 0x55)
    gauge = Bq27441(bus, design_mah=2600, pause=lambda seconds: None)
    assert gauge.read().state == "good"
    assert chip.capacity_mah == 2600
    before = bus.transfers
    gauge.read()
    assert bus.transfers - before == 6
    chip.lost_settings = True
    chip.capacity_mah = 1340
    gauge.read()
    assert chip.capacity_mah == 2600


def test_a_bq27441_that_takes_no_settings_is_stale_and_an_empty_place_absent() -> None:
    chip = EmulatedBq27441()
    waited: list[float] = []
    gauge = Bq27441(EmulatedBus(chip, 0x55), pause=waited.append)
    chip._unsealed = -100
    reading = gauge.read()
    assert (reading.state, reading.percent) == ("stale", None)
    assert sum(waited) <= 2.01
    chip.lost_settings, chip.present = False, False
    reading = gauge.read()
    assert reading.state == "absent"
    assert "no battery in its place" in str(reading.problem)
