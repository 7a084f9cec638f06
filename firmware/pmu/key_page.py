"""The key of the host's memory: kept in flash, and shown only to the host that brought it.

The host puts a code of 8 bytes and a key of 32 through KEY_1..4, part by part, and has them kept. Later it
opens the page with the code and has the parts of the key shown. Whoever has the code and the bus has the key;
without the code it is only destroyed. A request that is repeated, because the host did not see it succeed,
does no harm.

The board's side: `load_key()` -> the record, or b"", and `save_key(record)`, where b"" erases it for good.
Both take flash time, so the interrupt that takes a request leaves them to the main loop.
"""

from . import registers as r
from .gauge_saved_state import checksum

MARK = b"headband key 1\n\0"  # tells a record from anything else at the start of a block of flash
PART_BYTES, PARTS = 8, 5
OPEN_STEPS = 8  # of the main loop, 2 s
_BODY_BYTES = PART_BYTES * PARTS


def record_of(body) -> bytes:
    """The record of code and key, as it is written to flash."""
    check = checksum(body)
    return MARK + bytes(body) + bytes((check & 0xFF, check >> 8))


def body_of(record) -> bytes:
    """Code and key of a record; b"" for one that is not whole."""
    body = bytes(record[len(MARK) : len(MARK) + _BODY_BYTES])
    whole = len(body) == _BODY_BYTES and bytes(record[: len(MARK) + _BODY_BYTES + 2]) == record_of(body)
    return body if whole else b""


class KeyPage:
    """Answers KEY_REQUEST. `state` is the word of KEY_STATE."""

    def __init__(self, board):
        self._board = board
        self._body = body_of(board.load_key())
        self._parts = bytearray(_BODY_BYTES)
        self._left = 0  # steps until everything is hidden again
        self._open = False
        self._to_save = None  # record for the main loop to write, b"" to erase
        self.state = self._kept()

    def _kept(self):
        return r.KEY_IS_KEPT if self._body else r.KEY_IS_NONE

    def request(self, value: int, target) -> dict:
        """Take a request about what KEY_1..4 of the memory hold; returns the registers that change."""
        window = _window(target)
        self._left = OPEN_STEPS
        what, part = value & 0x30, value & 0x0F
        shown = {}
        if self._to_save is not None:
            return {r.KEY_STATE: r.KEY_IS_BUSY}
        self.state = self._kept()
        if what == r.KEY_DO_PUT and part < PARTS:
            self._parts[part * PART_BYTES : (part + 1) * PART_BYTES] = window
        elif what == r.KEY_DO_SHOW and 1 <= part < PARTS and self._open:
            shown = words_of(self._body[part * PART_BYTES : (part + 1) * PART_BYTES])
            self.state = r.KEY_IS_OPEN
        elif value == r.KEY_DO_OPEN and self._body and window == self._body[:PART_BYTES]:
            self._open = True
            self.state = r.KEY_IS_OPEN
        elif value == r.KEY_DO_KEEP and self._body in (b"", bytes(self._parts)):
            self._to_save = record_of(self._parts)
            self.state = r.KEY_IS_BUSY
        elif value == r.KEY_DO_DESTROY:
            self._to_save = b""
            self.state = r.KEY_IS_BUSY
        elif value == r.KEY_DO_HIDE:
            shown = self._hide()
        else:
            self.state = r.KEY_IS_REFUSED
        shown[r.KEY_STATE] = self.state
        return shown

    def step(self) -> dict:
        """Do what the interrupt left, from the main loop; returns the registers that change."""
        if self._to_save is not None:
            record, self._to_save = self._to_save, None
            try:
                self._board.save_key(record)
                self._body = body_of(self._board.load_key())
                done = self._body == body_of(record)
            except OSError:  # the flash is full or worn
                done = False
            words = self._hide()
            self.state = words[r.KEY_STATE] = self._kept() if done else r.KEY_IS_REFUSED
            return words
        if self._left:
            self._left -= 1
            if not self._left:
                return self._hide()
        return {}

    def _hide(self):
        self._left, self._open = 0, False
        for at in range(_BODY_BYTES):
            self._parts[at] = 0
        self.state = self._kept()
        words = words_of(bytes(PART_BYTES))
        words[r.KEY_STATE] = self.state
        return words


def words_of(part) -> dict:
    """KEY_1..4 that hold these 8 bytes."""
    return {r.KEY_1 + n: part[2 * n] | part[2 * n + 1] << 8 for n in range(PART_BYTES // 2)}


def _window(target):
    words = [target.value(r.KEY_1 + n) for n in range(PART_BYTES // 2)]
    return bytes(byte for word in words for byte in (word & 0xFF, word >> 8))
