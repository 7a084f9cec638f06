"""What an A64 instruction word does to a Cortex-A55: its kind, the registers it reads and writes, the bytes
it moves.

Field positions are those of the Arm Architecture Reference Manual (DDI 0487), chapter C4. What is rare in the
inner loops of a model is put with its nearest common kind; an unknown word counts as one simple scalar
operation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

VECTOR = 32
FLAGS = 64
"""Registers are numbered: 0 to 30 general, 32 to 63 vector, 64 the flags. The zero register and the stack
pointer hold nothing back and have no number.
"""

_LD1_REGISTERS = {0b0111: 1, 0b1010: 2, 0b0110: 3, 0b0010: 4, 0b1000: 2, 0b0100: 3, 0b0000: 4}


@dataclass(frozen=True)
class Instruction:
    """One instruction as the pipeline sees it."""

    kind: str
    """A key of `pipeline.TIMINGS`."""
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    accumulates: int = -1
    """The register that it reads last, to add to; -1 for none."""
    bits: int = 64
    """Width of a vector operation: 64 or 128."""
    load_bytes: int = 0
    store_bytes: int = 0
    advances: tuple[int, ...] = ()
    """The address register that it moves on as it goes: ready in the next cycle."""
    branch_words: int | None = None
    """How far a direct branch goes, in instructions."""


@lru_cache(maxsize=200_000)
def decode(word: int) -> Instruction:
    """The instruction of a 32-bit word."""
    group = word >> 25 & 15
    if group in (0b1000, 0b1001):
        return _immediate(word)
    if group in (0b1010, 0b1011):
        return _branch(word)
    if group & 0b0101 == 0b0100:
        return _memory(word)
    if group & 0b0111 == 0b0101:
        return _register(word)
    if group & 0b0111 == 0b0111:
        return _vector(word)
    return Instruction("scalar")


def _general(*numbers: int) -> tuple[int, ...]:
    return tuple(each for each in numbers if each != 31)


def _fields(word: int) -> tuple[int, int, int]:
    return word & 31, word >> 5 & 31, word >> 16 & 31


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _branch(word: int) -> Instruction:
    if word & 0x7C000000 == 0x14000000:
        return Instruction("branch", branch_words=_signed(word & 0x3FFFFFF, 26))
    if word & 0xFF000010 == 0x54000000:
        return Instruction("branch", (FLAGS,), branch_words=_signed(word >> 5 & 0x7FFFF, 19))
    if word & 0x7E000000 == 0x34000000:
        return Instruction("branch", _general(word & 31), branch_words=_signed(word >> 5 & 0x7FFFF, 19))
    if word & 0x7E000000 == 0x36000000:
        return Instruction("branch", _general(word & 31), branch_words=_signed(word >> 5 & 0x3FFF, 14))
    if word & 0xFE000000 == 0xD6000000:
        return Instruction("branch", _general(word >> 5 & 31))
    return Instruction("system")


def _immediate(word: int) -> Instruction:
    rd, rn, rm = _fields(word)
    kind, top = word >> 23 & 7, word >> 29 & 3
    if kind < 2:
        return Instruction("scalar", (), _general(rd))
    if kind in (2, 3):
        return Instruction("scalar", _general(rn), _general(rd) + ((FLAGS,) if top & 1 else ()))
    if kind == 4:
        return Instruction("scalar", _general(rn), _general(rd) + ((FLAGS,) if top == 3 else ()))
    if kind == 5:
        return Instruction("scalar", _general(rd) if top == 3 else (), _general(rd))
    if kind == 6:
        return Instruction("shift", _general(rn, rd) if top == 1 else _general(rn), _general(rd))
    return Instruction("shift", _general(rn, rm), _general(rd))


def _register(word: int) -> Instruction:
    rd, rn, rm = _fields(word)
    major, minor = word >> 24 & 31, word >> 21 & 7
    if major == 0b01010:
        kind = "shift" if word >> 10 & 63 else "scalar"
        return Instruction(kind, _general(rn, rm), _general(rd) + ((FLAGS,) if word >> 29 & 3 == 3 else ()))
    if major == 0b01011:
        kind = "shift" if word >> 10 & 63 else "scalar"
        return Instruction(kind, _general(rn, rm), _general(rd) + ((FLAGS,) if word >> 29 & 1 else ()))
    if major == 0b11011:
        return Instruction("multiply", _general(rn, rm), _general(rd), _number(word >> 10 & 31))
    if minor == 0b010:
        return Instruction("scalar", (*_general(rn), FLAGS), (FLAGS,))
    if minor == 0b100:
        return Instruction("scalar", (*_general(rn, rm), FLAGS), _general(rd))
    if minor == 0b110 and not word >> 30 & 1 and word >> 11 & 31 == 1:
        return Instruction("divide", _general(rn, rm), _general(rd))
    return Instruction("scalar", _general(rn, rm), _general(rd))


def _number(register: int) -> int:
    return -1 if register == 31 else register


def _memory(word: int) -> Instruction:
    if word & 0xBF000000 == 0x0C000000:
        return _structures(word)
    if word & 0xBF000000 == 0x0D000000:
        return _one_lane(word)
    rt, rn, rm = _fields(word)
    vector, top = word >> 26 & 1, word >> 27 & 7
    here = (lambda each: (VECTOR + each,)) if vector else _general
    if top == 0b101:
        size = 4 << (word >> 30) if vector else (8 if word >> 31 else 4)
        back = _general(rn) if word >> 23 & 1 else ()
        second = word >> 10 & 31
        return _moved(word >> 22 & 1, size, 2, here(rt) + here(second), _general(rn), back, vector)
    if top & 0b011 == 0b011 and top == 0b011:
        return _moved(1, 4 << (word >> 30 & 1), 1, here(rt), (), (), vector)
    if top != 0b111:
        return _moved(word >> 22 & 1, 8, 1, _general(rt), _general(rn), (), 0)
    size, operation = word >> 30, word >> 22 & 3
    if vector:
        size, load = (16 if operation >> 1 else 1 << size), operation & 1
    else:
        if operation == 2 and size == 3:
            return Instruction("prefetch", _general(rn))
        size, load = 1 << size, int(operation != 0)
    reads, back = _general(rn), ()
    if not word >> 24 & 1:
        if word >> 21 & 1:
            reads = _general(rn, rm)
        elif word >> 10 & 1:
            back = _general(rn)
    return _moved(load, size, 1, here(rt), reads, back, vector)


def _moved(
    load: int, size: int, count: int, data: tuple[int, ...], address: tuple[int, ...], back: tuple[int, ...],
    vector: int,
) -> Instruction:  # fmt: skip
    if load:
        kind = "load_quad" if size == 16 else "load"
        kind += "_pair" if count == 2 and size >= 8 else ""
        return Instruction(kind, address, data, bits=size * 8, load_bytes=size * count, advances=back)
    return Instruction("store", address + data, store_bytes=size * count, advances=back)


def _structures(word: int) -> Instruction:
    rt, rn, _ = _fields(word)
    quad, load = word >> 30 & 1, word >> 22 & 1
    opcode = word >> 12 & 15
    count = _LD1_REGISTERS.get(opcode, 1)
    data = tuple(VECTOR + (rt + each) % 32 for each in range(count))
    back = _general(rn) if word >> 23 & 1 else ()
    size = (8 << quad) * count
    if load:
        return Instruction(f"load_{size // 8}", _general(rn), data, load_bytes=size, advances=back)
    kind = "store" if size <= 32 and opcode in (0b0111, 0b1010) else f"store_{2 if size <= 16 else 4}"
    return Instruction(kind, _general(rn) + data, store_bytes=size, advances=back)


def _one_lane(word: int) -> Instruction:
    rt, rn, _ = _fields(word)
    opcode, load = word >> 13 & 7, word >> 22 & 1
    count = ((opcode & 1) << 1 | word >> 21 & 1) + 1
    size = 1 << ((opcode >> 1) if opcode < 6 else (word >> 10 & 3))
    data = tuple(VECTOR + (rt + each) % 32 for each in range(count))
    back = _general(rn) if word >> 23 & 1 else ()
    if load:
        reads = _general(rn) + (() if opcode >= 6 else data)
        kind = "load" if count == 1 else "load_2"
        return Instruction(kind, reads, data, load_bytes=size * count, advances=back)
    kind = "store" if count == 1 else "store_2"
    return Instruction(kind, _general(rn) + data, store_bytes=size * count, advances=back)


def _vector(word: int) -> Instruction:
    if word & 0x5F000000 == 0x1F000000:
        rd, rn, rm = _fields(word)
        return Instruction("float", (VECTOR + rn, VECTOR + rm), (VECTOR + rd,), VECTOR + (word >> 10 & 31))
    if word & 0x5F000000 == 0x1E000000:
        return _scalar_float(word)
    single = word >> 30 & 1 and word >> 28 & 1
    bits = 128 if word >> 30 & 1 and not single else 64
    if word >> 24 & 1:
        return _by_element(word, bits) if not word >> 10 & 1 else _shifted(word, bits)
    return _three(word, bits)


def _scalar_float(word: int) -> Instruction:
    rd, rn, rm = _fields(word)
    if not word >> 21 & 1 or not word >> 10 & 63:
        to_general = word >> 16 & 7 in (0, 1, 4, 5, 6)
        if to_general:
            return Instruction("to_general", (VECTOR + rn,), _general(rd))
        return Instruction("from_general", _general(rn), (VECTOR + rd,))
    low = word >> 10 & 3
    if word >> 10 & 31 == 0b10000:
        return Instruction("float_root" if word >> 15 & 63 == 3 else "float", (VECTOR + rn,), (VECTOR + rd,))
    if word >> 10 & 15 == 0b1000:
        return Instruction("compare", (VECTOR + rn, VECTOR + rm), (FLAGS,))
    if word >> 10 & 7 == 0b100:
        return Instruction("vector_move", (), (VECTOR + rd,))
    if low == 0b10:
        kind = "float_divide" if word >> 12 & 15 == 1 else "float"
        return Instruction(kind, (VECTOR + rn, VECTOR + rm), (VECTOR + rd,))
    return Instruction("compare", (VECTOR + rn, VECTOR + rm, FLAGS), (VECTOR + rd, FLAGS))


def _by_element(word: int, bits: int) -> Instruction:
    rd, rn, rm = _fields(word)
    opcode, size = word >> 12 & 15, word >> 22 & 3
    rm = rm & 15 if size in (0, 1) and opcode not in (0b1110,) else rm
    reads, written = (VECTOR + rn, VECTOR + rm), (VECTOR + rd,)
    if opcode in (0b0001, 0b0101):
        return Instruction("float", reads, written, VECTOR + rd, bits)
    if opcode == 0b1001:
        return Instruction("float", reads, written, -1, bits)
    if opcode == 0b1110:
        return Instruction("dot_product", reads, written, VECTOR + rd, bits)
    if opcode in (0b0010, 0b0110):
        return Instruction("multiply_add", reads, written, VECTOR + rd, 128)
    if opcode in (0b0000, 0b0100):
        return Instruction("multiply_add", reads, written, VECTOR + rd, bits)
    return Instruction("vector_multiply", reads, written, -1, 128 if opcode == 0b1010 else bits)


def _shifted(word: int, bits: int) -> Instruction:
    rd, rn, _ = _fields(word)
    if not word >> 19 & 15:
        reads = (VECTOR + rd,) if word >> 12 & 1 and word >> 12 & 15 < 12 else ()
        return Instruction("vector_move", reads, (VECTOR + rd,), bits=bits)
    opcode = word >> 11 & 31
    if opcode in (0b11100, 0b11111):
        return Instruction("float", (VECTOR + rn,), (VECTOR + rd,), bits=bits)
    keeps = opcode in (0b00010, 0b00110, 0b01000) or (opcode == 0b01010 and word >> 29 & 1)
    bits = 128 if opcode == 0b10100 else bits
    return Instruction("vector_shift", (VECTOR + rn,), (VECTOR + rd,), VECTOR + rd if keeps else -1, bits)


def _three(word: int, bits: int) -> Instruction:
    rd, rn, rm = _fields(word)
    pair, written = (VECTOR + rn, VECTOR + rm), (VECTOR + rd,)
    unsigned, size = word >> 29 & 1, word >> 22 & 3
    if word >> 21 & 1:
        if word >> 10 & 1:
            return _three_same(word, pair, written, bits)
        if word >> 10 & 3 == 0b00:
            opcode = word >> 12 & 15
            if opcode in (0b1000, 0b1010, 0b1001, 0b1011):
                return Instruction("multiply_add", pair, written, VECTOR + rd, 128)
            if opcode in (0b1100, 0b1101, 0b1110):
                return Instruction("vector_multiply", pair, written, -1, 128)
            return Instruction("vector_add", pair, written, VECTOR + rd if opcode == 0b0101 else -1, 128)
        return _one_operand(word, (VECTOR + rn,), written, bits)
    if word >> 10 & 1:
        if word >> 15 & 1:
            kind = "dot_product" if word >> 11 & 15 == 0b0010 else "multiply_add"
            return Instruction(kind, pair, written, VECTOR + rd, bits)
        if word >> 22 & 1:
            return _half_float(word, pair, written, bits)
        return _copied(word, rd, rn, written, bits)
    if unsigned or word >> 10 & 3 == 0b10 or size == 0:
        return Instruction("permute", pair, written, bits=bits)
    return Instruction("vector_add", pair, written, bits=bits)


def _half_float(word: int, pair: tuple[int, ...], written: tuple[int, ...], bits: int) -> Instruction:
    opcode = word >> 11 & 7
    if opcode == 1:
        return Instruction("float", pair, written, written[0], bits)
    kind = "float_divide" if opcode == 7 and word >> 29 & 1 else "float"
    return Instruction(kind, pair, written, bits=bits)


def _copied(word: int, rd: int, rn: int, written: tuple[int, ...], bits: int) -> Instruction:
    way = word >> 11 & 15
    if word >> 29 & 1:
        return Instruction("permute", (VECTOR + rn, VECTOR + rd), written)
    if way == 0b0001:
        return Instruction("from_general", _general(rn), written, bits=bits)
    if way == 0b0011:
        return Instruction("from_general", (*_general(rn), VECTOR + rd), written)
    if way in (0b0101, 0b0111):
        return Instruction("to_general", (VECTOR + rn,), _general(rd))
    return Instruction("permute", (VECTOR + rn,), written, bits=bits)


def _three_same(word: int, pair: tuple[int, ...], written: tuple[int, ...], bits: int) -> Instruction:
    opcode, unsigned = word >> 11 & 31, word >> 29 & 1
    if opcode >= 0x18:
        if opcode == 0x19 or (opcode == 0x1D and not unsigned and not word >> 22 & 1):
            return Instruction("float", pair, written, written[0], bits)
        kind = "float_divide" if opcode == 0x1F and unsigned else "float"
        return Instruction(kind, pair, written, bits=bits)
    if opcode == 0x12:
        return Instruction("multiply_add", pair, written, written[0], bits)
    if opcode in (0x13, 0x16):
        return Instruction("vector_multiply", pair, written, bits=bits)
    if opcode == 0x03:
        keeps = unsigned and word >> 22 & 3
        return Instruction("logic", pair, written, written[0] if keeps else -1, bits)
    kind = "vector_shift" if opcode in (0x08, 0x09, 0x0A, 0x0B) else "vector_add"
    return Instruction(kind, pair, written, written[0] if opcode == 0x0F else -1, bits)


def _one_operand(word: int, read: tuple[int, ...], written: tuple[int, ...], bits: int) -> Instruction:
    opcode, unsigned, high = word >> 12 & 31, word >> 29 & 1, word >> 23 & 1
    if word >> 17 & 0b1111 == 0b1000:
        return Instruction("across", read, written, bits=bits)
    if opcode == 0b11111 and unsigned:
        return Instruction("float_root", read, written, bits=bits)
    if opcode == 0b11101 and unsigned and high:
        return Instruction("float_root", read, written, bits=bits)
    if opcode >= 0b10110:
        return Instruction("float", read, written, bits=bits)
    if opcode == 0b00110:
        return Instruction("vector_add", read, written, written[0], bits)
    return Instruction("logic" if opcode == 0b00101 else "vector_add", read, written, bits=bits)
