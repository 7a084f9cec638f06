"""The emulated `machine` behaves like the rp2 port's, also in the peculiarities of `I2CTarget`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.firmware.micropython.board import machine
from tests.firmware.micropython.board.i2c_target import I2CTarget
from tests.firmware.micropython.board.machine import Timer
from tests.firmware.micropython.board.rig import RIG, Ended

EVENTS = (I2CTarget.IRQ_END_READ, I2CTarget.IRQ_END_WRITE)


@pytest.fixture
def target():
    RIG.clear()
    RIG.until_us = 1 << 60
    return I2CTarget(0, 0x0B, mem=bytearray(range(256)))


def heard(target: I2CTarget, trigger: int, hard: bool = False) -> list[int]:
    events: list[int] = []
    irq: Any = target.irq(lambda _: events.append(irq.flags()), trigger, hard)
    return events


def test_memory_is_served_from_the_address_on_and_wraps(target):
    target.host_write(b"\xfe")
    assert target.host_read(4) == b"\xfe\xff\x00\x01"
    target.host_write(b"\xffAB")
    target.host_write(b"\xff")
    assert target.host_read(2) == b"AB"


def test_a_read_of_one_byte_moves_the_address_by_two(target):
    target.host_write(b"\x10")
    assert target.host_read(1) == b"\x10"
    assert target.memaddr == 0x12
    target.host_write(b"\x10")
    assert target.host_read(2) == b"\x10\x11"
    assert target.memaddr == 0x12


def test_the_end_of_an_address_alone_is_not_told_but_a_scan_is(target):
    events = heard(target, I2CTarget.IRQ_END_READ | I2CTarget.IRQ_END_WRITE)
    target.host_write(b"\x10")
    assert events == []
    target.host_write(b"\x10A")
    assert events == [I2CTarget.IRQ_END_WRITE]
    target.host_write(b"")
    assert events == [I2CTarget.IRQ_END_WRITE] * 2
    target.host_read(3)
    assert events[2:] == [I2CTarget.IRQ_END_READ]


@pytest.mark.parametrize("trigger", [1, 2, 4, 8, 4 | 32])
def test_the_fast_events_need_a_hard_handler(target, trigger):
    with pytest.raises(ValueError):
        target.irq(lambda _: None, trigger)


def test_without_memory_every_byte_is_asked_for_and_a_single_one_twice():
    RIG.clear()
    target = I2CTarget(1, 0x42)
    asked = bytearray(1)  # a hard handler may not allocate, so it counts in place

    def answer(_):
        asked[0] += 1
        target.write(b"A")

    target.irq(answer, I2CTarget.IRQ_READ_REQ, True)
    assert target.host_read(3) == b"AAA"
    assert target.host_read(1) == b"A"
    assert asked[0] == 3 + 2


def test_a_hard_handler_that_raises_is_dead_and_the_clock_is_held_for_ever():
    RIG.clear()
    target = I2CTarget(1, 0x42)

    def broken(_):
        raise KeyError("any")

    target.irq(broken, I2CTarget.IRQ_READ_REQ, True)
    for _ in range(2):
        with pytest.raises(OSError):
            target.host_read(1)
    assert len(RIG.faults) == 1


def test_a_soft_handler_that_raises_goes_on(target):
    def broken(_):
        raise KeyError("any")

    target.irq(broken, I2CTarget.IRQ_END_WRITE)
    target.host_write(b"\x10A")
    target.host_write(b"\x10A")
    assert len(RIG.faults) == 2


def test_time_passes_with_sleep_and_timers_fire_in_it(target):
    fired: list[int] = []
    once = Timer(mode=Timer.ONE_SHOT, period=30, callback=lambda _: fired.append(RIG.now_us))
    often = Timer(mode=Timer.PERIODIC, period=20, callback=lambda _: fired.append(RIG.now_us))
    RIG.pass_us(50_000)
    assert fired == [20_000, 30_000, 40_000]
    often.deinit()
    once.deinit()
    RIG.pass_us(50_000)
    assert len(fired) == 3


def test_a_starved_watchdog_ends_the_program(target):
    watchdog = machine.WDT(timeout=8000)
    RIG.pass_us(7_999_000)
    watchdog.feed()
    RIG.pass_us(7_999_000)
    with pytest.raises(Ended):
        RIG.pass_us(2_000)
    with pytest.raises(ValueError):
        machine.WDT(timeout=8389)
