"""A reflex brick that reads what the memory's own eye makes of the view, not the language model's."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from host.sensing.kept_views import Encoded
from host.turn.recalling.view_places import ViewPlaces
from host.turn.view_encoder import ViewEncoder
from models.brick import BrickSpec, Embedding, Placement
from models.pack.catalogue import Pack, PackError, load_pack, seal
from models.process.residency import BrickFailed
from models.ring.header import SlotState
from power.policy.plan import Mode
from tests.host.fake_speech import without_speech_models
from tests.host.memory.two_eyes import micro_with_two_eyes, write_micro_with_two_eyes
from tests.host.simulated import simulate
from tests.host.turn import fake_reflex
from tests.host.turn.fake_reflex import HANDED_OVER, OTHER_SIGN, SIGN, SURE
from tests.host.turn.test_reflex_answer import asked, loads, runs
from tests.host.workbench import COLOUR, QUIET, bench


@pytest.fixture(scope="module")
def two_eyes(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    """The micro pack with a second eye, without a reflex brick and without models of speech."""
    return without_speech_models(micro_with_two_eyes(tmp_path_factory.mktemp("eyes")))


def reading_memory(pack: Pack, *says: Any) -> Pack:
    """The pack with a reflex brick that says this of what the memory's eye sees."""
    given = {"says": list(says), "exit_score": 0.8, "keep": 0.2, "eye": "recall"}
    spec = BrickSpec("reflex", Placement.CPU, 5, fake_reflex.__name__, given)
    return replace(pack, bricks={**pack.bricks, "reflex": spec})


def test_a_closed_question_does_not_wait_for_the_eye_of_the_language_model(
    two_eyes: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[bool] = []

    async def slow(self: ViewEncoder, view: object, *, own: bool = False) -> Encoded:
        began.append(own)
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(ViewEncoder, "rows", slow)
    (turn,), b = asked(reading_memory(two_eyes, SURE), "")
    assert (turn.answer, turn.answered_by, turn.failure) == (SURE["text"], "reflex", None)
    assert began, "the language model's eye has begun too, in case the question is handed over"
    assert [runs(b).count(name) for name in ("recall", "reflex", "llm")] == [1, 1, 0]


def test_what_is_handed_over_is_answered_from_the_other_eye(two_eyes: Pack) -> None:
    (without,), _ = asked(two_eyes, "")
    (turn,), b = asked(reading_memory(two_eyes, HANDED_OVER), "")
    assert (turn.answer, turn.answered_by) == (without.answer, "language model")
    assert turn.closed is not None and not turn.closed.sentence
    assert [runs(b).count(name) for name in ("recall", "reflex", "llm")] >= [1, 1, 1]


def test_a_broken_or_hanging_eye_of_the_reflex_costs_no_answer(
    two_eyes: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: ViewPlaces, rgb: object) -> Embedding:
        raise BrickFailed("recall", "execute", "it is broken")

    async def hanging(self: ViewPlaces, rgb: object) -> Embedding:
        await asyncio.Event().wait()
        raise AssertionError

    config = replace(QUIET, power=replace(QUIET.power, fast_answer_s=0.4))
    (without,), _ = asked(two_eyes, "")
    for rows, problem in ((broken, "it is broken"), (hanging, "in time")):
        monkeypatch.setattr(ViewPlaces, "rows", rows)
        (turn,), b = asked(reading_memory(two_eyes, SURE), "", config=config)
        assert (turn.answer, turn.answered_by, turn.failure) == (without.answer, "language model", None)
        assert turn.closed is not None and problem in turn.closed.problem and "reflex" not in runs(b)


def test_a_second_picture_passes_that_eye_too(two_eyes: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    says = (SIGN, OTHER_SIGN)
    (turn,), b = asked(reading_memory(two_eyes, *says), "what does the sign say", patch=monkeypatch)
    assert (turn.answer, turn.views) == ("I think the sign says EXIT.", 2)
    assert [runs(b).count(name) for name in ("recall", "reflex")] == [2, 2]


def test_a_question_about_something_else_stops_that_eye(
    two_eyes: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []

    async def slow(self: ViewPlaces, rgb: object) -> Embedding:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        raise AssertionError

    monkeypatch.setattr(ViewPlaces, "rows", slow)
    (turn,), b = asked(reading_memory(two_eyes, SURE), "what time is it", patch=monkeypatch)
    assert (turn.answered_by, turn.failure, ended) == ("device", None, [True])
    assert "reflex" not in runs(b)


def test_no_rows_of_that_eye_stay_in_the_ring(two_eyes: Pack) -> None:
    async def taken(questions: int) -> int:
        async with bench(Mode.PERFORMANCE, config=QUIET, pack=reading_memory(two_eyes, SURE)) as b:
            for _ in range(questions):
                turn = await b.ask(COLOUR)
                assert (turn.answered_by, turn.failure) == ("reflex", None)
            await b.headband.bricks.settled()
            ring = b.headband.bricks._pool.ring
            assert ring is not None and len(ring.states()) >= questions
            return sum(state is not SlotState.FREE for state in ring.states())

    questions = 8
    assert simulate(taken(questions)) < questions, "the other eye's are kept of two views at most"


def test_its_eye_is_loaded_with_it_though_nothing_is_remembered(two_eyes: Pack) -> None:
    async def scene(pack: Pack) -> set[str]:
        async with bench(Mode.PERFORMANCE, config=QUIET, pack=pack) as b:
            await b.headband.bricks.settled()
            return set(b.headband.bricks.pids())

    assert "recall" in simulate(scene(reading_memory(two_eyes, SURE)))
    assert "recall" not in simulate(scene(two_eyes))


def test_with_room_for_one_brick_only_a_reflex_with_an_eye_is_not_worth_loading(two_eyes: Pack) -> None:
    pack = reading_memory(two_eyes, SURE)
    eye = replace(pack.bricks["recall"], memory_mib=pack.bricks["llm"].memory_mib)
    (turn,), b = asked(replace(pack, bricks={**pack.bricks, "recall": eye}), "", mode=Mode.CASCADE)
    assert turn.answered_by == "language model" and not {"reflex", "recall"} & set(loads(b))


def test_the_real_brick_answers_from_the_memorys_eye(tmp_path: Path) -> None:
    pack = load_pack(write_micro_with_two_eyes(tmp_path, reflex=True))

    async def scene() -> None:
        async with bench(Mode.PERFORMANCE, config=QUIET, pack=pack) as b:
            turn = await b.ask(COLOUR)
            assert turn.closed is not None and not turn.closed.problem and turn.failure is None
            assert turn.closed.answer is not None

    simulate(scene())


def test_a_pack_without_that_eye_or_with_rows_of_another_is_refused(tmp_path: Path) -> None:
    folder = write_micro_with_two_eyes(tmp_path, reflex=True)
    manifest = folder / "pack.toml"
    text = manifest.read_text()
    manifest.write_text(text.replace('eye = "recall"\n', ""))
    seal(folder)
    with pytest.raises(PackError, match="trained on the rows of the encoder"):
        load_pack(folder)
    tables = re.split(r"(?m)^(?=\[(?!brick\.\w+\.))", text)
    manifest.write_text("".join(each for each in tables if not each.startswith("[brick.recall]")))
    seal(folder)
    with pytest.raises(PackError, match=r"reads the rows of a recall brick, and pack\.toml has none"):
        load_pack(folder)
