"""The reflex brick: what it answers and hands over, how far it goes, and what it reads and leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.brick import BrickError, Cancelled, Context, Embedding, Frame, Phrase
from models.bricks.reflex import attended
from models.bricks.reflex_words import QuestionWords
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.pack.catalogue import Pack, load_pack
from models.process.bricks import Bricks
from models.process.residency import BrickFailed, Residency
from models.ring.header import SlotState
from models.ring.ring import Ring
from tests.models.bricks.bricks_bench import Play, answer, run_bricks, started
from tests.models.bricks.chain_graphs import ChainShape
from tests.models.bricks.reflex_pack import (
    QUESTION,
    ROWS,
    WORDS,
    Behaviour,
    ReflexParts,
    ask,
    loaded,
    write_reflex_pack,
)
from tests.models.process.tree_memory import tree_anonymous_mib

GREEN = Behaviour(forms=2, colours=1)
FRAME = Frame(np.random.default_rng(4).integers(0, 256, (40, 56, 3), np.uint8))
WITNESS = "tests.models.ring.ring_witness"


def same(one: ClosedAnswer, other: ClosedAnswer) -> bool:
    """All but the times."""
    a, b = (replace(each, layers_ms=(), saliency=None) for each in (one, other))
    return all(getattr(a, key) == getattr(b, key) for key in a.__dataclass_fields__)


def test_a_sure_answer_is_a_sentence_with_its_values(tmp_path: Path) -> None:
    found = ask(loaded(tmp_path, ReflexParts(GREEN)))
    assert (found.text, found.guess, found.values) == ("It is green.", "It is green.", {"colour": "green"})
    assert found.confidence > 0.99 and found.answerable == pytest.approx(0.9) and not found.cause
    assert found.layer == 3 and len(found.layers_ms) == 4 and min(found.layers_ms) > 0
    assert found.reasons[-1] == "answered: 100% sure, normal caution wants 50%"


def test_the_first_layer_that_is_certain_is_the_last_that_runs(tmp_path: Path) -> None:
    brick = loaded(tmp_path, ReflexParts(replace(GREEN, scores=(0.3, 0.85, 0.9, 0.95, 0.99))))
    for certainty, layer in ((None, 2), (0.2, 1), (0.86, 3), (0.97, 5), (1.0, 5)):
        found = ask(brick, certainty=certainty)
        assert (found.layer, len(found.layers_ms)) == (layer, layer + 1)
        assert found.text == "It is green."
    assert "after layer 2, with a score of 0.85: the answer is certain" in ask(brick).reasons
    assert ask(brick, layers=1).reasons[-2].endswith("the question's budget allows no further step")
    assert ask(brick, layers=0).layers_ms[1:] == () and ask(brick, layers=0).text == ""


def test_a_question_of_words_that_are_seldom_answered_is_handed_over_unasked(tmp_path: Path) -> None:
    weights = [-1.0, 0.0, *(1.5 if word == "colour" else -0.1 for word in WORDS[2:])]
    brick = loaded(tmp_path, ReflexParts(GREEN, words={"asked": weights}))
    found = ask(brick, "how many is the cup")
    assert (found.text, found.layer, found.layers_ms) == ("", 0, ())
    assert found.reasons == ("handed over: such a question is seldom answered",)
    assert ask(brick, "what colour is the cup").text == "It is green."
    assert ask(brick, "the the the the colour").text == "It is green.", "each word counts once"


def test_only_the_tokens_that_the_question_attends_to_go_on(tmp_path: Path) -> None:
    brick = loaded(tmp_path, ReflexParts(Behaviour(scores=(0.1, 0.1, 0.1))))
    whole, few = ask(brick, keep=1.0, explain=True), ask(brick, explain=True)
    assert (whole.kept, few.kept) == (16, 4)
    assert whole.saliency is not None and few.saliency is not None
    assert few.saliency.shape == (16,) and np.array_equal(few.saliency, whole.saliency)
    assert any("allows fewer rows" in reason for reason in few.reasons)
    assert [ask(brick, keep=share).kept for share in (0.001, 0.06, 0.1, 0.5, 0.99)] == [1, 1, 2, 8, 16]
    assert ask(brick, layers=1).kept == 16, "nothing is pruned that no further layer reads"
    assert ask(brick).saliency is None
    assert whole.confidence != few.confidence


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=40), st.data())
def test_the_largest_values_are_kept_in_their_order(values: list[float], data: st.DataObject) -> None:
    saliency = np.array(values, np.float32)
    count = data.draw(st.integers(1, len(values)))
    kept = attended(saliency, count)
    assert len(set(kept.tolist())) == count and sorted(kept) == list(kept)
    rest = np.delete(saliency, kept)
    assert not len(rest) or saliency[kept].min() >= rest.max()


def test_caution_decides_what_is_given_and_the_guess_is_told_anyway(tmp_path: Path) -> None:
    caution = {"caution": "{ low = 0.0, normal = 0.9, high = 1.0 }"}
    brick = loaded(tmp_path, ReflexParts(replace(GREEN, colours=None), caution))
    low, normal, high = (ask(brick, caution=each) for each in ("low", "normal", "high"))
    assert low.text == low.guess == normal.guess == high.guess != "" and 0 < low.confidence < 0.9
    assert normal.text == high.text == ""
    assert normal.reasons[-1].startswith("handed over: ") and "normal caution wants 90%" in normal.reasons[-1]


def test_temperature_makes_it_less_sure(tmp_path: Path) -> None:
    sure = ask(loaded(tmp_path / "1", ReflexParts(GREEN)))
    less = ask(loaded(tmp_path / "2", ReflexParts(GREEN, answers={"temperature": 10.0})))
    assert less.guess == sure.guess and less.confidence < 0.8 < sure.confidence


@pytest.mark.parametrize(
    ("cause", "advice_from", "text", "advice"),
    [
        (1, 0.5, "It is too dark to see, please turn on a light.", True),
        (1, 1.0, "", False),
        (2, 0.5, "", False),
    ],
)
def test_without_an_answer_no_layer_runs_and_the_cause_may_have_advice(
    tmp_path: Path, cause: int, advice_from: float, text: str, advice: bool
) -> None:
    parts = ReflexParts(Behaviour(0.2, cause), {"advice_from": str(advice_from)})
    found = ask(loaded(tmp_path, parts))
    assert (found.text, found.advice, found.cause) == (text, advice, ("", "dark", "absent")[cause])
    assert (found.layer, len(found.layers_ms), found.confidence, found.guess) == (0, 1, 0.0, "")
    said = f"before layer 1: the picture has no answer to the question: {found.cause}"
    assert found.reasons == (said,)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("what colour is the zebra", "handed over: it has words that are not known"),
        ("what colour is the ??", "handed over: it has words that are not known"),
        ("is the cup " * 3, "handed over: the question has 9 words, 8 are most"),
        (" ?", "handed over: the question has no words"),
    ],
)
def test_a_question_that_cannot_be_read_is_handed_over_unread(tmp_path: Path, text: str, reason: str) -> None:
    found = ask(loaded(tmp_path), text, Embedding())
    assert (found.text, found.reasons, found.layers_ms) == ("", (reason,), ())


def test_a_pack_may_allow_unknown_words(tmp_path: Path) -> None:
    brick = loaded(tmp_path, ReflexParts(GREEN, {"unknown_words": "1"}))
    assert ask(brick, "what colour is the zebra").text == "It is green."
    assert ask(brick, "what hue is the zebra").text == ask(brick, "what colour is the ??").text == ""


@pytest.mark.parametrize("more", [{}, {"asked": [0.0] * 5}])
def test_a_word_that_stands_twice_in_a_vocabulary_is_read(tmp_path: Path, more: dict[str, Any]) -> None:
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"length": 3, "words": ["", "?", "cup", "cup", "key"], **more}))
    words = QuestionWords.of_file(path, 0)
    assert len(words) == 5
    numbers, unread = words.numbers("cup key")
    assert numbers.tolist() == [[3, 4]] and unread == ""


def test_what_is_not_a_closed_question_is_handed_over(tmp_path: Path) -> None:
    found = ask(loaded(tmp_path, ReflexParts(Behaviour(forms=0))), caution="low")
    assert (found.text, found.guess) == ("", "")
    assert found.confidence > 0.99 and found.reasons[-1] == "handed over: it is not a closed question"


def test_it_stops_between_layers_when_it_is_called_off(tmp_path: Path) -> None:
    """The runtime asks before every graph whether the request is cancelled."""
    asked: list[int] = []
    limit = [10**9]

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > limit[0]

    brick = loaded(tmp_path, ReflexParts(GREEN), Context(cancelled))
    expected = ask(brick)
    for graphs in range(4):
        limit[0] = len(asked) + graphs
        with pytest.raises(Cancelled):
            ask(brick)
        limit[0] = 10**9
        assert same(ask(brick), expected)


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring.create(2, 16, 16)
    yield ring
    ring.close()


def in_ring(ring: Ring, rows: NDArray[Any]) -> Embedding:
    slot = ring.allocate(*rows.shape, dtype=str(rows.dtype))
    assert slot is not None
    slot.array[:] = rows
    return Embedding(slot=slot.commit())


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rows_by_value_and_rows_in_the_ring_give_the_same_answer(
    tmp_path: Path, ring: Ring, dtype: str
) -> None:
    brick = loaded(tmp_path, ReflexParts(Behaviour(scores=(0.1, 0.1))), Context(ring=ring))
    rows = ROWS.astype(dtype)
    by_value = ask(brick, image=Embedding(rows=rows), caution="low")
    image = in_ring(ring, rows)
    assert image.slot is not None
    kept = ask(brick, image=image, caution="low")
    assert ring.states()[0] == SlotState.READY_TO_READ, "the language model may read it"
    held = ring.acquire(image.slot)
    beside = ask(brick, image=image, caution="low", keep_slot=False)
    held.release(keep=True)
    freed = ask(brick, image=image, caution="low", keep_slot=False)
    assert ring.states()[0] == SlotState.FREE
    assert all(same(by_value, each) for each in (kept, beside, freed))
    with pytest.raises(BrickError, match=r"^The picture was dropped before it could be looked at\.$"):
        ask(brick, image=image)


def test_rows_that_are_replaced_while_they_are_read_are_no_answer(tmp_path: Path, ring: Ring) -> None:
    def refill() -> bool:
        if refilling:
            for _ in range(2):
                in_ring(ring, ROWS)
        return False

    refilling = False
    brick = loaded(tmp_path, context=Context(refill, ring=ring))
    image = in_ring(ring, ROWS)
    refilling = True
    with pytest.raises(BrickError, match="dropped before"):
        ask(brick, image=image)


def test_other_requests_and_a_ring_out_of_sight_are_refused(tmp_path: Path, ring: Ring) -> None:
    brick = loaded(tmp_path)
    with pytest.raises(BrickError, match=r"has no answer to a Phrase\."):
        list(brick.execute(Phrase("cup")))
    with pytest.raises(BrickError, match=r"in a ring that this process can't see\."):
        ask(brick, image=in_ring(ring, ROWS))


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    return load_pack(write_reflex_pack(tmp_path_factory.mktemp("reflex"), ReflexParts(GREEN)))


def test_release_returns_the_memory(tmp_path: Path) -> None:
    large = load_pack(
        write_reflex_pack(tmp_path, ReflexParts(GREEN, sizes={"width": 256, "hidden": 1024}), ChainShape())
    )

    async def scenario(bricks: Bricks) -> None:
        await bricks.start()
        (image,) = await answer(bricks, "vision", FRAME)
        await bricks.release("vision")
        empty_mib = tree_anonymous_mib()
        await answer(bricks, "reflex", ClosedQuestion(QUESTION, image))
        assert tree_anonymous_mib() > empty_mib + 20
        await bricks.release("reflex")
        assert tree_anonymous_mib() < empty_mib + 4

    run_bricks(scenario, pack=large)


@pytest.fixture(scope="module")
def play(pack: Pack) -> Iterator[Play]:
    with started(pack=pack) as play:
        yield play


def test_in_its_own_process_it_reads_the_slot_where_it_lies(pack: Pack) -> None:
    watched = replace(pack.bricks["reflex"], module=WITNESS)

    async def scenario(bricks: Bricks) -> None:
        (image,) = await answer(bricks, "vision", FRAME)
        assert image.slot is not None
        (found,) = await answer(bricks, "reflex", ClosedQuestion(QUESTION, image))
        assert found.text == "It is green." and bricks.holds(image)
        rows = Embedding(rows=bricks.rows(image))
        with pytest.raises(BrickError, match="outside the ring"):
            await answer(bricks, "reflex", ClosedQuestion(QUESTION, rows))
        (found,) = await answer(bricks, "reflex", ClosedQuestion(QUESTION, image, keep_slot=False))
        assert found.text == "It is green." and not bricks.holds(image)

    run_bricks(scenario, pack=replace(pack, bricks={**pack.bricks, "reflex": watched}))


def test_one_brick_after_the_other_it_is_loaded_run_and_released(pack: Pack) -> None:
    async def scenario(bricks: Bricks) -> None:
        (image,) = await answer(bricks, "vision", FRAME)
        (found,) = await answer(bricks, "reflex", ClosedQuestion(QUESTION, image))
        assert found.text == "It is green."
        await bricks.settled()
        assert set(bricks.pids()) == {"fork_server"} and bricks.holds(image)
        bricks.discard(image)

    run_bricks(scenario, Residency("one_at_a_time"), pack)


def test_a_killed_reflex_works_again_and_leaves_the_picture(play: Play) -> None:
    async def scenario(bricks: Bricks) -> None:
        (image,) = await answer(bricks, "vision", FRAME)
        question = ClosedQuestion(QUESTION, image)
        (first,) = await answer(bricks, "reflex", question)
        pid = bricks.pids()["reflex"]
        assert _name(pid) == "brick-reflex"
        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(BrickFailed):
            await answer(bricks, "reflex", question)
        (again,) = await answer(bricks, "reflex", question)
        assert same(first, again) and bricks.pids()["reflex"] != pid
        bricks.discard(image)

    play(scenario)


def test_a_question_that_is_called_off_leaves_a_clean_brick(play: Play) -> None:
    async def scenario(bricks: Bricks) -> None:
        (image,) = await answer(bricks, "vision", FRAME)
        question = ClosedQuestion(QUESTION, image)
        (expected,) = await answer(bricks, "reflex", question)
        pid = bricks.pids()["reflex"]
        for _ in range(5):
            asking = asyncio.create_task(answer(bricks, "reflex", question))
            await asyncio.sleep(0)
            asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asking
            (found,) = await answer(bricks, "reflex", question)
            assert same(found, expected)
        assert bricks.pids()["reflex"] == pid and bricks.holds(image)
        bricks.discard(image)

    play(scenario)


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()
