"""A pack with a reflex brick: who answers what, which bricks that costs, and what is said."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from host.answers.certainty_replies import DID_NOT_HESITATE
from host.answers.device import CAREFUL
from host.app.turn_report import of_reflex
from host.turn.early import transcript
from host.turn.early.look import EarlyLook
from host.turn.turn import Turn
from models.brick import Transcript
from models.pack.catalogue import Pack
from models.ring.header import SlotState
from power.policy.plan import Mode
from tests.host.simulated import simulate
from tests.host.turn.fake_reflex import (
    HANDED_OVER,
    OTHER_SIGN,
    SIGN,
    SURE,
    TOO_DARK,
    reflex_pack,
    without_reflex,
)
from tests.host.turn.test_view_reuse import ring_states
from tests.host.workbench import COLOUR, QUIET, Bench, bench


def loads(b: Bench) -> list[str]:
    return [event.brick for event in b.headband.brick_events if event.kind == "load"]


def runs(b: Bench) -> list[str]:
    return [event.brick for event in b.headband.brick_events if event.kind == "execute"]


def asked(
    pack: Pack | None,
    *questions: str,
    mode: Mode = Mode.PERFORMANCE,
    config: Any = QUIET,
    patch: pytest.MonkeyPatch | None = None,
) -> tuple[list[Turn], Bench]:
    """What a headband answers to these words, or to the recording where they are ""; what it did since the
    first question.
    """

    async def scene() -> tuple[list[Turn], Bench]:
        async with bench(mode, config=config, pack=pack) as b:
            b.headband.brick_events.clear()
            turns = []
            for words in questions:
                if words:
                    assert patch is not None
                    patch.setattr(transcript, "recognise", heard_as(words))
                turns.append(await b.ask(COLOUR))
            await b.headband.bricks.settled()
            if b.headband.plan.residency == "one_at_a_time":
                assert set(b.headband.bricks.pids()) <= {"fork_server"}
                assert ring_states(b) == {SlotState.FREE}
            assert b.refused() == []
            return turns, b

    return simulate(scene())


def heard_as(words: str) -> Any:
    """In place of the recogniser: whatever is said, these words are heard."""

    async def recognise(heard: object, tools: object) -> Transcript:
        return Transcript(words, 0.99)

    return recognise


def told(b: Bench) -> list[dict[str, Any]]:
    return [fields for event, fields in b.told if event == "reflex"]


@pytest.mark.parametrize(("share", "by"), [(0.6, "reflex"), (0.4, "language model")])
def test_with_room_for_one_brick_only_it_is_asked_where_its_share_pays_for_loading_it(
    share: float, by: str
) -> None:
    pack = reflex_pack(echo=True)
    reflex, llm = pack.bricks["reflex"], pack.bricks["llm"]
    own = replace(reflex, memory_mib=10, options={**reflex.options, "answered_share": share})
    bricks = {**pack.bricks, "reflex": own, "llm": replace(llm, memory_mib=20)}
    (turn,), _ = asked(replace(pack, bricks=bricks), "", mode=Mode.CASCADE)
    assert turn.answered_by == by


def test_a_closed_question_is_answered_without_the_language_model() -> None:
    (turn,), b = asked(reflex_pack(echo=True), "")
    _, plain = asked(without_reflex(), "")
    assert (turn.answer, turn.answered_by, turn.failure) == (SURE["text"], "reflex", None)
    assert turn.views == 1 and turn.answer_tokens is None
    assert runs(b).count("vision") == runs(plain).count("vision") and runs(b).count("reflex") == 1
    (fields,) = told(b)
    assert not fields["handed_over"] and fields["layer"] == 2 and fields["confidence"] == 0.95
    # performance goes a quarter of the way from the pack's score 0.8 and share 0.2 to 1
    assert fields["reasons"][-1] == "normal 0.85 0.4 True what colour is the cross"
    spans = [span for span in b.headband.timeline.spans if (span.track, span.name) == ("turn", "reflex")]
    assert [span.details["layer"] for span in spans] == [2]
    assert turn.spent is not None and turn.spent.answered_by == "reflex"
    assert [each["answered_by"] for each in b.headband.journal.recent if each["event"] == "turn"] == [
        "reflex"
    ]


def test_in_cascade_the_language_model_is_not_loaded_where_reflex_answers() -> None:
    (turn,), b = asked(reflex_pack(echo=True), "", mode=Mode.CASCADE)
    assert (turn.answer, turn.answered_by) == (SURE["text"], "reflex")
    assert loads(b) == ["vision", "stt", "reflex", "tts"]
    assert told(b)[0]["reasons"][-1].startswith("normal None None"), "the pack's own numbers"


def test_with_room_for_one_brick_a_reflex_about_as_large_as_the_language_model_is_not_asked() -> None:
    pack = reflex_pack(echo=True)
    large = replace(pack.bricks["reflex"], memory_mib=pack.bricks["llm"].memory_mib)
    pack = replace(pack, bricks={**pack.bricks, "reflex": large})
    (turn,), b = asked(pack, "", mode=Mode.CASCADE)
    assert (turn.answered_by, turn.closed) == ("language model", None) and "reflex" not in loads(b)
    (turn,), _ = asked(pack, "", mode=Mode.PERFORMANCE)
    assert turn.answered_by == "reflex"


def test_a_question_that_is_handed_over_has_the_language_models_answer_from_the_same_rows() -> None:
    for mode in (Mode.PERFORMANCE, Mode.CASCADE):
        (without,), plain = asked(without_reflex(), "", mode=mode)
        (turn,), b = asked(reflex_pack(HANDED_OVER), "", mode=mode)
        assert (turn.answer, turn.answered_by) == (without.answer, "language model")
        assert without.answered_by == "language model" and without.closed is None
        assert runs(b).count("vision") == runs(plain).count("vision") and runs(b).count("reflex") == 1
        assert turn.closed is not None and told(b)[0]["handed_over"]
        if mode is Mode.CASCADE:
            assert loads(b) == ["vision", "stt", "reflex", "llm", "tts"]


@pytest.mark.parametrize(
    ("fault", "mode"),
    [("load", Mode.CASCADE), ("die", Mode.CASCADE), ("refuse", Mode.PERFORMANCE), ("die", Mode.PERFORMANCE)],
)
def test_a_broken_reflex_brick_costs_the_wearer_nothing(fault: str, mode: Mode) -> None:
    turns, b = asked(reflex_pack(fault=fault), "", "", mode=mode)
    for turn in turns:
        assert (turn.failure, turn.answered_by) == (None, "language model") and turn.answer
        assert turn.closed is not None and turn.closed.problem
    lines = [line for line in b.headband.journal.recent if line["event"] == "turn"]
    assert all(line["reflex"]["problem"] for line in lines) and len(lines) == 2


def test_a_reflex_brick_that_hangs_is_not_waited_for() -> None:
    async def scene() -> None:  # in real time: simulated time stands still while a brick works
        config = replace(QUIET, power=replace(QUIET.power, fast_answer_s=0.4))
        async with bench(Mode.PERFORMANCE, config=config, pack=reflex_pack(fault="hang")) as b:
            turn = await b.ask(COLOUR)
            assert (turn.failure, turn.answered_by) == (None, "language model") and turn.answer
            assert turn.closed is not None and "in time" in turn.closed.problem

    asyncio.run(scene())


def test_other_questions_go_where_they_went(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("describe the picture", "what colour is the cross and where is the star",
             "how are you today", "what time is it")  # fmt: skip
    turns, b = asked(reflex_pack(), *words, patch=monkeypatch)
    assert "reflex" not in runs(b) and all(turn.closed is None for turn in turns)
    assert [turn.answered_by for turn in turns] == [*["language model"] * 3, "device"]


def test_advice_is_spoken() -> None:
    (turn,), _ = asked(reflex_pack(TOO_DARK), "")
    assert (turn.answer, turn.answered_by) == (TOO_DARK["text"], "reflex")


def test_a_sign_is_read_from_two_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    thought = "I think the sign says EXIT."
    cases: list[tuple[tuple[dict[str, Any], ...], str | None]] = [
        ((SIGN, SIGN), "The sign says EXIT."),
        ((SIGN, OTHER_SIGN), thought),
        ((OTHER_SIGN, SIGN), thought),
        ((SIGN, HANDED_OVER), thought),
        ((HANDED_OVER,), None),
    ]
    says = [each for pair, _ in cases for each in pair]
    words = ["what does the sign say"] * len(cases)
    turns, b = asked(reflex_pack(*says), *words, patch=monkeypatch)
    for turn, (_, said) in zip(turns, cases, strict=True):
        assert turn.failure is None and (turn.answered_by == "reflex") == (said is not None)
        assert said in (None, turn.answer)
    assert runs(b).count("reflex") == len(says), "one picture more at most, and none for what is handed over"
    assert [turn.views for turn in turns] == [2, 2, 2, 2, 1]


def test_where_the_plan_allows_one_picture_only_a_sign_is_not_said_as_sure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (turn,), b = asked(reflex_pack(SIGN), "what does the sign say", mode=Mode.CASCADE, patch=monkeypatch)
    assert (turn.answer, turn.answered_by) == ("I think the sign says EXIT.", "reflex")
    assert sum(event == "frame" for event, _ in b.told) == 1
    assert (runs(b).count("vision"), runs(b).count("reflex")) == (1, 1)


def test_what_turns_out_to_be_written_is_read_twice_too(monkeypatch: pytest.MonkeyPatch) -> None:
    (turn,), b = asked(reflex_pack(SIGN, OTHER_SIGN), "what is on that bridge", patch=monkeypatch)
    assert turn.answer == "I think the sign says EXIT." and turn.views == 2
    assert "two pictures differ" in of_reflex(told(b)[0])


def test_a_question_that_the_network_was_not_asked_is_told_with_the_reason() -> None:
    reason = "handed over: such a question is seldom answered"
    fields = {"handed_over": True, "layer": 0, "cause": "", "confidence": 0.0, "reasons": [reason], "ms": 3.2}
    assert of_reflex(fields) == f"{reason}, 3 ms"


def test_a_follow_up_is_asked_as_the_whole_question(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, b = asked(reflex_pack(echo=True), "where is the blue circle", "and the red one", patch=monkeypatch)
    assert [turn.answered_by for turn in turns] == ["reflex", "reflex"]
    assert told(b)[1]["reasons"][-1].endswith("where is the red circle")


def test_it_says_how_sure_it_is_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, _ = asked(
        reflex_pack(SURE, HANDED_OVER, TOO_DARK),
        "are you sure", "what colour is the cross", "are you sure", "why", "what colour is the star",
        "how sure are you", "what shape is that", "why is that", "what time is it", "really",
        patch=monkeypatch,
    )  # fmt: skip
    said = [turn.answer for turn in turns]
    assert said[0] == "I have not answered anything yet."
    assert said[2] == "I am quite sure, about 95 percent."
    assert said[3] == (
        "I looked mostly at the upper left of the picture, and made out: yellow, cross. "
        "I am quite sure, about 95 percent."
    )
    assert said[5] == DID_NOT_HESITATE
    assert said[7] == "I could not tell from the picture, because it is too dark."
    assert said[9].startswith("That was not about what I see")


def test_the_language_model_goes_on_to_take_the_picture_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reflex reads the rows while a slow language model reads them, and does not wait for it."""
    order: list[str] = []

    async def slow(self: EarlyLook, rows: object, *, state: bool) -> None:
        order.append("prefill")
        try:
            await asyncio.Event().wait()
        finally:
            order.append("stopped")

    monkeypatch.setattr(EarlyLook, "_prefill", slow)
    (turn,), b = asked(reflex_pack(), "")
    assert (turn.answer, turn.answered_by) == (SURE["text"], "reflex")
    assert order == ["prefill", "stopped"] and "llm" not in runs(b)


def test_how_careful_it_is_comes_from_the_settings_and_from_the_wearer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = replace(QUIET, answer=replace(QUIET.answer, caution="normal"))
    question = "what colour is the cross"
    words = (question, "be more careful", question, "do not guess", "be less careful", question)
    turns, b = asked(reflex_pack(echo=True), *words, config=config, patch=monkeypatch)
    assert [each["reasons"][-1].split()[0] for each in told(b)] == ["normal", "high", "normal"]
    assert [turns[1].answer, turns[3].answer] == [CAREFUL, "I cannot be any more careful."]
