"""The PMU's firmware on MicroPython: its free memory, and the time from start to the first valid register."""

from __future__ import annotations

import json
import sys

from host.flash.mpy_cross import compiler
from tests.firmware.micropython import memory, sessions
from tests.firmware.micropython.interpreter import Missing, run

FIRST_REGISTER_MS = 1000
_SOURCE = "memory, not compiled"


def main() -> int:
    using = compiler()
    live = sessions.board_session(sessions.LIVE, "result = program.live()", using=using)
    try:
        outcomes = run([
            sessions.memory_session(using=using), sessions.memory_session(sessions.TALKING, using=using),
            sessions.memory_session(_SOURCE), live, sessions.weights_session(),
        ])  # fmt: skip
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 2
    results = {}
    for name, outcome in outcomes.items():
        if outcome.result is None:
            print(outcome.error, file=sys.stderr)
            return 1
        results[name] = json.loads(outcome.result)
    boot, talking, source = (
        memory.held(results[name]["held"], outcomes[name].output)
        for name in (sessions.MEMORY, sessions.TALKING, _SOURCE)
    )
    first_ms = results[sessions.LIVE]["first_ms"]
    form = "compiled by mpy-cross" if using else "as source: mpy-cross is not installed"
    print(f"MicroPython 1.28, WebAssembly, 32-bit pointers and floats, emulated RP2040; the firmware {form}")
    enough = boot.free >= memory.WANTED_FREE_BYTES
    enough_after_console = talking.free >= memory.WANTED_FREE_AFTER_CONSOLE_BYTES
    rows = [
        ("held after boot here", f"{boot.here:,} bytes", f"{boot.names} names take {boot.names_here:,}"),
        ("held on an RP2040", f"{boot.there:,} bytes", "argued: names as there, machine code added"),
        ("free on a Pico without it", f"{memory.RP2040_FREE_BYTES:,} bytes", "measured by others, 1.20-489"),
        ("free on an RP2040, argued", _kib(boot.free), _goal(enough, "100 KiB")),
        ("  once the console was used", _kib(talking.free), _goal(enough_after_console, "96 KiB")),
        ("  while it listens", _kib(boot.free - memory.MICROPHONE_BYTES), "the microphone's buffer"),
        ("  when deployed as source", _kib(source.free), "to a board of another release"),
        ("allocated while booting", f"{results[sessions.MEMORY]['allocated']:,} bytes", "garbage included"),
        ("  from source", f"{results[_SOURCE]['allocated']:,} bytes", "the compiler's garbage included"),
        (
            "first valid register",
            f"{first_ms:.1f} ms",
            _goal(first_ms <= FIRST_REGISTER_MS, "1 s") + "; emulated: waits and transfers, no computing",
        ),
    ]
    for name, figure, remark in rows:
        print(f"{name:<28}{figure:>16}  {remark}")
    print("heaviest parts, bytes on the heap here:")
    weights = sorted(results["weights"].items(), key=lambda item: -item[1])
    for name, size in weights[:12]:
        print(f"  {name:<20}{size:>8}")
    return 0


def _kib(size: int) -> str:
    return f"{size / 1024:.1f} KiB"


def _goal(met: bool, goal: str) -> str:
    return f"goal {goal}: {'met' if met else 'not met'}"


if __name__ == "__main__":
    sys.exit(main())
