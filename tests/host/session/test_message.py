"""Events and actions are values: set once, equal by class and fields, shown by their fields."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any, cast

import pytest

from host.session import actions, events


def test_a_message_is_set_once() -> None:
    event = events.SpeechEnded(recording=3)
    with pytest.raises(FrozenInstanceError):
        cast(Any, event).recording = 4
    with pytest.raises(FrozenInstanceError):
        del cast(Any, event).recording
    assert replace(event, recording=4).recording == 4


def test_messages_are_equal_by_class_and_fields() -> None:
    assert events.SpeechEnded(3) == events.SpeechEnded(3)
    assert events.SpeechEnded(3) != events.SpeechEnded(4)
    assert events.SpeechEnded(3) != events.SpeechPaused(3)
    assert len({events.SpeechEnded(3), events.SpeechEnded(3), events.SpeechPaused(3)}) == 2


def test_a_message_is_shown_by_its_fields() -> None:
    assert repr(actions.End()) == "End()"
    assert "recording=3" in repr(events.SpeechEnded(3))
