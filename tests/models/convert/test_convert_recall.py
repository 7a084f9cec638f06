"""`just convert SIGLIP OUT --name PACK`: the files of the memory's own eye of a pack that names them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("gguf", reason="gguf is not installed")

from models.convert.__main__ import main
from models.pack.catalogue import load_pack, seal
from tests.models.convert import siglip_checkpoints as siglip
from tests.models.convert.checkpoints import VISION, write_checkpoint

MADE = ("stem", "group_01", "group_02", "rows", "exit")
PACK = """name = "known"

[[file]]
path = "siglip/model.safetensors"

[[file]]
path = "known-vision.onnx"
made_from = ["siglip/model.safetensors"]

{files}
[brick.vision]
runtime = "onnxruntime"
memory_mib = 30
files = {{ model = "known-vision.onnx" }}

[brick.recall]
runtime = "onnxruntime"
memory_mib = 30
files = {{ stem = "recall/stem.onnx", group_01 = "recall/group_01.onnx", group_02 = "recall/group_02.onnx", \
rows = "recall/rows.onnx", exit_02 = "recall/exit.onnx" }}
[brick.recall.settings]
tokens = 16
width = {width}
side_px = 56
groups = [2, 3]
embedding = {width}
resize = "squash"
filter = "{filter}"
rescale = 0.00392156862745098
mean = [0.5, 0.5, 0.5]
std = [0.5, 0.5, 0.5]

[brick.text]
runtime = "onnxruntime-text"
memory_mib = 30
files = {{ model = "recall/text.onnx", words = "recall/text.json" }}
"""


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("models.convert.__main__.PACKS_FOLDER", tmp_path / "packs")
    (tmp_path / "packs" / "known").mkdir(parents=True)
    return tmp_path / "packs" / "known" / "pack.toml"


def pack_text(**values: object) -> str:
    paths = [*(f"recall/{piece}.onnx" for piece in MADE), "recall/text.onnx", "recall/text.json"]
    files = "".join(
        f'[[file]]\npath = "{path}"\nmade_from = ["siglip/model.safetensors"]\n\n' for path in paths
    )
    told = {"width": VISION["hidden_size"], "filter": "bilinear", **values}
    return PACK.format(files=files, **told)


def test_it_makes_the_files_of_the_second_eye_and_no_others(shipped: Path, tmp_path: Path) -> None:
    shipped.write_text(pack_text())
    checkpoint, out = siglip.write_siglip(tmp_path / "siglip"), tmp_path / "out"
    given = [str(checkpoint), str(out), "--name", "known", "--unchecked", "--precision", "fp32"]
    assert main(given) == 0
    made = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert made == {*(f"recall/{piece}.onnx" for piece in MADE), "recall/text.onnx", "recall/text.json"}
    (out / "known-vision.onnx").write_bytes((out / "recall/stem.onnx").read_bytes())
    (out / "siglip").mkdir()
    (out / "siglip/model.safetensors").write_bytes(b"it is converted")
    (out / "pack.toml").write_text(shipped.read_text())
    seal(out)
    eye = load_pack(out).bricks["recall"]
    assert (eye.options["depth"], eye.options["embedding"]) == (5, VISION["hidden_size"])


@pytest.mark.parametrize(
    ("values", "arguments", "sentence"),
    [
        ({"filter": "bicubic"}, [], "has filter = 'bicubic' in its pack.toml, and this checkpoint"),
        ({"width": 768}, [], "is for rows of 16 x 768, and this checkpoint makes 16 x"),
        ({}, ["--groups", "1"], "--groups and --exits don't go with pack 'known', which says how"),
    ],
)
def test_another_checkpoint_or_cut_than_the_pack_names_is_refused(
    shipped: Path,
    tmp_path: Path,
    values: dict[str, object],
    arguments: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shipped.write_text(pack_text(**values))
    checkpoint = siglip.write_siglip(tmp_path / "siglip")
    given = [str(checkpoint), str(tmp_path / "out"), "--name", "known", "--unchecked", *arguments]
    assert main(given) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1


def test_an_eye_with_a_decoder_is_not_taken_for_the_memorys(
    shipped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped.write_text(pack_text())
    checkpoint = write_checkpoint(tmp_path / "c", "smolvlm")
    assert main([str(checkpoint), str(tmp_path / "out"), "--name", "known", "--unchecked"]) == 2
    assert "is for rows of None x None, and this checkpoint makes" in capsys.readouterr().err
