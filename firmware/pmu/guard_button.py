"""The wearer's one button: from a bouncing contact to short, double, long and held presses.

A short press is told only once no second one can follow any more; a double press at once when the second
begins, so that what it silences falls silent under the finger; a long and a held press while the button is
still down.
"""

DEBOUNCE_MS = 30  # a contact that stays for so long has come to rest
DOUBLE_MS = 400  # from the end of a press to the beginning of the next that makes it a double one
LONG_MS = 2_000
HELD_MS = 10_000

# Gestures, the detail of EVENT_KIND_BUTTON
NONE, SHORT, DOUBLE, LONG, HELD = range(5)

_UP, _DOWN, _BETWEEN, _TOLD, _ENDED = range(5)


class Button:
    """One button. A press that was under way before the first sample counts for nothing: it belongs to what
    ran before.
    """

    def __init__(self):
        self._raw = True
        self._raw_since_ms = 0
        self._down = True  # debounced
        self._phase = _ENDED
        self._since_ms = 0  # of the present press, or of the release after it

    @property
    def busy(self) -> bool:
        """Is a press under way or about to be told? Then samples should come every few milliseconds."""
        return self._raw or self._down or self._phase != _UP

    def step(self, now_ms: int, pressed: bool) -> int:
        """Take one sample of the contact; returns the gesture that it completes, or NONE.

        `now_ms` never goes back. Samples further apart than `DEBOUNCE_MS` still work, at the price of short
        presses missed.
        """
        if pressed != self._raw:
            self._raw, self._raw_since_ms = pressed, now_ms
        if self._raw != self._down and now_ms - self._raw_since_ms >= DEBOUNCE_MS:
            self._down = self._raw
            return self._press(now_ms) if self._down else self._release(now_ms)
        return self._wait(now_ms)

    def _press(self, now_ms):
        second = self._phase == _BETWEEN
        self._phase = _TOLD if second else _DOWN
        self._since_ms = now_ms
        return DOUBLE if second else NONE

    def _release(self, now_ms):
        self._phase = _BETWEEN if self._phase == _DOWN else _UP
        self._since_ms = now_ms
        return NONE

    def _wait(self, now_ms):
        passed_ms = now_ms - self._since_ms
        if self._phase == _BETWEEN and not self._raw and passed_ms >= DOUBLE_MS:
            self._phase = _UP
            return SHORT
        if self._phase == _DOWN and passed_ms >= LONG_MS:
            self._phase = _TOLD
            return LONG
        if self._phase == _TOLD and passed_ms >= HELD_MS:
            self._phase = _ENDED
            return HELD
        return NONE
