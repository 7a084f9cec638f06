"""Free memory of an RP2040 beside the firmware, derived from measurements on WebAssembly.

Both interpreters have 32-bit pointers and heap blocks of 16 bytes, and keep the same bytecode, objects and
dictionaries on the heap, so what the firmware holds on one it holds on the other. Three things differ:

* Names (`py/qstr.c`): their characters cost the same, but their index is a chain of tables, each twice as
  long as the one before, of 7 bytes an entry here and 6 there. How much of the last one is empty depends on
  how many names there are, so the tables are worked out anew for the RP2040.
* Machine code: the WebAssembly build refuses `sound_loops_viper` and holds its twin in plain Python. On the
  RP2040 the machine code is there, for which the compiled file's length is a bound, and the twin is not.
* The emulated peripherals are objects in Python, larger than those in C. So is `binascii`, which the console
  imports: about 3 KiB here, nothing there. They are not taken off.

Floats are 32-bit on both, in one block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

RP2040_FREE_BYTES = 215_904
"""`gc.mem_free()` of a Raspberry Pi Pico at the prompt after `gc.collect()`, MicroPython 1.20-489, whose heap
takes all RAM that is left (micropython/micropython issue 12557). The RP2040 has 264 KiB in all. Taken to hold
for later releases as well: the linker gives the heap what no variable takes.
"""
WANTED_FREE_BYTES = 100 * 1024
WANTED_FREE_AFTER_CONSOLE_BYTES = 96 * 1024
MICROPHONE_BYTES = 8_192 + 2_928 + 1_216
"""Allocated while the PMU listens: by the driver of the microphone (`pmu.board`, `ibuf`), three blocks of
32-bit words (`pmu.sound_microphone`), a block of samples and the detector of speech (`pmu.sound_gate`).
"""
_SHARED_NAMES_BYTES = 512  # of names that the firmware shares with the bench, which had them before
TWIN_BYTES = 976  # of `sound_loops`, its functions, which go once the machine code is there; measured here
NATIVE_BYTES = 2_889  # of pmu/sound_loops_viper.mpy, names and relocations included
_TABLE_BYTES, _ENTRY_BYTES, _FIRST_ENTRIES = 28, 6, 20  # of an index of names on the RP2040
_NAMES = re.compile(r"n_qstr=(\d+), n_str_data_bytes=(\d+), n_total_bytes=(\d+)")


@dataclass(frozen=True)
class Held:
    """What the firmware holds, bytes."""

    here: int
    """On the heap of the WebAssembly build."""
    names: int
    """How many names it brought."""
    names_here: int
    """What they take here."""
    names_there: int
    """What they take on the RP2040."""

    @property
    def there(self) -> int:
        """On the heap of an RP2040, argued."""
        names = self.names_there - self.names_here + _SHARED_NAMES_BYTES
        return self.here + names + NATIVE_BYTES - TWIN_BYTES

    @property
    def free(self) -> int:
        """Free bytes on an RP2040."""
        return RP2040_FREE_BYTES - self.there


def held(bytes_here: int, output: str) -> Held:
    """From the bytes that a session reports, and what `names()` printed in it before and after."""
    before, after = (tuple(map(int, found)) for found in _NAMES.findall(output))
    count, characters, total = (late - early for early, late in zip(before, after, strict=True))
    return Held(bytes_here, count, total, characters + _index_bytes(count))


def _index_bytes(names: int) -> int:
    size, entries = 0, _FIRST_ENTRIES
    while names > 0:
        size += (_TABLE_BYTES + _ENTRY_BYTES * entries + 15) // 16 * 16
        names -= entries
        entries *= 2
    return size
