"""The memory's key on the PMU: `hw.key_page.KeyPage` over the registers KEY_1 to KEY_STATE."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from firmware.pmu import registers as r
from hw.device import DeviceError
from hw.key_page import CODE_BYTES, KEY_BYTES, Keeper, KeyRefused
from hw.pmu.gauge import PmuGauge
from hw.pmu.register_bus import GaugeError

_WINDOW = (r.KEY_1, r.KEY_2, r.KEY_3, r.KEY_4)
_PART_BYTES = 8
SAVE_POLLS, POLL_S = 80, 0.05
"""Longest wait for the flash: the PMU writes it within a step of 0.25 s, and erases a few blocks."""


class PmuKeyPage:
    """The key page of a PMU. Methods may be called from several threads."""

    keeper: Keeper = "microcontroller"

    def __init__(self, pmu: PmuGauge, pause: Callable[[float], None] = time.sleep) -> None:
        """`pause` waits seconds in the caller's thread."""
        self._pmu, self._pause = pmu, pause
        self._lock = threading.Lock()

    def present(self) -> bool:
        with self._page():
            return self._begun() != r.KEY_IS_NONE

    def read(self, code: bytes) -> bytes:
        with self._page():
            self._begun()
            try:
                self._show(code)
                if self._ask(r.KEY_DO_OPEN) != r.KEY_IS_OPEN:
                    raise KeyRefused("the PMU does not show its key for this code")
                parts = []
                for part in range(1, 1 + KEY_BYTES // _PART_BYTES):
                    if self._ask(r.KEY_DO_SHOW + part) != r.KEY_IS_OPEN:
                        raise KeyRefused("the PMU has hidden its key again")
                    parts.append(self._window())
                return b"".join(parts)
            finally:
                self._ask(r.KEY_DO_HIDE)

    def keep(self, code: bytes, key: bytes) -> None:
        assert (len(code), len(key)) == (CODE_BYTES, KEY_BYTES)
        with self._page():
            self._begun()
            body = code + key
            for part in range(len(body) // _PART_BYTES):
                self._show(body[part * _PART_BYTES : (part + 1) * _PART_BYTES])
                self._ask(r.KEY_DO_PUT + part)
            self._ask(r.KEY_DO_KEEP)
            if self._settled() != r.KEY_IS_KEPT:
                raise KeyRefused("the PMU has a key already, or could not write its flash")
        if self.read(code) != key:
            raise DeviceError("The PMU did not keep the memory's key as it was given.")

    def destroy(self) -> None:
        with self._page():
            self._begun()
            self._ask(r.KEY_DO_DESTROY)
            if self._settled() != r.KEY_IS_NONE:
                raise DeviceError("The PMU could not erase the memory's key.")

    def _ask(self, request: int) -> int:
        """Makes a request, and returns what KEY_STATE is then."""
        self._pmu.write(r.KEY_REQUEST, request)
        return self._pmu.word(r.KEY_STATE)

    def _show(self, part: bytes) -> None:
        for at, code in enumerate(_WINDOW):
            self._pmu.write(code, part[2 * at] | part[2 * at + 1] << 8)

    def _window(self) -> bytes:
        words = self._pmu.words(_WINDOW)
        return b"".join(words[code].to_bytes(2, "little") for code in _WINDOW)

    def _begun(self) -> int:
        """KEY_STATE after everything was hidden that a host before may have left."""
        self._settled()
        self._ask(r.KEY_DO_HIDE)
        return self._settled()

    def _settled(self) -> int:
        """KEY_STATE once the PMU is done with its flash."""
        for _ in range(SAVE_POLLS):
            state = self._pmu.word(r.KEY_STATE)
            if state == 0:
                raise DeviceError(
                    "The PMU's firmware keeps no key for the memory: flash it with this release's."
                )
            if state != r.KEY_IS_BUSY:
                return state
            self._pause(POLL_S)
        raise DeviceError("The PMU does not finish writing the memory's key.")

    @contextmanager
    def _page(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except GaugeError as error:
                raise DeviceError(f"The PMU's key page can't be used. {error}") from None
