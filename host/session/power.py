"""Rules of power: plans, and sleep between questions."""

from __future__ import annotations

from host.session.actions import (
    ApplyPlan,
    ListenBeside,
    PrepareSleep,
    ReadBattery,
    ReadyCamera,
    Remind,
    Sleep,
    SwitchOff,
    Watch,
)
from host.session.draft import Draft
from host.session.events import Awoke, FellAsleep, PlanDecided, ReadyToSleep, Reminded, SleepRefused
from host.states import POWER_EVENT
from power.policy.plan import Mode

BOTH_LISTEN_S = 1.6
"""Last part of the quiet time, in which the microcontroller listens beside this computer: longer than a wake
word, so that each is whole in one of the two recordings, whenever it begins.
"""
MOST_IN_VAIN = 2
"""After so many sounds in a row that woke the computer and brought no question, as a television makes them,
the camera is not made ready for the next.
"""


def take_plan(draft: Draft, event: PlanDecided) -> None:
    """A new plan is obeyed as soon as nothing is under way; cut-off asks for the farewell."""
    state = draft.state
    same = event.plan == (state.next_plan or state.plan)
    if not same:
        draft.set(next_plan=None if event.plan == state.plan else event.plan)
    if event.plan.mode is Mode.CUTOFF and state.farewell is None and state.interaction != "stopping":
        draft.act(SwitchOff(event.plan.reason))


def apply_plan(draft: Draft) -> int:
    """Obeys the next plan; returns the number of the action."""
    plan = draft.state.next_plan
    assert plan is not None
    if plan.mode.value != draft.state.regions.power:
        draft.switch_power(POWER_EVENT[plan.mode], plan.reason)
    number = draft.begin(lambda number: ApplyPlan(number, plan.number, plan.unit_s))
    draft.set(plan=plan, next_plan=None, applying=number)
    return number


def manage_sleep(draft: Draft) -> None:
    """At rest: sets the reminder after which the microcontroller listens too, and the computer sleeps after
    that, if the plan allows it.
    """
    state = draft.state
    may = state.plan.suspend_between_events and state.options.sleep_after_s > 0
    if not (state.at_rest and may):
        draft.set(reminder=None, both_listen=False)
    elif state.reminder is None:
        within_s = state.plan.sleep_within_s
        after_s = state.options.sleep_after_s
        quiet_s = after_s if within_s is None else min(after_s, within_s)
        number = draft.number()
        draft.set(reminder=number)
        draft.act(Remind(number, max(draft.now.mono_s + quiet_s, state.awake_until_s) - BOTH_LISTEN_S))


def reminded(draft: Draft, event: Reminded) -> None:
    """Lets the microcontroller listen too, or then prepares to sleep, if nothing happened since the reminder
    was set.
    """
    if event.number != draft.state.reminder:
        return
    if draft.state.both_listen:
        draft.set(reminder=None, both_listen=False, falling_asleep=draft.begin(PrepareSleep))
    else:
        number = draft.number()
        draft.set(reminder=number, both_listen=True)
        draft.act(ListenBeside())
        draft.act(Remind(number, draft.now.mono_s + BOTH_LISTEN_S))


def ready_to_sleep(draft: Draft, event: ReadyToSleep) -> None:
    """Sleeps, unless something began meanwhile."""
    if draft.state.at_rest:
        draft.set(falling_asleep=draft.begin(Sleep))
    else:
        draft.set(falling_asleep=None)
        draft.act(Watch())


def fell_asleep(draft: Draft, event: FellAsleep) -> None:
    """The microphone may be read again, which lets the computer sleep."""
    if event.number == draft.state.falling_asleep:
        draft.set(falling_asleep=None)


def sleep_refused(draft: Draft, event: SleepRefused) -> None:
    """Stays awake until it may be tried again."""
    draft.set(falling_asleep=None, awake_until_s=event.retry_at_s)
    draft.act(Watch())


def awoke(draft: Draft, event: Awoke) -> None:
    """Looks again, or has the camera ready where a sound may be a wake word, and reads the battery, which was
    not read during the sleep.
    """
    draft.set(falling_asleep=None, awake_until_s=event.retry_at_s)
    draft.act(Watch())
    if event.by_sound:
        in_vain = draft.state.called_in_vain
        if draft.state.recording and in_vain < MOST_IN_VAIN:
            draft.act(ReadyCamera())
        draft.set(called_in_vain=min(in_vain + 1, MOST_IN_VAIN))
    draft.begin(ReadBattery)
