"""A pack with an object detector: answers about the picture are checked against what it shows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from host.answers.sureness import WITHHELD
from host.turn.reflex_answer import TOO_SLOW
from models.detection import Candidate, Detection
from models.pack.catalogue import Pack
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.home.splits import KINDS
from power.policy.plan import Mode
from tests.host.turn.fake_reflex import HANDED_OVER, SURE, reflex_pack
from tests.host.turn.test_reflex_answer import asked, loads, told
from tests.host.workbench import COLOUR as RECORDED
from tests.host.workbench import QUIET, bench

COLOUR = "what colour is the cross"
GREEN, RED, YELLOW = "The cross is green.", "The cross is red.", "The cross is yellow."
DECIDES = {"backs_from": 0.6, "corrects_from": 0.8, "doubts_below": 0.2}
NEVER_GIVES = {"low": 1.0, "normal": 1.0, "high": 1.0}
GIVES = {"low": 0.5, "normal": 0.8, "high": 0.9}
GUESS = {**HANDED_OVER, "guess": YELLOW, "understood": 0.97}
ALL_GIVEN = dict.fromkeys(("low", "normal", "high"), 0.0)
"""Levels of caution by which no answer of the language model is withheld."""


def seen(*colours: tuple[str, float], clear: float = 0.999) -> Detection:
    """A picture of one cross, of these colours with their probabilities."""
    cross = Candidate(0.5, 0.5, 0.1, 0.1, (("cross", 1.0),), colours)
    return Detection((cross,), SHAPES, KINDS, "sign", COLOURS, clear=clear)


def detecting(
    sees: Detection | None,
    says: Mapping[str, Any] = HANDED_OVER,
    *,
    gives: Mapping[str, float] = NEVER_GIVES,
    caution: Mapping[str, float] | None = None,
    **options: Any,
) -> Pack:
    """A pack whose language model says `GREEN` to `COLOUR`. says: what reflex answers; caution: levels of the
    language model.
    """
    table = {**DECIDES, "gives_from": gives}
    pack = reflex_pack(
        says, sees=sees, detector="a graph", detection={"shapes": table, "things": table}, **options
    )
    llm = pack.bricks["llm"]
    options_of_llm = {**llm.options, "caution": caution, "looks": 1}
    return replace(pack, bricks={**pack.bricks, "llm": replace(llm, options=options_of_llm)})


def answer(
    patch: pytest.MonkeyPatch, pack: Pack, mode: Mode = Mode.PERFORMANCE
) -> tuple[str, str, list[dict[str, Any]]]:
    """What is said to `COLOUR`, who says it, and what was noted of the check."""
    (turn,), bench = asked(pack, COLOUR, mode=mode, patch=patch)
    return turn.answer, turn.answered_by, [fields for event, fields in bench.told if event == "checked"]


def test_an_answer_that_is_borne_out_is_said_as_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = dict.fromkeys(("low", "normal", "high"), 0.9999999)
    unchecked = answer(monkeypatch, detecting(None, caution=levels, fault="blind"))
    assert unchecked == (WITHHELD, "language model", [])
    said, by, checks = answer(monkeypatch, detecting(seen(("green", 1.0), clear=1.0), caution=levels))
    assert (said, by) == (GREEN, "language model")
    assert checks == [{"agrees": 1.0, "share": 1.0}]


def test_what_is_clearly_otherwise_is_said_as_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    said, by, checks = answer(monkeypatch, detecting(seen(("red", 1.0))))
    assert (said, by, checks[0]["agrees"]) == (RED, "language model", 0.0)


def test_what_is_doubted_is_withheld_where_the_pack_has_levels_of_caution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unclear = seen(("red", 0.6), ("blue", 0.4))
    assert (
        answer(monkeypatch, detecting(unclear, caution={"low": 0.1, "normal": 0.1, "high": 0.1}))[0]
        == WITHHELD
    )
    assert answer(monkeypatch, detecting(unclear))[0] == GREEN, "nobody measured what is too doubtful"


def test_an_undecided_check_leaves_the_answer_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = seen(("green", 0.5), ("red", 0.5))
    said, _, checks = answer(monkeypatch, detecting(undecided, caution=ALL_GIVEN))
    assert said == GREEN and 0.2 <= checks[0]["agrees"] < 0.6


def test_a_detector_that_fails_checks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(monkeypatch, detecting(None, fault="blind")) == (GREEN, "language model", [])


def test_a_detector_that_is_late_is_not_waited_for() -> None:
    async def scene() -> None:  # in real time: simulated time stands still while a brick works
        config = replace(QUIET, power=replace(QUIET.power, fast_answer_s=0.4))
        late = detecting(seen(("red", 1.0)), fault="slow eye")
        async with bench(Mode.PERFORMANCE, config=config, pack=late) as b:
            turn = await b.ask(RECORDED)
            assert (turn.answer, turn.answered_by) == (GREEN, "language model")

    asyncio.run(scene())


def test_detector_and_answer_together_are_waited_for_half_of_the_latency_target() -> None:
    async def scene() -> None:  # in real time, as above
        config = replace(QUIET, power=replace(QUIET.power, fast_answer_s=2.0))
        async with bench(Mode.PERFORMANCE, config=config, pack=detecting(None, fault="stuck")) as b:
            turn = await b.ask(RECORDED)
            assert (turn.answer, turn.answered_by) == (GREEN, "language model")
            assert turn.closed is not None and turn.closed.problem == TOO_SLOW
            assert 0.95 < turn.closed.seconds < 1.7

    asyncio.run(scene())


def test_a_guess_that_is_borne_out_spares_the_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = detecting(seen(("yellow", 1.0)), GUESS, gives=GIVES)
    (turn,), bench = asked(pack, COLOUR, mode=Mode.CASCADE, patch=monkeypatch)
    assert (turn.answer, turn.answered_by) == (YELLOW, "reflex")
    assert "llm" not in loads(bench)
    (fields,) = told(bench)
    assert not fields["handed_over"] and fields["agrees"] > 0.99
    assert fields["confidence"] == pytest.approx(0.97) and "object detector" in fields["reasons"][-1]


def test_a_guess_is_told_as_the_detector_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(monkeypatch, detecting(seen(("red", 1.0)), GUESS, gives=GIVES))[:2] == (RED, "reflex")


def test_what_the_detector_sees_otherwise_is_as_sure_as_the_detector_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says = {**SURE, "confidence": 0.96, "guess": YELLOW, "understood": 0.97}
    sees = seen(("red", 1.0), clear=0.85)
    questions = (COLOUR, "are you sure", "why do you think so")
    turns, bench = asked(detecting(sees, says, gives=GIVES), *questions, patch=monkeypatch)
    assert (turns[0].answer, turns[0].answered_by) == (RED, "reflex")
    assert told(bench)[0]["confidence"] == pytest.approx(0.85)
    sure = "I am fairly sure, about 85 percent."
    assert turns[1].answer == sure
    assert turns[2].answer.endswith(f"made out: cross. {sure}"), "and not yellow"


def test_a_guess_whose_question_is_not_understood_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    vague = {**GUESS, "understood": 0.7}
    assert answer(monkeypatch, detecting(seen(("yellow", 1.0)), vague, gives=GIVES))[1] == "language model"


def test_an_answer_of_reflex_that_is_contradicted_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    says = {**SURE, "guess": YELLOW}
    assert answer(monkeypatch, detecting(seen(("yellow", 1.0)), says))[:2] == (YELLOW, "reflex")
    assert answer(monkeypatch, detecting(seen(("green", 1.0)), says))[:2] == (GREEN, "language model")
