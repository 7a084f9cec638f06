"""The last command that set something: what a sentence after it may change or take back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from host.answers.timer_changes import INTENTS, to_be_changed, unit_of
from host.answers.timer_replies import clock, span, timer_name
from host.answers.timers import Now, Timer, Timers
from host.language.classifier.asked import COMMANDS
from host.language.further.said import Before
from host.language.further.undone import UNDO
from host.language.router import Decision
from host.language.timers.names import CALL
from power.policy.plan import Mode

if TYPE_CHECKING:
    from host.answers.device import DeviceState

GOES_ON_S = 120.0
"""Seconds after a command within which a sentence may go on from it."""
NOTHING_TO_UNDO = "There is nothing that I can take back."
NOT_UNDONE = "That I cannot take back."
NOT_REMEMBERED_AGAIN = "What I have forgotten I cannot bring back."
_OF_TIMERS = ("timer", "timer_off", "alarm", "alarm_off", *INTENTS)
_SETS = {*COMMANDS, *INTENTS} - {"forget", "keep"}
_MODES = {
    None: "I choose the mode by the battery again.",
    Mode.CASCADE: "I save power again.",
    Mode.PERFORMANCE: "I use full power again as long as the battery allows.",
}


@dataclass(frozen=True)
class LastCommand:
    """A sentence that set something."""

    intent: str
    """Of the last request of it that did."""
    until_s: float
    """Until then, on the monotonic clock, a sentence may go on from it."""
    before: DeviceState | None = None
    after: DeviceState | None = None
    """The state before and after it; None where it is about the memory alone."""
    unit_s: int = 60
    """Seconds of the unit of the timer that it set."""
    forgot: bool = False
    """Something was forgotten."""

    @property
    def timer(self) -> Timer | None:
        """The last timer or alarm that it set or changed."""
        if self.before is None or self.after is None:
            return None
        set_, _ = _difference(self.before.timers, self.after.timers)
        return set_[-1] if set_ else None


def last_command(
    decisions: Sequence[Decision], before: DeviceState, after: DeviceState, now_s: float
) -> LastCommand | None:
    """The last command once requests to the device, the last of which is that of their sentence, were replied
    to; that of before where they set nothing, and none where they could not. now_s: on the monotonic clock.
    """
    earlier, before, after = before.last, replace(before, last=None), replace(after, last=None)
    sets = [each for each in decisions if each.intent in _SETS]
    until_s = now_s + GOES_ON_S
    if any(each.intent == UNDO for each in decisions):
        again, gone = _difference(before.timers, after.timers)
        if not again:
            return LastCommand("timer_off", until_s, before, after) if gone else None
        without = replace(after, timers=after.timers.without(*again))
        intent = "alarm" if again[-1].alarm else "timer"
        return LastCommand(intent, until_s, without, after, unit_of({"span": again[-1].seconds or 60}))
    if not sets:
        return earlier
    of_timers = sets[-1].intent in _OF_TIMERS
    if of_timers and not any(_difference(before.timers, after.timers)):
        return earlier if sets[-1].intent in INTENTS else None
    unit_s = unit_of(sets[-1].slots) if of_timers else 60
    if sets[-1].intent == CALL or ("number" in sets[-1].slots and sets[-1].intent in INTENTS):
        unit_s = 60 if earlier is None else earlier.unit_s
    return LastCommand(sets[-1].intent, until_s, before, after, unit_s)


def before_of(last: LastCommand | None, timers: Timers, now: Now) -> Before:
    """What the next sentence may go on from. last: the last command, if that was a moment ago."""
    running = to_be_changed(timers, now)
    names = tuple(timer.name for timer in (*timers.running, *(timers.off if running else ())) if timer.name)
    if last is None:
        return Before("", running, names=names)
    return Before(last.intent, running, 0 if last.timer is None else last.timer.seconds, names)


def undone(last: LastCommand | None, state: DeviceState, now: Now, *, whole: bool) -> tuple[str, DeviceState]:
    """The reply to a request to take back the last command, and the state afterwards. whole: a timer that was
    changed ends, and does not become what it was.
    """
    if last is None or now.mono_s > last.until_s:
        return NOTHING_TO_UNDO, state
    said: list[str] = []
    before, after = last.before, last.after
    if before is not None and after is not None:
        text, timers = _timers_undone(before.timers, after.timers, state.timers, now, whole=whole)
        state = replace(state, timers=timers)
        said.append(text)
        if before.volume_percent != after.volume_percent:
            state = replace(state, volume_percent=before.volume_percent)
            said.append(f"The volume is back at {before.volume_percent} percent.")
        if before.slowness != after.slowness:
            state = replace(state, slowness=before.slowness)
            said.append("I speak as I did before.")
        if before.request is not after.request:
            state = replace(state, request=before.request)
            said.append(_MODES.get(before.request, "I am in the mode of before again."))
        if before.caution != after.caution:
            state = replace(state, caution=before.caution)
            said.append("I am as careful as before.")
        if after.memory and not before.memory:
            state = replace(state, memory=False)
            said.append("I remember nothing new from now on.")
        elif before.memory != after.memory:
            said.append(NOT_UNDONE)
    if last.forgot:
        said.append(NOT_REMEMBERED_AGAIN)
    said = [each for each in said if each]
    return " ".join(said) or (NOT_UNDONE if before is None else NOTHING_TO_UNDO), state


def _timers_undone(
    before: Timers, after: Timers, timers: Timers, now: Now, *, whole: bool
) -> tuple[str, Timers]:
    set_, gone = _difference(before, after)
    numbers = {timer.number for timer in timers.running}
    ended = tuple(timer for timer in set_ if timer.number in numbers)
    again = () if whole and set_ else gone
    if set_ and not ended:  # it has ended meanwhile
        again = ()
    after_it = timers.without(*ended).with_again(again, now)
    old = " and your ".join(timer_name(timer) for timer in ended)
    if not again:
        return (f"I have cancelled your {old}." if old else ""), after_it
    same = len(ended) == len(again) == 1 and ended[0].name and ended[0].name == again[0].name
    instead = f" instead of your {old}" if old and not same else ""
    said = [
        f"Your alarm is set for {clock(timer.ends_s)} again{instead}."
        if timer.alarm
        else f"Your {timer_name(timer)} is running again{instead}, with {span(timer.left_s(now))} left."
        for timer in again
    ]
    return " ".join(said), after_it


def _difference(before: Timers, after: Timers) -> tuple[tuple[Timer, ...], tuple[Timer, ...]]:
    """The timers and alarms that were set, and those that were removed without having been announced."""
    old = {timer.number for timer in before.running}
    new = {timer.number for timer in after.running}
    set_ = tuple(timer for timer in after.running if timer.number not in old)
    return set_, tuple(timer for timer in before.running if timer.number not in new and not timer.said)
