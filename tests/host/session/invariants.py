"""What holds for every session, whatever happens in whatever order. Each is one function that yields the
violations it finds, as sentences.

Three groups: for each action, before it is noted; after each step; and after every performer has ended what
it began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from host.session import actions as a
from host.session import events as e
from host.session.actions import Action
from host.session.step import step
from host.states import TABLE
from tests.host.session.seen import ENDED_BY, OPENS, Seen, number_of, saved_part

Violations = Iterator[str]
HEARS_OR_LOOKS = (*OPENS, a.ReadyCamera, a.TryTranscript, a.Understand, a.CheckStopWord)
NEW_NUMBER = (
    a.Announce, a.TryTranscript, a.PlayTone, a.ReleaseBricks, a.WriteSettings, a.SetRecording, a.ReadBattery,
    a.ApplyPlan, a.Remind, a.PrepareSleep, a.Sleep,
)  # fmt: skip
FOR_THIS_TURN = (a.Understand, a.Reply, a.Answer, a.Apologise, a.Announce)


# --- each action --------------------------------------------------------------------------------------------


def one_voice(seen: Seen, action: Action) -> Violations:
    """Nothing is understood, answered or announced while another answer or announcement has not ended."""
    if isinstance(action, FOR_THIS_TURN) and (others := seen.saying - {action.number}):
        yield f"{type(action).__name__} {action.number} while {sorted(others)} has not ended"


def a_turn_in_order(seen: Seen, action: Action) -> Violations:
    """A turn is understood once, and replied to, answered or apologised for only while it is under way."""
    if isinstance(action, a.Understand):
        if action.number in seen.saying:
            yield f"turn {action.number} is understood twice"
    elif isinstance(action, a.Reply | a.Answer | a.Apologise) and action.number not in seen.saying:
        yield f"{type(action).__name__} {action.number}, which is not under way"
    elif isinstance(action, a.Reply | a.Answer) and action.number in seen.given_up:
        yield f"{type(action).__name__} {action.number}, which was cancelled"


def nothing_heard_or_seen_while_off(seen: Seen, action: Action) -> Violations:
    """While recording is off nothing is recorded, looked at or given to the recogniser."""
    looks = isinstance(action, a.PrepareAnswer) and action.look
    if not seen.recording and (looks or isinstance(action, HEARS_OR_LOOKS)):
        yield f"{type(action).__name__} while recording is off"


def recording_goes_on_by_hand_only(seen: Seen, action: Action) -> Violations:
    """Only the button, the switch or a command switches recording on, and never against the switch."""
    if isinstance(action, a.Record) and action.transition.event == "start_recording":
        if not isinstance(seen.event, e.Pressed | e.SwitchMoved | e.RecordingRequested):
            yield f"{type(seen.event).__name__} switches recording on"
        if seen.after.switch_off:
            yield "recording goes on while the switch is at off"


def transitions_are_permitted(seen: Seen, action: Action) -> Violations:
    """The rules attempt no transition that the table refuses."""
    if isinstance(action, a.Record):
        move = action.transition
        if move.target is None or TABLE[move.region, move.source, move.event] != move.target:
            yield f"{move.event} is refused in {move.source} after {type(seen.event).__name__}"


def numbers_are_new(seen: Seen, action: Action) -> Violations:
    """Each action that ends with an event has a number that no earlier one had."""
    if isinstance(action, NEW_NUMBER) and action.number <= seen.last_number:
        yield f"{type(action).__name__} has the number {action.number} again"


def pauses_are_judged_by_their_own_words(seen: Seen, action: Action) -> Violations:
    """The silence that ends a question depends on the words of that question only."""
    if isinstance(action, a.JudgePause):
        assert isinstance(seen.event, e.TranscriptTried)
        if seen.tries.get(seen.event.number) != seen.after.question:
            yield "a pause is judged by the words of an earlier question"


def nothing_follows_the_end(seen: Seen, action: Action) -> Violations:
    """After `End` there is no further action, and it is given when nothing is under way."""
    if seen.ends:
        yield f"{type(action).__name__} after the end"
    if isinstance(action, a.End) and (seen.under_way or seen.after.interaction != "stopping"):
        yield f"the end while {sorted(seen.under_way)} is under way in {seen.after.interaction}"


# --- each step ----------------------------------------------------------------------------------------------


def what_runs_is_known(seen: Seen) -> Violations:
    """`running` holds the actions that have begun and not ended, and nothing else."""
    if seen.after.running != seen.under_way.keys():
        more, less = seen.after.running - seen.under_way.keys(), seen.under_way.keys() - seen.after.running
        yield f"after {type(seen.event).__name__} running has {set(more)} too many, lacks {set(less)}"


def waits_only_for_what_runs(seen: Seen) -> Violations:
    """Whatever the state waits for is under way."""
    state = seen.after
    waits = set(state.cancelled) | set(state.unacknowledged or ()) | {state.applying, state.question} - {None}
    if state.speech is not None:
        waits |= state.speech.awaits
    if missing := waits - state.running:
        yield f"after {type(seen.event).__name__} the state waits for {missing}, which is not under way"


def listens_only_with_an_open_question(seen: Seen) -> Violations:
    """In listening and follow-up, hearing takes the next speech as a question."""
    state = seen.after
    if state.interaction in ("listening", "follow_up") and not seen.question_open:
        yield f"{state.interaction} after {type(seen.event).__name__}, but no question is open"
    if (state.interaction == "listening") != (state.question is not None):
        yield f"{state.interaction} with question {state.question}"


def silence_at_once(seen: Seen) -> Violations:
    """A stop word, the wake word or a press that concerns what is being said silences it in the same step."""
    event, state = seen.event, seen.before
    speech = state.speech
    if speech is None or speech.number not in seen.saying or state.interaction != "speaking":
        return
    match event:
        case e.StopWordOverSpeech(number):
            concerned = number == speech.number and state.options.stop_word
        case e.WakeWordOverSpeech(number):
            awake = state.recording or state.farewell is not None
            concerned = number == speech.number and state.options.wake_word and awake
        case e.Pressed(press):
            concerned = speech.announcement is not None or press == "choice"
        case e.SwitchOffAsked():
            concerned = state.farewell is None
        case _:
            concerned = False
    if concerned and speech.number not in seen.silenced:
        yield f"{type(event).__name__} does not silence {speech.number}"


def a_press_is_answered(seen: Seen) -> Violations:
    """A short press while nothing is asked or said listens, also while a plan is being applied, a timer is
    being counted on the disk, or a turn is wound up.
    """
    before = seen.before
    silent = before.speech is None or before.speech.stage in ("saving", "ending")
    nothing_else = silent and before.farewell is None and before.recording
    pressed = isinstance(seen.event, e.Pressed) and seen.event.press == "listen"
    concerned = pressed and nothing_else and before.interaction not in ("listening", "stopping")
    concerned = concerned and (before.speech is not None or before.interaction in ("standby", "follow_up"))
    if concerned and seen.after.interaction != "listening":
        yield f"a press does nothing in {before.interaction}"


def one_brick_at_rest_is_none(seen: Seen) -> Violations:
    """With room for one brick only, or without recording, none that was used is in memory at rest."""
    none_may_stay = seen.after.plan.one_at_a_time or not seen.after.recording
    if seen.after.at_rest and none_may_stay and seen.bricks_used:
        yield f"at rest after {type(seen.event).__name__} bricks are in memory"


def the_farewell_silences_all_else(seen: Seen) -> Violations:
    """Once switching off is asked for, only the farewell is announced; no question and no turn goes on."""
    if seen.before.farewell is None:
        return
    for action in seen.actions:
        if isinstance(action, a.Announce) and action.announcement.kind != "farewell":
            yield f"{action.announcement.kind} is announced before the farewell"
        if isinstance(action, a.PrepareAnswer | a.Understand | a.Reply | a.Answer):
            yield f"{type(seen.event).__name__} leads to {type(action).__name__} before the farewell"


def noticed_timers_are_gone(seen: Seen) -> Violations:
    """A timer that the wearer noticed does not come back."""
    timers = seen.after.settings.timers.running
    if back := [timer.number for timer in timers if timer.number in seen.noticed_timers]:
        yield f"{type(seen.event).__name__} brings the timers {back} back"


def only_timers_that_were_said_are_noticed(seen: Seen) -> Violations:
    """A timer is noticed only after its announcement has begun."""
    for action in seen.actions:
        if isinstance(action, a.TimersNoticed) and (unsaid := set(action.numbers) - seen.said_timers):
            yield f"{type(seen.event).__name__} ends the timers {unsaid}, which were never said"


def step_is_deterministic(seen: Seen) -> Violations:
    """The same event in the same state gives the same state and actions."""
    if step(seen.before, seen.event) != (seen.after, seen.actions):
        yield f"{type(seen.event).__name__} has two outcomes"


def late_ends_change_nothing(seen: Seen) -> Violations:
    """An event that ends an action which is not under way has no effect."""
    ends = {kind for kinds in ENDED_BY.values() for kind in kinds}
    late = type(seen.event) in ends and number_of(seen.event) not in seen.before.running
    late = late and not (isinstance(seen.event, e.PlanDecided | e.SettingsWritten) and seen.event.number == 0)
    if late and (seen.actions or seen.after != seen.before):
        yield f"a late {type(seen.event).__name__} has an effect"


# --- after the performers have ended everything -------------------------------------------------------------


def nothing_waits_for_ever(seen: Seen) -> Violations:
    """The headband is at rest, or the program has ended, once."""
    state = seen.after
    if state.interaction == "stopping":
        if seen.ends != 1:
            yield f"stopping, and the end was given {seen.ends} times"
    elif not state.at_rest:
        yield (
            f"{state.interaction} for ever: speech {state.speech}, waiting {state.waiting}, "
            f"running {set(state.running)}, next plan {state.next_plan}, applying {state.applying}"
        )
    if state.unacknowledged is not None:
        yield f"a command waits for {set(state.unacknowledged)} for ever"


def every_wake_is_answered(seen: Seen) -> Violations:
    """A wake is followed by an answer, an apology, a tone or an announcement, unless recording went off or
    the program stopped.
    """
    if seen.wake_unanswered:
        yield f"nothing follows: {seen.wake_unanswered}"


def settings_are_written(seen: Seen) -> Violations:
    """The last settings are on the disk."""
    if saved_part(seen.saved) != saved_part(seen.after.settings):
        yield "a change of the settings is not written"


def switching_off_says_farewell(seen: Seen) -> Violations:
    """Whoever asks for switching off gets one farewell and the end; one who stops the program, the end."""
    if seen.switch_off_asked and not seen.stop_asked and len(seen.farewells) != 1:
        yield f"{len(seen.farewells)} farewells"
    if (seen.switch_off_asked or seen.stop_asked) and seen.after.interaction != "stopping":
        yield f"asked to stop, and {seen.after.interaction}"
    if len(seen.farewells) > 1:
        yield "more than one farewell"


PER_ACTION: tuple[Callable[[Seen, Action], Violations], ...] = (
    one_voice, a_turn_in_order, nothing_heard_or_seen_while_off, recording_goes_on_by_hand_only,
    transitions_are_permitted, numbers_are_new, pauses_are_judged_by_their_own_words, nothing_follows_the_end,
)  # fmt: skip
PER_STEP: tuple[Callable[[Seen], Violations], ...] = (
    what_runs_is_known, waits_only_for_what_runs, listens_only_with_an_open_question, silence_at_once,
    a_press_is_answered,
    one_brick_at_rest_is_none, the_farewell_silences_all_else, step_is_deterministic,
    late_ends_change_nothing, noticed_timers_are_gone, only_timers_that_were_said_are_noticed,
)  # fmt: skip
AFTER_DRAIN: tuple[Callable[[Seen], Violations], ...] = (
    nothing_waits_for_ever, every_wake_is_answered, settings_are_written, switching_off_says_farewell,
)  # fmt: skip


def checked_step(seen: Seen, event: e.Event) -> list[str]:
    """Feeds one event, notes its actions, and returns what is violated."""
    found: list[str] = []
    for action in seen.take(event):
        for per_action in PER_ACTION:
            found += per_action(seen, action)
        seen.note(action)
    for per_step in PER_STEP:
        found += per_step(seen)
    return found


def after_drain(seen: Seen) -> list[str]:
    """What is violated when nothing is left to end."""
    return [violation for check in AFTER_DRAIN for violation in check(seen)]
