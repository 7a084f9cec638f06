"""Getting at a board: its console, and from there to MicroPython's prompt with guard and watchdog off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hw.pmu_usb.console import Console, FirmwareVersion, NoAnswer, Refused
from hw.pmu_usb.flash_files import BoardFlash
from hw.pmu_usb.micropython_repl import RawRepl
from hw.pmu_usb.serial_link import LinkError

MIN_PERCENT = 30
START_S = 20.0
"""From a reset to the first answer on the console, USB included."""
_LOOK_EVERY_S = 0.5
_PROMPT_TRIES = 4


class DeployError(Exception):
    """Nothing was deployed; the text is one sentence that says why."""


class Access(Protocol):
    """The ways to one board. Both raise `LinkError`."""

    def console(self) -> Console:
        """Open the port for the console."""

    def prompt(self) -> RawRepl:
        """Open the port for MicroPython's prompt."""


class Approach:
    """One board, and what has been asked of it so far. `say` gets a line for the person about each step."""

    def __init__(
        self,
        access: Access,
        say: Callable[[str], None],
        monotonic: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._access = access
        self._say = say
        self._monotonic = monotonic
        self._sleep = sleep
        self._in_maintenance = False

    def to_prompt(self) -> FirmwareVersion | None:
        """Bring the board to its prompt; returns what ran there, None when nothing of ours did.

        Raises `LinkError`, `DeployError` when the battery is too low.
        """
        console = self._access.console()
        try:
            version = console.version()
            self._say(f"runs {name(version)}")
            check_battery(console)
            if version.trial:
                console.confirm()  # it has just answered, and must not be lost under the next one
            self._say("restarting it with guard and watchdog off")
            restarting = self._maintenance(console)
            if not restarting:
                console.repl()
        except NoAnswer:
            self._say("no firmware of ours answers, so there is no battery to ask about")
            return None
        finally:
            console.close()
        if restarting:
            self._repl()
        return version

    def flash(self) -> BoardFlash:
        """The files of a board at its prompt. Raises `LinkError`."""
        problem = LinkError("")
        for _ in range(_PROMPT_TRIES):
            self._sleep(_LOOK_EVERY_S)
            try:
                return BoardFlash(self._access.prompt())
            except LinkError as error:
                problem = error
        raise problem

    def back_to_work(self) -> None:
        """End the maintenance that was asked for here."""
        if not self._in_maintenance:
            return
        try:
            console = self._access.console()
            console.restart()
            console.close()
        except LinkError:
            return  # at its prompt or gone; from the prompt it resets itself

    def answering(self, seconds: float, wanted: Callable[[FirmwareVersion], bool]) -> Console | None:
        """A console whose firmware answers as wanted; None when none does within so many seconds."""
        until_s = self._monotonic() + seconds
        while self._monotonic() < until_s:
            self._sleep(_LOOK_EVERY_S)
            try:
                console = self._access.console()
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
            return True  # the port went with the restart, before the answer was read

    def _repl(self) -> None:
        console = self.answering(START_S, lambda now: now.maintenance)
        if console is None:
            raise LinkError("The PMU did not come back in maintenance; unplug it, plug it in and try again.")
        try:
            console.repl()
        finally:
            console.close()


def check_battery(console: Console) -> None:
    """Raises `DeployError` unless the battery lasts through a deploy, `LinkError`."""
    battery = console.battery()
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
    """What runs, for a person."""
    return f"commit {version.commit or 'unknown'} (map {version.map_version}, {version.slot or 'no slot'})"
