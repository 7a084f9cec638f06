"""Files on a board's flash, through its MicroPython prompt.

Each access restarts a timer on the board; one minute after the last access the board resets itself, so an
aborted deploy does not leave the PMU at its prompt.
"""

from __future__ import annotations

import base64
import contextlib
import json
from typing import Any

from hw.pmu_usb.micropython_repl import RawRepl
from hw.pmu_usb.serial_link import LinkError

CHUNK_BYTES = 1_024
_IDLE_RESET_MS = 60_000

# Runs on MicroPython. `_open` stays open from chunk to chunk.
_HELPERS = f"""
import binascii, hashlib, json, machine, os, sys
_timer = machine.Timer()
def _wind():
    _timer.init(mode=machine.Timer.ONE_SHOT, period={_IDLE_RESET_MS}, callback=lambda _: machine.reset())
def _hash(path):
    check = hashlib.sha256()
    with open(path, "rb") as file:
        while True:
            data = file.read(512)
            if not data:
                return binascii.hexlify(check.digest()).decode()
            check.update(data)
def _tree(folder):
    found = []
    try:
        names = os.listdir(folder or "/")
    except OSError:
        return found
    for name in names:
        path = folder + "/" + name
        if os.stat(path)[0] & 0x4000:
            found += _tree(path)
        else:
            found.append(path)
    return found
def _hashes(paths):
    found = {{}}
    for path in paths:
        _wind()
        try:
            found[path] = _hash(path)
        except OSError:
            pass
    print(json.dumps(found))
def _read(path):
    try:
        with open(path) as file:
            print(json.dumps(file.read(8192)))
    except (OSError, ValueError):
        print("null")
def _folders(path):
    place = path.find("/", 1)
    while place > 0:
        try:
            os.mkdir(path[:place])
        except OSError:
            pass
        place = path.find("/", place + 1)
def _create(path):
    global _open
    _wind()
    _folders(path)
    _open = open(path, "wb")
def _more(chunk):
    _wind()
    _open.write(binascii.a2b_base64(chunk))
def _copy(source, target):
    _folders(target)
    with open(source, "rb") as old:
        with open(target, "wb") as new:
            while True:
                _wind()
                data = old.read(512)
                if not data:
                    return
                new.write(data)
def _remove(path):
    try:
        os.remove(path)
    except OSError:
        pass
_wind()
"""


class BoardFlash:
    """The files of one board, by absolute paths. Every method but `close` raises `LinkError`."""

    def __init__(self, prompt: RawRepl) -> None:
        self._prompt = prompt
        prompt.run(_HELPERS)

    def compiled(self) -> int:
        """Format of compiled modules that the board loads: its `sys.implementation._mpy`, 0 for none."""
        return int(self._ask('print(getattr(sys.implementation, "_mpy", 0))'))

    def tree(self, folder: str = "") -> list[str]:
        """Every file in a folder and below; "" is the whole flash."""
        return sorted(self._ask(f"print(json.dumps(_tree({folder!r})))"))

    def hashes(self, paths: list[str]) -> dict[str, str]:
        """Path -> SHA-256 in hexadecimal, of the files that exist."""
        found: dict[str, str] = {}
        for start in range(0, len(paths), 8):  # a few at a time: the answer is built in the board's memory
            found.update(self._ask(f"_hashes({paths[start : start + 8]!r})"))
        return found

    def read(self, path: str) -> str | None:
        """The text of a small file; None when it does not exist or is not text."""
        text: str | None = self._ask(f"_read({path!r})")
        return text

    def put(self, path: str, data: bytes) -> None:
        """Write a file; an interruption leaves part of it or no file."""
        self._prompt.run(f"_create({path!r})")
        for start in range(0, len(data), CHUNK_BYTES):
            chunk = base64.b64encode(data[start : start + CHUNK_BYTES])
            self._prompt.run(f"_more({chunk!r})")
        self._prompt.run("_open.close()")

    def replace(self, path: str, data: bytes) -> None:
        """Write a file atomically."""
        self.put(path + ".new", data)
        self.move(path + ".new", path)

    def move(self, path: str, target: str) -> None:
        """Rename a file; replaces the target atomically."""
        self._prompt.run(f"os.rename({path!r}, {target!r})")

    def copy(self, source: str, target: str) -> None:
        """Copy a file on the board itself."""
        self._prompt.run(f"_copy({source!r}, {target!r})")

    def remove(self, path: str) -> None:
        """Remove a file, if it exists."""
        self._prompt.run(f"_remove({path!r})")

    def reset(self) -> None:
        """Reset the board, which ends this session."""
        with contextlib.suppress(LinkError):  # a reset sends no answer
            self._prompt.run("machine.reset()")
        self.close()

    def close(self) -> None:
        """Close the port. Harmless when repeated."""
        self._prompt.close()

    def _ask(self, code: str) -> Any:
        try:
            return json.loads(self._prompt.run(code))
        except ValueError:
            raise LinkError("The board's prompt answers with something else than it was asked for.") from None
