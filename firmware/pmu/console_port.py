"""The USB serial port, which loads the console when the first bytes arrive and hands them to it.

The console and the modules that only it needs (`console*`, `event_names`) take a tenth of the firmware's
memory, and a headband that is worn has nothing on USB. The step that loads them takes longer than others.
"""

import gc

_USED_MS = 600_000  # whoever typed is at the console for so long
READ_LIMIT = 256  # bytes taken in at one step, so that a flood can't hold up the rest


class Port:
    """The port of one `app.Pmu`, whose board has what `console.Console` needs."""

    def __init__(self, pmu):
        self._pmu = pmu
        self.console: object = None  # a `console.Console` after the first received bytes
        self.used = False  # did anything come lately, or is a trace running?
        self._used_ms = 0

    def step(self, now_ms: int) -> None:
        """Handle received bytes and bytes to send, without waiting. `now_ms` never goes back."""
        data = self._pmu.board.console_read(READ_LIMIT)
        if data or (self.console and self.console.trace):  # type: ignore[attr-defined]
            self.used, self._used_ms = True, now_ms
        elif now_ms - self._used_ms >= _USED_MS:
            self.used = False
        if self.console is None and data:
            self.console = self._load()
        if self.console is not None:
            self.console.step(now_ms, data)  # type: ignore[attr-defined]  # loaded late

    def _load(self):
        gc.collect()  # so that the largest allocation of the import succeeds
        try:
            from .console import Console

            return Console(self._pmu)
        except MemoryError:
            return None  # these bytes are lost; their sender repeats them
