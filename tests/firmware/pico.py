"""A microcontroller whose flash, pins and USB port are emulated and whose programs are the real files on that
flash: it resets, starts /main.py, keeps timers and a watchdog, and falls back to MicroPython's prompt.

The program runs in a thread that holds still except while `advance` lets time pass.
"""

from __future__ import annotations

import builtins
import functools
import threading
import traceback
from collections import defaultdict
from types import CodeType, ModuleType
from typing import Any

from tests.firmware.flash import Flash, PowerCut
from tests.firmware.pico_modules import Bootloader, Reset, built_in

REAL_MODULES = set("array binascii gc hashlib io json math struct".split())
MACHINE_CODE = {"pmu.sound_loops_viper"}
MPY = 6 | 3 << 8 | 4 << 10
"""`sys.implementation._mpy` of an RP2040 with MicroPython 1.23 to 1.29."""


def pressed(name: str, source: bytes) -> bytes:
    """A compiler (`host.flash.mpy_cross.Compiler`) for this board: the header of a .mpy file, then the
    source.
    """
    return b"M\x06\x00\x1f" + source


class Killed(BaseException):
    """Ends the thread of a program that was reset from outside."""


@functools.cache
def compiled(source: bytes, path: str) -> CodeType:
    return compile(source, path, "exec")


class Pico:
    """One board. `state`: "off", "running", "prompt" or "bootloader"."""

    def __init__(self, flash: Flash) -> None:
        self.flash = flash
        self.state = "off"
        self.boots = 0
        self.now_ms = 0
        self.came_up_ms = 0
        self.incoming = b""
        self.outgoing = b""
        self.voltage_mv, self.current_ma, self.powered = 3900, -150, False
        self.watchdog_at_ms: int | None = None
        self.reset_cause = 1
        self.mpy = MPY
        self.scratch: dict[int, int] = defaultdict(int)
        """Registers that keep their values over a reset."""
        self.timers: list[Any] = []
        self._thread: threading.Thread | None = None
        self._host, self._program = threading.Semaphore(0), threading.Semaphore(0)
        self._wake_ms = 0
        self._raise: type[BaseException] | None = None
        self._ended: BaseException | None = None

    # The user's actions

    def power_on(self) -> None:
        self.power_off()
        self.reset_cause = 1
        self.scratch.clear()
        self._boot()

    def power_off(self) -> None:
        self._kill()
        self.state = "off"

    def interrupt(self) -> bool:
        """Ctrl-C from USB: True when the prompt answers after it."""
        if self.state == "running" and self.interruptible:
            self._raise = KeyboardInterrupt
            self._resume()
        return self.state == "prompt"

    def advance(self, ms: int) -> None:
        """Advance time."""
        until_ms = self.now_ms + ms
        while self.state in ("running", "prompt"):
            due = [(timer.at_ms, 1, timer) for timer in self.timers]
            if self.watchdog_at_ms is not None:
                due.append((self.watchdog_at_ms, 0, None))
            if self.state == "running":
                due.append((self._wake_ms, 2, None))
            if not due:
                break
            at_ms, kind, timer = min(due, key=lambda each: each[:2])
            if at_ms > until_ms:
                break
            self.now_ms = max(self.now_ms, at_ms)
            if kind == 0:
                self._reset(3)
            elif kind == 1:
                try:
                    timer.fire()
                except Reset:
                    self._reset(3)
            else:
                self._resume()
        self.now_ms = until_ms

    def execute(self, code: str) -> tuple[str, str]:
        """Run code at the prompt: what it printed, and the traceback of what it raised."""
        assert self.state == "prompt"
        before, self.outgoing = self.outgoing, b""
        error = ""
        try:
            exec(compile(code, "<stdin>", "exec"), self.main)
        except (Reset, Bootloader, PowerCut) as end:
            self._over(end)
            raise
        except Exception:
            error = traceback.format_exc()
        printed, self.outgoing = self.outgoing.decode(), before
        return printed, error

    # Running the program

    def _boot(self) -> None:
        self.state = "running"
        self.boots += 1
        self.came_up_ms = self.now_ms
        self.incoming = self.outgoing = b""
        self.interruptible = True
        self.timers = []
        self.watchdog_at_ms = None
        self.modules: dict[str, ModuleType] = {}
        self.fakes = built_in(self)
        self.main = self._namespace("__main__", "")
        self._ended, self._raise, self._wake_ms = None, None, self.now_ms
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()
        self._host.acquire()
        self._after_program()

    def _live(self) -> None:
        try:
            if "/main.py" in self.flash.files:
                exec(compiled(self.flash.files["/main.py"], "/main.py"), self.main)
        except (Reset, Bootloader, PowerCut, Killed, KeyboardInterrupt) as end:
            self._ended = end
        except Exception as problem:
            self._ended = problem
            self.outgoing += traceback.format_exc().encode()
        finally:
            self._thread = None
            self._host.release()

    def sleep(self, ms: float) -> None:
        """Called by the program: pause until that time has passed."""
        self._wake_ms = self.now_ms + max(1, int(ms))
        self._host.release()
        self._program.acquire()
        if self._raise is not None:
            raised, self._raise = self._raise, None
            raise raised

    def _resume(self) -> None:
        self._program.release()
        self._host.acquire()
        self._after_program()

    def _after_program(self) -> None:
        if self._thread is None:
            self._over(self._ended)

    def _over(self, end: BaseException | None) -> None:
        if isinstance(end, Reset):
            self._reset(3)
        elif isinstance(end, PowerCut):
            self._kill()
            self.state = "off"
        elif isinstance(end, Bootloader):
            self.state = "bootloader"
        elif not isinstance(end, Killed):
            self.state = "prompt"

    def _reset(self, cause: int) -> None:
        self._kill()
        self.reset_cause = cause
        self._boot()

    def _kill(self) -> None:
        if self._thread is not None and self._thread is not threading.current_thread():
            self._raise = Killed
            self._program.release()
            self._host.acquire()

    # The program's environment

    def _namespace(self, name: str, package: str) -> dict[str, Any]:
        own = dict(vars(builtins))
        own["open"] = self.flash.open
        own["print"] = self._print
        own["__import__"] = self._import
        return {"__name__": name, "__package__": package, "__builtins__": own}

    def _print(self, *values: object, file: Any = None) -> None:
        text = " ".join(map(str, values)) + "\n"
        if file is not None:
            file.write(text)
        else:
            self.outgoing += text.encode()

    def _import(
        self, name: str, scope: Any = None, _: Any = None, wanted: Any = (), level: int = 0
    ) -> ModuleType:
        if level:
            package = scope["__package__"]
            name = f"{package}.{name}" if name else package
        if name in self.fakes:
            return self.fakes[name]  # type: ignore[no-any-return]
        if name in REAL_MODULES:
            return __import__(name)
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            leaf = self._load(".".join(parts[:end]))
        for attribute in wanted or ():
            if not hasattr(leaf, attribute):
                self._load(f"{name}.{attribute}")
        return leaf if wanted else self.modules[parts[0]]

    def _load(self, name: str) -> ModuleType:
        if name in self.modules:
            return self.modules[name]
        if name in MACHINE_CODE:
            raise ImportError(f"there is no compiler for '{name}' here")
        parent, _, leaf = name.rpartition(".")
        folders = [self.modules[parent].__dict__["__folder__"]] if parent else self.fakes["sys"].path
        for folder in folders:
            for path, package in (
                (f"{folder}/{leaf}/__init__.py", name), (f"{folder}/{leaf}/__init__.mpy", name),
                (f"{folder}/{leaf}.py", parent), (f"{folder}/{leaf}.mpy", parent),
            ):  # fmt: skip
                if path not in self.flash.files:
                    continue
                if path.endswith(".mpy") and self.flash.files[path][:2] != bytes((ord("M"), self.mpy & 0xFF)):
                    raise ValueError("incompatible .mpy file")
                module = ModuleType(name)
                module.__dict__.update(self._namespace(name, package))
                module.__dict__["__folder__"] = path.rpartition("/")[0]
                self.modules[name] = module
                try:
                    source = self.flash.files[path]
                    exec(compiled(source[4:] if path.endswith(".mpy") else source, path), module.__dict__)
                except BaseException:
                    del self.modules[name]
                    raise
                if parent:
                    setattr(self.modules[parent], leaf, module)
                return module
        raise ImportError(f"no module named '{name}'")
