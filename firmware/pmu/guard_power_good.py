"""Outside power, debounced: a loose plug or a floating pin is no charger that comes and goes."""

ON_MS = 2_000  # steady for so long: there is outside power
AGAIN_MS = 30_000  # the same within `WORN_MS` after it went, unless current flows into the cell
WORN_MS = 600_000
OFF_MS = 1_000  # gone for so long: there is none
_INTO_MA = 20  # more than the sensor's offset


class PowerGood:
    """The charger's power-good signal. `on` is None before the first sample, which counts at once; `signal`
    is the last sample.
    """

    def __init__(self):
        self.on: object = None
        self.signal = False
        self._since_ms = -1  # the signal is another than `on` since then
        self._went_ms = -WORN_MS

    def step(self, now_ms: int, signal: bool, current_ma: int):
        """Take a sample of the signal and of the cell's current, positive while charging; returns `on`.
        `now_ms` never goes back.
        """
        self.signal = signal
        if self.on is None:
            self.on = signal
        if signal == self.on:
            self._since_ms = -1
            return signal
        if self._since_ms < 0:
            self._since_ms = now_ms
        again = now_ms - self._went_ms < WORN_MS and current_ma <= _INTO_MA
        on_ms = AGAIN_MS if again else ON_MS
        if now_ms - self._since_ms >= (on_ms if signal else OFF_MS):
            self._since_ms = -1
            self.on = signal
            if not signal:
                self._went_ms = now_ms
        return self.on
