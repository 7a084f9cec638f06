"""Starts one of the two firmware slots on the flash. A normal deploy never touches this file.

    /main.py, /loader.py    as they came with the first flash
    /slot_a/pmu/, _b/pmu/   the firmware, twice
    /slot_?/manifest        commit, serial number, file hashes; written last: without it a slot is not whole
    /slot_?/tried           the slot was started once on trial
    /slot_?/confirmed       it answered, and is started from now on
    /maintenance            the next start keeps guard and watchdog off; removed by that start
    /crash.txt              why a firmware stopped last

No separate record names the active slot: the files above decide. A whole slot that was never started is
started first, on trial. If `Session.confirm` is not called within `TRIAL_MS`, or a reset comes before it, the
confirmed slot is started again. When nothing starts, the MicroPython prompt answers on USB.
"""

import io
import json
import os
import sys
import time

try:
    import machine  # type: ignore[import-not-found]  # only the microcontroller has it
except ImportError:
    machine = None

VERSION = 1  # of what `Session` offers to the firmware
SLOTS = ("slot_a", "slot_b")
MAINTENANCE = "/maintenance"
CRASH = "/crash.txt"
TRIAL_MS = 45_000
WATCHDOG_MS = 8_000
_TRIAL = 4  # the rank of a slot that was never started
_PAUSE_S = 5  # before everything is tried again; Ctrl-C ends it at the prompt
_MANIFEST_LIMIT = 8_192
_CRASH_LIMIT = 1_000


class Session:
    """What the loader tells the running firmware and does for it."""

    version = VERSION

    def __init__(self, slot: str, trial: bool, maintenance: bool):
        self.slot = slot
        self.trial = trial
        self.maintenance = maintenance
        self.watchdog = None  # `begin` arms it for a trial; the firmware has to feed it
        self._timers: list = []

    def begin(self) -> bool:
        """Record on the flash that a trial starts. False when that fails: the slot must not start then."""
        if not self.trial:
            return True
        if not _write("/" + self.slot + "/tried", ""):
            return False
        if machine is not None:
            self._timers.append(
                machine.Timer(
                    mode=machine.Timer.ONE_SHOT, period=TRIAL_MS, callback=lambda _: machine.reset()
                )
            )
            if not self.maintenance:
                self.watchdog = machine.WDT(timeout=WATCHDOG_MS)
        return True

    def confirm(self) -> bool:
        """Mark the slot as working, which ends its trial. False when the flash cannot be written."""
        if not _write("/" + self.slot + "/confirmed", ""):
            return False
        self.trial = False
        while self._timers:
            self._timers.pop().deinit()
        return True

    def manifest(self, slot: str):
        """The slot's manifest, {"commit", "serial", "files"}, or None."""
        return manifest(slot) if slot in SLOTS else None

    def crash(self) -> str:
        """Why a firmware stopped last; "" when none did."""
        return _read(CRASH, 2 * _CRASH_LIMIT)

    def restart(self, how: str) -> None:
        """Reset into "normal", "maintenance" or "bootloader"."""
        if how == "maintenance":
            _write(MAINTENANCE, "")
        elif how == "bootloader":
            machine.bootloader()
        machine.reset()


def manifest(slot):
    """The manifest of a whole slot, else None."""
    try:
        found = json.loads(_read("/" + slot + "/manifest", _MANIFEST_LIMIT))
        if found["serial"] >= 0 and found["files"].keys() and found["commit"] + "":
            return found
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, MemoryError):
        pass
    return None


def order():
    """Slots that may start, best first: (slot, on trial?)."""
    ranked = []
    for slot in SLOTS:
        found = manifest(slot)
        if _exists("/" + slot + "/confirmed"):
            rank = 2 if found is None else 3  # a confirmed slot counts even when its manifest is unreadable
        elif found is None:
            rank = 0  # incomplete: tried last
        else:
            rank = 1 if _exists("/" + slot + "/tried") else _TRIAL
        if found is not None or _exists("/" + slot + "/pmu"):
            ranked.append((rank, found["serial"] if found else 0, slot))
    ranked.sort()
    ranked.reverse()
    return [(slot, rank == _TRIAL) for rank, _, slot in ranked]


def run():
    """Start the firmware; returns, to the prompt, when it is asked to or there is none."""
    maintenance = _remove(MAINTENANCE)
    while True:
        slots = order()
        if not slots:
            print("no firmware on this board")
            return
        for slot, trial in slots:
            session = Session(slot, trial, maintenance)
            if not session.begin() and len(slots) > 1:
                continue
            try:
                _start(session)
                return
            except Exception as problem:
                _note(slot, problem)
            if session.trial and machine is not None:
                machine.reset()
            _forget(slot)
        time.sleep(_PAUSE_S)


def _start(session):
    sys.path.insert(0, "/" + session.slot)
    from pmu.board import start  # type: ignore[import-not-found]  # of the slot that is first on the path

    start(session)


def _forget(slot):
    for name in list(sys.modules):
        if name == "pmu" or name.startswith("pmu."):
            del sys.modules[name]
    if "/" + slot in sys.path:
        sys.path.remove("/" + slot)


def _note(slot, problem):
    text = io.StringIO()
    sys.print_exception(problem, text)  # type: ignore[attr-defined]  # MicroPython's sys has it
    crash = slot + ": " + text.getvalue()[-_CRASH_LIMIT:]
    print(crash)
    if _read(CRASH, 2 * _CRASH_LIMIT) != crash:  # the same text is not written twice, to spare the flash
        _write(CRASH, crash)


def _exists(path):
    try:
        os.stat(path)
    except OSError:
        return False
    return True


def _remove(path):
    try:
        os.remove(path)
    except OSError:
        return False
    return True


def _read(path, limit):
    try:
        with open(path) as file:
            return file.read(limit)
    except (OSError, ValueError):  # not there, or no text
        return ""


def _write(path, text):
    """Write a file whole or not at all; False when that fails."""
    try:
        with open(path + ".new", "w") as file:
            file.write(text)
        os.rename(path + ".new", path)
    except OSError:
        return False
    return True
