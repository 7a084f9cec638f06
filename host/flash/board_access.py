"""Opens a board's console and brings the board to MicroPython's REPL with guard and watchdog off."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from hw.pmu_usb.console_client import Console, FirmwareVersion, NoAnswer, OtherRelease, Refused
from hw.pmu_usb.flash_files import BoardFlash
from hw.pmu_usb.micropython_repl import RawRepl
from hw.pmu_usb.serial_link import LinkError

MIN_PERCENT = 30
"""Least battery charge for a deploy without a charger."""
START_S = 20.0
"""Longest time from a reset to the first answer on the console, USB enumeration included."""
_LOOK_EVERY_S = 0.5
_PROMPT_TRIES = 4


class DeployError(Exception):
    """Nothing was deployed; the text is one sentence that says why."""


class BoardPorts(Protocol):
    """Opens the serial port of one board. Both methods raise `LinkError`."""

    def console(self) -> Console:
        """Opens the port to talk to the firmware's console."""

    def raw_repl(self) -> RawRepl:
        """Opens the port to talk to MicroPython's raw REPL."""


class BoardSession:
    """One board during a command. `say` prints a line about each step."""

    def __init__(
        self,
        ports: BoardPorts,
        say: Callable[[str], None],
        monotonic: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._ports = ports
        self._say = say
        self._monotonic = monotonic
        self._sleep = sleep
        self._in_maintenance = False  # and answers on its console

    def enter_repl(self) -> FirmwareVersion | None:
        """Brings the board to its REPL. Returns the firmware that ran, None where none of ours answers.

        Raises `LinkError`, and `DeployError` when the battery is too low.
        """
        console = self._ports.console()
        try:
            version = console.version()
            self._say(f"runs {name(version)}")
            check_battery(console, self._say)
            if version.trial:
                console.confirm()  # it answers, so it stays the fallback when the deploy fails
            self._say("restarting it with guard and watchdog off")
            restarting = self._maintenance(console)
            if not restarting:
                console.repl()
                self._in_maintenance = False
        except NoAnswer:
            return None
        finally:
            console.close()
        if restarting:
            self._repl()
        return version

    def flash(self) -> BoardFlash:
        """Access to the files of a board at its REPL. Raises `LinkError`."""
        problem = LinkError("")
        for _ in range(_PROMPT_TRIES):
            self._sleep(_LOOK_EVERY_S)
            try:
                return BoardFlash(self._ports.raw_repl())
            except LinkError as error:
                problem = error
        raise problem

    def leave_maintenance(self) -> None:
        """Restarts the board if this object put it into maintenance; it may be about to come up there. At its
        REPL it resets itself after ten minutes.
        """
        console = self.wait_for_console(START_S, lambda _: True) if self._in_maintenance else None
        if console is not None:
            with suppress(LinkError):
                console.restart()
            console.close()

    def wait_for_console(self, timeout_s: float, wanted: Callable[[FirmwareVersion], bool]) -> Console | None:
        """Polls for up to `timeout_s` seconds until `wanted` is true of the version that answers; returns
        that console, or None.
        """
        until_s = self._monotonic() + timeout_s
        while self._monotonic() < until_s:
            self._sleep(_LOOK_EVERY_S)
            try:
                console = self._ports.console()
            except LinkError:
                continue
            try:
                if wanted(console.version()):
                    return console
            except LinkError:
                pass
            console.close()
        return None

    def _maintenance(self, console: Console) -> bool:
        self._in_maintenance = True
        try:
            return console.maintenance()
        except (NoAnswer, Refused):
            raise
        except LinkError:
            return True  # the restart closed the port before the answer was read

    def _repl(self) -> None:
        console = self.wait_for_console(START_S, lambda now: now.maintenance)
        if console is None:
            raise LinkError("The PMU did not come back in maintenance; unplug it, plug it in and try again.")
        try:
            console.repl()
            self._in_maintenance = False
        finally:
            console.close()


def check_battery(console: Console, say: Callable[[str], None]) -> None:
    """Raises `DeployError` when the battery is too low for a deploy; `LinkError`. A firmware whose answer is
    of another release is only reported: the deploy replaces it.
    """
    try:
        battery = console.battery()
    except OtherRelease:
        say("its firmware is of another release, so how full the battery is can't be told")
        return
    if battery.charging:
        return
    if not battery.known:
        raise DeployError("The PMU has not measured its battery yet; try again or connect the charger.")
    if battery.percent < MIN_PERCENT:
        raise DeployError(
            f"The battery holds {battery.percent} percent and a deploy wants {MIN_PERCENT}: "
            "connect the charger."
        )


def name(version: FirmwareVersion) -> str:
    """The version for a person: commit, register map, slot."""
    return f"commit {version.commit or 'unknown'} (map {version.map_version}, {version.slot or 'no slot'})"
