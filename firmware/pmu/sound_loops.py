"""The loops over samples and over the bytes of a page, in plain Python.

`sound_loops_viper` has the same statements, compiled to machine code by `@micropython.viper`. The decorator
exists only on the microcontroller (CPython lacks the module, the WebAssembly build rejects it as a syntax
error); where that import fails, the other modules use these functions. All values fit in 32-bit integers,
which viper computes with, and no function has more than four arguments.
"""

from array import array

# Samples in one block: eight pages of sound (see `sound_adpcm`), 14.6 ms, and a multiple of three
BLOCK = 234
STEPS = array(
    "H",
    [  # a tuple of numbers would stay in memory beside the array
        7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80,
        88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598,
        658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327,
        3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289,
        16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
    ],
)  # fmt: skip


def encode(samples, state, out, at):
    """Encode one block of 16-bit `samples` into eight pages of `out` from byte `at` on.

    `state` is [predictor, index, number of the first page], 32 bits each; predictor and index move on.
    """
    steps = STEPS
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


def measure(samples, work):
    """Measure one block of 16-bit `samples`: `work[0]` = loudness in the band of vowels, about
    250-1500 Hz; `work[1]` = loudness of hiss, above 3 kHz. `work[2:6]` is the filter's state.

    Sums of three samples, then a[n] + a[n-1] - a[n-3] - a[n-4] of those, summed without sign; and the
    difference of two neighbours out of three, summed likewise.
    """
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


def narrow(wide, samples, shift):
    """32-bit words of the I2S microphone to 16-bit `samples`, divided by 2 ** shift and clipped."""
    n = 0
    while n < 234:
        value = wide[n] >> shift
        if value > 32767:
            value = 32767
        if value < -32768:
            value = -32768
        samples[n] = value
        n += 1


def turn(private, ring, at, crc8):
    """Write the 16 bytes of `ring` from `at` on to the eight registers of the window in `private`.

    `crc8` is `registers.CRC8`, as an argument because a global takes 120 bytes of machine code. 98 is its
    value for the address, written: each register's PEC begins with address, command and address, read.
    """
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


def pack(private, ring, at, crc8):
    """Write the page in `ring` from `at` on, whose number is even, and the next one to the window.

    16 bytes of the first, 15 of the second without its number, and a checksum: the PEC of PAGE, which is
    in `private` already, goes on over the 30 bytes after the first.
    """
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
