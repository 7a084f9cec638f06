"""MicroPython's own modules as the programs of an emulated microcontroller import them: `machine`, `time`,
`sys` and others.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.firmware.pico import Pico

CTRL_C = 3


class Reset(BaseException):
    """Raised for a reset of the microcontroller."""


class Bootloader(BaseException):
    """Raised for a start of the boot ROM, which accepts UF2 files."""


class _Timer:
    ONE_SHOT, PERIODIC = range(2)

    def __init__(self, pico: Pico, **settings: Any) -> None:
        self._pico = pico
        if settings:
            self.init(**settings)

    def init(self, *, mode: int, period: int, callback: Callable[[Any], None]) -> None:
        self.deinit()
        self._mode, self._period_ms, self._callback = mode, period, callback
        self.at_ms = self._pico.now_ms + period
        self._pico.timers.append(self)

    def deinit(self) -> None:
        with contextlib.suppress(ValueError):
            self._pico.timers.remove(self)

    def fire(self) -> None:
        if self._mode == self.ONE_SHOT:
            self.deinit()
        self.at_ms += self._period_ms
        self._callback(self)


class _Quiet:
    """A peripheral without a function in these tests."""

    OUT = IN = OPEN_DRAIN = PULL_UP = PULL_DOWN = CORE_TEMP = IRQ_END_WRITE = IRQ_FALLING = IRQ_RISING = 1

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __getattr__(self, _: str) -> Callable[..., int]:
        return lambda *_, **__: 1

    def read_u16(self) -> int:
        return 14_000


def built_in(pico: Pico) -> dict[str, Any]:
    """The modules by name."""

    def reset() -> None:
        raise Reset

    def bootloader() -> None:
        raise Bootloader

    class Timer(_Timer):
        def __init__(self, **settings: Any) -> None:
            super().__init__(pico, **settings)

    class Watchdog:
        def __init__(self, timeout: int) -> None:
            self._timeout_ms = timeout
            self.feed()

        def feed(self) -> None:
            pico.watchdog_at_ms = pico.now_ms + self._timeout_ms

    class Sensor(_Quiet):
        def readfrom_mem(self, _: int, register: int, __: int) -> bytes:
            words = {2: pico.voltage_mv * 4 // 5, 4: pico.current_ma & 0xFFFF, 5: 512}
            return words[register].to_bytes(2, "big")

    class PowerGood(_Quiet):
        def __init__(self, number: int, *_: Any, **__: Any) -> None:
            self._number = number

        def value(self, *_: int) -> int:
            return int(pico.powered) if self._number == 9 else 1

    def freq(*_: int) -> int:
        return 125_000_000

    machine = SimpleNamespace(
        freq=freq, lightsleep=pico.sleep, reset=reset, bootloader=bootloader,
        reset_cause=lambda: pico.reset_cause, PWRON_RESET=1, WDT_RESET=3,
        Timer=Timer, WDT=Watchdog, I2C=Sensor, Pin=PowerGood,
        mem32=pico.scratch, ADC=_Quiet, PWM=_Quiet, I2CTarget=_Quiet, I2S=_Quiet,
    )  # fmt: skip

    class Poll:
        def register(self, stream: Any, _: int) -> None:
            self._stream = stream

        def poll(self, _: int) -> list[Any]:
            return [self._stream] if self._stream is stdout or pico.incoming else []

    def read(count: int) -> bytes:
        data, pico.incoming = pico.incoming[:count], pico.incoming[count:]
        return data

    def write(data: bytes) -> int:
        pico.outgoing += data
        return len(data)

    def print_exception(problem: BaseException, file: Any) -> None:
        file.write("".join(traceback.format_exception(problem)))

    def kbd_intr(character: int) -> None:
        pico.interruptible = character == CTRL_C

    stdin = SimpleNamespace(buffer=SimpleNamespace(read=read))
    stdout = SimpleNamespace(buffer=SimpleNamespace(write=write))
    return {
        "machine": machine,
        "micropython": SimpleNamespace(kbd_intr=kbd_intr, const=lambda value: value),
        "os": pico.flash,
        "select": SimpleNamespace(poll=Poll, POLLIN=1, POLLOUT=4),
        "sys": SimpleNamespace(
            path=["", "/lib"], modules=pico.modules, stdin=stdin, stdout=stdout,
            print_exception=print_exception,
            implementation=SimpleNamespace(name="micropython", _mpy=pico.mpy),
        ),
        "time": SimpleNamespace(
            ticks_ms=lambda: pico.now_ms & 0x3FFFFFFF, ticks_us=lambda: pico.now_ms * 1000 & 0x3FFFFFFF,
            sleep_ms=pico.sleep, sleep_us=lambda us: None, sleep=lambda seconds: pico.sleep(seconds * 1000),
            ticks_diff=lambda end, start: end - start, ticks_add=lambda start, ms: start + ms,
        ),
    }  # fmt: skip
