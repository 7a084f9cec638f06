"""The log of what happened since the PMU started, read over the console: the newest lines, numbered. An event
is stored as a number; the console names it (`event_names`).
"""

from .events import Events

LIMIT = 48  # lines kept
TEXT_LIMIT = 100  # characters of one


class Log:
    """A ring of lines. `uptime_ms()` gives the milliseconds since the start."""

    def __init__(self, uptime_ms):
        self._uptime_ms = uptime_ms
        self._lines: list = []
        self.next = 0  # number of the next line

    def add(self, text: str) -> None:
        """Store a line; the oldest is dropped above `LIMIT`."""
        self._keep(text[:TEXT_LIMIT])

    def event(self, kind: int, detail: int) -> None:
        """Store an event: EVENT_KIND_* and 0..255."""
        self._keep(kind << 8 | detail & 0xFF)

    def after(self, number: int, count: int) -> list:
        """Up to `count` lines (number, milliseconds since the start, text), from that number on; for an
        event kind << 8 | detail instead of the text.
        """
        return [line for line in self._lines if line[0] >= number][:count]

    def _keep(self, what):
        self._lines.append((self.next, self._uptime_ms(), what))
        self.next += 1
        if len(self._lines) > LIMIT:
            self._lines.pop(0)


class LoggedEvents(Events):
    """The queue of events; each is stored in the log too."""

    def __init__(self, alert, log):
        super().__init__(alert)
        self._log = log

    def add(self, kind: int, detail: int = 0) -> None:
        """As `Events.add`."""
        super().add(kind, detail)
        self._log.event(kind, detail)
