"""What happened since the PMU started, for a person who asks over the console: the newest lines, numbered."""

from . import registers as r
from .events import Events

LIMIT = 48  # lines kept
TEXT_LIMIT = 100  # characters of one
_KINDS = {
    r.EVENT_KIND_ALARM: "alarm",
    r.EVENT_KIND_GUARD: "guard",
    r.EVENT_KIND_BUTTON: "button",
    r.EVENT_KIND_SOUND: "sound",
    r.EVENT_KIND_POWER: "outside power",
    r.EVENT_KIND_CUT_OFF: "cut-off",
    r.EVENT_KIND_LOST: "events lost",
}
_DETAILS = {
    r.EVENT_KIND_GUARD: (
        "off", "armed", "warned", "reset the host", "power-cycled the host", "gave up", "host asleep",
        "maintenance",
    ),
    r.EVENT_KIND_BUTTON: ("", "short", "double", "long"),
    r.EVENT_KIND_POWER: ("went", "came"),
}  # fmt: skip


class Log:
    """A ring of lines. `uptime_ms()` gives the milliseconds since the start."""

    def __init__(self, uptime_ms):
        self._uptime_ms = uptime_ms
        self._lines: list = []
        self.next = 0  # number of the next line

    def add(self, text: str) -> None:
        """Keep a line; the oldest goes when there are too many."""
        self._lines.append((self.next, self._uptime_ms(), text[:TEXT_LIMIT]))
        self.next += 1
        if len(self._lines) > LIMIT:
            self._lines.pop(0)

    def after(self, number: int, count: int) -> list:
        """Up to `count` lines (number, milliseconds since the start, text), from that number on."""
        return [line for line in self._lines if line[0] >= number][:count]


class LoggedEvents(Events):
    """The queue of events, each of which leaves a line in the log as well."""

    def __init__(self, alert, log):
        super().__init__(alert)
        self._log = log

    def add(self, kind: int, detail: int = 0) -> None:
        """As `Events.add`."""
        super().add(kind, detail)
        self._log.add(describe(kind, detail))


def describe(kind: int, detail: int) -> str:
    """An event in words."""
    name = _KINDS.get(kind, "event " + str(kind))
    if kind == r.EVENT_KIND_ALARM:
        return name + ": " + (", ".join(r.alarm_names(detail << 8)) or "none")
    details = _DETAILS.get(kind, ())
    return name + ": " + (details[detail] if detail < len(details) else str(detail))
