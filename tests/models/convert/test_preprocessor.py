"""The preparation of pictures is read from a checkpoint's own files, and what can't be done is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

pytest.importorskip("gguf", reason="gguf is not installed")

from models.convert.checkpoint.folder import ConvertError
from models.convert.checkpoint.preprocessor import read_preparation
from models.convert.checkpoint.shapes import model_shape
from models.convert.vision.precision import pictures
from models.pixels import Preparation
from tests.models.convert import siglip_checkpoints as siglip
from tests.models.convert.checkpoints import config, write_preprocessor

HALVES = (0.5, 0.5, 0.5)


def read(root: Path, kind: str, **changed: Any) -> Preparation:
    write_preprocessor(root, kind, **changed)
    told = siglip.config(naflex=kind == "siglip2") if kind.startswith("siglip") else config(kind)
    return read_preparation(root, model_shape(told))


@pytest.mark.parametrize(
    ("kind", "name", "edge"),
    [
        ("smolvlm", "lanczos", 224),
        ("llava-onevision", "bicubic", 0),
        ("siglip", "bilinear", 0),
        ("siglip2", "bilinear", 0),
    ],
)
def test_each_kind_is_squashed_as_its_file_says(tmp_path: Path, kind: str, name: str, edge: int):
    assert read(tmp_path, kind) == Preparation(56, "squash", name, edge, 1 / 255, HALVES, HALVES)


def test_every_key_is_obeyed(tmp_path: Path):
    changed = read(
        tmp_path, "siglip", resample=5, rescale_factor=0.25, image_mean=[0.1, 0.2, 0.3], image_std=0.7,
        do_center_crop=True, crop_size={"height": 56, "width": 56},
    )  # fmt: skip
    assert changed == Preparation(56, "squash", "hamming", 0, 0.25, (0.1, 0.2, 0.3), (0.7, 0.7, 0.7))
    assert read(tmp_path, "siglip", do_rescale=False).rescale == 1.0
    plain = read(tmp_path, "siglip", do_normalize=False)
    assert (plain.mean, plain.std) == ((0.0,) * 3, (1.0,) * 3)
    assert read(tmp_path, "smolvlm", size={"longest_edge": 91}).longest_edge_px == 91


def test_newer_checkpoints_have_it_in_processor_config(tmp_path: Path):
    usual = read(tmp_path, "smolvlm")
    inner = json.loads((tmp_path / "preprocessor_config.json").read_text())
    (tmp_path / "preprocessor_config.json").unlink()
    shape = model_shape(config("smolvlm"))
    (tmp_path / "processor_config.json").write_text(
        json.dumps({"image_processor": inner, "image_seq_len": 4})
    )
    assert read_preparation(tmp_path, shape) == usual
    (tmp_path / "processor_config.json").write_text(
        json.dumps({"image_processor": inner, "image_seq_len": 64})
    )
    with pytest.raises(ConvertError, match=r"image_seq_len 64, and the shapes in config\.json make 4"):
        read_preparation(tmp_path, shape)


@pytest.mark.parametrize(
    ("kind", "changed", "sentence"),
    [
        ("smolvlm", {"do_resize": False}, "do_resize false"),
        ("smolvlm", {"max_image_size": {"longest_edge": 364}}, "takes 56 pixels"),
        ("smolvlm", {"size": {"longest_edge": 9000}}, "longest_edge of up to 4096"),
        ("smolvlm", {"size": {"height": 56, "width": 56}}, "no usable size"),
        ("siglip", {"size": {"height": 56, "width": 64}}, "takes 56 pixels"),
        ("siglip", {"size": {"max_pixels": 56}}, "takes 56 pixels"),
        ("siglip", {"do_center_crop": True, "crop_size": 50}, "crop_size 50"),
        ("siglip", {"resample": 9}, "none of Pillow's filters"),
        ("siglip", {"resample": "bicubic"}, "none of Pillow's filters"),
        ("siglip", {"rescale_factor": -1}, "no usable rescale_factor"),
        ("siglip", {"image_std": [0, 1, 1]}, "no usable image_mean and image_std"),
        ("siglip", {"image_mean": "grey"}, "no usable image_mean and image_std"),
        ("siglip", {"image_processor_type": "CLIPImageProcessor"}, "names CLIPImageProcessor"),
    ],
)
def test_what_is_not_done_here_is_refused_in_one_sentence(
    tmp_path: Path, kind: str, changed: dict[str, Any], sentence: str
):
    with pytest.raises(ConvertError, match=sentence) as caught:
        read(tmp_path, kind, **changed)
    assert "\n" not in str(caught.value)


def test_pictures_to_calibrate_with_are_upright_and_read_one_by_one(tmp_path: Path):
    """All of a phone's at once would take more memory than the model."""
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (60, 40)).save(tmp_path / "1.jpg", exif=exif)
    (tmp_path / "2.jpg").write_bytes(b"no picture")
    found = iter(pictures(tmp_path, 2))
    assert next(found).shape == (60, 40, 3)
    with pytest.raises(ConvertError, match=r"2\.jpg can't be read as a picture"):
        next(found)


def test_a_checkpoint_that_does_not_say_is_no_guess(tmp_path: Path):
    with pytest.raises(ConvertError, match=r"no preprocessor_config\.json, which says how"):
        read_preparation(tmp_path, model_shape(config("smolvlm")))
