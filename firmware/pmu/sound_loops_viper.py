# mypy: ignore-errors
# ruff: noqa: F821, D103
"""The loops of `sound_loops` as machine code, only for the microcontroller; their docstrings are there.

The same statements with types; a test compares them. `ptr8`, `ptr16` and `ptr32` are viper's own names: views
of a buffer without bounds, the 16-bit one unsigned.
"""

import micropython

from . import sound_loops
from .sound_loops import BLOCK, STEPS

__all__ = ("BLOCK", "STEPS", "encode", "measure", "narrow", "pack", "turn")


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
def turn(private: ptr8, ring: ptr8, at: int, crc8: ptr8):
    start = 192
    while start < 224:
        low = ring[at]
        high = ring[at + 1]
        at += 2
        private[start] = low
        private[start + 1] = high
        private[start + 2] = crc8[crc8[crc8[crc8[start ^ 98] ^ 23] ^ low] ^ high]
        private[start + 3] = 0
        start += 4


@micropython.viper
def pack(private: ptr8, ring: ptr8, at: int, crc8: ptr8):
    crc = private[226]
    private[192] = ring[at]
    n = 193
    while n < 223:
        if n == 208:
            at += 1
        at += 1
        byte = ring[at]
        crc = crc8[crc ^ byte]
        private[n] = byte
        n += 1
    private[223] = crc


# The twin in plain Python is not needed any more.
del sound_loops.encode, sound_loops.measure, sound_loops.narrow, sound_loops.pack, sound_loops.turn
