"""Device skills: time, timers, battery, volume, repeat, mode, recording. They need no model."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from host.answers.asked_back import ASKED_BACK, HELP
from host.answers.certainty_replies import Grounds, how_sure, why
from host.answers.declined import DECLINED
from host.answers.energy_replies import (
    Outlook,
    PastAnswer,
    cost,
    lasting,
    not_there,
    used_today,
    which_mode,
    why_short,
)
from host.answers.last_command import LastCommand, undone
from host.answers.timer_changes import INTENTS as CHANGES
from host.answers.timer_changes import change_timers
from host.answers.timer_replies import INTENTS, answer_timers, clock
from host.answers.timers import Now, Timers
from host.language.further.undone import UNDO
from host.language.router import Decision
from hw.supply import BatteryReading
from models.caution import Caution
from power.policy.plan import Mode, PowerPlan

NO_OUTLOOK = Outlook()
PACE_STEP = 1.2
"""Factor on the length of speech per "slower"; at most three steps either way."""
_VOLUME_STEP = 15
"""Percent of the volume per "louder" that says no number."""
_LEAST_VOLUME_PERCENT = 10
"""The wearer sets no lower volume, of which nothing would be heard; `headband.toml` may."""
RECORDING = "I listen and look already."
NO_CAUTION = "I cannot choose that, because one part of me gives all the answers about what I see."
CAREFUL = "I will answer quickly only where I am surer."
BOLD = "I will answer quickly more often, and be wrong more often."
REMEMBERS = "From now on I remember what I see. Say stop remembering to end that."
REMEMBERS_ALREADY = "I remember what I see already."
FORGETS_NOTHING = "I remember nothing new from now on. What I remember stays until you tell me to forget it."
NOT_LATER = "I can do that only at once. Tell me when it is time."
NOT_BACK = "I do not change that back by myself."
NOTHING_SAID = "I have not said anything yet."


@dataclass(frozen=True)
class DeviceState:
    """The state that the device skills read and change."""

    volume_percent: int
    last_answer: str = ""
    last_question: str = ""
    """The last question about a view, lower case without punctuation: follow-up questions refer to it."""
    slowness: float = 1.0
    """Length of speech relative to the voice's own pace."""
    past_answer: PastAnswer | None = None
    """The last answer that was not about an answer itself; None before the first."""
    request: Mode | None = None
    """Power mode that the wearer asked for; None: the policy decides by the battery."""
    timers: Timers = field(default_factory=Timers)
    """Running timers and alarms."""
    recording: bool = True
    """The wearer's setting: whether microphone and camera may be used."""
    memory: bool = False
    """The wearer's setting: whether what the camera sees is remembered."""
    no_memory: str = ""
    """Why nothing can be remembered, as a sentence; "" where it can."""
    caution: Caution | None = None
    """How sure an answer without the language model must be; None: there are no such answers."""
    recording_resumes_when: str = "you press the button"
    """What the wearer does to switch recording on again; completes the sentence "... until"."""
    last: LastCommand | None = None
    """The last command, while a sentence may go on from it."""

    @property
    def grounds(self) -> Grounds | None:
        """What the last answer rested on; None before the first."""
        return None if self.past_answer is None else self.past_answer.grounds


@dataclass(frozen=True)
class Reply:
    """`text` is spoken ("" for silence); `state` is the new state."""

    text: str
    state: DeviceState


def answer_device(
    decision: Decision,
    state: DeviceState,
    reading: BatteryReading,
    plan: PowerPlan,
    now_s: float,
    outlook: Outlook = NO_OUTLOOK,
    mono_s: float = 0.0,
) -> Reply:
    """The reply to a device intent, after those to the requests of the same sentence that come first: they
    alone are replied to where the route is another. `now_s` is wall-clock time in seconds since the epoch,
    `mono_s` the same moment on the monotonic clock, `outlook` what the energy ledger knows.
    """
    said = []
    for each in (*decision.first, *((decision,) if decision.route == "device" else ())):
        reply = _reply(each, state, reading, plan, Now(mono_s, now_s), outlook)
        state = reply.state
        said += [reply.text, NOT_BACK if each.slots.get("for_a_time") else ""]
    return Reply(" ".join(filter(None, said)), state)


def _reply(
    decision: Decision,
    state: DeviceState,
    reading: BatteryReading,
    plan: PowerPlan,
    now: Now,
    outlook: Outlook,
) -> Reply:
    if decision.intent in INTENTS:
        text, timers = answer_timers(decision, state.timers, now)
        return Reply(text, replace(state, timers=timers))
    if decision.intent in CHANGES:
        last, unit_s = (None, 60) if state.last is None else (state.last.timer, state.last.unit_s)
        text, timers = change_timers(decision, state.timers, now, last, unit_s)
        return Reply(text, replace(state, timers=timers))
    if decision.intent == UNDO:
        return Reply(*undone(state.last, state, now, whole="whole" in decision.slots))
    if decision.intent in DECLINED:
        return Reply(DECLINED[decision.intent], state)
    if decision.intent in ASKED_BACK:
        return Reply(ASKED_BACK[decision.intent], state)
    match decision.intent:
        case "help":
            return Reply(HELP, state)
        case "time":
            return Reply(f"It is {clock(now.wall_s)}.", state)
        case "time_elsewhere":
            return Reply(f"I only know the time where you are: it is {clock(now.wall_s)}.", state)
        case "date":
            return Reply(_say_date(time.localtime(now.wall_s)), state)
        case "another_date":
            return Reply(f"I know no other date. {_say_date(time.localtime(now.wall_s))}", state)
        case "battery":
            return Reply(_say_battery(reading), state)
        case "charging":
            return Reply(_say_charging(reading), state)
        case "lasting":
            return Reply(lasting(reading, outlook.drain, outlook.empty_percent), state)
        case "used":
            return Reply(used_today(outlook.today, reading), state)
        case "cost":
            return Reply(cost(outlook.last_turn), state)
        case "louder":
            return _set_volume(state, state.volume_percent + decision.slots.get("by", _VOLUME_STEP))
        case "quieter":
            return _set_volume(state, state.volume_percent - decision.slots.get("by", _VOLUME_STEP))
        case "volume":
            return _set_volume(state, volume_named(decision.slots, state.volume_percent))
        case "slower":
            return _set_slowness(state, state.slowness * _pace_step(decision))
        case "faster":
            return _set_slowness(state, state.slowness / _pace_step(decision))
        case "stop":
            return Reply("", state)
        case "repeat":
            return _repeated(state, str(decision.slots.get("rest", "")))
        case "save_power":
            return Reply("I will save power from now on.", replace(state, request=Mode.CASCADE))
        case "full_power":
            return Reply(
                "I will use full power as long as the battery allows.",
                replace(state, request=Mode.PERFORMANCE),
            )
        case "own_power":
            return Reply("I will choose the mode by the battery.", replace(state, request=None))
        case "which_mode":
            return Reply(which_mode(plan), state)
        case "recording_off":
            return Reply(not_recording(state), replace(state, recording=False))
        case "recording_on":
            return Reply(RECORDING, state)
        case "memory_on":
            return _set_memory(state)
        case "memory_off":
            return Reply(FORGETS_NOTHING, replace(state, memory=False))
        case "not_later":
            return Reply(NOT_LATER, state)
        case "sure":
            return Reply(how_sure(state.grounds), state)
        case "why":
            return Reply(why(state.grounds), state)
        case "more_careful":
            return _set_caution(state, 1)
        case "less_careful":
            return _set_caution(state, -1)
        case "why_short":
            return Reply(why_short(state.past_answer, plan), state)
    return Reply("I cannot do that yet.", state)


def volume_named(slots: Mapping[str, Any], now_percent: int) -> int:
    """The volume in percent that the slots of a `volume` intent name. A number up to ten without "percent" is
    so many tenths, except ten itself, and what would be no lower as tenths though "down" was said: these are
    percent unless "up" was said.
    """
    level = int(slots["number"])
    if "percent" in slots or level > 10:
        return level
    loud = level == 10 or ("down" in slots and 10 * level >= now_percent)
    return level if loud and "up" not in slots else 10 * level


def not_recording(state: DeviceState) -> str:
    """The sentence that tells the wearer that recording is off."""
    return f"I do not listen or look until {state.recording_resumes_when}."


def _repeated(state: DeviceState, how: str) -> Reply:
    """The last answer once more, slower or louder if that is said."""
    if "slow" in how:
        state = _set_slowness(state, state.slowness * PACE_STEP).state
    if "loud" in how:
        state = _set_volume(state, state.volume_percent + _VOLUME_STEP).state
    return Reply(state.last_answer or NOTHING_SAID, state)


def _pace_step(decision: Decision) -> float:
    """The factor on the length of speech."""
    return 1 + decision.slots["by"] / 100 if "by" in decision.slots else PACE_STEP


def _set_slowness(state: DeviceState, slowness: float) -> Reply:
    least, most = 1 / PACE_STEP**3, PACE_STEP**3
    within = min(max(slowness, least), most)
    if math.isclose(within, state.slowness, rel_tol=0.01):
        return Reply("I cannot speak any " + ("slower." if slowness > 1 else "faster."), state)
    slowness = within
    return Reply("I speak like this now.", replace(state, slowness=slowness))


def _set_caution(state: DeviceState, step: int) -> Reply:
    if state.caution is None:
        return Reply(NO_CAUTION, state)
    levels = get_args(Caution)
    level = levels.index(state.caution) + step
    if not 0 <= level < len(levels):
        return Reply("I cannot be any " + ("more careful." if step > 0 else "less careful."), state)
    said = CAREFUL if step > 0 else BOLD
    return Reply(said, replace(state, caution=levels[level]))


def _set_memory(state: DeviceState) -> Reply:
    if state.no_memory:
        return Reply(state.no_memory, state)
    return Reply(REMEMBERS_ALREADY if state.memory else REMEMBERS, replace(state, memory=True))


def _set_volume(state: DeviceState, percent: int) -> Reply:
    least = min(_LEAST_VOLUME_PERCENT, state.volume_percent)
    percent = max(least, min(100, percent))
    if percent == state.volume_percent and percent in (least, 100):
        return Reply(f"I cannot speak any {'louder' if percent == 100 else 'more quietly'}.", state)
    level = {100: "its highest", _LEAST_VOLUME_PERCENT: "its lowest"}.get(percent, f"{percent} percent")
    return Reply(f"The volume is at {level}.", replace(state, volume_percent=percent))


def _say_date(now: time.struct_time) -> str:
    ending = "th" if 11 <= now.tm_mday <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(now.tm_mday % 10, "th")
    return time.strftime(f"Today is %A, the {now.tm_mday}{ending} of %B.", now)


def _say_battery(reading: BatteryReading) -> str:
    if missing := not_there(reading):
        return missing
    charging = " and charging" if reading.charging else ""
    return f"The battery is at {reading.percent} percent{charging}."


def _say_charging(reading: BatteryReading) -> str:
    if missing := not_there(reading):
        return missing
    state = "Yes, I am charging" if reading.charging else "No, I am not charging"
    return f"{state}, and the battery is at {reading.percent} percent."
