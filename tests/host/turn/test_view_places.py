"""Views are placed as a batch: where each stops, what goes on together, and what stops it all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from host.config import ListenConfig
from host.sensing.kept_views import KeptViews, View
from host.turn.recalling.view_places import ViewPlaces
from host.turn.view_encoder import ViewEncoder
from models.brick import Activation, Embed, Encode, Recall, Resume, Rows
from models.detection import Detect, Detection
from models.exit_predictor import ExitPredictor
from models.pack.chain import PREDICTOR, exit_key, group_key
from models.process.bricks import Bricks
from models.small_network import Layer

EXITS = (1, 2, 3)
ENCODER = "pack 1 0123"


class Eye:
    """A chain of three blocks, whose place of a view at depth d is [its brightness, d]."""

    def __init__(self, folder: Path, predictor: str, fixed: int = 0) -> None:
        keys = ["stem", "rows", *(key(n) for n in EXITS for key in (group_key, exit_key))]
        options: dict[str, Any] = dict.fromkeys(keys, "")
        options |= {"groups": [1, 1, 1], "side_px": 8, "embedding": 2, "encoder": ENCODER}
        options["remember_depth"] = fixed
        if predictor:
            (folder / "predictor.json").write_text(predictor)
            options[PREDICTOR] = str(folder / "predictor.json")
        self.pack = SimpleNamespace(bricks={"vision": SimpleNamespace(options=options)}, detection=None)
        self.asked: list[tuple[str, int, int]] = []
        """Request, views and depth."""
        self.held: set[int] = set()
        self.before_embed = lambda: None

    async def run(self, name: str, request: object) -> AsyncIterator[object]:
        await asyncio.sleep(0)
        match request:
            case Encode(frames=frames, depth=depth):
                self.asked.append(("encode", len(frames), depth))
                for rgb in frames:
                    yield self._activation(float(rgb.mean()), depth)
            case Resume(activations=activations, depth=depth):
                self.asked.append(("resume", len(activations), depth))
                for each in activations:
                    assert each.rows is not None and each.depth < depth
                    yield self._activation(float(each.rows[0, 0]), depth)
            case Rows(activations=activations):
                self.asked.append(("rows", len(activations), EXITS[-1]))
                for each in activations:
                    assert each.rows is not None and each.depth == EXITS[-1]
                    yield self._activation(float(each.rows[0, 0]), each.depth)
            case Detect():
                self.asked.append(("detect", 1, 0))
                yield Detection((), (), ("keys",), "sign", ())
            case Embed(activations=activations):
                self.before_embed()
                for each in activations:
                    assert each.rows is not None
                    yield Recall(np.array([each.rows[0, 0], each.depth], np.float32), each.depth, ENCODER)

    def holds(self, data: object) -> bool:
        return True

    def rows(self, data: Activation) -> np.ndarray:
        assert data.rows is not None and id(data) in self.held
        return data.rows

    def discard(self, data: object) -> None:
        self.held.remove(id(data))

    def pids(self) -> dict[str, int]:
        return dict.fromkeys(self.pack.bricks, 1)

    def detects(self) -> None:
        """The pack has an object detector."""
        self.pack.bricks["reflex"] = SimpleNamespace(options={})
        self.pack.detection = object()

    def _activation(self, brightness: float, depth: int) -> Activation:
        made = Activation(depth, ENCODER, np.full((1, 2), brightness, np.float32))
        self.held.add(id(made))
        self.kept = [*getattr(self, "kept", []), made]  # so that no two have the same id
        return made


def by_brightness() -> str:
    """A predictor's file: up to 100 the first exit is enough, up to 200 the second."""
    weights = np.array([[-1, -1, 0], [0, 0, 0]], np.float32)
    layer = Layer(weights, np.array([100, 200, 0], np.float32))
    return ExitPredictor(EXITS, (layer,), 0.51, ENCODER.rpartition(" ")[2]).text()


def placed(
    eye: Eye,
    levels: list[int],
    exits: tuple[int, ...] = EXITS,
    question: bool = False,
    look_through: bool = False,
) -> tuple[list[tuple[int, int]], list[dict[str, Any]]]:
    """Brightness and depth of each place, and what was told."""
    told: list[dict[str, Any]] = []

    def observe(event: str, fields: Any) -> None:
        told.append({"event": event, **fields})

    kept = KeptViews(lambda encoded: None)
    encoder = ViewEncoder(cast(Bricks, eye), kept, time.monotonic, observe, ListenConfig())
    views: list[View] = []
    for number, level in enumerate(levels):
        views.append(kept.view(np.full((8, 8, 3), level, np.uint8), float(number)))
    if question:
        eye.before_embed = lambda: encoder.begin_question("one")
    by_eye = ViewPlaces(cast(Bricks, eye), kept, encoder, observe)
    found = asyncio.run(by_eye.place_all(views, exits, look_through=look_through))
    assert not eye.held, "what was made for it is freed"
    for each in found:
        assert each.place is not None
        if each.place.depth == EXITS[-1]:
            assert each.activation is None, "nothing is left to do"
        else:
            begun = each.activation
            assert begun is not None and begun.rows is not None and begun.slot is None
            assert (begun.depth, begun.rows[0, 0]) == (each.place.depth, each.place.vector[0])
    places = [each.place for each in found if each.place is not None]
    return [(round(float(place.vector[0])), place.depth) for place in places], told


def test_views_with_the_same_exit_go_on_together(tmp_path: Path) -> None:
    eye = Eye(tmp_path, by_brightness())
    assert placed(eye, [50, 250, 150, 60, 240])[0] == [(50, 1), (250, 3), (150, 2), (60, 1), (240, 3)]
    assert eye.asked == [("encode", 5, 1), ("resume", 1, 2), ("resume", 2, 3)]


def test_a_question_keeps_views_at_the_first_exit(tmp_path: Path) -> None:
    eye = Eye(tmp_path, by_brightness())
    assert placed(eye, [50, 250], question=True)[0] == [(50, 1), (250, 1)]
    assert eye.asked == [("encode", 2, 1)]


def test_one_exit_needs_no_prediction(tmp_path: Path) -> None:
    eye = Eye(tmp_path, by_brightness())
    assert placed(eye, [50, 250], exits=(1,))[0] == [(50, 1), (250, 1)]
    assert eye.asked == [("encode", 2, 1)]


@pytest.mark.parametrize("predictor", ["", "{}"])
def test_without_a_predictor_that_can_be_used_the_last_exit_serves_all(
    tmp_path: Path, predictor: str
) -> None:
    eye = Eye(tmp_path, predictor)
    found, told = placed(eye, [50, 250])
    assert found == [(50, 3), (250, 3)] and eye.asked == [("encode", 2, 3)]
    assert [each["event"] for each in told] == ["predictor"] * bool(predictor)


def test_the_pack_may_name_one_exit_for_all(tmp_path: Path) -> None:
    eye = Eye(tmp_path, "", fixed=2)
    assert placed(eye, [50, 250])[0] == [(50, 2), (250, 2)]
    assert placed(eye, [50], exits=(3,))[0] == [(50, 3)], "where one exit is asked for, it is that one"


def test_what_the_object_detector_is_shown_goes_to_the_last_exit_whatever_the_predictor_says(
    tmp_path: Path,
) -> None:
    eye = Eye(tmp_path, by_brightness())
    assert placed(eye, [50, 150], look_through=True)[0] == [(50, 1), (150, 2)], "the pack has none"
    eye.detects()
    assert placed(eye, [50, 150])[0] == [(50, 1), (150, 2)]
    eye.asked.clear()
    assert placed(eye, [50, 150], look_through=True)[0] == [(50, 3), (150, 3)]
    assert eye.asked == [("encode", 2, 3), ("rows", 1, 3), ("detect", 1, 0), ("rows", 1, 3), ("detect", 1, 0)]
    eye.asked.clear()
    placed(eye, [50], question=True, look_through=True)
    assert eye.asked == [("encode", 1, 3)], "a question comes first"
