"""GPIO lines of the SoC through the kernel's character device (gpiod v2, kernel 5.10 or later)."""

from __future__ import annotations

import errno
from datetime import timedelta
from pathlib import Path

from hw.device import DeviceError
from hw.linux.edge_wait import EdgeWait

_DEBOUNCE = timedelta(milliseconds=5)


def find_line(where: str, name: str, dev_root: Path = Path("/dev")) -> tuple[str, int]:
    """Path of the chip and offset on it, of a line written as in `hw.linux.wiring.LinesWiring`; `name`
    appears in error sentences. Raises `DeviceError`.
    """
    try:
        import gpiod
    except ImportError as error:
        raise DeviceError(
            f"The {name} line cannot be used: the Python package gpiod does not load ({error})."
        ) from None

    chip_name, _, number = where.partition(" ")
    if number and chip_name.startswith("/"):
        return chip_name, int(number)
    for path in sorted(dev_root.glob("gpiochip*")):
        try:
            with gpiod.Chip(str(path)) as chip:
                if not number:
                    offset = chip.line_offset_from_id(chip_name)
                    if chip.get_line_info(offset).name == chip_name:  # gpiod takes "7" for a number too
                        return str(path), offset
                elif chip_name in (chip.get_info().label, chip.get_info().name):
                    return str(path), int(number)
        except (OSError, ValueError):
            continue  # the chip has no such line, or may not be opened
    what = f"GPIO chip {chip_name}" if number else f"GPIO line {chip_name}"
    raise DeviceError(
        f"The {name} line cannot be used: there is no {what}, or this user is not in the group gpio."
    )


class GpioLine:
    """One input, active low by default: the PMU's outputs and the button pull to ground."""

    def __init__(
        self,
        chip: str,
        offset: int,
        *,
        name: str,
        active_low: bool = True,
        bounces: bool = False,
        lost_active: bool = False,
    ) -> None:
        """`chip` such as "/dev/gpiochip0", `name` for the kernel's list of users. bounces: the kernel waits
        until the level is steady; it then tells the level of the last edge that it saw, which may have
        changed while the computer was suspended. lost_active: the safe state to assume where it can't be
        read. Raises `DeviceError`.
        """
        import gpiod
        from gpiod.line import Bias, Direction, Edge, Value

        self._offset = offset
        self._active = Value.ACTIVE
        self._lost_active = lost_active
        self.lost = False
        """Could the level not be read at the last look?"""
        settings = gpiod.LineSettings(
            direction=Direction.INPUT,
            edge_detection=Edge.RISING,  # of the logical level: from inactive to active
            bias=Bias.PULL_UP if active_low else Bias.PULL_DOWN,
            active_low=active_low,
            debounce_period=_DEBOUNCE if bounces else timedelta(0),
        )
        try:
            self._request = gpiod.request_lines(chip, consumer=f"headband-{name}", config={offset: settings})
        except (OSError, ValueError) as error:
            raise DeviceError(_sentence(f"The {name} line ({chip} {offset})", error)) from None
        self._edge = EdgeWait(self._request.fd, self._risen)

    @property
    def active(self) -> bool:
        """Is the line active now?"""
        try:
            level = self._request.get_value(self._offset)
        except OSError:  # the chip is gone
            self.lost = True
            return self._lost_active
        self.lost = False
        return bool(level == self._active)

    async def wait(self) -> None:
        """Return at the next rising edge of the logical level, and when it is closed; earlier edges are
        discarded. Does not return because the chip is gone.
        """
        await self._edge()

    def close(self) -> None:
        """Release the line. Harmless when repeated."""
        self._edge.end()
        self._request.release()

    def _risen(self) -> bool | None:
        """Whether there was an edge since the last look; None when the chip is gone."""
        found = False
        try:
            while self._request.wait_edge_events(timedelta(0)):
                self._request.read_edge_events()
                found = True
        except OSError:
            return None
        return found


class GpioOutput:
    """One output, inactive at first. Active is high; with `open_drain` active is low, and inactive leaves the
    line to its pull-up.
    """

    def __init__(self, chip: str, offset: int, *, name: str, open_drain: bool = False) -> None:
        """`chip` such as "/dev/gpiochip0", `name` for the kernel's list of users. Raises `DeviceError`."""
        import gpiod
        from gpiod.line import Direction, Drive, Value

        self._offset = offset
        self._what = f"The {name} line ({chip} {offset})"
        self._values = (Value.INACTIVE, Value.ACTIVE)
        settings = gpiod.LineSettings(
            direction=Direction.OUTPUT,
            output_value=Value.INACTIVE,
            drive=Drive.OPEN_DRAIN if open_drain else Drive.PUSH_PULL,
            active_low=open_drain,
        )
        try:
            self._request = gpiod.request_lines(chip, consumer=f"headband-{name}", config={offset: settings})
        except (OSError, ValueError) as error:
            raise DeviceError(_sentence(self._what, error)) from None

    def set(self, active: bool) -> None:
        """Drive it. Raises `DeviceError`."""
        try:
            self._request.set_value(self._offset, self._values[active])
        except OSError as error:
            raise DeviceError(f"{self._what} cannot be driven: {error.strerror}.") from None

    def close(self) -> None:
        """Release the line, inactive. Harmless when repeated."""
        self._request.release()


def _sentence(what: str, error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):  # gpiod's, for a number from the chip's count of lines on
        return f"{what} cannot be used: the chip has no line of that number."
    hint = " (is this user in the group gpio?)" if error.errno == errno.EACCES else ""
    return f"{what} cannot be used: {error.strerror}{hint}."
