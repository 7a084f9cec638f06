"""The training of the motion brick: neighbours, losses, disturbance and a step, with PyTorch."""

from __future__ import annotations

import argparse
import random
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from models.caution import Caution  # noqa: E402
from models.sensing.registration import turns_of  # noqa: E402
from models.train.motion import start  # noqa: E402
from models.train.motion.batches import batch_of, some_of, weights_of  # noqa: E402
from models.train.motion.disturbance import disturbed  # noqa: E402
from models.train.motion.export import add_choice, export  # noqa: E402
from models.train.motion.features import Encoded  # noqa: E402
from models.train.motion.guidance import Guides  # noqa: E402
from models.train.motion.model import Motion, neighbours  # noqa: E402
from models.train.motion.objective import answer_loss, logits_of  # noqa: E402
from models.train.motion.pictures import cells_of  # noqa: E402
from models.train.motion.shape import in_places  # noqa: E402
from models.train.motion.start import start_from  # noqa: E402
from models.train.motion.thresholds import Chosen  # noqa: E402
from models.train.motion.train import Training, shape  # noqa: E402
from models.train.motion.unit_part import Matching, Steadying  # noqa: E402
from models.train.motion.validation import answers, right  # noqa: E402
from models.train.world.clips.varied import varied_clip  # noqa: E402


def encoded(seed: int) -> Encoded:
    """A clip whose activations say which kind each cell shows."""
    clip = varied_clip(random.Random(seed), "train")
    kinds, moved = cells_of(clip)
    rows = np.random.default_rng(seed).normal(0, 0.1, (3, len(clip.views), 64, 128))
    for kind in range(13):
        rows[:, kinds == kind, kind] += 3
    turns = np.random.default_rng(seed + 1).uniform(-0.3, 0.3, (len(clip.views), 2, 3)).astype(np.float32)
    return Encoded(
        activations=rows.astype(np.float16),
        shifts=turns,
        times_s=np.array(clip.times_s, np.float32),
        event=clip.event,
        turned=clip.turned,
        questions=clip.questions,
        mix="known",
        kinds=kinds,
        moved=moved,
    )


CLIPS = [encoded(seed) for seed in range(12)]


def test_neighbours_stay_within_their_clip() -> None:
    assert neighbours([3, 2], -1).tolist() == [0, 0, 1, 3, 3]
    assert neighbours([3, 2], -2).tolist() == [0, 1, 0, 3, 4]
    assert neighbours([3, 2], 1).tolist() == [1, 2, 2, 4, 4]


def test_clips_in_a_batch_do_not_change_each_other() -> None:
    model = Motion(shape()).eval()
    with torch.no_grad():
        together = answers(model, CLIPS[:4], 1)
        alone = [each for clip in CLIPS[:4] for each in answers(model, [clip], 1)]
    for one, two in zip(together, alone, strict=True):
        finite = np.isfinite(one.logits)
        assert np.allclose(one.logits[finite], two.logits[finite], atol=1e-4)


def test_a_loss_without_smoothing_is_the_cross_entropy() -> None:
    logits = torch.tensor([[0.3, 1.2, float("-inf")], [2.0, float("-inf"), -1.0]])
    label = torch.tensor([1, 2])
    expected = torch.nn.functional.cross_entropy(logits, label)
    assert torch.allclose(answer_loss(logits, label, 0.0), expected)
    assert answer_loss(logits, label, 0.1).isfinite()


def test_disturbance_is_the_same_for_all_units_of_a_clip_but_for_noise_and_lost_cells(monkeypatch) -> None:
    monkeypatch.setattr("models.train.motion.disturbance.NOISY", 0.0)
    monkeypatch.setattr("models.train.motion.disturbance.LOST", 0.0)
    rows = [torch.randn(5, 64, 128) * (1 + each) + each for each in range(3)]
    changed = disturbed(rows, random.Random(1))
    assert any(not torch.equal(one, two) for one, two in zip(rows, changed, strict=True))
    for one, two in zip(rows, changed, strict=True):
        slope = (two[1] - two[0]) / (one[1] - one[0])
        assert torch.allclose(slope, slope.median(0).values.expand_as(slope), rtol=0.05, atol=1e-2)


def test_guides_lose_least_where_cells_say_what_is_there() -> None:
    model, guides = Motion(shape()), Guides(shape())
    batch = batch_of(CLIPS, 0, [clip.questions for clip in CLIPS])
    _, cells, scores = logits_of(model, batch, 0)
    with torch.no_grad():
        before = guides.loss(cells, scores, batch)
        told = torch.zeros_like(cells)
        told[..., :13] = torch.nn.functional.one_hot(batch.kinds, 13)
        guides.kind.weight[:] = 20 * torch.eye(13, cells.shape[3])
        looks = torch.zeros_like(scores)
        for look in (0, 1):
            asked = batch.question[:, 1 + look, None, None]
            looks[:, :, look] = 20 * (batch.kinds[batch.of_clip] == asked)
        assert guides.loss(told, looks, batch) < 0.6 * before


def test_training_learns_and_goes_on_where_it_was(tmp_path: Path) -> None:
    options = argparse.Namespace(
        seed=1, aggregation="order", start=None, rate=2e-3, name="", without=[], epochs=6, depth=None,
        only=None,
    )  # fmt: skip
    training = Training(options, tmp_path)
    losses = [training.epoch(CLIPS * 4, epoch) for epoch in range(6)]
    assert losses[-1] < 0.8 * losses[0]
    training.keep(6)
    again = Training(options, tmp_path)
    assert again.begun == 6
    one, two = (right(answers(each.best, CLIPS, 2)) for each in (training, again))
    assert one == two


def test_only_what_reads_one_depth_learns(tmp_path: Path) -> None:
    """For an eye whose earlier blocks are as before: what is said of their activations stays the same."""
    options = argparse.Namespace(
        seed=1, aggregation="order", start=None, rate=2e-3, name="", without=[], epochs=2, depth=None,
        only=12,
    )  # fmt: skip
    training = Training(options, tmp_path)
    before = {name: each.clone() for name, each in training.best.state_dict().items()}
    losses = [training.epoch(CLIPS * 4, epoch) for epoch in range(2)]
    assert losses[1] < losses[0]
    changed = {
        name for name, each in training.best.state_dict().items() if not torch.equal(each, before[name])
    }
    assert changed
    assert all(name.startswith("units.2.") for name in changed)


def test_a_brick_starts_from_that_of_a_pack(tmp_path: Path) -> None:
    """Same depths, same weights; only the calibration of the answers starts anew."""
    torch.manual_seed(5)
    model, other = Motion(shape()), Motion(shape())
    least: dict[Caution, dict[str, float]] = {each: {"moved": 0.5} for each in ("low", "normal", "high")}
    with torch.no_grad():
        for each in model.parameters():
            each.add_(0.01 * torch.randn_like(each))
    export(model, Chosen(2.0, least, 1, "So."), tmp_path)
    start_from(other, tmp_path)
    for name, each in model.state_dict().items():
        if name != "answer.temperature":
            assert torch.equal(each, other.state_dict()[name]), name
    add_choice(tmp_path, "{}", "")
    add_choice(tmp_path, "{}", "")
    with pytest.raises(ValueError, match="another eye"):
        add_choice(tmp_path, "{}", "0123456789abcdef")
    table = tomllib.loads((tmp_path / "motion" / "brick.toml").read_text())
    assert table["brick"]["motion"]["files"]["choice"] == "motion/choice.json"
    assert [file["path"] for file in table["file"]].count("motion/choice.json") == 1
    assert table["brick"]["motion"]["settings"]["least_high"] == {"moved": 0.5}


def test_a_state_that_began_with_another_brick_is_not_gone_on_with(tmp_path: Path) -> None:
    """Its name is the same: `--start` would count for nothing."""
    least: dict[Caution, dict[str, float]] = {each: {"moved": 0.5} for each in ("low", "normal", "high")}
    model = Motion(shape())
    with torch.no_grad():
        for each in model.parameters():
            each.add_(0.01 * torch.randn_like(each))
    export(model, Chosen(2.0, least, 1, "So."), tmp_path)
    options = argparse.Namespace(
        seed=1, aggregation="order", start=None, rate=2e-3, name="", without=[], epochs=6, depth=None,
        only=None,
    )  # fmt: skip
    Training(options, tmp_path).keep(1)
    options.start = tmp_path / "none"
    with pytest.raises(SystemExit, match="none has no motion brick that this training can begin with"):
        Training(options, tmp_path)
    options.start = tmp_path
    with pytest.raises(SystemExit, match=r"order-1\.pt is of a run that began with other weights"):
        Training(options, tmp_path)
    options.name = "on"
    Training(options, tmp_path).keep(1)
    assert Training(options, tmp_path).begun == 1


_NO_TURN = ("steady", "in_room")


@pytest.mark.parametrize("later", [_NO_TURN, ("matching", "came", *_NO_TURN)])
def test_a_brick_without_a_later_part_goes_on_as_it_was(
    later: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bricks up to version 19 knew no turn of the head, up to 14 compared no cells with those of others."""
    torch.manual_seed(6)
    model, other = Motion(shape()), Motion(shape())
    with torch.no_grad():
        for name, each in model.named_parameters():
            if not set(later) & set(name.split(".")):
                each.add_(0.01 * torch.randn_like(each))
    least: dict[Caution, dict[str, float]] = {each: {} for each in ("low", "normal", "high")}
    export(model, Chosen(1.0, least, 1, "So."), tmp_path)
    weights = start._weights

    def without(path: Path) -> dict[str, Any]:
        return {name: each for name, each in weights(path).items() if not set(later) & set(name.split("."))}

    monkeypatch.setattr(start, "_weights", without)
    start_from(other, tmp_path)
    units, shifts = [torch.randn(3, 64, 128) for _ in range(4)], torch.rand(3, 2, 3)
    cells = model.units[1](*units, shifts)
    assert torch.equal(cells, other.units[1](*units, shifts))
    asked = torch.zeros(1, 3), torch.rand(1, 3, 2), torch.tensor([[3, 2, 0]]), torch.ones(1, 3).bool()
    assert torch.equal(model.answer(cells[None], *asked), other.answer(cells[None], *asked))


def test_what_rests_in_the_room_leaves_nothing_once_the_turn_is_taken_out() -> None:
    """The other unit's cells lie one column further left; the picture came by as much."""
    steadying = Steadying(16, 8, measures=1)
    other = torch.randn(1, 8, 8, 16)
    now = other.roll(1, 2)
    came = torch.zeros(1, 64, Matching.GIVES)
    came[..., 1] = 2 / 7  # down, right, from -1 to 1

    def beside(right: float) -> Any:
        shift = torch.tensor([[right, 0.0, 1.0]])
        found = steadying.beside(now.reshape(1, 64, 16), other.reshape(1, 64, 16), shift, came)
        return found.reshape(8, 8, -1)

    steadied = beside(1 / 8)
    assert steadied[:, 1:, :16].abs().max() < 1e-5
    assert torch.allclose(steadied[..., 16], (torch.arange(8) > 0).float().expand(8, 8), atol=1e-5)
    assert steadied[..., 17:19].abs().max() < 1e-5  # no cell moved in the room
    assert beside(0.0)[:, 1:, :16].abs().mean() > 0.5


def test_where_things_are_in_the_room_does_not_hang_on_how_the_head_turns() -> None:
    """A thing at rest is seen further left when the picture came to the left; its place in the room stays."""
    turns = torch.from_numpy(turns_of(np.array([[[9, 9, 1]] * 2, [[-0.25, 0, 1]] * 2], np.float32)))
    assert turns.tolist() == [[0.0, 0.0], [-0.25, 0.0]]
    columns = torch.tensor([4.0, 2.0]) * 2 / 7 - 1
    room = columns - turns[:, 0] * in_places(8)
    assert room[0] == pytest.approx(float(room[1]), abs=1e-6)


def test_where_a_cells_content_came_from_is_found() -> None:
    """Cells whose contents lie one column further left in the other unit have moved right by a column."""
    matching = Matching(32, 8, measures=1, key_width=32)
    with torch.no_grad():
        for each in (matching.query, matching.key):
            each.weight.copy_(3 * torch.eye(32))
            each.bias.zero_()
        matching.nearness.fill_(-3.0)
    other = 3 * torch.nn.functional.normalize(torch.randn(1, 8, 8, 32), dim=3)
    now = other.roll(1, 2)
    found = matching(now.reshape(1, 64, 32), other.reshape(1, 64, 32)).reshape(8, 8, Matching.GIVES)
    column = 2 / 7
    assert torch.allclose(found[:, 1:, 1], torch.full((8, 7), column), atol=0.03)
    assert found[:, 1:, 0].abs().max() < 0.03


def test_rare_answers_are_asked_more_often() -> None:
    weights = weights_of(CLIPS)
    assert min(weights.values()) == 1.0
    assert all(some_of(clip, random.Random(1), weights) for clip in CLIPS)
