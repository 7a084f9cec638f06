"""Lines of the SoC through the kernel's driver gpio-keys: they can wake the computer from sleep, which a line
that is asked of the GPIO character device cannot (no interrupt of those is armed for it).

`hw/rk3566/headband-keys.dts` describes the device to the kernel. A line is a key of it: the kernel's event
interface (linux/input.h) tells each change, and the level at any time, which gpio-keys reads anew from the
pin after each sleep (drivers/input/keyboard/gpio_keys.c, `gpio_keys_resume`).
"""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

from hw.device import DeviceError
from hw.linux.edge_wait import EdgeWait

_EVENT = struct.Struct("llHHi")
"""`struct input_event`: seconds and microseconds, type, code and value."""
_KEY, _PRESSED = 1, 1
_KEYS_BYTES = 96
"""One bit for each code up to KEY_MAX, 0x2ff."""
_GET_KEYS = 2 << 30 | _KEYS_BYTES << 16 | ord("E") << 8 | 0x18
"""EVIOCGKEY of that many bytes."""
_READ_BYTES = 64 * _EVENT.size


def find_keys(name: str, sysfs_root: Path = Path("/sys")) -> Path:
    """The folder under `class/input` of the input device with that name ("headband-keys"). Raises
    `DeviceError`.
    """
    for folder in sorted((sysfs_root / "class/input").glob("event*")):
        try:
            if (folder / "device/name").read_text().strip() == name:
                return folder
        except OSError:
            continue
    raise DeviceError(f"the kernel has no input device {name}")


class KeyLine:
    """One key of an input device, active while it is pressed."""

    def __init__(
        self,
        device: str,
        code: int,
        *,
        name: str,
        lost_active: bool = False,
        sysfs_root: Path = Path("/sys"),
        dev_root: Path = Path("/dev"),
    ) -> None:
        """device: the input device's name; code: the key's, 0 to 767; lost_active: the safe state to assume
        once the device is gone. Raises `DeviceError`, a sentence that begins with the line's name.
        """
        self._code, self._lost_active = code, lost_active
        self.lost = False
        """Could the level not be read at the last look?"""
        what = f"The {name} line ({device} {code}) cannot be used"
        if code >= 8 * _KEYS_BYTES:
            raise DeviceError(f"{what}: a key has a number below {8 * _KEYS_BYTES}.")
        try:
            self._folder = find_keys(device, sysfs_root)
            self.fd = os.open(dev_root / "input" / self._folder.name, os.O_RDONLY | os.O_NONBLOCK)
        except DeviceError as error:
            raise DeviceError(f"{what}: {error}.") from None
        except OSError as error:
            raise DeviceError(f"{what}: {error.strerror}.") from None
        self._edge = EdgeWait(self.fd, self._pressed)

    @property
    def wakes(self) -> bool:
        """Whether the kernel lets this device wake the computer."""
        try:
            return (self._folder / "device/device/power/wakeup").read_text().strip() == "enabled"
        except OSError:
            return False

    @property
    def active(self) -> bool:
        """Is the line active now?"""
        keys = bytearray(_KEYS_BYTES)
        try:
            fcntl.ioctl(self.fd, _GET_KEYS, keys)
        except OSError:  # the device is gone
            self.lost = True
            return self._lost_active
        self.lost = False
        return bool(keys[self._code // 8] >> self._code % 8 & 1)

    async def wait(self) -> None:
        """Return at the next change from inactive to active, and when it is closed; earlier changes are
        discarded. Does not return because the device is gone.
        """
        await self._edge()

    def close(self) -> None:
        """Release the device. Harmless when repeated."""
        if self.fd >= 0:
            self._edge.end()
            os.close(self.fd)
            self.fd = -1

    def _pressed(self) -> bool | None:
        """Whether the events since the last look have a press of this key; None when the device is gone."""
        found = False
        while True:
            try:
                events = os.read(self.fd, _READ_BYTES)
            except BlockingIOError:  # none is left
                return found
            except OSError:
                return None
            if not events:
                return None
            for _, _, kind, code, value in _EVENT.iter_unpack(events):
                found |= (kind, code, value) == (_KEY, self._code, _PRESSED)
