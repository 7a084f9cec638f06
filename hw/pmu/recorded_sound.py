"""Reads what the PMU recorded during a suspend, a page or two at a time, while the recording continues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from firmware.pmu import registers as r
from firmware.pmu.sound_adpcm import GROUP_PAGES, GROUP_SAMPLES, NUMBERS, Recorder, decode
from hw.device import MICROPHONE_RATE_HZ, Clock, Pcm
from hw.pmu.page_reader import PageReader

_LOOK_EVERY = 8  # groups
_KEPT_GROUPS = Recorder.KEPT // GROUP_PAGES


class SoundLink(Protocol):
    """The calls of `hw.pmu.gauge.PmuGauge` that are needed. All raise `GaugeError`."""

    def words_or_torn(self, codes: Iterable[int], /) -> dict[int, int]:
        """Registers, of one update where that can be had: the count of pages changes with every block."""

    def word(self, code: int, /) -> int:
        """One register."""

    def write(self, code: int, value: int, /) -> None:
        """Write a register and read it back."""


class Recorded:
    """The PMU's recording, from the page at which it detected speech. `begin` and `advance` raise
    `GaugeError`.
    """

    def __init__(self, link: SoundLink, reader: PageReader, clock: Clock) -> None:
        self.reader = reader
        self.lost_samples = 0
        self._link = link
        self._clock = clock
        self._groups: list[Pcm] = []
        self._pages: list[bytes] = []  # of the group that is being read
        self._first = 0
        self._ready_groups = 0  # recorded by the PMU since the first
        self._since_look = 0
        self._ahead_s: float | None = None

    def begin(self) -> bool:
        """Start reading; False when something else than sound woke the host."""
        words = self._link.words_or_torn((r.PMU_REQUEST, r.PAGE, r.SOUND_PAGES))
        self._first = words[r.PAGE] - words[r.PAGE] % GROUP_PAGES
        self._note(words[r.SOUND_PAGES])
        return bool(words[r.PMU_REQUEST] & r.ASK_SOUND)

    @property
    def samples(self) -> int:
        """Samples read so far."""
        return len(self._groups) * GROUP_SAMPLES

    def recorded(self, samples: int) -> bool:
        """Has the PMU recorded that many samples since the first?"""
        if self._ready_groups * GROUP_SAMPLES < samples:
            self._note(self._link.word(r.SOUND_PAGES))
        return self._ready_groups * GROUP_SAMPLES >= samples

    def sample_at(self, moment_s: float) -> int:
        """Number of the sample that the PMU recorded at that time of the host's clock, as estimated from the
        clock.
        """
        return round((moment_s + (self._ahead_s or 0.0)) * MICROPHONE_RATE_HZ)

    def advance(self) -> bool:
        """Read the next page or two; False when the PMU has not recorded their group yet. Not a group at
        once, which may take longer at 100 kHz than a chunk of the live microphone lasts: its arrival shows
        when it began.
        """
        if not self._pages:
            if self._since_look >= _LOOK_EVERY or len(self._groups) >= self._ready_groups:
                self._note(self._link.word(r.SOUND_PAGES))
            if len(self._groups) >= self._ready_groups:
                return False
            self._since_look += 1
        read = len(self._groups) * GROUP_PAGES + len(self._pages)
        found = self.reader.pages((self._first + read) % NUMBERS)
        if found is None:
            self._lose_group()
            return True
        self._pages.extend(found)
        if len(self._pages) == GROUP_PAGES:
            self._groups.append(np.array(decode(self._pages), np.int16))
            self._pages = []
        return True

    def _lose_group(self) -> None:
        self._pages = []
        self.lost_samples += GROUP_SAMPLES
        self._groups.append(np.zeros(GROUP_SAMPLES, np.int16))

    def between(self, first: int, last: int) -> Pcm:
        """int16 `[last - first]`: those samples of what was read so far, zero where a page was lost."""
        group = first // GROUP_SAMPLES
        groups = self._groups[group : -(-last // GROUP_SAMPLES)]
        pcm = np.concatenate([np.zeros(0, np.int16), *groups])
        return pcm[first - group * GROUP_SAMPLES : last - group * GROUP_SAMPLES]

    def _note(self, pages: int) -> None:
        self._since_look = 0
        self._ready_groups = (pages - self._first) % NUMBERS // GROUP_PAGES
        for _ in range(self._ready_groups - len(self._groups) - _KEPT_GROUPS):  # overwritten meanwhile
            self._lose_group()
        ahead_s = self._ready_groups * GROUP_SAMPLES / MICROPHONE_RATE_HZ - self._clock.monotonic()
        self._ahead_s = ahead_s if self._ahead_s is None else max(self._ahead_s, ahead_s)
