"""`just convert` refuses what it can't do in one sentence, before anything is written."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("gguf", reason="gguf is not installed")

from models.convert.__main__ import main
from models.convert.checkpoint.folder import ConvertError
from models.convert.vision import npu
from tests.models.convert.checkpoints import tensors, write_checkpoint, write_preprocessor, write_safetensors
from tests.models.convert.siglip_checkpoints import write_siglip


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))


def _write_what_is_refused(folder: Path) -> None:
    """A pack without recogniser and voice, and a picture for which Pillow raises SyntaxError."""
    (folder / "deaf").mkdir(parents=True)
    (folder / "deaf" / "pack.toml").write_text('name = "deaf"\nfile = []\n')
    (folder / "noise").mkdir()
    path = folder / "noise" / "noise.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (200, 200, 3), np.uint8)).save(path)
    head, _, tail = path.read_bytes().rpartition(b"IDAT")
    path.write_bytes(head + b"\xfb\x16\xc7\x94" + tail)


def test_a_weight_that_is_no_number_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The row of a token that no comparison reads."""
    root, found = write_checkpoint(tmp_path / "c", "smolvlm"), tensors("smolvlm")
    found["model.text_model.embed_tokens.weight"][17] = np.nan
    write_safetensors(root / "model.safetensors", found)
    assert main([str(root), str(tmp_path / "pack"), "--unchecked"]) == 2
    assert "text.embed_tokens.weight has values that are no finite numbers." in capsys.readouterr().err
    assert not (tmp_path / "pack").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--precision", "q5_k_m"], "isn't one of fp32, fp16, int8 and one of f32, f16"),
        (["--precision", "int8"], "calibrated with pictures"),
        (["--precision", "int8", "--calibration", "{tmp}/none"], "holds no pictures"),
        (["--precision", "int8", "--calibration", "{tmp}", "--pictures", "0"], "at least one"),
        (["--name", "a/b"], "can't be called 'a/b'"),
        (["--name", "micro"], "ships with the program"),
        (["--others", "nobody"], "There is no model pack 'nobody'"),
        (["--others", "standard"], "isn't here"),
        (["--others", "{tmp}/cache/deaf"], "Pack 'deaf' has no brick 'stt'; name one that has"),
        (["--licence", "mine\nalone"], "has characters that can't be shown; name it in one line"),
        (
            ["--precision", "int8", "--calibration", "{tmp}/cache/noise"],
            "noise.png can't be read as a picture",
        ),
    ],
)
def test_bad_wishes_are_refused_in_one_sentence(
    tmp_path: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture
):
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "smolvlm")
    _write_what_is_refused(tmp_path / "cache")
    given = [argument.replace("{tmp}", str(tmp_path)) for argument in arguments]
    assert main([str(checkpoint), str(tmp_path / "out"), "--unchecked", *given]) == 2
    error = capsys.readouterr().err
    assert sentence in error and len(error.strip().splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir() if "cache" not in path.name) == ["checkpoint"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["folder"],
            "Give a checkpoint's folder, and the one that its pack goes to: CHECKPOINT OUT; see",
        ),
        (["folder", "out", "--pictures", "x"], "Argument --pictures: invalid int value: 'x'"),
    ],
)
def test_bad_usage_is_one_sentence(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    error = capsys.readouterr().err
    assert ended.value.code == 2 and error.startswith(sentence) and error.count("\n") == 1


def test_bad_checkpoints_are_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture):
    def refused(checkpoint: Path) -> str:
        assert main([str(checkpoint), str(tmp_path / "out"), "--unchecked"]) == 2
        error = capsys.readouterr().err
        assert len(error.strip().splitlines()) == 1
        return error

    assert "There is no folder" in refused(tmp_path / "nowhere")
    folder = write_checkpoint(tmp_path / "checkpoint", "smolvlm")
    tokenizer = folder / "tokenizer.json"
    text = tokenizer.read_text()
    tokenizer.unlink()
    assert "has no tokenizer.json, which holds the vocabulary" in refused(folder)
    tokenizer.write_text(text.replace('"BPE"', '"Unigram"'))
    assert "is of kind 'Unigram'" in refused(folder)
    tokenizer.write_text(text)
    write_preprocessor(folder, "smolvlm", image_std=[0, 0, 0])
    assert "no usable image_mean" in refused(folder)
    (folder / "config.json").write_text("{")
    assert "config.json can't be read" in refused(folder)
    assert not (tmp_path / "out").exists()


SIGLIP = {"model_type": "siglip", "vision_config": {}, "text_config": {}}


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("smolvlm", "config.json", "[" * 100_000),
        ("smolvlm", "config.json", {"model_type": "smolvlm", "text_config": None}),
        ("smolvlm", "config.json", {"model_type": "smolvlm", "text_config": {"hidden_size": "x"}}),
        ("siglip", "config.json", SIGLIP | {"vision_config": [1]}),
        ("siglip", "config.json", SIGLIP | {"vision_config": {"patch_size": 0}}),
        ("siglip", "config.json", SIGLIP | {"vision_config": {"num_attention_heads": 0}}),
        ("siglip", "config.json", SIGLIP | {"text_config": {"vocab_size": 1e999}}),
        ("siglip", "config.json", SIGLIP | {"text_config": {"num_hidden_layers": float("nan")}}),
        ("siglip", "preprocessor_config.json", {"size": {"height": [1], "width": 56}}),
        ("siglip", "tokenizer.json", {"model": 7}),
        ("siglip", "tokenizer.json", {"added_tokens": 7}),
        ("siglip", "tokenizer.json", {"model": {"type": "Unigram", "vocab": [7]}}),
        ("siglip", "tokenizer.json", {"model": {"type": "Unigram", "vocab": [["a", 10**400]]}}),
        ("siglip", "tokenizer.json", {"model": {"type": "Unigram", "vocab": [["a", 1]], "unk_id": 1e999}}),
        ("smolvlm", "tokenizer.json", {"model": "BPE"}),
        ("smolvlm", "tokenizer.json", {"model": {"type": "BPE", "vocab": {"a": "b"}}}),
        ("smolvlm", "tokenizer.json", {"model": {"type": "BPE", "vocab": {}}, "added_tokens": [7]}),
        ("smolvlm", "model.safetensors.index.json", {"weight_map": 7}),
        ("smolvlm", "model.safetensors.index.json", {}),
        ("smolvlm", "model.safetensors", []),
        ("smolvlm", "model.safetensors", "[" * 100_000),
        ("smolvlm", "model.safetensors", {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0]}}),
        ("smolvlm", "model.safetensors", {"a": {"dtype": "F32", "shape": "x", "data_offsets": [0, 0]}}),
        ("smolvlm", "model.safetensors", {"a": {"dtype": "F32", "shape": [None], "data_offsets": [0, 0]}}),
        ("smolvlm", "model.safetensors", {"a": {"dtype": "F32", "shape": [-1], "data_offsets": [4, 0]}}),
    ],
)
def test_malformed_files_are_named_in_one_sentence(
    tmp_path: Path, kind: str, name: str, content: object, capsys: pytest.CaptureFixture
):
    folder = tmp_path / "checkpoint"
    write_siglip(folder) if kind == "siglip" else write_checkpoint(folder, kind)
    text = content if isinstance(content, str) else json.dumps(content)
    data = text.encode()
    header = struct.pack("<Q", len(data)) if name.endswith(".safetensors") else b""
    (folder / name).write_bytes(header + data)
    assert main([str(folder), str(tmp_path / "out"), "--dry-run"]) == 2
    error = capsys.readouterr().err
    assert name in error and len(error.strip().splitlines()) == 1, error


def test_a_full_disk_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "smolvlm")
    assert main([str(checkpoint), str(tmp_path / "out"), "--unchecked"]) == 2
    assert "has 1 MB free, and the conversion needs" in capsys.readouterr().err


def test_what_is_there_already_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture):
    (tmp_path / "out").mkdir()
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "smolvlm")
    assert main([str(checkpoint), str(tmp_path / "out"), "--unchecked"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_without_the_npu_toolkit_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.delenv(npu.PYTHON_VARIABLE, raising=False)
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "smolvlm")
    assert main([str(checkpoint), str(tmp_path / "out"), "--unchecked", "--rknn"]) == 2
    assert "install rknn-toolkit2==2.5.0" in capsys.readouterr().err
    monkeypatch.setenv(npu.PYTHON_VARIABLE, str(tmp_path / "no-python"))
    assert main([str(checkpoint), str(tmp_path / "out"), "--unchecked", "--rknn"]) == 2
    assert "can't be run" in capsys.readouterr().err


def test_what_the_npu_toolkit_leaves_behind_hides_no_fault(tmp_path: Path):
    toolkit = tmp_path / "python"
    toolkit.write_text("#!/bin/sh\nmkdir snapshot\ntouch snapshot/layer\necho no such layer >&2\nexit 1\n")
    toolkit.chmod(0o755)
    inputs = [np.zeros((1, 3, 4, 4), np.float32)]
    with pytest.raises(ConvertError, match=r"^rknn-toolkit2 failed: no such layer$"):
        npu.Toolkit(str(toolkit), "2.5.0").build(tmp_path / "a.onnx", tmp_path / "a.rknn", inputs)
    assert [path.name for path in tmp_path.iterdir()] == ["python"]
