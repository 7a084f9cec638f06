"""Suspends the computer through the kernel, until a wake-up source resumes it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hw.device import DeviceError


class KernelSuspend:
    """Calling it suspends the computer and returns after the resume.

    Writes to `power/state` (kernel documentation, admin-guide/pm/sleep-states). Uses "deep" where the kernel
    offers it: the s2idle state of an RK3566 saves little.
    """

    def __init__(self, sysfs_root: Path) -> None:
        self._power = sysfs_root / "power"

    async def __call__(self) -> None:
        """Raises `DeviceError` when the kernel does not support or refuses it."""
        await asyncio.to_thread(self._sleep)

    def _sleep(self) -> None:
        try:
            if "mem" not in (self._power / "state").read_text().split():
                raise DeviceError("The kernel cannot suspend this computer.")
            depth = self._power / "mem_sleep"
            if depth.exists() and "deep" in depth.read_text().split():
                depth.write_text("deep")
            (self._power / "state").write_text("mem")
        except OSError as error:
            raise DeviceError(f"The computer did not suspend: {error.strerror or error}.") from None
