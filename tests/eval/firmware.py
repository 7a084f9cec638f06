"""The PMU's firmware on MicroPython: memory that it leaves free and how soon it serves a valid register."""

from __future__ import annotations

import json
import sys

from tests.firmware.micropython import memory, sessions
from tests.firmware.micropython.interpreter import Missing, run

FIRST_REGISTER_MS = 1000


def main() -> int:
    live = sessions.board_session(sessions.LIVE, "result = program.live()")
    try:
        outcomes = run([sessions.memory_session(), live, sessions.weights_session()])
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 2
    results = {}
    for name, outcome in outcomes.items():
        if outcome.result is None:
            print(outcome.error, file=sys.stderr)
            return 1
        results[name] = json.loads(outcome.result)
    boot = results[sessions.MEMORY]
    free = memory.free_bytes(boot["held"])
    first_ms = results[sessions.LIVE]["first_ms"]
    print("MicroPython 1.28, WebAssembly, 32-bit pointers, on an emulated RP2040; starts at /main.py")
    rows = [
        ("held after boot", f"{boot['held']:,} bytes", ""),
        ("free on a Pico without it", f"{memory.RP2040_FREE_BYTES:,} bytes", ""),
        (
            "free on an RP2040, argued",
            f"{free / 1024:.1f} KiB",
            _goal(free >= memory.WANTED_FREE_BYTES, "100 KiB"),
        ),
        ("allocated while booting", f"{boot['allocated']:,} bytes", "garbage of the compiler included"),
        (
            "first valid register",
            f"{first_ms:.1f} ms",
            _goal(first_ms <= FIRST_REGISTER_MS, "1 s") + "; emulated: waits and transfers, no computing",
        ),
    ]
    for name, figure, remark in rows:
        print(f"{name:<28}{figure:>16}  {remark}")
    print("heaviest parts, bytes on the heap:")
    weights = sorted(results["weights"].items(), key=lambda item: -item[1])
    for name, size in weights[:12]:
        print(f"  {name:<20}{size:>8}")
    return 0


def _goal(met: bool, goal: str) -> str:
    return f"goal {goal}: {'met' if met else 'not met'}"


if __name__ == "__main__":
    sys.exit(main())
