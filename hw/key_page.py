"""Where the memory's key is kept outside of the computer's disk: the interface of the PMU's key page."""

from __future__ import annotations

from typing import Literal, Protocol

KEY_BYTES = 32
CODE_BYTES = 8
Keeper = Literal["microcontroller", "file"]
"""What a key page keeps the key in: the flash of a headband's microcontroller, or a file of this computer."""


class KeyRefused(Exception):
    """The key is there, and the code is not the one that it was brought with; or there is a key already."""


class KeyPage(Protocol):
    """Keeps one key. Every method raises `hw.device.DeviceError` when the device does not work; then nothing
    is known of the key, and it may be there.
    """

    @property
    def keeper(self) -> Keeper:
        """What the key is kept in."""

    def present(self) -> bool:
        """Is there a key?"""

    def read(self, code: bytes) -> bytes:
        """The key, `KEY_BYTES`, for the code of `CODE_BYTES` that it was brought with. Raises `KeyRefused`
        for another code, and without a key.
        """

    def keep(self, code: bytes, key: bytes) -> None:
        """Keep a key, over every loss of power from now on. Raises `KeyRefused` if there is another."""

    def destroy(self) -> None:
        """Erase the key; it is gone when this returns. Harmless without one."""
