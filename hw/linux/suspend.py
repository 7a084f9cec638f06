"""Suspends the computer through the kernel, until a wake-up source resumes it."""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from hw.device import DeviceError

CALLED = "Something woke the computer on its way to sleep."
COUNT_WITHIN_S = 1.0
"""Within which the kernel tells how many wake-up events there were: it waits while one is processed, for as
long as some driver holds it.
"""


class KernelSuspend:
    """Calling it suspends the computer and returns after the resume.

    Writes to `power/state` (kernel documentation, admin-guide/pm/sleep-states). Uses "deep" where the kernel
    offers it: the s2idle state of an RK3566 saves little.

    An edge of the wake line on the way to sleep is not lost: before it, `power/wakeup_count` is read and
    written back, so that the kernel refuses when a wake-up event came in between (documentation,
    ABI/testing/sysfs-power), and the level is looked at, which the PMU holds until it is answered.
    """

    def __init__(self, sysfs_root: Path, called: Callable[[], bool] = lambda: False) -> None:
        """`called`: is the wake line active?"""
        self._power = sysfs_root / "power"
        self._called = called
        self._reading: Future[str] | None = None
        """A count that is being read."""

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
            self._check_calls()
            (self._power / "state").write_text("mem")
        except OSError as error:
            if error.errno == errno.EBUSY:
                raise DeviceError(CALLED) from None
            raise DeviceError(f"The computer did not suspend: {error.strerror or error}.") from None

    def _check_calls(self) -> None:
        seen = "" if self._called() else self._count()
        if self._called():
            raise DeviceError(CALLED)
        if seen:
            try:
                (self._power / "wakeup_count").write_text(seen)
            except PermissionError:
                return
            except OSError:
                raise DeviceError(CALLED) from None

    def _count(self) -> str:
        """The number of wake-up events so far; "" from a kernel without it, or without permission: the level
        has to do. Raises `DeviceError` where the kernel does not tell it in time.
        """
        if self._reading is None or self._reading.done():
            self._reading = Future()
            threading.Thread(target=self._read_count, args=(self._reading,), daemon=True).start()
        try:
            return self._reading.result(COUNT_WITHIN_S)
        except TimeoutError:
            raise DeviceError(CALLED) from None
        except OSError:
            return ""

    def _read_count(self, reading: Future[str]) -> None:
        try:
            reading.set_result((self._power / "wakeup_count").read_text())
        except OSError as error:
            reading.set_exception(error)
