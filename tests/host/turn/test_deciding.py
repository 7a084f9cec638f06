"""Which route a transcript takes, of which not every word was heard."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from host.hearing.endpointer import RecordedQuestion
from host.language.router import Router
from host.observe.timeline import Timeline
from host.turn.steps import decide
from host.turn.tools import Tools
from host.turn.turn import Turn
from tests.host.workbench import QUIET

ROUTER = Router()
SILENCE = RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0)


def decided(transcript: str, probability: float, *, doubtful: bool = False, memory: bool = True) -> Turn:
    named: Any = SimpleNamespace(
        router=ROUTER,
        config=QUIET,
        timeline=Timeline(),
        memory=SimpleNamespace(on=memory, tells=False),
        has_motion=False,
        bricks=SimpleNamespace(pack=SimpleNamespace(usual_wording=False)),
    )
    turn = Turn(SILENCE, 0.0, cast(Any, None), transcript, "", probability, doubtful)
    return decide(turn, "", cast(Tools, named))


@pytest.mark.parametrize(
    ("transcript", "probability", "doubtful", "memory", "route"),
    [
        ("where did i ?? my keys", 0.9, False, True, "memory"),
        ("where did i ?? my keys", 0.9, False, False, "unclear"),
        ("where did i leave my keys", 0.7, True, True, "memory"),
        ("where did i leave my keys", 0.3, True, True, "unclear"),
        ("where did i leave my ??", 0.9, False, True, "unclear"),
        ("do you see my coat yesterday", 0.9, False, True, "memory"),
        ("do you see my coat", 0.9, False, True, "now"),
        ("is my phone here", 0.7, True, True, "unclear"),
        ("forget everything", 0.7, True, True, "unclear"),
        ("did i ?? my bag this morning", 0.9, False, True, "memory"),
        ("did i ?? my bag this morning", 0.9, False, False, "unclear"),
        ("can you tell me where my bottle last see", 0.9, False, True, "memory"),
        ("can you tell me where my bottle is", 0.9, False, True, "now"),
        ("forget where i put my ??", 0.7, True, True, "unclear"),
    ],
)
def test_a_question_to_the_memory_needs_its_form_and_its_thing(
    transcript: str, probability: float, doubtful: bool, memory: bool, route: str
) -> None:
    turn = decided(transcript, probability, doubtful=doubtful, memory=memory)
    assert turn.decision.route == route
    if route == "memory":
        assert turn.decision.slots["rest"].startswith("my ")


@pytest.mark.parametrize(
    ("transcript", "probability", "route", "intent"),
    [
        ("why do you think so", 0.7, "device", "why"),
        ("why do you think so", 0.4, "unclear", ""),
        ("what makes you seen so", 0.7, "device", "why"),
        ("and before that", 0.7, "memory", "before"),
        ("how sure are you", 0.7, "device", "sure"),
        ("why", 0.7, "unclear", ""),
        ("why do you ??", 0.7, "unclear", ""),
        ("forget everything", 0.7, "unclear", ""),
    ],
)
def test_a_doubtful_question_about_the_last_answer_is_answered_as_it_changes_nothing(
    transcript: str, probability: float, route: str, intent: str
) -> None:
    decision = decided(transcript, probability, doubtful=True).decision
    assert (decision.route, decision.intent) == (route, intent)
