"""Events survive the journal's JSON exactly, and nothing else passes for one."""

from __future__ import annotations

import json
import typing
from dataclasses import fields, is_dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.answers.timers import Now, Timers
from host.session import actions as a
from host.session import events as e
from host.session.as_json import actions_as_json, event_as_json, event_from_json, step_fields
from host.session.step import RULES
from host.session.values import WearerSettings
from host.states import Transition
from tests.host.session.any_event import any_event, any_of

ACTIONS = [
    kind for kind in vars(a).values() if isinstance(kind, type) and issubclass(kind, a.Action)
]  # fmt: skip
TIMER = {"number": 1, "seconds": 60, "ends_s": 1060.0, "due_s": 60.0, "again_s": "inf"}


def through_a_file(value: object) -> object:
    return json.loads(json.dumps(value, allow_nan=False))


@settings(max_examples=60, deadline=None)
@given(any_event())
def test_every_event_comes_back(event: e.Event) -> None:
    assert event_from_json(through_a_file(event_as_json(event))) == event


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ACTIONS).flatmap(lambda kind: any_of(kind)))  # type: ignore[arg-type]
def test_every_action_is_strict_json(action: a.Action) -> None:
    [told] = actions_as_json([action])
    assert told["is"] == type(action).__name__
    through_a_file(told)


def test_what_has_its_default_is_left_out() -> None:
    assert event_as_json(e.WakeWordHeard()) == {"is": "WakeWordHeard"}
    at = Now(12.5, 1000.0)
    assert event_as_json(e.SettingsWritten(3, at=at)) == {
        "is": "SettingsWritten", "at": {"mono_s": 12.5, "wall_s": 1000.0}, "number": 3,
    }  # fmt: skip


def test_transitions_have_lines_of_their_own() -> None:
    record = a.Record(Transition("interaction", "standby", "woken", "listening", "the wake word was heard"))
    assert step_fields(e.WakeWordHeard(), [record, a.NotePresence()]) == {
        "in": {"is": "WakeWordHeard"}, "out": [{"is": "NotePresence"}],
    }  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        None, [], "WakeWordHeard", {}, {"is": "Event"}, {"is": "Nobody"}, {"is": ["WakeWordHeard"]},
        {"is": "SpeechEnded"},  # lacks its recording
        {"is": "SpeechEnded", "recording": "1"}, {"is": "SpeechEnded", "recording": True},
        {"is": "SpeechEnded", "recording": 1, "more": 1},
        {"is": "WakeWordHeard", "at": 3}, {"is": "WakeWordHeard", "at": {"mono_s": 1.0}},
        {"is": "WakeWordHeard", "at": {"mono_s": "soon", "wall_s": 1.0}},
        {"is": "WakeWordHeard", "at": {"mono_s": 10**400, "wall_s": 1.0}},
        {"is": "Pressed", "press": "hard"}, {"is": "Pressed", "press": ["listen"]},
        {"is": "Replied", "number": 1, "settings": {"request": "full"}},
        {"is": "Replied", "number": 1, "settings": {"request": []}},
        {"is": "Replied", "number": 1, "settings": {"timers": {"running": TIMER}}},
        {"is": "Replied", "number": 1, "settings": {"timers": {"running": [TIMER | {"said": None}]}}},
    ],
)  # fmt: skip
def test_anything_else_is_refused_in_one_sentence(value: object) -> None:
    with pytest.raises(ValueError, match=r"^[A-Z].*\.$"):
        event_from_json(value)


def test_no_event_holds_sound_a_picture_or_words() -> None:
    """Whatever an event's type could hold of those would be bytes, an array or a text that a performer made;
    the only texts are those that the headband itself words, and the names of timers, which are left out.
    """
    texts = set()
    pending: list[tuple[str, object]] = [(kind.__name__, kind) for kind in RULES]
    seen: set[object] = set()
    while pending:
        name, hint = pending.pop()
        if hint in seen:
            continue
        if is_dataclass(hint) and isinstance(hint, type):
            seen.add(hint)
            hints = typing.get_type_hints(hint)
            pending += [(f"{hint.__name__}.{each.name}", hints[each.name]) for each in fields(hint)]
        elif typing.get_origin(hint) is typing.Literal:
            continue
        elif typing.get_args(hint):
            pending += [(name, each) for each in typing.get_args(hint) if each is not ...]
        elif hint is str:
            texts.add(name)
        else:
            assert hint in (int, float, bool, type(None)) or hasattr(hint, "__members__"), name
    assert texts == {
        "AnswerFailed.problem", "MemoryStopped.problem", "PlanRules.reason", "QuestionOpened.cause",
        "Started.problem", "StopAsked.cause", "SwitchOffAsked.cause", "SwitchOffAsked.farewell", "Timer.name",
        "Understood.intent",
    }  # fmt: skip


def test_the_names_of_timers_are_in_no_journal() -> None:
    at = Now(0.0, 1000.0)
    timers = Timers().with_timer(60, at, "secret stew").acknowledged(at)
    off = replace(timers, running=(), off=timers.running)
    for each in (timers, off):
        event = e.Replied(1, WearerSettings(timers=each))
        assert "secret" not in json.dumps(step_fields(event, [a.WriteSettings(1, event.settings)]))
        assert "secret" in repr(event)
        event_from_json(through_a_file(event_as_json(event)))
