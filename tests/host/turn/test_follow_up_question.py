"""Within a conversation: a further question is answered as the whole question it stands for."""

from dataclasses import replace

import numpy as np
import pytest

from host.answers.device import DeviceState
from host.hearing.endpointer import RecordedQuestion
from host.language.router import Router
from host.observe.timeline import Timeline
from host.turn.steps import decide
from host.turn.turn import Turn
from hw.supply import BatteryReading
from power.policy.policy import Policy
from tests.host.workbench import QUIET


class Parts:
    """As much of `host.session.parts.Parts` as deciding needs."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.router = Router()
        self.config = QUIET
        self.device = DeviceState(volume_percent=50)
        self.observe = lambda event, fields: None


def decided(parts: Parts, text: str) -> Turn:
    plan, _ = Policy().decide(BatteryReading(80, 4000, -200, 25.0, False, "good"), 0.0)
    turn = Turn(RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0), 0.0, plan)
    return decide(replace(turn, transcript=text, probability=1.0), parts)  # type: ignore[arg-type]


def test_a_conversation_goes_on() -> None:
    parts = Parts()
    assert decided(parts, "Where is the blue circle?").question == "Where is the blue circle?"
    turn = decided(parts, "And the red one?")
    assert (turn.question, turn.decision.route) == ("where is the red circle", "now")
    assert turn.transcript == "And the red one?"
    assert decided(parts, "what time is it").decision.route == "device"
    assert decided(parts, "what about the star please").question == "where is the red star"


def test_the_route_is_that_of_the_whole_question() -> None:
    parts = Parts()
    decided(parts, "which way did the square move")
    assert decided(parts, "and the ring").decision.route == "frames"


@pytest.mark.parametrize("text", ["and the red one", "what about the star"])
def test_without_a_question_before_it_stands_for_itself(text: str) -> None:
    turn = decided(Parts(), text)
    assert (turn.question, turn.decision.route) == (text, "now")
