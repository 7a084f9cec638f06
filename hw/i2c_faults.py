"""What each error of an I2C transfer means, and what to do about it."""

from __future__ import annotations

import errno
from dataclasses import dataclass


@dataclass(frozen=True)
class BusFault:
    """What an errno of a transfer means, and what to do."""

    says: str
    """The sentence; {who} is the subject, {inside} the same within a sentence."""
    retry: bool
    """A repeat may succeed."""
    recover: bool = False
    """The bus has to be recovered before the repeat: a line is held, or its device was replaced."""


_SILENT = BusFault("{who} does not answer on the bus.", retry=True)
_HELD = BusFault("{who}'s bus is held low and transfers time out.", retry=True, recover=True)
_FAILS = BusFault("Transfers with {inside} fail on the bus.", retry=True)
_UNDRIVEN = BusFault("Transfers with {inside} fail on the bus.", retry=True, recover=True)
_GONE = BusFault("{who}'s bus cannot be used: {reason}.", retry=True, recover=True)
_OWNED = BusFault("A kernel driver owns {inside}'s address on the bus, or the bus stays busy.", retry=True)
REFUSED = BusFault("{who}'s bus cannot be used: {reason}.", retry=False)
"""What any other errno means."""
FAULTS: dict[int, BusFault] = {
    errno.ENXIO: _SILENT,  # no acknowledgement of the address
    errno.EREMOTEIO: _SILENT,  # the same from other adapters
    errno.ETIMEDOUT: _HELD,  # SCL held low, or no interrupt
    errno.EAGAIN: _UNDRIVEN,  # arbitration lost: SDA held low
    errno.EIO: _FAILS,
    errno.EPROTO: _FAILS,
    errno.EBADMSG: _FAILS,  # checksum, by the kernel
    errno.EOVERFLOW: _FAILS,
    errno.EINTR: _FAILS,
    errno.ENODEV: _GONE,  # adapter unplugged, or unbound over a suspend
    errno.ENOENT: _GONE,
    errno.ESHUTDOWN: _GONE,  # adapter suspended
    errno.EBADF: _GONE,  # closed by a recovery that could not open it again
    errno.EBUSY: _OWNED,
    errno.ENOMEM: BusFault("The computer has no memory left for transfers with {inside}.", retry=True),
    errno.EACCES: REFUSED,
    errno.EPERM: REFUSED,
    errno.EINVAL: REFUSED,
    errno.EOPNOTSUPP: REFUSED,
    errno.ENOSYS: REFUSED,
    errno.ENOTTY: REFUSED,
}
"""Every errno that an I2C adapter may give (kernel documentation, i2c/fault-codes), those of a device file
that goes away, and those of a refusal. Any other is a refusal."""
