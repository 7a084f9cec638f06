"""The training of the object detector: labels, a step, a resumed run, and the files that it writes."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from host.answers.seen.check import Checked  # noqa: E402
from models.pack.things_file import GRAPH, LABELS, Things, things_fault  # noqa: E402
from models.train.detector import labels  # noqa: E402
from models.train.detector.choose import Answered, settings_of, table, with_table  # noqa: E402
from models.train.detector.export import export, reflex_part, with_detector  # noqa: E402
from models.train.detector.model import CELL_OUTPUTS, Detector, Shape, loss_of, parts_of  # noqa: E402
from models.train.detector.train import Training, batch, judged  # noqa: E402
from models.train.pack import PACK  # noqa: E402
from models.train.sight.data.camera import Window  # noqa: E402
from models.train.sight.grounding import IGNORED  # noqa: E402
from models.train.stopping import Stopping  # noqa: E402
from models.train.world.home.random_views import random_view  # noqa: E402
from models.train.world.home.truth import truth_of  # noqa: E402
from models.train.world.scenes import random_scene  # noqa: E402

SMALL = Shape(tokens=64, width=32, hidden=32, blocks=1)


def told(count: int, seed: int = 1) -> dict[str, Any]:
    """Rows that say what is in each cell, with the labels of as many pictures of both worlds."""
    rng, each = random.Random(seed), []
    for number in range(count):
        if number % 2:
            view = random_view(rng, "train", 0.0)
            each.append(labels.of_view(view, truth_of(view, 192), 192))
        else:
            each.append(labels.of_scene(random_scene(rng, "train", 0.0)))
    data = {key: torch.from_numpy(np.stack([one[key] for one in each])) for key in each[0]}
    data = {key: value if value.is_floating_point() else value.long() for key, value in data.items()}
    rows = torch.randn(count, 64, 32) * 0.1
    what = data["what"].clamp(min=0)
    data["rows"] = (rows + 3 * torch.nn.functional.one_hot(what, 32)).half()
    return data


def test_a_thing_is_in_the_cell_of_its_middle_with_its_size() -> None:
    scene = random_scene(random.Random(5), "train", 0.0)
    of_scene = labels.of_scene(scene)
    thing = scene.things[0]
    cell = int(thing.y / 16) * 8 + int(thing.x / 16)
    assert labels.WHAT[of_scene["what"][cell] - 1] == thing.shape
    assert of_scene["half"][cell] == pytest.approx(thing.radius_px / 128, abs=1e-3)
    half_as_large = labels.of_scene(scene, Window(0.25, 0.25, 0.5, 0.5))
    assert half_as_large["half"].max() == pytest.approx(of_scene["half"].max() / 2, abs=1e-3)


def test_of_a_spoilt_picture_only_its_quality_is_known() -> None:
    scene = random_scene(random.Random(1), "train", 1.0)
    found = labels.of_scene(scene)
    assert labels.QUALITIES[int(found["quality"])] == scene.quality != "clear"
    assert (found["what"] == IGNORED).all()


def test_the_network_learns_what_its_rows_say(tmp_path: Path) -> None:
    data = told(256)
    training = Training(SMALL, 1, tmp_path / "state.pt")
    first = float(loss_of(training.model, *batch(data, torch.arange(64))).detach())
    for _ in range(30):
        training.run_epoch(data, 30, Stopping())
    assert float(loss_of(training.model, *batch(data, torch.arange(64))).detach()) < 0.7 * first
    assert set(judged(training.best, data)) == {"found", "there", "colours", "error", "pictures"}


def test_a_training_that_goes_on_is_as_if_it_had_not_been_interrupted(tmp_path: Path) -> None:
    data = told(256)
    whole = Training(SMALL, 1, tmp_path / "whole.pt")
    cut = Training(SMALL, 1, tmp_path / "cut.pt")
    assert cut.run_epoch(data, 2, Stopping()) == whole.run_epoch(data, 2, Stopping())
    cut.keep()
    again = Training(SMALL, 2, tmp_path / "cut.pt")
    again.run_epoch(data, 2, Stopping())
    whole.run_epoch(data, 2, Stopping())
    for one, other in zip(again.best.parameters(), whole.best.parameters(), strict=True):
        assert torch.equal(one, other)
    assert cut.run_epoch(data, 2, Stopping(15)) is None


def test_what_is_written_is_a_part_of_a_pack(tmp_path: Path) -> None:
    export(Detector(Shape()), PACK, tmp_path, {"middle_error": 0.02}, "0123456789abcdef")
    folder = tmp_path / "reflex"
    assert things_fault(folder / LABELS) == ""
    assert Things.read(folder / LABELS).middle_error == 0.02
    manifest = tomllib.loads((folder / "brick.toml").read_text())
    assert manifest["brick"]["reflex"]["files"]["detector"] == f"reflex/{GRAPH}"
    paths = [each["path"] for each in manifest["file"]]
    assert len(paths) == len(set(paths)) and all((tmp_path / path).is_file() for path in paths)


def test_a_detector_takes_the_place_of_an_earlier_one() -> None:
    part = reflex_part((PACK / "pack.toml").read_text())
    assert with_detector(with_detector(part)) == with_detector(part)


def test_cells_are_told_apart_by_their_numbers() -> None:
    cells, _ = Detector(SMALL)(torch.zeros(1, 64, 32))
    assert {key: part.shape[-1] for key, part in parts_of(cells, CELL_OUTPUTS).items()} == CELL_OUTPUTS


def test_thresholds_follow_what_is_right() -> None:
    sure, wrong = Checked("A.", 1.0, 1.0), Checked("B.", 1.0, 0.0)
    unsure = Checked("B.", 0.5, 0.1)
    answers = [Answered(True, sure, True)] * 200 + [Answered(False, wrong, True)] * 50
    answers += [Answered(False, unsure, False)] * 50
    chosen: dict[str, Any] = table(answers, "shapes")
    assert 0.1 < chosen["backs_from"] < 1.0 and 0.5 < chosen["corrects_from"] < 1.0
    assert 0.0 < chosen["doubts_below"] <= chosen["backs_from"]
    liar = [Answered(True, wrong, False)] * 200
    assert table(liar, "shapes")["corrects_from"] == 1.0
    beside = [Checked("A.", 0.9, share, "things", "A.") for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    told = [Answered(each.agrees > 0.6, each, False) for each in beside for _ in range(20)]
    settings = settings_of(answers, told)
    assert 0.5 < settings["things"]["beside_from"] < 0.8
    manifest = with_table("[brick.reflex.settings]\nanswered_share = 0.1\n", settings)
    assert tomllib.loads(manifest)["brick"]["reflex"]["settings"]["detection"] == settings
    assert with_table(manifest, settings) == manifest
