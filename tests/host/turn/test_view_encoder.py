"""How much of the encoder a view passes, and when: with a chain of twelve blocks that only counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from host.config import ListenConfig
from host.sensing.kept_views import Encoded, KeptViews, View
from host.turn.view_encoder import ViewEncoder
from models.brick import Activation, BrickError, Embedding, Encode, Frame, Rows, SlotRef
from models.process.bricks import Bricks
from models.process.residency import BrickFailed
from tests.host.sensing.test_kept_views import DARK, slightly_moved
from tests.host.sensing.test_view_gate import room

WHOLE = 12
CHAIN = {
    "stem": "s", "rows": "r", "side_px": 32, "groups": (1,) * WHOLE, "tokens": 4, "width": 8,
    **{f"group_{number:02}": "g" for number in range(1, WHOLE + 1)},
}  # fmt: skip


class CountingBricks:
    """A ring without end, and an encoder that counts the blocks that it computes."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.pack = SimpleNamespace(bricks={"vision": SimpleNamespace(options=options)})
        self.blocks = 0
        self.requests: Counter[str] = Counter()
        self.slots: set[SlotRef] = set()
        self.read: set[SlotRef] = set()
        """Those of them that a brick is reading."""
        self.loaded = True
        self.failing: Exception | None = None
        self.running = asyncio.Event()
        self.may_run: asyncio.Event | None = None
        self._fills = 0

    def pids(self) -> dict[str, int]:
        return {"vision": 7} if self.loaded else {}

    async def run(self, name: str, request: Any) -> AsyncIterator[Activation | Embedding]:
        assert name == "vision"
        self.requests[type(request).__name__] += 1
        self.running.set()
        if self.may_run is not None:
            await self.may_run.wait()
        if self.failing is not None:
            error, self.failing = self.failing, None
            raise error
        if isinstance(request, Encode):
            self.blocks += request.depth
            yield Activation(request.depth, "an encoder", slot=self._fill())
        elif isinstance(request, Rows):
            (begun,) = request.activations
            if not self.holds(begun):
                raise BrickError("The activation was dropped.")
            self.blocks += WHOLE - begun.depth
            yield Embedding(slot=self._fill())
        else:
            assert isinstance(request, Frame)
            self.blocks += WHOLE
            yield Embedding(slot=self._fill())

    def holds(self, encoded: Activation | Embedding) -> bool:
        return encoded.slot in self.slots and encoded.slot not in self.read

    def discard(self, encoded: Activation | Embedding) -> None:
        self.slots.discard(cast(SlotRef, encoded.slot))

    def _fill(self) -> SlotRef:
        self._fills += 1
        ref = SlotRef(0, self._fills, 4, 8)
        self.slots.add(ref)
        return ref


class Bench:
    """An encoder of views, and what it told."""

    def __init__(self, options: dict[str, Any] = CHAIN, most: int = 4) -> None:
        self.bricks = CountingBricks(options)
        self.kept = KeptViews(self.bricks.discard)
        self.kept.limit(most)
        self.told: list[dict[str, Any]] = []
        self.encoder = ViewEncoder(
            cast(Bricks, self.bricks), self.kept, lambda: 0.0,
            lambda event, fields: self.told.append(fields), ListenConfig(),
        )  # fmt: skip

    def see(self, picture: np.ndarray, at_s: float = 0.0) -> View:
        return self.kept.view(picture, at_s)

    async def ahead(self, view: View) -> str:
        """Encodes a view between questions; why it was, or was not."""
        await self.encoder.encode_ahead(view)
        return str(self.told[-1]["reason"])

    async def ask(self, view: View, own: bool = False) -> tuple[int, Encoded]:
        """Blocks that were computed for a question about the view, and its rows."""
        before = self.bricks.blocks
        encoded = await self.encoder.rows(view, own=own)
        assert encoded.depth == WHOLE or self.encoder._exits == (1,)
        assert self.bricks.holds(encoded.data)
        assert self.told[-1]["for"] == "question"
        return self.bricks.blocks - before, encoded


def on_bench(scene: Callable[[Bench], Awaitable[None]], **options: Any) -> None:
    async def whole() -> None:
        await scene(Bench(**options))

    asyncio.run(whole())


def test_a_question_about_a_view_that_was_looked_at_costs_the_rest_of_its_blocks() -> None:
    async def scene(b: Bench) -> None:
        assert await b.ahead(b.see(room(1))) == "the power plan allows all that is wanted"
        assert b.bricks.blocks == 1
        again = b.see(room(1), 1.0)
        assert await b.ahead(again) == "it is deep enough" and b.bricks.blocks == 1
        cost, rows = await b.ask(b.see(room(1), 2.0))
        assert cost == WHOLE - 1 and b.told[-1]["from_depth"] == 1 and b.told[-1]["depth"] == WHOLE
        b.encoder.give_back(again, rows)
        assert (await b.ask(b.see(room(1), 3.0)))[0] == 0
        assert b.told[-1]["from_depth"] == WHOLE and b.told[-1]["decision"] == "stop"

    on_bench(scene)


def test_another_view_and_one_that_is_not_surely_the_same_are_encoded_from_the_picture() -> None:
    async def scene(b: Bench) -> None:
        first = b.see(room(1))
        await b.ahead(first)
        for picture in (room(2), slightly_moved(room(1))):
            cost, encoded = await b.ask(view := b.see(picture, 1.0))
            assert cost == WHOLE and encoded.measured is view.verdict.measured
        assert b.told[-1]["gate"] == "same thumbnail", "a background view would not have been encoded"

    on_bench(scene)


@pytest.mark.parametrize(
    "error", [BrickFailed("vision", "execute", "it died"), BrickError("Of another pack.")]
)
def test_an_activation_that_is_of_no_use_is_replaced_by_the_picture(error: Exception) -> None:
    async def scene(b: Bench) -> None:
        view = b.see(room(1))
        await b.ahead(view)
        b.bricks.failing = error
        cost, encoded = await b.ask(view)
        assert cost == WHOLE and b.told[-1]["from_depth"] == 0
        b.encoder.give_back(view, encoded)
        assert len(b.bricks.slots) == 1

    on_bench(scene)


def test_rows_that_are_given_back_while_they_are_read_are_not_left_behind() -> None:
    async def scene(b: Bench) -> None:
        view = b.see(room(1))
        _, encoded = await b.ask(view)
        begun = b.bricks.slots - {encoded.data.slot}
        b.bricks.read = b.bricks.slots - begun
        b.encoder.give_back(view, encoded)
        assert b.bricks.slots == begun

    on_bench(scene)


def test_an_activation_that_the_ring_has_lost_is_replaced_by_the_picture() -> None:
    async def scene(b: Bench) -> None:
        view = b.see(room(1))
        await b.ahead(view)
        b.bricks.slots.clear()
        assert (await b.ask(view))[0] == WHOLE
        assert b.bricks.requests["Rows"] == 1, "what is lost is not sent"

    on_bench(scene)


def test_an_encoder_that_dies_on_a_picture_is_told_as_it_is() -> None:
    async def scene(b: Bench) -> None:
        view = b.see(room(1))
        b.bricks.failing = BrickFailed("vision", "execute", "it died")
        assert await b.ahead(view) == "the power plan allows all that is wanted"
        assert b.told[-1]["depth"] == 0 and not b.encoder.ahead
        b.bricks.failing = BrickFailed("vision", "execute", "it died")
        with pytest.raises(BrickFailed):
            await b.encoder.rows(view)
        assert (await b.ask(view))[0] == WHOLE

    on_bench(scene)


def test_what_is_not_worth_it_between_questions_is_not_encoded() -> None:
    async def scene(b: Bench) -> None:
        assert await b.ahead(b.see(DARK)) == "the view is dark"
        view = b.see(room(1))
        b.encoder.begin_question("a question")
        assert await b.ahead(view) == "a question under way allows no further step"
        b.encoder.end_question("a question")
        b.bricks.loaded = False
        assert await b.ahead(view) == "an encoder that is not in memory allows no further step"
        b.bricks.loaded = True
        b.kept.limit(0)
        assert await b.ahead(view) == "the power plan allows no further step"
        assert b.bricks.blocks == 0 and not b.bricks.requests
        assert (await b.ask(b.see(DARK)))[0] == WHOLE, "the decoder says that it is dark"

    on_bench(scene)


def test_without_memory_for_it_a_question_leaves_nothing() -> None:
    async def scene(b: Bench) -> None:
        view = b.see(room(1))
        for _ in range(2):
            cost, encoded = await b.ask(view)
            assert cost == WHOLE
            b.encoder.give_back(view, encoded)
        assert b.bricks.slots == set() and b.bricks.requests == {"Frame": 2}

    on_bench(scene, most=0)


def test_an_encoder_of_one_graph_works_as_one_block() -> None:
    async def scene(b: Bench) -> None:
        view = b.see(room(1))
        assert await b.ahead(view) == "an encoder of one graph allows no further step"
        _, encoded = await b.ask(view)
        assert b.bricks.requests == {"Frame": 1}
        assert (b.told[-1]["from_depth"], b.told[-1]["depth"], b.told[-1]["whole_depth"]) == (0, 1, 1)
        b.encoder.give_back(view, encoded)
        _, again = await b.ask(view)
        assert again is encoded and b.told[-1]["from_depth"] == 1

    on_bench(scene, options={"model": "vit.onnx"})


def test_a_comparison_uses_encodings_of_the_very_pictures() -> None:
    async def scene(b: Bench) -> None:
        first = b.see(room(1))
        await b.ahead(first)
        again = b.see(room(1), 1.0)
        cost, encoded = await b.ask(again, own=True)
        assert cost == WHOLE and encoded.measured is again.verdict.measured
        assert (await b.ask(again, own=True))[0] == WHOLE - 1

    on_bench(scene)


def test_a_question_waits_for_the_view_that_is_being_encoded_and_goes_on_from_there() -> None:
    async def scene(b: Bench) -> None:
        b.bricks.may_run = asyncio.Event()
        view = b.see(room(1))
        ahead = asyncio.create_task(b.encoder.encode_ahead(view))
        await b.bricks.running.wait()
        asking = asyncio.create_task(b.ask(view))
        await asyncio.sleep(0)
        b.bricks.may_run.set()
        await ahead
        assert not b.encoder.ahead
        await asking
        assert b.bricks.blocks == WHOLE and b.bricks.requests == {"Encode": 1, "Rows": 1}

    on_bench(scene)


def test_looking_that_ends_in_the_middle_leaves_nothing() -> None:
    """Recording is switched off, or another plan comes."""

    async def scene(b: Bench) -> None:
        b.bricks.may_run = asyncio.Event()
        ahead = asyncio.create_task(b.encoder.encode_ahead(b.see(room(1))))
        await b.bricks.running.wait()
        ahead.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ahead
        assert not b.encoder.ahead and not b.encoder.lock.locked() and b.bricks.slots == set()

    on_bench(scene)


def test_views_that_were_forgotten_meanwhile_leave_nothing() -> None:
    async def scene(b: Bench) -> None:
        view = b.see(room(1))
        await b.ahead(view)
        _, encoded = await b.ask(view)
        b.kept.forget()
        assert b.bricks.holds(encoded.data), "a question is being answered from it"
        b.encoder.give_back(view, encoded)
        assert b.bricks.slots == set()

    on_bench(scene)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_is_in_memory_than_the_plan_allows(most: int) -> None:
    async def scene(b: Bench) -> None:
        for seed in range(8):
            view = b.see(room(seed), float(seed))
            await b.ahead(view)
            if seed % 3 == 0:
                b.encoder.give_back(view, (await b.ask(view))[1])
            assert len(b.bricks.slots) == min(most, seed + 1)

    on_bench(scene, most=most)


def test_a_longer_first_group_is_encoded_as_a_whole() -> None:
    async def scene(b: Bench) -> None:
        view = b.see(room(1))
        await b.ahead(view)
        assert b.bricks.blocks == 4
        assert (await b.ask(view))[0] == WHOLE - 4

    groups = {key: value for key, value in CHAIN.items() if not key.startswith("group_")}
    longer = {f"group_{number:02}": "g" for number in (1, 2, 3)}
    on_bench(scene, options={**groups, **longer, "groups": (4, 4, 4)})
