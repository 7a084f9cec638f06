"""IMA ADPCM, 4 bit a sample, in pages of 16 bytes that travel over I2C: the recorder of the PMU and the
decoder of the host.

Eight pages are a group: one block of 234 samples, 14.6 ms at 16 kHz, so 547 pages and 8.75 KB a second. The
first byte of every page is the low byte of its number, by which the reader checks that it has the right page.
In the first page of a group three bytes follow with the decoder's initial state (predictor, low byte first,
and step index), then 12 bytes of sound; the other seven pages hold 15 bytes each, the earlier sample in the
low half of a byte. Groups are decoded independently; within a group, the pages after a lost page cannot be
decoded.

Encoder and decoder follow the IMA's reference (recommended practices, 1992): integers only, and the decoder's
output is exactly the encoder's predictor.
"""

from array import array

from . import sound_loops as loops

try:
    from .sound_loops_viper import encode
except (ImportError, SyntaxError):  # not the microcontroller
    from .sound_loops import encode

PAGE_BYTES = 16
GROUP_PAGES = 8
GROUP_SAMPLES = loops.BLOCK
FIRST_SAMPLES = 24  # in the first page of a group
PAGE_SAMPLES = 30  # in each of the others
RATE_HZ = 16_000
NUMBERS = 0x10000  # page numbers wrap
_STEPS = loops.STEPS
_ERASED_BYTES = 512  # erased at once; divides the ring


class Recorder:
    """The last 3.7 s of sound: a ring of 2048 pages, 32 KiB."""

    PAGES = 2048  # divides NUMBERS, so that the page's number gives its place
    KEPT = PAGES - GROUP_PAGES  # complete pages while the next group is being written

    def __init__(self):
        self.ring = bytearray(self.PAGES * PAGE_BYTES)
        self.pages = 0  # recorded so far, modulo NUMBERS: the number of the next page
        self._recorded = 0  # pages in the ring
        self._state = array("i", (0, 0, 0))

    def clear(self) -> None:
        """Erase the recording; the page numbers continue."""
        self._recorded = 0
        silence = bytes(_ERASED_BYTES)
        for at in range(0, len(self.ring), _ERASED_BYTES):
            self.ring[at : at + _ERASED_BYTES] = silence

    def add(self, samples) -> None:
        """Record one block, an array of 234 16-bit samples."""
        self._state[2] = self.pages
        encode(samples, self._state, self.ring, (self.pages & (self.PAGES - 1)) * PAGE_BYTES)
        self.pages = (self.pages + GROUP_PAGES) & (NUMBERS - 1)
        self._recorded = min(self._recorded + GROUP_PAGES, self.KEPT)

    @property
    def kept(self) -> int:
        """Number of pages that can be read, the last ones before `pages`."""
        return self._recorded

    def at(self, number: int) -> int:
        """Offset of page `number` in `ring`; -1 when it is not there."""
        back = (self.pages - number) & (NUMBERS - 1)
        if 0 < back <= self._recorded:
            return (number & (self.PAGES - 1)) * PAGE_BYTES
        return -1


def decode(pages) -> array:
    """The samples of consecutive pages (16 bytes each). Raises ValueError when the first page does not begin
    a group, or the pages' numbers are not consecutive.
    """
    samples = array("h")
    predictor = index = 0
    number = -1
    for page in pages:
        if number < 0:
            if page[0] % GROUP_PAGES:
                raise ValueError("the first page opens no group")
        elif page[0] != (number + 1) & 0xFF:
            raise ValueError("page %d follows page %d" % (page[0], number))
        number = page[0]
        begin = 1
        if number % GROUP_PAGES == 0:
            predictor = page[1] | page[2] << 8
            predictor -= (predictor & 0x8000) << 1
            index = min(page[3], len(_STEPS) - 1)
            begin = 4
        for at in range(begin, PAGE_BYTES):
            for code in (page[at] & 15, page[at] >> 4):
                step = _STEPS[index]
                delta = step >> 3
                if code & 4:
                    delta += step
                if code & 2:
                    delta += step >> 1
                if code & 1:
                    delta += step >> 2
                predictor += -delta if code & 8 else delta
                predictor = max(-32768, min(32767, predictor))
                index = min(88, index + ((code & 3) << 1) + 2) if code & 4 else max(0, index - 1)
                samples.append(predictor)
    return samples
