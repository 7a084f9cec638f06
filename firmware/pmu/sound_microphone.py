"""Blocks of 16-bit samples from an I2S microphone, without waiting.

Once its `irq` is set, `machine.I2S` fills a buffer in the background and calls back when it is full. The
buffer holds three blocks, 44 ms, so a caller that polls every 20 ms catches up after a pause, as long as the
sound fits the driver's own buffer.
"""

from array import array

from .sound_loops import BLOCK

try:
    from .sound_loops_viper import narrow
except (ImportError, SyntaxError):  # not the microcontroller
    from .sound_loops import narrow

_BLOCKS = 3
_SHIFT = 12  # of 32 bits: 24 dB more than the top 16, because speech at a metre is 60 dB below full scale


class Microphone:
    """`open_i2s()` opens the driver: 32-bit words, mono, 16 kHz."""

    def __init__(self, open_i2s):
        self._open = open_i2s
        self._i2s = None
        self._wide: object = None  # the buffer, 2.8 KiB, while the microphone is on
        self._parts: list = []
        self._next = 0  # next part to return; _BLOCKS = none is left
        self._full = False

    def fill(self, samples) -> bool:
        """Fill `samples` with one block; False when none is ready. None switches the microphone off and
        erases its buffer; the next call switches it on.
        """
        if samples is None:
            if self._i2s is not None:
                self._i2s.deinit()
                self._i2s = None
                for part in self._parts:
                    for n in range(len(part)):
                        part[n] = 0
                self._wide, self._parts = None, []
            return False
        if self._i2s is None:
            self._wide = array("i", (0,) * (_BLOCKS * BLOCK))
            whole = memoryview(self._wide)
            self._parts = [whole[n * BLOCK : (n + 1) * BLOCK] for n in range(_BLOCKS)]
            self._i2s = self._open()
            self._i2s.irq(self._filled)
            self._ask(self._i2s)
        if not self._full:
            return False
        narrow(self._parts[self._next], samples, _SHIFT)
        self._next += 1
        if self._next == _BLOCKS:
            self._ask(self._i2s)
        return True

    def _ask(self, i2s):
        self._next = 0
        self._full = False
        i2s.readinto(self._wide)

    def _filled(self, _):
        self._full = True
