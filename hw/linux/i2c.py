"""The I2C bus to the PMU."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from hw.device import DeviceError

if TYPE_CHECKING:
    import smbus2


def open_bus(number: int) -> smbus2.SMBus:
    """Opens `/dev/i2c-<number>` with smbus2. Raises `DeviceError`."""
    try:
        import smbus2
    except ImportError as error:
        raise DeviceError(f"I2C cannot be used: the Python package smbus2 does not load ({error}).") from None

    try:
        return smbus2.SMBus(number)
    except FileNotFoundError:
        raise DeviceError(f"There is no I2C bus {number}: /dev/i2c-{number} does not exist.") from None
    except OSError as error:
        hint = ""
        if error.errno == errno.EACCES:
            hint = " (is this user in the group i2c? A headband's gets a new bus at the next deploy)"
        raise DeviceError(f"I2C bus {number} cannot be opened: {error.strerror}{hint}.") from None
