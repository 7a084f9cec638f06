"""Pictures changed where they are trained on, and blocks with more hidden units."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")

from pathlib import Path

import torch

from models.pack.catalogue import find_pack
from models.train.sight.data.pixel_augmentation import augmented
from models.train.sight.export.files import export
from models.train.sight.restored import restored
from models.train.sight.widened import hidden_units, widened


def _pictures(number: int) -> torch.Tensor:
    coarse = torch.randint(0, 256, (number, 3, 8, 8), generator=torch.Generator().manual_seed(5))
    whole = torch.nn.functional.interpolate(coarse.float(), scale_factor=24)
    return whole.to(torch.uint8).permute(0, 2, 3, 1).contiguous()


def _changes(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_most_pictures_change_and_none_becomes_another() -> None:
    pictures = _pictures(24)
    changed = augmented(pictures, _changes())
    assert changed.shape == pictures.shape
    assert changed.dtype == torch.uint8
    by = (changed.float() - pictures.float()).abs().mean((1, 2, 3))
    assert (by > 0.5).float().mean() > 0.7
    assert by.max() < 40


def test_a_flat_colour_keeps_its_hue() -> None:
    flat = torch.tensor([40, 90, 180], dtype=torch.uint8).expand(16, 192, 192, 3).contiguous()
    means = augmented(flat, _changes()).float().mean((1, 2))
    shares = means / means.sum(1, keepdim=True)
    assert torch.allclose(shares, torch.tensor([40.0, 90, 180]) / 310, atol=0.01)
    assert torch.allclose(means.sum(1), torch.tensor(310.0), rtol=0.08)


def test_the_frames_of_a_clip_change_alike() -> None:
    twice = _pictures(8).repeat_interleave(2, 0)
    changed = augmented(twice, _changes(), frames=2)
    assert torch.equal(changed[::2], changed[1::2])
    assert not torch.equal(augmented(twice, _changes())[::2], changed[::2])


def test_the_same_seed_changes_alike() -> None:
    assert torch.equal(augmented(_pictures(4), _changes()), augmented(_pictures(4), _changes()))


def test_more_hidden_units_change_nothing_at_first_and_are_read_again_from_a_pack(tmp_path: Path) -> None:
    model, words, text_words = restored(find_pack("micro"))
    before = hidden_units(model.state_dict(), "vit")
    pixels = torch.rand(1, 3, 192, 192, generator=_changes())
    with torch.no_grad():
        rows = model.eval().vit(pixels)
        states = model.decoder(rows, torch.arange(64)[None], torch.ones(1, 1, 64, 64) > 0, 0)[0]
        widened(model, [0] * 6 + [640] * 6, 640)
        assert hidden_units(model.state_dict(), "vit") == [*before[:6], *[640] * 6]
        assert torch.allclose(model.vit(pixels), rows, atol=1e-5)
        assert torch.allclose(
            model.decoder(rows, torch.arange(64)[None], torch.ones(1, 1, 64, 64) > 0, 0)[0], states, atol=1e-5
        )
        export(model, words, text_words, tmp_path)
        again, _, _ = restored(tmp_path)
        assert hidden_units(again.state_dict(), "decoder") == [640] * 6
        assert torch.allclose(again.eval().vit(pixels), rows, atol=1e-4)
