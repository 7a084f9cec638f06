"""The window onto recorded sound: the host writes a page's number to PAGE and reads the page in PAGE_0..7.

The window shows the 16 bytes of a page as eight registers. Where the write of PAGE has PAGE_PAIR as a fourth
byte and the number is even, it shows two pages (`sound_loops.pack`), for half as many transfers. Firmware
that does not know PAGE_PAIR ignores that byte and shows one page, by which the host knows it.

A second of sound is 547 pages, so a write of PAGE has to be fast: it neither compares the whole memory nor
changes SEQUENCE. The page's first byte is the low byte of its number and is written last; a reader that finds
the right first byte and reads upwards has the whole window. For a page that is not there the first byte is
wrong.
"""

from . import registers as r
from .register_memory import Target
from .registers import CRC8

try:
    from .sound_loops_viper import pack, turn
except (ImportError, SyntaxError):  # not the microcontroller
    from .sound_loops import pack, turn

_WINDOW = r.PAGE_0 * r.CELL_BYTES
_PAGE = r.PAGE * r.CELL_BYTES
_BEFORE_WRITE = r.pec((r.ADDRESS << 1, _PAGE))  # PEC of what precedes the number when PAGE is written
_BEFORE_READ = r.pec((r.ADDRESS << 1, _PAGE, r.ADDRESS << 1 | 1))  # ... when it is read


class PagedTarget(Target):
    """The register memory with the pages of `recorder` (`sound_adpcm.Recorder`) in its window."""

    def __init__(self, recorder):
        super().__init__()
        self._recorder = recorder
        self._missing = bytearray(16)
        # All of the window and PAGE but the first byte; views, so that showing a page needs little memory
        self._shown = memoryview(self.memory)[_WINDOW + 1 : _PAGE + r.CELL_BYTES]
        self._next = memoryview(self._private)[_WINDOW + 1 : _PAGE + r.CELL_BYTES]
        self.on_write(r.PAGE, self._asked)
        self.show(0)

    def _asked(self, number):
        self.show(number, self.memory[_PAGE + 3] == r.PAGE_PAIR)

    def show(self, number: int, pair: bool = False) -> None:
        """Put page `number` into the window, with `pair` the next one too, as a write of PAGE does."""
        recorder, private = self._recorder, self._private
        low, high = number & 0xFF, number >> 8
        private[_PAGE] = low
        private[_PAGE + 1] = high
        private[_PAGE + 2] = CRC8[CRC8[_BEFORE_READ ^ low] ^ high]  # from which that of a pair goes on
        ring, at = recorder.ring, recorder.at(number)
        if at < 0:
            ring, at, pair = self._missing, 0, False
            ring[0] = ~low & 0xFF
        (pack if pair and not number & 1 else turn)(private, ring, at, CRC8)
        self._shown[:] = self._next
        self.memory[_WINDOW] = private[_WINDOW]

    def accept_writes(self) -> list:
        """As in `Target`; a write of PAGE takes about a tenth of the time of others."""
        memory = self.memory
        low, high, check = memory[_PAGE], memory[_PAGE + 1], memory[_PAGE + 2]
        turned = False
        # The PEC of a write differs from that of a read of the same word, so an accepted write fails here.
        if not self._accepting and check == CRC8[CRC8[_BEFORE_WRITE ^ low] ^ high]:
            turned = memory[_PAGE + 3] <= r.PAGE_PAIR
            if turned:
                self._asked(low | high << 8)
        if self.memory == self._private:
            return [r.PAGE] if turned else []
        return ([r.PAGE] if turned else []) + super().accept_writes()
