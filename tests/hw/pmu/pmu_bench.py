"""The gauge on a bus whose other end is the firmware, for the tests of the client."""

from __future__ import annotations

from firmware.pmu import registers as r
from firmware.pmu.app import Pmu
from hw.emulated.bus import EmulatedBus
from hw.emulated.clock import FakeClock
from hw.emulated.pmu import EmulatedPmu
from hw.pmu.gauge import PmuGauge


class Bench:
    """Clock, PMU, bus and client, wired together."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.alerts: list[bool] = []
        self.pmu = EmulatedPmu(self.clock, self.alerts.append)
        self.pmu.set_battery(57)
        self.bus = EmulatedBus(self.pmu)
        self.pauses: list[float] = []
        self.client = PmuGauge(self.bus, self.clock.monotonic, pause=self.pauses.append)


def add_event(bench: Bench, kind: int, detail: int) -> None:
    bench.pmu.firmware.events.add(kind, detail)
    bench.pmu.firmware.publish()


def restart(bench: Bench) -> None:
    bench.pmu.before_transfer()
    bench.pmu.firmware = Pmu(bench.pmu)
    bench.pmu.set_battery(57)
    bench.pmu.firmware.target.publish({r.RESET_CAUSE: r.CAUSE_WATCHDOG})
