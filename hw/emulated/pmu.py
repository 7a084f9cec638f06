"""The PMU of the emulated board: the real firmware code on an emulated cell, driven by the board's clock."""

from __future__ import annotations

import functools
import threading
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from firmware.known_charge import set_percent
from firmware.pmu import app
from firmware.pmu import gauge_cell as cell
from firmware.pmu import gauge_saved_state as store
from firmware.pmu import registers as r
from hw.device import Clock
from hw.emulated.key_page import flash_record, save_flash_record
from hw.pmu.cell_curve import OPEN_CIRCUIT_MV

NEARLY_EMPTY_PERCENT = 5
"""At this charge or less the host may stop by the charge alone."""


@dataclass
class SensorInputs:
    """Inputs of the PMU's sensors."""

    voltage_mv: int
    current_ma: int
    """Positive while charging."""
    temperature_c: float
    powered: bool
    """Outside power is connected."""


@dataclass
class HostLines:
    """Outputs of the PMU to the host and to the wearer, as a test can observe them."""

    rail_on: bool = True
    """The host has power."""
    rail_reason: int = 0
    """Why it has none, `firmware.pmu.guard_rail`."""
    rail_changes: list[tuple[float, bool]] = field(default_factory=list)
    """(monotonic seconds, on?) of every change, oldest first."""
    reset_s: list[float] = field(default_factory=list)
    """When the reset line went active, monotonic seconds."""
    colour: tuple[int, int, int] = (0, 0, 0)
    """What the light shows at this moment: red, green, blue, 0..255."""
    watchdog_armed: bool = False
    """The microcontroller's hardware watchdog runs."""


_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def _locked(
    method: Callable[Concatenate[EmulatedPmu, _Arguments], _Result],
) -> Callable[Concatenate[EmulatedPmu, _Arguments], _Result]:
    """Runs the method under the PMU's lock: the host reads in one thread while a test acts in another."""

    @functools.wraps(method)
    def locked(self: EmulatedPmu, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        with self.lock:
            return method(self, *arguments, **named)

    return locked


class EmulatedPmu:
    """Runs `firmware.pmu` without a thread: before each bus transfer, and in `catch_up`, it simulates the
    time since the last call.
    """

    def __init__(
        self,
        clock: Clock,
        alert: Callable[[bool], None],
        capacity_mah: int = cell.DESIGN_MAH,
        wake: Callable[[bool], None] = lambda active: None,
        key_file: Path | None = None,
    ) -> None:
        """`key_file`: the flash that holds the memory's key; None: in memory only."""
        self.cell = SensorInputs(cell.NOMINAL_MVS[0], -150, 25.0, powered=False)
        self.frozen = False
        """True: the firmware hangs; its memory is still served, as the I2C hardware would."""
        self.sensor_silent = False
        """True: the battery sensor does not answer the firmware."""
        self.lock = threading.RLock()
        self.lines = HostLines()
        self.stored: dict[int, bytes] = {}
        self.lasting = b""
        self.guard_kept = 0
        self.key_file = key_file
        self._key = b""
        self.fill_samples: Callable[[array[int] | None], bool] = lambda samples: False
        """Its microphone: fills the block and returns True if one is complete; None switches it off."""
        self.sound_detected: Callable[[], bool] = lambda: True
        """Its sound detector; without one there always seems to be sound, and the microphone never rests."""
        self.heartbeat: Callable[[], bool] = lambda: False
        """Level of the line beside the bus that the host toggles with every heartbeat."""
        self._clock = clock
        self._alert = alert
        self._wake = wake
        self._simulated_until_ms = self._clock_ms()
        self._at_ms: int | None = None  # the time that `catch_up` simulates
        self._presses: list[tuple[int, int]] = []
        self.firmware = app.Pmu(self, capacity_mah)

    # The board that `firmware.pmu.app.Pmu` works on.

    def ticks_ms(self) -> int:
        """Milliseconds, wrapping as on the microcontroller."""
        return self._now_ms & 0x3FFFFFFF

    def sense(self) -> tuple[int | None, int | None, int, bool]:
        """Terminal mV, mA, 0.1 K, outside power?"""
        temperature_dk = round(self.cell.temperature_c * 10) + r.ZERO_CELSIUS_DK
        if self.sensor_silent:
            return None, None, temperature_dk, self.cell.powered
        return self.cell.voltage_mv, self.cell.current_ma, temperature_dk, self.cell.powered

    def alert(self, active: bool) -> None:
        """Drive the alert line."""
        self._alert(active)

    def rail(self, on: bool) -> None:
        """Switch the host's power."""
        if on != self.lines.rail_on:
            self.lines.rail_on = on
            self.lines.rail_changes.append((self._now_ms / 1000, on))

    def keep_guard(self, word: int) -> None:
        """Store the guard's state, so that it survives a reset."""
        self.lines.rail_reason = word & 3
        self.guard_kept = word

    def kept_guard(self) -> int:
        """What `keep_guard` was told."""
        return self.guard_kept

    def reset_line(self, active: bool) -> None:
        """Drive the host's reset."""
        if active:
            self.lines.reset_s.append(self._now_ms / 1000)

    def wake(self, active: bool) -> None:
        """Drive the wake line."""
        self._wake(active)

    def button(self) -> bool:
        """Is the wearer pressing?"""
        return any(begin <= self._now_ms < end for begin, end in self._presses)

    def heartbeat_line(self) -> bool:
        """Level of the line beside the bus."""
        return self.heartbeat()

    def light(self, red: int, green: int, blue: int) -> None:
        """Set the light's colour."""
        self.lines.colour = (red, green, blue)

    def feed(self, arm: bool) -> None:
        """Feed the hardware watchdog, which only records here that it is armed."""
        self.lines.watchdog_armed = self.lines.watchdog_armed or arm

    def heard(self) -> bool:
        """Level of the sound detector's line."""
        return self.sound_detected()

    def microphone(self, samples: array[int] | None) -> bool:
        """Fills the next block of sound; False when it is not complete yet."""
        return self.fill_samples(samples)

    def load(self) -> bytes:
        """The gauge's stored records."""
        return b"".join(self.stored.values())

    def save(self, record: bytes) -> None:
        """Store the gauge's record in its slot."""
        self.stored[store.slot(record)] = record

    def load_key(self) -> bytes:
        """The record of the memory's key; b"" without one."""
        if self.key_file is None:
            return self._key
        return flash_record(self.key_file)

    def save_key(self, record: bytes) -> None:
        """Store that record; b"" erases it. Raises `OSError`."""
        if self.key_file is None:
            self._key = record
        else:
            save_flash_record(self.key_file, record)

    def kept(self) -> bytes:
        """Data that survives a reset of the microcontroller."""
        return self.lasting

    def keep(self, data: bytes) -> None:
        """Store data that survives a reset of the microcontroller."""
        self.lasting = data

    # What a test does to it.

    @_locked
    def press(self, seconds: float = 0.1, times: int = 1) -> None:
        """Press the button for `seconds`, `times` times with 0.2 s between."""
        self.catch_up()
        begin_ms = self._now_ms
        for _ in range(times):
            end_ms = begin_ms + round(seconds * 1000)
            self._presses.append((begin_ms, end_ms))
            begin_ms = end_ms + 200

    @_locked
    def set_battery(
        self,
        percent: float,
        *,
        charging: bool = False,
        current_ma: int | None = None,
        temperature_c: float | None = None,
    ) -> None:
        """Put a cell of that charge in place: its voltage follows from the charge and the current (mA, + =
        charging). At `NEARLY_EMPTY_PERCENT` or less it is one that the gauge has seen through a whole
        discharge, so that the headband stops by its charge; any other is new to the gauge.

        Raises `ValueError` outside 0..100.
        """
        if not 0 <= percent <= 100:
            raise ValueError(f"battery must be 0 to 100 percent, not {percent:g}")
        if current_ma is None:
            current_ma = 500 if charging else -150
        sag_mv = current_ma * cell.RESISTANCE_MOHM / 1000
        voltage_mv = round(cell.open_circuit_mv_at(percent, OPEN_CIRCUIT_MV) + sag_mv)
        if temperature_c is None:
            temperature_c = self.cell.temperature_c
        self.catch_up()
        self.cell = SensorInputs(voltage_mv, current_ma, temperature_c, charging)
        self.firmware.power_good.on = charging  # as if plugged in or out for a while
        self.firmware.step()
        set_percent(self.firmware.gauge, percent)
        self.firmware.gauge.charge.learned = percent <= NEARLY_EMPTY_PERCENT
        self.firmware.publish()

    # The target on the bus.

    @property
    def memory(self) -> bytearray:
        """The register memory."""
        return self.firmware.target.memory

    def before_transfer(self) -> None:
        """Take the samples that are due."""
        self.catch_up()

    @_locked
    def catch_up(self) -> None:
        """Simulate the time since the last call: every sample, and every tick while the button is active or
        the microphone is on. A frozen firmware does nothing.
        """
        until_ms = self._clock_ms()
        try:
            while not self.frozen and (next_ms := self._next_ms(until_ms)) <= until_ms:
                self._at_ms = self._simulated_until_ms = next_ms
                if self._due():
                    self.firmware.step()
                else:
                    self.firmware.tick()
        finally:
            self._at_ms = None
        if self.frozen or not self._busy():  # else the next tick is counted from the last
            self._simulated_until_ms = until_ms
        self._presses = [press for press in self._presses if press[1] > until_ms]

    @_locked
    def update_now(self) -> None:
        """Take a sample of a cell whose voltage and current have just moved."""
        self.cell.voltage_mv ^= 1
        self.cell.current_ma ^= 1
        self.firmware.step()

    @_locked
    def end_write(self) -> None:
        """The END_WRITE interrupt; the main loop comes round at once for what it leaves of the key."""
        if r.KEY_REQUEST in self.firmware.target.accept_writes() and not self.frozen:
            self.firmware.publish()

    @property
    def _now_ms(self) -> int:
        return self._clock_ms() if self._at_ms is None else self._at_ms

    def _clock_ms(self) -> int:
        return int(self._clock.monotonic() * 1000)

    def _next_ms(self, now_ms: int) -> int:
        """When the firmware runs next; may be in the past."""
        stepped_ms = now_ms - ((now_ms - self.firmware.last_step_ms) & 0x3FFFFFFF)
        simulated_ms = max(self._simulated_until_ms, stepped_ms)
        due_ms = max(simulated_ms, stepped_ms + app.PERIOD_MS)
        return min(due_ms, simulated_ms + app.TICK_MS) if self._busy() else due_ms

    def _busy(self) -> bool:
        sound = self.firmware.sound
        return self.firmware.button.busy or bool(self._presses) or sound.recording or sound.records(True)

    def _due(self) -> bool:
        return (self.ticks_ms() - self.firmware.last_step_ms) & 0x3FFFFFFF >= app.PERIOD_MS
