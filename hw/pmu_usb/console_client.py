"""Client of the PMU's console on the USB serial port: typed commands, repeated when a line is lost. The
protocol is described in `firmware.pmu.console` and `firmware.pmu.console_json_lines`.
"""

from __future__ import annotations

import binascii
import itertools
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, Any

from firmware.pmu import console_json_lines as lines
from firmware.pmu import console_power_trace as power_trace
from firmware.pmu import registers as r
from firmware.pmu.gauge_cell import NAMES as PROFILES
from hw.pmu_usb.serial_link import ANSWER_S, Link, LinkError
from hw.settings import Range, SettingsError, fill

MAP_VERSION = r.MAP_VERSION
"""Version of the register map that this program supports."""

ATTEMPTS = 3
_LINE_LIMIT = 16_384
_TICKS_US = 1 << 30
_MOST_LINES = 1 << 30
# Of a chip whose clock is a tenth slow; the first two results of a trace are no samples
_RESULTS_TO_A_LINE = 1.1 * (power_trace.FRAME_SAMPLES + 2)
Word = Annotated[int, Range(0, 65_535)]
Signed = Annotated[int, Range(-32_768, 32_767)]


class NoAnswer(LinkError):
    """No answer: another device, or the firmware hangs."""


class Refused(LinkError):
    """The PMU answered with an error."""


class OtherRelease(LinkError):
    """The PMU's firmware answers in the format of another release."""


@dataclass(frozen=True)
class ConsoleBattery:
    """The battery as the PMU's gauge reports it."""

    percent: Annotated[int, Range(0, 100, "percent")]
    """0 to 100 percent."""
    voltage_mv: Word
    """0 to 65_535."""
    current_ma: Signed
    """Positive while charging, -32_768 to 32_767."""
    average_ma: Signed
    """-32_768 to 32_767."""
    temperature_c: Annotated[float, Range(-300, 7000, "degrees Celsius")]
    """-300 to 7000 degrees Celsius."""
    remaining_mah: Word
    """0 to 65_535."""
    full_mah: Word
    """0 to 65_535."""
    cycles: Word
    """0 to 65_535."""
    resistance_mohm: Word
    """0 to 65_535."""
    known: bool
    """The gauge has measured."""
    charging: bool
    """Outside power is connected."""
    alarms: tuple[str, ...]


@dataclass(frozen=True)
class ConsoleCell:
    """The kind of cell that the PMU's gauge expects."""

    profile: Annotated[int, Range(0, 3)]
    """Number of the profile in `PROFILES`, 0 to 3."""
    design_mah: Annotated[int, Range(100, 30_000, "mAh")]
    """Design capacity, 100 to 30_000 mAh."""
    known: bool
    """A whole discharge showed its capacity and curve."""

    @property
    def name(self) -> str:
        """The profile's name."""
        return PROFILES[self.profile]


@dataclass(frozen=True)
class FirmwareVersion:
    """The firmware on the PMU."""

    version: str
    commit: str
    """As it was deployed, with a `+` when the checkout had changes; "" when unknown."""
    commit_words: Annotated[int, Range(0, 4_294_967_295)]
    """The first 8 hexadecimal digits of it, as the registers tell the host, 0 to 4_294_967_295; 0 when
    unknown.
    """
    map_version: Annotated[int, Range(0, 255)]
    """0 to 255."""
    slot: str | None
    """None: not started by the loader."""
    trial: bool
    """It is not confirmed yet: the next reset brings the previous firmware back."""
    maintenance: bool
    uptime_s: Annotated[int, Range(0, 4_294_967_295, "seconds")]
    """0 to 4_294_967_295 seconds."""
    free_bytes: Annotated[int, Range(0, 4_294_967_295, "bytes")] | None
    """0 to 4_294_967_295 bytes."""
    garbled: Annotated[int, Range(0, 4_294_967_295, "lines")]
    """Damaged lines that the PMU received since its start, 0 to 4_294_967_295 lines."""


@dataclass(frozen=True)
class LogLine:
    """One line of the PMU's log."""

    number: int
    uptime_s: float
    text: str


@dataclass(frozen=True)
class TraceSample:
    """One sample of a power trace."""

    time_s: float
    """Seconds since the first one."""
    voltage_mv: int
    current_ma: int
    """Positive while charging."""
    lost: int
    """Samples that are missing before this one."""


class Console:
    """One PMU's console. Every method raises `NoAnswer`, `Refused`, `OtherRelease` or another `LinkError`."""

    def __init__(
        self,
        link: Link,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        attempts: int = ATTEMPTS,
        answer_s: float = ANSWER_S,
    ) -> None:
        self._link = link
        self._monotonic = monotonic
        self._attempts = attempts
        self._answer_s = answer_s
        self._ids = itertools.count(1)
        self._lines = lines.Lines(_LINE_LIMIT)
        self._traced: list[dict[str, Any]] = []
        self.samples_lost = 0
        """Samples lost in the last power trace."""

    def close(self) -> None:
        """Give the port back."""
        self._link.close()

    def battery(self) -> ConsoleBattery:
        """The gauge's values."""
        answer = self.request("battery")
        with _parsing():
            temperature_c = (answer["temperature_dk"] - r.ZERO_CELSIUS_DK) / 10
            known = {name: answer[name] for name in _BATTERY_NAMES}
            battery: ConsoleBattery = fill(ConsoleBattery, {**known, "temperature_c": temperature_c})
        return battery

    def cell(self, profile: str | None = None, design_mah: int | None = None) -> ConsoleCell:
        """The cell that the gauge expects, after it was told another one: a name of `PROFILES`, mAh. What it
        had learned is forgotten when either differs.
        """
        told: dict[str, object] = {}
        if profile is not None:
            told["profile"] = PROFILES.index(profile)
        if design_mah is not None:
            told["design_mah"] = design_mah
        answer = self.request("cell", **told)
        with _parsing():
            cell: ConsoleCell = fill(ConsoleCell, {name: answer[name] for name in _CELL_NAMES})
        return cell

    def version(self) -> FirmwareVersion:
        """Firmware version and state."""
        answer = self.request("version")
        with _parsing():
            low, high = answer["commit_words"]
            known = {name: answer[name] for name in _VERSION_NAMES}
            decoded = {"commit_words": low | high << 16, "map_version": answer["map"] & 0xFF}
            version: FirmwareVersion = fill(FirmwareVersion, {**known, **decoded})
        return version

    def log(self) -> tuple[tuple[LogLine, ...], str]:
        """The PMU's log, oldest line first, and the last crash of the firmware ("": none)."""
        found: list[LogLine] = []
        start, crash = 0, ""
        while True:
            answer = self.request("log", **{"from": start})
            with _parsing():
                crash = answer.get("crash", crash)
                rows = [LogLine(number, ms / 1000, str(text)) for number, ms, text in answer["lines"]]
                if rows and not start <= rows[-1].number < _MOST_LINES:
                    raise ValueError("the log does not get on")
            if not rows:
                return tuple(found), str(crash)
            found += rows
            start = rows[-1].number + 1

    def files(self, slot: str) -> dict[str, str]:
        """Name -> first 16 hexadecimal digits of the SHA-256 of every file of a slot; empty when the slot is
        incomplete.
        """
        answer = self.request("files", slot=slot)
        with _parsing():
            return {str(name): str(check) for name, check in answer["files"].items()}

    def set(self, name: str, value: int) -> None:
        """Write a register by its name in `firmware.pmu.console.SETTABLE`."""
        self.request("set", name=name, value=value)

    def maintenance(self, on: bool = True) -> bool:
        """Disable both watchdogs until the next reset, or enable them again. True: the PMU restarts for it,
        and the port disappears for a moment.
        """
        answer = self.request("maintenance", on=on)
        with _parsing():
            return bool(answer["restarting"])

    def confirm(self) -> None:
        """Keep the firmware that is on trial."""
        self.request("confirm")

    def restart(self) -> None:
        """Reset the PMU; the port disappears for a moment."""
        self.request("restart")

    def bootloader(self) -> None:
        """Reset the PMU into its USB bootloader, which accepts a new MicroPython."""
        self.request("bootloader")

    def repl(self) -> None:
        """Switch the port to MicroPython's prompt; only in maintenance."""
        self.request("repl")

    def power_trace(
        self, seconds: int, period_ms: int = power_trace.DEFAULT_PERIOD_MS
    ) -> Iterator[TraceSample]:
        """Voltage and current for `seconds`, as they arrive; `samples_lost` is the number of samples that did
        not arrive.
        """
        self._traced.clear()
        self.samples_lost = 0
        answer = self.request("power-trace", seconds=seconds, period_ms=period_ms)
        trace = answer["id"]
        try:
            with _parsing():
                result_us = int(answer["result_us"])  # a firmware without this key samples differently
            yield from self._samples(trace, _RESULTS_TO_A_LINE * result_us / 1e6)
        finally:
            with suppress(LinkError):  # the caller needs no further samples
                self.request("power-trace", seconds=0)

    def _samples(self, trace: int, line_s: float) -> Iterator[TraceSample]:
        """`line_s`: longest time from one line of samples to the next."""
        received, expected, time_us, last_us = 0, 0, 0, None
        quiet_since_s = self._monotonic()
        while True:
            while self._traced:
                message = self._traced.pop(0)
                if message.get("of") != trace:
                    continue
                quiet_since_s = self._monotonic()
                with _parsing():
                    rows = list(_unpack(message["trace"]))
                for number, ticks_us, voltage_mv, current_ma in rows:
                    lost = (number - expected) & 0xFFFF
                    if last_us is not None:
                        time_us += (ticks_us - last_us) % _TICKS_US
                    last_us, expected = ticks_us, number + 1
                    received += 1
                    self.samples_lost += lost
                    yield TraceSample(time_us / 1e6, voltage_mv, current_ma, lost)
                if message.get("end"):
                    with _parsing():
                        self.samples_lost = int(message["samples"]) - received
                    return
            if self._monotonic() - quiet_since_s > line_s + self._attempts * self._answer_s:
                raise NoAnswer("The PMU stopped in the middle of the power trace.")
            self._receive(self._answer_s / 10)

    def request(self, command: str, **arguments: object) -> dict[str, Any]:
        """The answer to a command. Without an answer the command is repeated with the same number, so it must
        be idempotent.
        """
        number = next(self._ids)
        line = lines.encode({"id": number, "cmd": command, **arguments})
        for _ in range(self._attempts):
            self._link.write(line)
            until_s = self._monotonic() + self._answer_s
            while (left_s := until_s - self._monotonic()) > 0:
                for message in self._receive(left_s):
                    if message.get("id") != number:
                        continue
                    if "error" in message:
                        raise Refused(f"The PMU refuses: {message['error']}")
                    return message
        raise NoAnswer("The PMU does not answer on its serial port.")

    def _receive(self, timeout_s: float) -> list[dict[str, Any]]:
        messages = [lines.decode(line) for line in self._lines.feed(self._link.read(timeout_s))]
        self._traced += [message for message in messages if message and "trace" in message]
        return [message for message in messages if message and "trace" not in message]


_BATTERY_NAMES = (
    "percent", "voltage_mv", "current_ma", "average_ma", "remaining_mah", "full_mah", "cycles",
    "resistance_mohm", "known", "charging", "alarms",
)  # fmt: skip
_CELL_NAMES = ("profile", "design_mah", "known")
_VERSION_NAMES = (
    "version", "commit", "slot", "trial", "maintenance", "uptime_s", "free_bytes", "garbled",
)  # fmt: skip


@contextmanager
def _parsing() -> Iterator[None]:
    """Wraps the parsing of an answer, whose format depends on the release. Raises `OtherRelease`."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, struct.error, SettingsError):
        raise OtherRelease("The PMU's firmware is of another release: deploy this one's.") from None


def _unpack(text: str) -> Iterator[tuple[int, int, int, int]]:
    yield from struct.iter_unpack(power_trace.LAYOUT, binascii.a2b_base64(text))
