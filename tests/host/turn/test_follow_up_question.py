"""Within a conversation: a further question is answered as the whole question it stands for."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from host.hearing.endpointer import RecordedQuestion
from host.language.awaited import LENGTH
from host.language.further.said import NOTHING, Before
from host.language.router import Decision, Router, plain_words
from host.observe.timeline import Timeline
from host.turn.dialogue import Dialogue, after_answer
from host.turn.steps import decide
from host.turn.tools import Tools
from host.turn.turn import Turn
from hw.supply import BatteryReading
from power.policy.policy import Policy
from tests.host.workbench import QUIET


class Talk:
    """Questions one after the other, and as much of `Tools` as deciding needs."""

    def __init__(self) -> None:
        self.last_question = ""
        """The last question about a view, as the dialogue remembers it."""
        self._tools = SimpleNamespace(
            timeline=Timeline(),
            router=Router(),
            config=QUIET,
            memory=SimpleNamespace(on=False, tells=False),
            has_motion=False,
            bricks=SimpleNamespace(pack=SimpleNamespace(usual_wording=False)),
        )

    def decided(
        self,
        text: str,
        doubtful: bool = False,
        awaited: str = "",
        words: tuple[float, ...] = (),
        before: Before = NOTHING,
        awaited_name: str = "",
    ) -> Turn:
        plan, _ = Policy().decide(BatteryReading(80, 4000, -200, 25.0, False, "good"), 0.0)
        turn = Turn(RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0), 0.0, plan)
        turn = replace(turn, transcript=text, probability=1.0, doubtful=doubtful, words=words)
        turn = decide(turn, self.last_question, cast(Tools, self._tools), awaited, before, awaited_name)
        if turn.decision.route in ("now", "frames") or turn.decision.intent == "safety":
            self.last_question = plain_words(turn.question)
        return turn


def test_a_conversation_goes_on() -> None:
    talk = Talk()
    assert talk.decided("Where is the blue circle?").question == "Where is the blue circle?"
    turn = talk.decided("And the red one?")
    assert (turn.question, turn.decision.route) == ("where is the red circle", "now")
    assert turn.transcript == "And the red one?"
    assert talk.decided("what time is it").decision.route == "device"
    assert talk.decided("what about the star please").question == "where is the red star"


@pytest.mark.parametrize(
    "said",
    ["No, I meant the red one.", "no the red one", "sorry, the red one", "not the blue one the red one"],
)
def test_a_correction_asks_again_with_what_was_meant(said: str) -> None:
    talk = Talk()
    talk.decided("Where is the blue circle?")
    turn = talk.decided(said)
    assert (turn.question, turn.decision.route) == ("where is the red circle", "now")


def test_the_route_is_that_of_the_whole_question() -> None:
    talk = Talk()
    talk.decided("which way did the square move")
    assert talk.decided("and the ring").decision.route == "frames"


@pytest.mark.parametrize("text", ["and the red one", "what about the star"])
def test_without_a_question_before_it_stands_for_itself(text: str) -> None:
    turn = Talk().decided(text)
    assert (turn.question, turn.decision.route) == (text, "now")


@pytest.mark.parametrize(
    ("text", "doubtful"), [("where is the star", True), ("where is the ??", False), ("stop the ??", False)]
)
def test_what_was_not_heard_surely_is_not_answered(text: str, doubtful: bool) -> None:
    talk = Talk()
    talk.decided("what colour is the ring")
    assert talk.decided(text, doubtful).decision.route == "unclear"
    assert talk.last_question == "what colour is the ring"


@pytest.mark.parametrize(
    "further",
    ["and the red one", "what about the keys", "and now", "what about this one", "and that", "here"],
)
def test_what_follows_a_question_about_safety_is_declined_as_well(further: str) -> None:
    """It is completed neither from the question before that nor by the language model's guess."""
    talk = Talk()
    talk.decided("is there a green light")
    assert talk.decided("Is it safe to eat the green apple?").decision.intent == "safety"
    for _ in range(2):
        assert talk.decided(further).decision.intent == "safety"
    assert talk.decided("where is the blue circle").decision.route == "now"
    assert talk.decided("and the red one").question == "where is the red circle"


def test_a_timer_without_its_length_is_set_by_what_is_said_next() -> None:
    before = Dialogue()
    asked = replace(Talk().decided("set a timer"), answer="For how long?")
    dialogue = after_answer(before, asked, False, 100.0)
    assert dialogue.awaits(159.0) == LENGTH and dialogue.awaits(161.0) == ""
    unclear = after_answer(dialogue, replace(asked, decision=Decision("unclear")), False, 110.0)
    assert unclear.awaits(169.0) == LENGTH, "what was not caught can be said again"
    completed = Talk().decided("ten minutes please", awaited=dialogue.awaits(120.0))
    assert (completed.decision.intent, completed.decision.slots) == ("timer", {"span": 600})
    assert after_answer(dialogue, completed, False, 120.0).awaits(121.0) == ""


def test_the_name_of_a_timer_is_not_lost_while_its_length_is_asked_for() -> None:
    asked = replace(Talk().decided("set a timer for the pasta"), answer="For how long?")
    dialogue = after_answer(Dialogue(), asked, False, 100.0)
    name = dialogue.awaited_name
    completed = Talk().decided("ten minutes please", awaited=LENGTH, awaited_name=name)
    assert completed.decision.slots == {"span": 600, "name": "pasta"}
    other = Talk().decided("ten minutes for the rice", awaited=LENGTH, awaited_name=name)
    assert other.decision.slots["name"] == "rice"
    assert after_answer(dialogue, completed, False, 120.0).awaited_name == ""


def test_what_was_not_surely_heard_sets_no_timer() -> None:
    heard = Talk().decided("ten minutes", awaited=LENGTH, words=(0.5, 0.9))
    assert heard.decision.intent != "timer"


def test_a_timer_is_corrected_only_where_each_word_was_heard() -> None:
    before = Before("timer", timer=True)
    for words in ((0.97, 0.97, 0.97, 0.5), (0.5, 0.97, 0.97, 0.97)):
        heard = Talk().decided("make that forty five", words=words, before=before)
        assert heard.decision.route != "device"
    assert Talk().decided("make that forty five", doubtful=True, before=before).decision.route == "unclear"
    assert Talk().decided("make that forty five", before=before).decision.intent == "timer_to"


@pytest.mark.parametrize(
    ("said", "intents"),
    [
        ("make that forty five and turn it down", ["timer_to", "quieter"]),
        ("cancel that and set a timer for ten minutes instead", ["undo", "timer"]),
        ("ten more minutes on the loaf and what time is it", ["timer_by", "time"]),
    ],
)
def test_what_goes_on_may_stand_beside_other_requests(said: str, intents: list[str]) -> None:
    decision = Talk().decided(said, before=Before("timer", timer=True)).decision
    assert [each.intent for each in (*decision.first, decision)] == intents
    alone = Talk().decided(said).decision
    assert alone.intent not in intents or alone.intent == intents[1], "without a command before"
