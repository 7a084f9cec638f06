"""The button: debounces the contact and detects short, double, long and held presses.

A short press is reported `DOUBLE_MS` after its end, when no second one can follow; a double press at the
beginning of the second, so that it acts at once; a long and a held press while the button is still down.
"""

DEBOUNCE_MS = 30  # a contact that stays for so long has stopped bouncing
DOUBLE_MS = 400  # from the end of a press to the beginning of the next that makes it a double one
LONG_MS = 2_000
HELD_MS = 10_000

# Gestures, the detail of EVENT_KIND_BUTTON
NONE, SHORT, DOUBLE, LONG, HELD = range(5)

_UP, _DOWN, _RELEASED, _REPORTED, _ENDED = range(5)


class Button:
    """One button. A press that began before the first sample is ignored."""

    def __init__(self):
        self._raw = True
        self._raw_since_ms = 0
        self._down = True  # debounced
        self._phase = _ENDED
        self._since_ms = 0  # of the present press, or of the release after it

    @property
    def busy(self) -> bool:
        """Is a press in progress or not yet reported? Then sample every few milliseconds."""
        return self._raw or self._down or self._phase != _UP

    def step(self, now_ms: int, pressed: bool) -> int:
        """Take one sample of the contact; returns the gesture that it completes, or NONE.

        `now_ms` never goes back. Samples further apart than `DEBOUNCE_MS` may miss short presses.
        """
        if pressed != self._raw:
            self._raw, self._raw_since_ms = pressed, now_ms
        if self._raw != self._down and now_ms - self._raw_since_ms >= DEBOUNCE_MS:
            self._down = self._raw
            return self._press(now_ms) if self._down else self._release(now_ms)
        return self._wait(now_ms)

    def _press(self, now_ms):
        second = self._phase == _RELEASED
        self._phase = _REPORTED if second else _DOWN
        self._since_ms = now_ms
        return DOUBLE if second else NONE

    def _release(self, now_ms):
        self._phase = _RELEASED if self._phase == _DOWN else _UP
        self._since_ms = now_ms
        return NONE

    def _wait(self, now_ms):
        passed_ms = now_ms - self._since_ms
        if self._phase == _RELEASED and not self._raw and passed_ms >= DOUBLE_MS:
            self._phase = _UP
            return SHORT
        if self._phase == _DOWN and passed_ms >= LONG_MS:
            self._phase = _REPORTED
            return LONG
        if self._phase == _REPORTED and passed_ms >= HELD_MS:
            self._phase = _ENDED
            return HELD
        return NONE
