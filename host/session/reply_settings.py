"""What a device reply changes of the settings, where they changed otherwise while it was worked out."""

from __future__ import annotations

from dataclasses import fields, replace

from host.answers.timers import Timers
from host.session.values import WearerSettings


def with_reply(present: WearerSettings, before: WearerSettings, after: WearerSettings) -> WearerSettings:
    """The present settings with what a reply changed from `before` to `after`. A voice never switches
    recording on.
    """
    changed = {
        each.name: getattr(after, each.name)
        for each in fields(WearerSettings)
        if getattr(after, each.name) != getattr(before, each.name)
    }
    changed["timers"] = _timers(present.timers, before.timers, after.timers)
    changed["recording"] = present.recording and after.recording
    return replace(present, **changed)


def _timers(present: Timers, before: Timers, after: Timers) -> Timers:
    """The reply's timers without those that the wearer noticed meanwhile; a clock may have been set, too."""
    if after == before or present == before:
        return present if after == before else after
    known = {timer.number for timer in before.running}
    still = {timer.number: timer for timer in present.running}
    running = tuple(
        still.get(timer.number, timer)
        for timer in after.running
        if timer.number in still or timer.number not in known
    )
    ended = present if present.off_s > after.off_s else after
    return replace(after, running=running, off=ended.off, off_s=ended.off_s)
