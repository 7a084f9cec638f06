"""`models.train.pack`: a whole pack from the folders of the trainings."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="onnx is not installed")

from models.convert.__main__ import main as convert
from models.pack.catalogue import load_pack
from models.pack.chain import identity
from models.pack.sha256 import sha256_of
from models.train import pack as train
from tests.eval.reflex.trial import write_random
from tests.host.memory.two_eyes import write_micro_with_two_eyes
from tests.models.bricks.chain_graphs import ChainShape, write_chain, write_text_tower
from tests.models.convert.siglip_checkpoints import write_siglip

SHAPE = ChainShape(groups=(1, 1, 1), exits=(1, 2, 3))


@pytest.fixture
def made(tmp_path: Path) -> dict[str, Path]:
    """Folders as the trainings write them."""
    folders = {name: tmp_path / name for name in ("recogniser", "eye", "voice", "out")}
    for folder in folders.values():
        folder.mkdir()
    (folders["eye"] / "vision").mkdir()
    write_chain(folders["eye"] / "vision", SHAPE)
    (folders["eye"] / "vision" / "whole.onnx").unlink()
    write_text_tower(folders["eye"], SHAPE)
    for path in (
        "eye/decoder.gguf",
        "eye/vit.onnx",
        "voice/voice.onnx",
        "voice/voice.onnx.json",
        "recogniser/stt.bin",
    ):
        (tmp_path / path).write_bytes(path.encode())
    return folders


def run(made: dict[str, Path]) -> int:
    return train.main([word for name, path in made.items() for word in (f"--{name}", str(path))])


def test_the_pack_is_whole_and_its_settings_are_those_of_the_graphs(made: dict[str, Path]) -> None:
    (made["recogniser"] / "stt.json").write_text('{"doubtful_below": 0.7}')
    levels = {"low": 0.25, "normal": 0.5, "high": 0.75}
    (made["eye"] / "caution.json").write_text(json.dumps({"caution": levels, "chosen": "On validation."}))
    assert run(made) == 0
    pack = load_pack(made["out"])
    eye = pack.bricks["vision"].options
    assert (eye["side_px"], eye["tokens"], eye["width"]) == (SHAPE.side_px, SHAPE.tokens, SHAPE.row_width)
    assert (eye["depth"], eye["embedding"], list(eye["groups"])) == (3, SHAPE.embedding, [1, 1, 1])
    assert pack.bricks["stt"].options["doubtful_below"] == 0.7
    assert pack.caution_levels == levels and pack.bricks["llm"].options["chosen"] == "On validation."
    assert set(pack.bricks) == {"stt", "vision", "text", "llm", "tts"}
    here = {path.relative_to(made["out"]).as_posix() for path in made["out"].rglob("*") if path.is_file()}
    assert here == {"pack.toml", *(file.path for file in pack.files)} and "vit.onnx" not in here


def reflex_for(
    folder: Path, encoder: str, rows: tuple[int, int] = (SHAPE.tokens, SHAPE.row_width), eye: str = "vision"
) -> Path:
    """Random reflex, in the form that its training exports, for the eye of that identity."""
    write_random(folder, tokens=rows[0], width=rows[1])
    manifest = folder / "reflex" / "brick.toml"
    said = manifest.read_text()
    files = tomllib.loads(said)["brick"]["reflex"]["files"].values()
    listed = "".join(f'[[file]]\npath = "{name}"\nlicence = "MIT"\n\n' for name in files)
    head, settings = said.split("tokens =")
    head += f'memory_mib = 40\n[brick.reflex.settings]\neye = "{eye}"\nencoder = "{encoder}"\n'
    manifest.write_text(f"{listed}{head}tokens ={settings}")
    return folder


def test_reflex_comes_into_the_pack_of_its_eye_only(
    made: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(made) == 0
    pieces = {path.stem: sha256_of(path) for path in (made["eye"] / "vision").iterdir()}
    encoder = identity("", "", pieces).strip()
    made["reflex"] = reflex_for(tmp_path / "reflex", encoder)
    assert run(made) == 0
    pack = load_pack(made["out"])
    assert pack.bricks["reflex"].options["encoder"] == encoder
    assert {file.path for file in pack.files} >= {"reflex/front.onnx", "reflex/layer_1.onnx"}
    made["reflex"] = reflex_for(tmp_path / "foreign", "0123456789abcdef")
    capsys.readouterr()
    assert run(made) == 2
    assert "another eye" in capsys.readouterr().err
    del made["reflex"]
    assert run(made) == 0
    assert "reflex" not in load_pack(made["out"]).bricks and not (made["out"] / "reflex/front.onnx").exists()


def test_reflex_alone_comes_into_a_pack_that_stays_otherwise(
    made: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(made) == 0
    out = made["out"]
    text = (out / "pack.toml").read_text().replace("\ntokens", "\nremember_depth = 2\ntokens", 1)
    (out / "pack.toml").write_text(text)
    before = {path: path.read_bytes() for path in out.rglob("*.*") if path.name != "pack.toml"}
    encoder = load_pack(out).bricks["vision"].options["encoder"].split()[-1]
    for layers in (3, 2):  # the second in place of the first
        folder = reflex_for(tmp_path / str(layers), encoder)
        capsys.readouterr()
        assert train.main(["--reflex", str(folder), "--out", str(out)]) == 0
        pack = load_pack(out)
        assert pack.bricks["reflex"].options["encoder"] == encoder
        assert pack.bricks["vision"].options["remember_depth"] == 2
        assert all(path.read_bytes() == data for path, data in before.items())
        assert [file.path for file in pack.files].count("reflex/front.onnx") == 1
    assert train.main(["--reflex", str(reflex_for(tmp_path / "foreign", "0" * 16)), "--out", str(out)]) == 2
    with pytest.raises(SystemExit):
        train.main(["--eye", str(out)])


def test_reflex_comes_into_a_pack_of_another_kind_of_eye(tmp_path: Path) -> None:
    """Converted, where all exits are one file; and where it reads the memory's own eye. The version stays."""
    converted = tmp_path / "converted"
    checkpoint = write_siglip(tmp_path / "checkpoint")
    assert convert([str(checkpoint), str(converted), "--unchecked", "--precision", "fp32"]) == 0
    for out, eye in ((converted, "vision"), (write_micro_with_two_eyes(tmp_path), "recall")):
        before = load_pack(out)
        options = before.bricks[eye].options
        rows = options["tokens"], options["width"]
        folder = reflex_for(tmp_path / eye, options["encoder"].split()[-1], rows, eye)
        assert train.main(["--reflex", str(folder), "--out", str(out)]) == 0
        pack = load_pack(out)
        assert pack.bricks["reflex"].options["eye"] == eye and pack.version == before.version


def test_what_only_the_earlier_pack_had_goes_and_nothing_else(made: dict[str, Path]) -> None:
    shipped = Path(__file__).parents[3] / "models" / "packs" / "micro"
    shutil.copytree(shipped, made["out"], dirs_exist_ok=True)
    earlier = {file.path for file in load_pack(made["out"]).files}
    (made["out"] / "notes.txt").write_text("mine")
    made["voice"] = made["out"]
    assert run(made) == 0
    files = {file.path for file in load_pack(made["out"]).files}
    gone = [path for path in earlier if not (made["out"] / path).exists()]
    assert set(gone) == earlier - files
    assert (made["out"] / "notes.txt").is_file()


def test_nothing_is_written_where_something_lacks_or_is_too_large(
    made: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(train, "MOST_MIB", 0)
    assert run(made) == 2
    monkeypatch.undo()
    (made["eye"] / "text.json").unlink()
    assert run(made) == 2
    assert list(made["out"].iterdir()) == []
    large, lacks = capsys.readouterr().err.splitlines()
    assert "more than 0" in large and "text.json" in lacks
