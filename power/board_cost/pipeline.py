"""Cycles that a Cortex-A55 needs for a block of instructions whose data is in its first cache: two may start
in a cycle, in order, each waiting for its operands and for a unit that is free.

Sources. [SOG] Arm Cortex-A55 Software Optimization Guide 3.0 (ARM-EPM-128372): two instructions a cycle,
forwarding, multiply-accumulate chains. [LLVM] AArch64SchedA55.td of LLVM (2025), made from that guide: units
and latencies; vector loads move 64 bits in a cycle. [ORT] onnxruntime change 10754: a 128-bit load holds the
pipeline for two cycles in which nothing else starts. Where they differ, the later measurement stands: LLVM
has the 128-bit `ldr` as one cycle."""

from __future__ import annotations

from dataclasses import dataclass

from power.board_cost.decode import Instruction, decode

_ROUNDS = 4
"""Rounds of a loop before its cost for one round has settled."""


@dataclass(frozen=True)
class Timing:
    """How an instruction moves through the core."""

    latency: int
    """Cycles until its result can be used."""
    unit: str
    """Where it runs: alu (two of them), vector (two halves of 64 bits), load, store, multiply, divide,
    float_divide, branch.
    """
    busy: int = 1
    """Cycles for which its unit takes nothing else."""
    alone: bool = False
    """Whether nothing else starts in those cycles."""
    chained: int = -1
    """Latency to the next of its kind that adds to its result; as any other where -1."""


TIMINGS = {
    "scalar": Timing(1, "alu"),
    "shift": Timing(2, "alu"),
    "multiply": Timing(4, "multiply", chained=2),
    "divide": Timing(8, "divide", 8),
    "branch": Timing(1, "branch"),
    "system": Timing(1, "branch"),
    "prefetch": Timing(1, "load"),
    "load": Timing(3, "load"),
    "load_pair": Timing(4, "load", 2),
    "load_quad": Timing(4, "load", 2, alone=True),
    "load_quad_pair": Timing(6, "load", 4, alone=True),
    **{f"load_{words}": Timing(3 + words, "load", words, alone=words > 1) for words in range(1, 9)},
    "store": Timing(1, "store"),
    "store_2": Timing(1, "store", 2),
    "store_4": Timing(1, "store", 4),
    "float": Timing(4, "vector"),
    "float_divide": Timing(13, "float_divide", 10),
    "float_root": Timing(12, "float_divide", 9),
    "compare": Timing(3, "vector"),
    "dot_product": Timing(4, "vector", chained=1),
    "multiply_add": Timing(4, "vector", chained=1),
    "vector_multiply": Timing(4, "vector"),
    "vector_add": Timing(3, "vector"),
    "vector_shift": Timing(2, "vector"),
    "vector_move": Timing(1, "vector"),
    "logic": Timing(1, "vector"),
    "permute": Timing(2, "vector"),
    "across": Timing(4, "vector"),
    "to_general": Timing(3, "vector"),
    "from_general": Timing(3, "transfer"),
}
_PLACES = {"alu": 2, "vector": 2}


class _Core:
    def __init__(self) -> None:
        self.cycle = 0
        self.started = 0
        self.ready: dict[int, int] = {}
        self.chain: dict[int, tuple[str, int]] = {}
        self.free = {timing.unit: [0] * _PLACES.get(timing.unit, 1) for timing in TIMINGS.values()}

    def start(self, each: Instruction) -> None:
        timing = TIMINGS[each.kind]
        at = self.cycle + (self.started >= 2 or (timing.alone and self.started > 0))
        at = max([at, *(self.ready.get(register, 0) for register in each.reads)])
        if each.accumulates >= 0:
            kind, early = self.chain.get(each.accumulates, ("", 0))
            at = max(at, early if kind == each.kind else self.ready.get(each.accumulates, 0))
        places = sorted(range(len(self.free[timing.unit])), key=self.free[timing.unit].__getitem__)
        places = places[: 2 if timing.unit == "vector" and each.bits == 128 else 1]
        at = max(at, self.free[timing.unit][places[-1]])
        if at > self.cycle:
            self.cycle, self.started = at, 0
        for place in places:
            self.free[timing.unit][place] = at + timing.busy
        self.started += 1
        if timing.alone:
            self.cycle, self.started = at + timing.busy, 0
        for register in each.advances:
            self.ready[register] = at + 1
        for register in each.writes:
            self.ready[register] = at + timing.latency
            if timing.chained >= 0:
                self.chain[register] = (each.kind, at + timing.chained)
            else:
                self.chain.pop(register, None)


def block_cycles(words: tuple[int, ...]) -> float:
    """Cycles for one run of a block of instruction words: of a round in the middle where the block is a
    loop.
    """
    instructions = [decode(word) for word in words]
    last = instructions[-1].branch_words if instructions else None
    core, before = _Core(), 0
    for _ in range(_ROUNDS if last is not None and last == 1 - len(words) else 1):
        before = core.cycle
        for each in instructions:
            core.start(each)
        core.cycle, core.started = core.cycle + (core.started > 0), 0
    return core.cycle - before
