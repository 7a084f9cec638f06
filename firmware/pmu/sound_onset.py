"""Detects the onset of speech in blocks of 14.6 ms of sound, with integers only.

Of each block the loudness is measured between 250 and 1500 Hz, where vowels are, and that of hiss above 3 kHz
(`sound_loops.measure`). From these:

* The floor is the least smoothed loudness of the last 2 s (minimum statistics, Martin 2001), for both bands.
  A second, slow estimate follows the upper quartile, so that sounds of varying loudness (a fan, dishes) raise
  the threshold above their usual peaks. A block is loud 5.5 dB above the floor and 4 dB above that quartile.
* A syllable is a loud stretch that ends within 0.59 s by falling to 0.44 of its peak (7 dB) or well below the
  threshold. A longer sound (hum, kettle, a vacuum cleaner that was just switched on) is none; after that time
  it counts as background, and a rise of 4 dB above it may be a syllable again: a voice over a kettle.
* A block of it counts as a voice when it is as loud as the one before, not its first, and has at least 10
  times (20 dB) more loudness in the vowels' band than in the hiss, both above their floors; it counts two
  thirds from 4 times on, when not quieter than three blocks ago. Impacts (dishes, doors, steps) are loudest
  at once and decay; a voice rises and stays.
* Two such syllables within 0.94 s are speech if their blocks' worth of voice, that of the strongest counted
  twice, come to 10: a step on the floor has one or two such blocks, a word has a stressed vowel. One that has
  not ended counts as soon as it has 4. One with 15 (0.22 s) is speech alone: slow talkers pause for more than
  a second after the first word.

The decision comes 0.2-1 s after the onset; the recorder still has the sound from before it.
"""

from array import array

from .sound_loops import BLOCK

try:
    from .sound_loops_viper import measure
except (ImportError, SyntaxError):  # not the microcontroller
    from .sound_loops import measure

BLOCK_MS = BLOCK / 16  # at 16 kHz
_WINDOWS = 10  # of the floor, each
_WINDOW_BLOCKS = 14  # = 2.05 s in all
_QUIETEST = 30 * BLOCK // 3  # the threshold is never below this: the microphone's own noise
_SYLLABLE_BLOCKS = 40
_SPEECH_BLOCKS = 64
_VOICED, _PARTLY = 3, 2  # weights of a block
_SYLLABLE, _ONGOING, _ALONE, _SPEECH = 3, 12, 45, 30  # ... of a syllable, one that goes on, one alone, speech
_KEPT = 8  # syllables remembered


class Onset:
    """Takes every block in order and reports when speech has begun."""

    def __init__(self):
        self.work = array("i", (0,) * 6)
        self.floor = 0  # of the vowels' band, sum over a block
        self.threshold = 0
        self.loudness = 0
        self.voice = 0  # weight of the present block
        self._blocks = 0
        self._smooth_hiss = self._smooth = self._hiss_floor = 0
        self._least_hiss = self._least = 0
        self._least_of = array("i", (0,) * _WINDOWS)
        self._least_hiss_of = array("i", (0,) * _WINDOWS)
        self._quartile = 0
        self._before = array("i", (0,) * 3)  # loudness of the last three blocks, in a ring
        self._length = 0  # of the present syllable in blocks; 0 = none
        self._weight = self._peak = self._least_peak = 0
        self._valley = 0
        self._ends = array("i", (-_SPEECH_BLOCKS,) * _KEPT)  # the last syllables: block of their end ...
        self._begins = array("i", (0,) * _KEPT)
        self._weights = array("i", (0,) * _KEPT)
        self._next = 0

    def feed(self, samples) -> int:
        """Take one block, an array of 234 16-bit samples. Returns how many blocks ago speech began when it is
        detected, else 0.
        """
        measure(samples, self.work)
        return self.judge(self.work[0], self.work[1])

    def judge(self, loudness: int, hiss: int) -> int:
        """As `feed`, for a block that was already measured."""
        last = self.loudness
        self.loudness = loudness
        self._follow(loudness, hiss)
        self.voice = self._weigh(loudness, hiss, last)
        self._before[self._blocks % 3] = loudness
        self._blocks += 1
        return self._syllable(max(loudness, last), (loudness + last) >> 1)

    def _follow(self, loudness, hiss):
        """Update the floors, the quartile and the threshold."""
        if self._blocks == 0:
            self._smooth = self._least = self._quartile = loudness
            self._smooth_hiss = self._least_hiss = hiss
            for window in range(_WINDOWS):
                self._least_of[window] = loudness
                self._least_hiss_of[window] = hiss
        self._smooth += (loudness - self._smooth) >> 2
        self._smooth_hiss += (hiss - self._smooth_hiss) >> 2
        self._least = min(self._least, self._smooth)
        self._least_hiss = min(self._least_hiss, self._smooth_hiss)
        self.floor = min(min(self._least_of), self._least)
        self._hiss_floor = min(min(self._least_hiss_of), self._least_hiss)
        if self._blocks % _WINDOW_BLOCKS == _WINDOW_BLOCKS - 1:
            window = self._blocks // _WINDOW_BLOCKS % _WINDOWS
            self._least_of[window], self._least_hiss_of[window] = self._least, self._least_hiss
            self._least, self._least_hiss = self._smooth, self._smooth_hiss
        # A step up is three times a step down, so a quarter of the blocks is above it in equilibrium. It
        # begins
        # low, so that speech in the first blocks does not raise the threshold.
        step = max(1, self._quartile >> 10)
        self._quartile += 3 * step if loudness > self._quartile else -step
        if self._blocks < _WINDOWS * _WINDOW_BLOCKS:
            self._quartile = min(self._quartile, 2 * self.floor)
        self._quartile = max(self._quartile, self.floor)
        self.threshold = max(self.floor * 15 >> 3, self._quartile * 13 >> 3, _QUIETEST)

    def _weigh(self, loudness, hiss, last):
        if loudness < self.threshold or loudness * 16 < last * 15:
            return 0
        above = loudness - self.floor
        hiss -= self._hiss_floor * 5 >> 2
        if above >= 10 * hiss:
            return _VOICED
        before = self._before[self._blocks % 3]  # three blocks ago
        if above >= 4 * hiss and before >= self.threshold and loudness >= before:
            return _PARTLY
        return 0

    def _syllable(self, loudness, smoothed) -> int:
        """Follow the present syllable; as of `feed`. `loudness` is that of the louder of two blocks, because
        one block may lie between two pulses of a low voice or of the mains.
        """
        if not self._length:
            self._valley = min(self._valley, loudness)
            if loudness >= self.threshold and loudness * 10 >= self._valley * 16:
                self._length = 1
                self._weight = 0
                self._peak = smoothed
                self._least_peak = self.threshold * 3 >> 1
            return 0
        self._length += 1
        self._weight += self.voice
        self._peak = max(self._peak, smoothed)
        length = self._length
        clear = self._peak >= self._least_peak
        if length > _SYLLABLE_BLOCKS:
            self._end(loudness)
        elif loudness * 8 >= self.threshold * 5 and loudness * 16 >= self._peak * 7:
            if self.voice and clear and self._weight >= _ONGOING:
                return self._speech(_ONGOING, length)
        else:
            self._end(loudness)
            if clear and self._weight >= _SYLLABLE:
                since = self._speech(self._weight, length)
                if not since:
                    self._remember(length)
                return since
        return 0

    def _end(self, loudness):
        self._length = 0
        self._valley = loudness

    def _remember(self, length):
        self._ends[self._next] = self._blocks
        self._begins[self._next] = self._blocks - length
        self._weights[self._next] = self._weight
        self._next = (self._next + 1) % _KEPT

    def _speech(self, weight, length) -> int:
        """How many blocks ago the syllables of the last second began, if they are speech together with the
        present one, which has that weight and length; else 0.
        """
        since = self._blocks - _SPEECH_BLOCKS
        first = self._blocks - length
        total = strongest = weight
        alone = True
        for index in range(_KEPT):
            if self._ends[index] > since:
                alone = False
                total += self._weights[index]
                strongest = max(strongest, self._weights[index])
                first = min(first, self._begins[index])
        if weight < _ALONE and (alone or total + strongest < _SPEECH):
            return 0
        for index in range(_KEPT):
            self._ends[index] = since
        self._weight = 0
        return self._blocks - first
