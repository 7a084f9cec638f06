"""Blocks of 16-bit samples from an I2S microphone, without ever waiting for one.

`machine.I2S` fills a buffer in the background once its `irq` is set, and calls back when it is full. Three
blocks are asked for at a time: whoever looks every 20 ms then gets up to 44 ms of sound and catches up after
a pause, as long as it fits the driver's own buffer.
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
        self._wide = array("i", (0,) * (_BLOCKS * BLOCK))
        whole = memoryview(self._wide)
        self._parts = [whole[n * BLOCK : (n + 1) * BLOCK] for n in range(_BLOCKS)]
        self._next = 0  # part to hand out; _BLOCKS = all are out
        self._full = False

    def fill(self, samples) -> bool:
        """Fill one block, if it is there. None switches the microphone off and erases what it holds; the next
        call switches it on.
        """
        if samples is None:
            if self._i2s is not None:
                self._i2s.deinit()
                self._i2s = None
                for n in range(len(self._wide)):
                    self._wide[n] = 0
            return False
        if self._i2s is None:
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
