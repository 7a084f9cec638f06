"""Healing on a tiny eye: what each way changes, what stays valid, and how it comes into a pack."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch
from torch import Tensor, nn

from models.brick import Embed, Encode, Resume
from models.pack.catalogue import Pack, load_pack
from models.pack.chain import Chain, chain_of
from models.train.recall.heal import distil, low_rank, methods
from models.train.recall.heal.eye import Eye, read
from models.train.recall.heal.fit import Plan, fit
from models.train.recall.heal.healed_pack import write_healed
from models.train.recall.heal.methods import Views, taken, views_of
from models.train.recall.heal.own_pictures import WORTH, Healed, chosen, heal, nearest, plan_for, rows_moved
from models.train.recall.heal.refusal import CannotHeal
from models.train.recall.heal.trial import METHODS, measured, tried
from models.train.recall.views import loaded
from models.train.sight.vit import Block, Exit

SHIPPED = Path(__file__).parents[5] / "models" / "packs" / "micro"
PLAN = Plan(rank=2, epochs=6, batch=16, rate=2e-2)


def tiny(seed: int = 0) -> Eye:
    """Three blocks with exits that were never trained to agree."""
    torch.manual_seed(seed)
    blocks = [Block(16, 24, 2) for _ in range(3)]
    exits = {depth: Exit(16, 2, 8) for depth in (1, 2, 3)}
    return Eye(blocks, exits, nn.LayerNorm(16)).eval().requires_grad_(False)


def some(eye: Eye, views: int = 64, seed: int = 1) -> Views:
    torch.manual_seed(seed)
    return views_of(eye, torch.randn(views, 5, 16))


def weights(module: nn.Module) -> list[Tensor]:
    return [each.clone() for each in module.state_dict().values()]


def same(one: list[Tensor], other: list[Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_an_activation_that_was_stored_stays_valid_bit_for_bit() -> None:
    eye = tiny()
    training, validation = some(eye), some(eye, 32, 2)
    stored: dict[int, Tensor] = {}
    placed: dict[int, Tensor] = {}
    for stage in methods.progressive(eye, (training, validation), PLAN, 1):
        stored[stage.depth] = taken(eye, validation.stems, 0, stage.depth)
        placed[stage.depth] = methods.placed(eye, stored[stage.depth], stage.depth)
    assert list(stored) == [1, 2, 3]
    for depth, before in stored.items():
        assert torch.equal(taken(eye, validation.stems, 0, depth), before)
        assert torch.equal(methods.placed(eye, before, depth), placed[depth])
        onward = methods.placed(eye, taken(eye, before, depth, 3), 3)
        assert torch.equal(onward, methods.placed(eye, taken(eye, validation.stems, 0, 3), 3))


def test_each_stage_comes_nearer_to_full_depth_and_changes_only_its_own_blocks() -> None:
    eye = tiny()
    training, validation = some(eye), some(eye, 32, 2)
    before = [weights(block) for block in eye.blocks]
    losses = [methods.taken(eye, validation.stems, 0, depth) for depth in eye.depths]
    far = [float(distil.loss(eye.place(each, depth), validation.places))
           for each, depth in zip(losses, eye.depths, strict=True)]  # fmt: skip
    for number, stage in enumerate(methods.progressive(eye, (training, validation), PLAN, 1)):
        assert (stage.start, stage.depth) == (number, number + 1)
        changed = [not same(weights(block), old) for block, old in zip(eye.blocks, before, strict=True)]
        assert not any(changed[number + 1 :])
        if number < 2:
            assert changed[number] and stage.loss < 0.9 * far[number]


def test_exits_that_stay_as_they_are() -> None:
    eye = tiny()
    before = weights(eye.exits)
    list(methods.progressive(eye, (some(eye), some(eye, 32, 2)), PLAN, 1, with_heads=False))
    assert same(weights(eye.exits), before)


def test_exits_alone_change_nothing_else() -> None:
    eye = tiny()
    blocks, last = weights(eye.blocks), weights(eye.exits["3"])
    first = weights(eye.exits["1"])
    list(methods.heads(eye, (some(eye), some(eye, 32, 2)), PLAN, 1))
    assert same(weights(eye.blocks), blocks) and same(weights(eye.exits["3"]), last)
    assert not same(weights(eye.exits["1"]), first)


@pytest.mark.parametrize("method", METHODS)
def test_what_has_to_be_computed_again(method: str) -> None:
    eye = tiny()
    views = some(eye, 20, 3)
    found = measured(tried(eye, method, (some(eye), some(eye, 32, 2)), PLAN, 1), views.stems)
    assert found["places"].shape == found["onward"].shape == (3, 20, 8)
    again = {"per_exit": [1, 2, 0], "joint": [1, 2, 0]}.get(method, [0, 0, 0])
    assert found["recomputed"].tolist() == again
    exact = [bool(np.array_equal(each, found["places"][-1])) for each in found["onward"]]
    assert exact == [not each for each in again]


def test_a_change_is_nothing_at_first_and_is_merged_into_the_weights() -> None:
    eye = tiny()
    stems = some(eye).stems
    before, names = taken(eye, stems, 0, 3), list(eye.state_dict())
    parameters = low_rank.attach(eye.blocks, 2)
    assert len(parameters) == 3 * 4 * 2
    assert torch.equal(taken(eye, stems, 0, 3), before)
    for parameter in parameters:
        parameter.data.normal_(std=0.1)
    changed = taken(eye, stems, 0, 3)
    low_rank.merge(eye.blocks)
    assert list(eye.state_dict()) == names
    assert torch.allclose(taken(eye, stems, 0, 3), changed, atol=1e-5) and not torch.allclose(changed, before)


def test_a_training_that_makes_it_worse_changes_nothing() -> None:
    value = nn.Parameter(torch.zeros(1))

    def away(numbers: Tensor) -> Tensor:
        return (value - 1).square().sum()

    def held(numbers: Tensor) -> Tensor:
        return value.square().sum()

    assert fit([value], ((10, away), (10, held)), Plan(epochs=20, batch=4), 1) == 0.0
    assert float(value) == 0.0 and not value.requires_grad
    assert fit([value], ((10, away), (10, away)), Plan(epochs=40, batch=4, rate=0.1), 1) < 0.1


def test_few_pictures_are_seen_more_often() -> None:
    assert plan_for(100_000).epochs == Plan.epochs
    few = plan_for(32)
    assert few.epochs == 100 and few.patience == 25


def test_how_many_are_nearest_to_their_own_full_depth() -> None:
    eye = tiny()
    views = some(eye)
    shares = nearest(eye, views)
    assert list(shares) == [1, 2, 3] and shares[3] == 1.0 and shares[1] < 1.0
    assert rows_moved(eye, views) == 0.0


def test_the_blocks_are_changed_only_where_that_is_clearly_better() -> None:
    def one(blocks: bool, share: float) -> Healed:
        return Healed(tiny(), blocks, {1: 0.5, 2: 0.5, 3: 1.0}, {1: share, 2: share, 3: 0.9})

    exits = one(False, 0.6)
    assert exits.gain == pytest.approx(0.1)
    assert chosen([exits, one(True, 0.6 + WORTH / 2)]) is exits
    assert chosen([exits, one(True, 0.61 + WORTH)]).blocks
    assert chosen([exits]) is exits


@pytest.mark.parametrize("change", ["exits", "blocks"])
def test_an_eye_learns_from_encoded_pictures(monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    pack, chain, _ = shipped()
    eye = tiny()
    monkeypatch.setattr("models.train.recall.heal.own_pictures.read", lambda files, chain: eye.copied())
    stems = some(eye, 96).stems.numpy()
    healed = heal(pack, chain, (stems[:64], stems[64:]), change, 1)
    assert healed.blocks is (change == "blocks") and healed.gain > 0
    assert list(healed.after) == [1, 2, 3]
    assert same(weights(healed.eye.blocks), weights(eye.blocks)) is not healed.blocks


def shipped() -> tuple[Pack, Chain, Mapping[str, Path]]:
    pack = load_pack(SHIPPED)
    chain = chain_of(pack.bricks["vision"].options)
    assert chain is not None
    return pack, chain, {key: Path(pack.bricks["vision"].options[key]) for key in chain.keys}


def test_the_network_computes_what_the_pack_does() -> None:
    pack, chain, files = shipped()
    eye = read(files, chain)
    picture = np.random.default_rng(0).integers(0, 255, (224, 224, 3), dtype=np.uint8)
    with loaded(pack.bricks["vision"]) as brick:
        found = tuple(brick.execute(Encode((picture,), 0)))
        activations = torch.from_numpy(np.array(found[0].rows))[None]
        for depth in chain.exit_depths:
            found = tuple(brick.execute(Resume(found, depth)))
            (place,) = brick.execute(Embed(found))
            activations = taken(eye, activations, depth - 1, depth)
            largest = np.abs(found[0].rows).max()
            assert np.abs(activations[0].numpy() - found[0].rows).max() <= 1e-4 * largest
            assert np.abs(methods.placed(eye, activations, depth)[0].numpy() - place.vector).max() <= 1e-4


def test_graphs_of_another_form_are_refused(tmp_path: Path) -> None:
    _, chain, files = shipped()
    with pytest.raises(CannotHeal, match="not of the form"):
        read({**files, "group_01": files["exit_01"]}, chain)


def sums(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*")}


@pytest.mark.parametrize("blocks", [False, True])
def test_the_healed_pack_is_a_sealed_copy(tmp_path: Path, blocks: bool) -> None:
    before = tmp_path / "before"
    shutil.copytree(SHIPPED, before)
    pack, old = load_pack(before), sums(before)
    _, chain, files = shipped()
    eye = read(files, chain)
    eye.exits["1"].out.bias.data += 0.5  # type: ignore[union-attr, operator]
    if blocks:
        eye.blocks[0].out.weight.data *= 1.01  # type: ignore[union-attr, operator]
    made, left_out = write_healed(pack, chain, eye, tmp_path / "new", "It was healed.", blocks=blocks)
    assert sums(before) == old, "the pack itself is as it was"
    changed = {path for path, data in sums(tmp_path / "new").items() if data != old.get(path)}
    assert changed == {"pack.toml", "vision/exit_01.onnx"} | ({"vision/group_01.onnx"} if blocks else set())
    assert left_out == (["motion", "reflex"] if blocks else [])
    for reader in ("motion", "reflex"):
        assert (reader in made.bricks) is not blocks
        assert (tmp_path / "new" / reader).exists() is not blocks
    assert made.description.endswith("It was healed.")
    assert made.bricks["vision"].options["encoder"] != pack.bricks["vision"].options["encoder"]
    assert "remember_depth" not in made.bricks["vision"].options
    again = read({key: Path(made.bricks["vision"].options[key]) for key in chain.keys}, chain)
    for one, other in zip(weights(again), weights(eye), strict=True):
        assert torch.allclose(one, other, atol=1e-6)
