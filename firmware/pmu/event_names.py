"""Names of events for the console's log."""

from . import registers as r

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


def describe(kind: int, detail: int) -> str:
    """An event in words."""
    name = _KINDS.get(kind, "event " + str(kind))
    if kind == r.EVENT_KIND_ALARM:
        return name + ": " + (", ".join(r.alarm_names(detail << 8)) or "none")
    details = _DETAILS.get(kind, ())
    return name + ": " + (details[detail] if detail < len(details) else str(detail))
