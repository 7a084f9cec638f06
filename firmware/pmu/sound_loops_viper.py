# mypy: ignore-errors
# ruff: noqa: F821, D103
"""The loops of `sound_loops` as machine code, only for the microcontroller; their docstrings are there.

The same statements with types; a test compares them. `ptr8`, `ptr16` and `ptr32` are viper's own names: views
of a buffer without bounds, the 16-bit one unsigned.
"""

import micropython

from . import sound_loops
from .registers import CRC8
from .sound_loops import BLOCK, PREFIXES, STEPS, WINDOW

__all__ = ("BLOCK", "CRC8", "PREFIXES", "STEPS", "WINDOW", "encode", "measure", "narrow", "pack", "turn")


@micropython.viper
def encode(samples: ptr16, state: ptr32, out: ptr8, at: int):
    steps = ptr16(STEPS)
    predictor = state[0]
    index = state[1]
    number = state[2]
    n = 0
    page = 0
    while page < 8:
        end = at + 16
        out[at] = (number + page) & 0xFF
        at += 1
        if page == 0:
            out[at] = predictor & 0xFF
            out[at + 1] = (predictor >> 8) & 0xFF
            out[at + 2] = index
            at += 3
        while at < end:
            byte = 0
            shift = 0
            while shift < 8:
                difference = ((samples[n] & 0xFFFF) ^ 0x8000) - 0x8000 - predictor
                n += 1
                step = steps[index]
                code = 0
                if difference < 0:
                    code = 8
                    difference = -difference
                delta = step >> 3
                if difference >= step:
                    code |= 4
                    difference -= step
                    delta += step
                step >>= 1
                if difference >= step:
                    code |= 2
                    difference -= step
                    delta += step
                step >>= 1
                if difference >= step:
                    code |= 1
                    delta += step
                if code & 8:
                    predictor -= delta
                    if predictor < -32768:
                        predictor = -32768
                else:
                    predictor += delta
                    if predictor > 32767:
                        predictor = 32767
                if code & 4:
                    index += ((code & 3) << 1) + 2
                    if index > 88:
                        index = 88
                elif index > 0:
                    index -= 1
                byte |= code << shift
                shift += 4
            out[at] = byte
            at += 1
        page += 1
    state[0] = predictor
    state[1] = index


@micropython.viper
def measure(samples: ptr16, work: ptr32):
    a1 = work[2]
    a2 = work[3]
    a3 = work[4]
    a4 = work[5]
    voice = 0
    hiss = 0
    n = 0
    while n < 234:
        first = ((samples[n] & 0xFFFF) ^ 0x8000) - 0x8000
        second = ((samples[n + 1] & 0xFFFF) ^ 0x8000) - 0x8000
        a = first + second + ((samples[n + 2] & 0xFFFF) ^ 0x8000) - 0x8000
        difference = a + a1 - a3 - a4
        if difference < 0:
            difference = -difference
        voice += difference
        difference = second - first
        if difference < 0:
            difference = -difference
        hiss += difference
        a4 = a3
        a3 = a2
        a2 = a1
        a1 = a
        n += 3
    work[0] = voice
    work[1] = hiss
    work[2] = a1
    work[3] = a2
    work[4] = a3
    work[5] = a4


@micropython.viper
def narrow(wide: ptr32, samples: ptr16, shift: int):
    n = 0
    while n < 234:
        value = wide[n] >> shift
        if value > 32767:
            value = 32767
        if value < -32768:
            value = -32768
        samples[n] = value
        n += 1


@micropython.viper
def turn(memory: ptr8, private: ptr8, ring: ptr8, at: int):
    crc8 = ptr8(CRC8)
    prefixes = ptr8(PREFIXES)
    cell = 7
    while cell >= 0:
        low = ring[at + (cell << 1)]
        high = ring[at + (cell << 1) + 1]
        crc = crc8[crc8[prefixes[cell] ^ low] ^ high]
        start = 192 + (cell << 2)
        private[start] = low
        private[start + 1] = high
        private[start + 2] = crc
        private[start + 3] = 0
        memory[start] = low
        memory[start + 1] = high
        memory[start + 2] = crc
        memory[start + 3] = 0
        cell -= 1


@micropython.viper
def pack(memory: ptr8, private: ptr8, ring: ptr8, number: int):
    crc8 = ptr8(CRC8)
    crc = private[226]
    at = ((number & 2047) << 4) - 192
    n = 193
    while n < 223:
        if n == 208:
            at += 1
        byte = ring[at + n]
        crc = crc8[crc ^ byte]
        private[n] = byte
        memory[n] = byte
        n += 1
    private[223] = crc
    memory[223] = crc
    number &= 0xFF
    private[192] = number
    memory[192] = number


# The twin in plain Python is not needed any more.
del sound_loops.encode, sound_loops.measure, sound_loops.narrow, sound_loops.pack, sound_loops.turn
