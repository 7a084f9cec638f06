"""The USB serial port until somebody talks on it. The console and all that only it needs (`console`, `lines`,
`event_names`, `power_trace`) are loaded by the first bytes that come in, and those bytes are its first: the
headband is worn unplugged, and they are a tenth of what the firmware holds. Loading takes the time of one
long step, once.
"""

import gc

READ_LIMIT = 256  # bytes taken in at one step, so that a flood can't hold up the rest


class Port:
    """One port of one `app.Pmu`; its board has what `console.Console` wants."""

    def __init__(self, pmu):
        self._pmu = pmu
        self.console: object = None  # a `console.Console` once something came in

    def step(self, now_ms: int) -> None:
        """Attend to what came in and to what waits to go out, at once. `now_ms` never goes back."""
        data = self._pmu.board.console_read(READ_LIMIT)
        if self.console is None and data:
            self.console = self._load()
        if self.console is not None:
            self.console.step(now_ms, data)  # type: ignore[attr-defined]  # loaded late

    def _load(self):
        gc.collect()  # the largest piece that is asked for in one go should find room
        try:
            from .console import Console

            return Console(self._pmu)
        except MemoryError:
            return None  # these bytes are lost, and whoever sent them asks again
