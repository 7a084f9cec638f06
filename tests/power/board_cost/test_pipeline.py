"""Instruction words as the assembler makes them, and the cycles that an A55 needs for them."""

from __future__ import annotations

import pytest

from power.board_cost.decode import FLAGS, VECTOR, decode
from power.board_cost.pipeline import TIMINGS, block_cycles

V = VECTOR
WORDS = {
    "add x0, x1, x2": (0x8B020020, "scalar", (1, 2), (0,)),
    "add x0, x1, x2, lsl #3": (0x8B020C20, "shift", (1, 2), (0,)),
    "subs w4, w4, #1": (0x71000484, "scalar", (4,), (4, FLAGS)),
    "madd x0, x1, x2, x3": (0x9B020C20, "multiply", (1, 2), (0,)),
    "sdiv x0, x1, x2": (0x9AC20C20, "divide", (1, 2), (0,)),
    "csel x0, x1, x2, eq": (0x9A820020, "scalar", (1, 2, FLAGS), (0,)),
    "ldr x0, [x1, x2, lsl #3]": (0xF8627820, "load", (1, 2), (0,)),
    "ldp x0, x1, [x2]": (0xA9400440, "load_pair", (2,), (0, 1)),
    "ldr q0, [x1]": (0x3DC00020, "load_quad", (1,), (V,)),
    "ldr d5, [x9], #8": (0xFC408525, "load", (9,), (V + 5,)),
    "ldp q0, q1, [x2]": (0xAD400440, "load_quad_pair", (2,), (V, V + 1)),
    "ld1 {v0.16b-v3.16b}, [x10], #64": (0x4CDF2140, "load_8", (10,), (V, V + 1, V + 2, V + 3)),
    "ld1r {v0.4s}, [x1]": (0x4D40C820, "load", (1,), (V,)),
    "str q0, [x1]": (0x3D800020, "store", (1, V), ()),
    "prfm pldl1keep, [x1]": (0xF9800020, "prefetch", (1,), ()),
    "fmla v20.8h, v4.8h, v0.h[0]": (0x4F001094, "float", (V + 4, V), (V + 20,)),
    "fmla v0.4s, v1.4s, v2.4s": (0x4E22CC20, "float", (V + 1, V + 2), (V,)),
    "fadd v0.4s, v1.4s, v2.4s": (0x4E22D420, "float", (V + 1, V + 2), (V,)),
    "fdiv s0, s1, s2": (0x1E221820, "float_divide", (V + 1, V + 2), (V,)),
    "sdot v16.4s, v0.16b, v4.4b[0]": (0x4F84E010, "dot_product", (V, V + 4), (V + 16,)),
    "sdot v0.4s, v1.16b, v2.16b": (0x4E829420, "dot_product", (V + 1, V + 2), (V,)),
    "smlal v0.4s, v1.4h, v2.4h": (0x0E628020, "multiply_add", (V + 1, V + 2), (V,)),
    "mov v1.d[1], x21": (0x4E181EA1, "from_general", (21, V + 1), (V + 1,)),
    "umov w0, v0.s[1]": (0x0E0C3C00, "to_general", (V,), (0,)),
    "zip1 v0.4s, v1.4s, v2.4s": (0x4E823820, "permute", (V + 1, V + 2), (V,)),
    "movi v0.4s, #0": (0x4F000400, "vector_move", (), (V,)),
    "scvtf v0.4s, v1.4s": (0x4E21D820, "float", (V + 1,), (V,)),
    "addv s0, v1.4s": (0x4EB1B820, "across", (V + 1,), (V,)),
    "b.ne -8": (0x54FFFFC1, "branch", (FLAGS,), ()),
}
"""Text, word of the assembler, and what it is."""
FMLA = WORDS["fmla v0.4s, v1.4s, v2.4s"][0]
LDR_D = WORDS["ldr d5, [x9], #8"][0]
LDR_Q = 0x3DC00025  # ldr q5, [x1]


@pytest.mark.parametrize("text", WORDS)
def test_a_word_is_what_the_assembler_meant(text: str) -> None:
    word, kind, reads, writes = WORDS[text]
    found = decode(word)
    assert (found.kind, set(found.reads), set(found.writes)) == (kind, set(reads), set(writes))
    assert found.kind in TIMINGS


def test_bytes_and_the_address_that_moves_on() -> None:
    four = decode(WORDS["ld1 {v0.16b-v3.16b}, [x10], #64"][0])
    assert four.load_bytes == 64 and four.advances == (10,)
    assert decode(WORDS["str q0, [x1]"][0]).store_bytes == 16
    assert decode(WORDS["b.ne -8"][0]).branch_words == -2


def test_every_word_is_something() -> None:
    for word in range(0, 2**32, 104_729):
        assert decode(word).kind in TIMINGS


def test_two_independent_scalar_instructions_start_together() -> None:
    add = 0x8B020020  # add x0, x1, x2
    other = 0x8B050083  # add x3, x4, x5
    assert block_cycles((add, other)) == 1
    assert block_cycles((add, add, other, other)) == 2


def test_an_operand_is_waited_for() -> None:
    load, use = 0xF9400020, 0x8B000021  # ldr x0, [x1]; add x1, x1, x0
    assert block_cycles((load, use)) == TIMINGS["load"].latency + 1


def test_a_chain_of_sums_takes_its_latency_and_eight_sums_hide_it() -> None:
    chain = tuple([FMLA] * 8)
    apart = tuple(FMLA & ~31 | 8 + each for each in range(8))
    assert block_cycles(chain) == 7 * TIMINGS["float"].latency + 1
    assert block_cycles(apart) == 8


def test_half_a_register_loads_beside_a_sum_and_a_whole_one_does_not() -> None:
    assert block_cycles((FMLA, LDR_D)) == 1
    assert block_cycles((FMLA, LDR_Q)) == 3


def test_a_loop_costs_what_a_round_in_its_middle_costs() -> None:
    back = 0x54000001 | (-8 & 0x7FFFF) << 5  # b.ne to the first of nine
    sums = tuple(FMLA & ~31 | 8 + each for each in range(8))
    assert block_cycles((*sums, back)) == pytest.approx(8, abs=1)
    slow = tuple([FMLA] * 8)
    assert block_cycles((*slow, back)) == 8 * TIMINGS["float"].latency
