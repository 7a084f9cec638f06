"""The modelled load of listening on one core of an RP2040; a part of `tests.eval.sound_gate`.

The cycles per sample of the machine-code loops were counted in an emulator of the processor (see
`firmware.pmu.sound_gate`). Bytecodes are counted here in CPython, whose bytecodes are similar to
MicroPython's; the cycles per bytecode are an estimate.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from firmware.pmu import sound_adpcm as adpcm
from firmware.pmu import sound_loops as loops
from firmware.pmu.sound_onset import Onset
from hw.device import MICROPHONE_RATE_HZ

CORE_HZ = 125_000_000
MACHINE_CODE = {"encode": 329, "measure": 72, "narrow": 89}
"""Cycles per sample."""
CYCLES = (100, 200)
"""Cycles per bytecode, least and most."""


def bytecodes(call: Callable[[], object]) -> int:
    """Number of bytecodes in that call and the calls in it."""
    seen = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal seen
        frame.f_trace_opcodes = True
        seen += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return seen


def print_cost(measured: Sequence[tuple[int, int]]) -> None:
    """Prints the load in shares of the core. `measured`: the sums of each block (`loops.measure`)."""
    second = CORE_HZ / MICROPHONE_RATE_HZ
    block = loops.BLOCK * second
    onset = Onset()
    decisions = [bytecodes(lambda at=at: onset.judge(*at)) for at in measured]  # type: ignore[misc]
    samples = array("h", (1000, -500, 30) * (loops.BLOCK // 3))
    out, state, work = bytearray(8 * adpcm.PAGE_BYTES), array("i", (0, 0, 0)), array("i", (0,) * 6)
    plain = bytecodes(lambda: loops.encode(samples, state, out, 0))
    plain += bytecodes(lambda: loops.measure(samples, work))
    machine = sum(MACHINE_CODE.values())
    print(f"\nWhat one core of an RP2040 affords, modelled: {second:,.0f} cycles a sample at 125 MHz")
    print(f"  encode, measure and narrow as machine code: {machine} cycles a sample, {machine / second:.1%}")
    mean = sum(decisions) / len(decisions)
    for name, count in (("on average", mean), ("at most", max(decisions))):
        low, high = (count * cycles / block for cycles in CYCLES)
        print(f"  the decision about a block {name}: {count:.0f} bytecodes, {low:.1%} to {high:.1%}")
    print(f"  together at most {machine / second + max(decisions) * CYCLES[1] / block:.0%} of the core")
    low, high = (plain * cycles / block for cycles in CYCLES)
    print(
        f"  encode and measure in plain Python: {plain / loops.BLOCK:.0f} bytecodes a sample, "
        f"{low:.0%} to {high:.0%}: not affordable"
    )
