"""The watchdog client around a sleep of the computer: the guard has to know that it sleeps."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.pmu import registers as r
from hw.device import DeviceError
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.pmu import EmulatedPmu
from hw.pmu.gauge import PmuGauge, PowerRequest
from hw.pmu.watchdog_and_light import STAGES, PmuGuard
from tests.host.system.watchdog_bench import Desk, with_desk

MISMATCHES = (Fault.OLDER_MAP, Fault.NEWER_MAP)
"""Faults that no repeat cures."""


def test_a_suspended_computer_owes_no_heartbeat() -> None:
    async def scenario(desk: Desk) -> None:
        async def night() -> None:
            await desk.live(50)  # going to sleep takes a while
            desk.clock.jump(1_000)  # nobody runs meanwhile
            desk.board.pmu.catch_up()
            assert desk.stage == "asleep"

        await desk.beside(desk.watch.suspended(night))
        await desk.live(100)
        assert desk.stage == "armed" and desk.board.pmu.lines.reset_s == []

    with_desk(scenario)


class Deaf(EmulatedBus):
    """A bus on which what is written to one register never arrives."""

    def __init__(self, pmu: EmulatedPmu, register: int) -> None:
        super().__init__(pmu)
        self._lost = register * r.CELL_BYTES

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: Any, force: Any = None) -> None:
        if register != self._lost:
            super().write_i2c_block_data(i2c_addr, register, data)


@pytest.mark.parametrize("fault", [*Fault, "lost"])
def test_a_computer_sleeps_only_with_an_acknowledgement(fault: Fault | str) -> None:
    async def scenario(desk: Desk) -> None:
        slept: list[str] = []

        async def night() -> None:
            desk.board.pmu.catch_up()
            slept.append(STAGES[desk.board.pmu.firmware.target.value(r.GUARD)])

        if isinstance(fault, Fault):
            desk.board.bus.inject(fault)
        else:
            gauge = PmuGauge(Deaf(desk.board.pmu, r.POWER_REQUEST), pause=lambda seconds: None)
            desk.watch._guard = PmuGuard(gauge)
        try:
            await desk.beside(desk.watch.suspended(night))
        except DeviceError:
            assert not slept
        assert slept in ([], ["asleep"])
        assert bool(slept) is (fault is Fault.FROZEN), (
            "its memory is served as it was, and it took the request"
        )
        desk.board.bus.inject(None)
        await desk.live(300)
        assert desk.board.pmu.lines.reset_s == []

    with_desk(scenario)


@pytest.mark.parametrize("passing", [fault for fault in Fault if fault not in MISMATCHES])
def test_a_fault_that_passes_does_not_keep_it_awake(passing: Fault) -> None:
    async def scenario(desk: Desk) -> None:
        slept: list[str] = []

        async def night() -> None:
            slept.append(desk.stage)

        desk.board.bus.inject(passing, times=1)
        await desk.beside(desk.watch.suspended(night))
        assert slept == ["asleep"]

    with_desk(scenario)


def test_a_computer_stays_awake_in_maintenance_and_does_not_end_it() -> None:
    """When maintenance is over nobody would have told the guard that it sleeps."""

    async def scenario(desk: Desk) -> None:
        slept: list[str] = []

        async def night() -> None:
            slept.append(desk.stage)

        desk.board.gauge.write(r.POWER_REQUEST, r.REQUEST_MAINTENANCE, request=True)
        await desk.live(1)
        with pytest.raises(DeviceError, match="being flashed"):
            await desk.beside(desk.watch.suspended(night))
        await desk.live(30)
        assert desk.stage == "maintenance" and not slept
        desk.board.gauge.request(PowerRequest.NORMAL)
        await desk.live(1)
        await desk.beside(desk.watch.suspended(night))
        assert slept == ["asleep"]

    with_desk(scenario)
