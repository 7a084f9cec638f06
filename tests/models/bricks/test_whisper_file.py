"""The speech model's file is validated before whisper.cpp, which crashes on some invalid files, reads it."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from models.bricks.whisper_file import (
    FLOAT16,
    WhisperFileError,
    WhisperHeader,
    check_whisper_file,
    expected_tensors,
)
from models.convert.recogniser.ggml import expand_vocabulary, read_tensors, write_whisper_file

MICRO = Path(__file__).parents[3] / "models" / "packs" / "micro" / "stt.bin"
HEADER = WhisperHeader(51864, 64, 16, 2, 1, 16, 16, 2, 1, 80, FLOAT16)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A valid model of 16 channels whose weights are zero."""
    path = tmp_path_factory.mktemp("whisper") / "tiny.bin"
    state = {name: np.zeros(shape, np.float32) for name, shape in expected_tensors(HEADER).items()}
    write_whisper_file(path, HEADER, np.zeros((80, 201), np.float32), [b"x"] * 50257, state)
    return path


def test_good_file_is_described(good: Path) -> None:
    found = check_whisper_file(good)
    assert found.header == HEADER
    assert found.tensors["decoder.token_embedding.weight"] == (51864, 16)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    shapes = expected_tensors(HEADER).items()
    state = {name: rng.standard_normal(shape).astype(np.float16).astype(np.float32) for name, shape in shapes}
    write_whisper_file(tmp_path / "m.bin", HEADER, np.zeros((80, 201), np.float32), [b"x"] * 50257, state)
    found = read_tensors(tmp_path / "m.bin")
    assert found.keys() == state.keys()
    assert all(np.array_equal(found[name], state[name]) for name in state)


def test_writer_refuses_a_missing_tensor(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        write_whisper_file(tmp_path / "m.bin", HEADER, np.zeros((80, 201), np.float32), [b"x"] * 50257, {})
    assert not (tmp_path / "m.bin").exists()


@pytest.mark.parametrize("precision", ["q8_0", "q5_1", "q5_0", "q4_0"])
def test_fewer_bits_are_written_as_the_library_reads_them(tmp_path: Path, precision: str) -> None:
    pytest.importorskip("gguf")
    from models.convert.recogniser.precision import requantise_whisper

    target, plain = tmp_path / "small.bin", tmp_path / "plain.bin"
    requantise_whisper(MICRO, target, precision)
    requantise_whisper(MICRO, plain, precision, as_float16=True)
    assert check_whisper_file(target).tensors == check_whisper_file(plain).tensors
    assert target.stat().st_size < 0.6 * MICRO.stat().st_size == 0.6 * plain.stat().st_size
    assert check_whisper_file(plain).header == check_whisper_file(MICRO).header
    again = tmp_path / "again.bin"
    requantise_whisper(target, again, "f16")
    assert again.read_bytes() == plain.read_bytes()
    data = bytearray(target.read_bytes())
    data[44:48] = struct.pack("<i", 1)
    target.write_bytes(data)
    with pytest.raises(WhisperFileError, match="precision"):
        check_whisper_file(target)


def test_bits_that_end_the_library_on_amx_tiles_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gguf")
    from models.brick import BrickError, Context
    from models.bricks import stt
    from models.convert.recogniser.precision import requantise_whisper

    requantise_whisper(MICRO, tmp_path / "small.bin", "q8_0")
    monkeypatch.setattr("_pywhispercpp.whisper_print_system_info", lambda: "AVX2 = 1 | AMX_INT8 = 1 |")
    with pytest.raises(BrickError, match="built with AMX"):
        stt.SpeechToText({"model": str(tmp_path / "small.bin")}, Context()).load()


def test_rows_that_are_no_whole_blocks_are_refused(good: Path, tmp_path: Path) -> None:
    with pytest.raises(WhisperFileError, match="whole number of blocks"):
        check_whisper_file(_changed(good, tmp_path, 44, struct.pack("<i", 2007)))


def test_unused_tokens_have_zero_rows() -> None:
    full = expand_vocabulary(np.ones((2, 4), np.float32), [3, 7], 10)
    assert full.sum() == 8 and full[3].all() and full[7].all()


def _changed(good: Path, tmp_path: Path, offset: int, value: bytes) -> Path:
    data = bytearray(good.read_bytes())
    data[offset : offset + len(value)] = value
    path = tmp_path / "changed.bin"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("offset", "value", "says"),
    [
        (0, b"RIFF", "no whisper.cpp model"),
        (4, struct.pack("<i", 1000), "vocabulary size"),
        (8, struct.pack("<i", -1), "impossible header"),
        (12, struct.pack("<i", 32), "impossible header"),
        (20, struct.pack("<i", 3), "lacks"),
        (44, struct.pack("<i", 0), "float16"),
        (48, struct.pack("<i", 81), "mel filter bank"),
        (56 + 4 * 80 * 201, struct.pack("<i", 60000), "vocabulary"),
        (60 + 4 * 80 * 201, struct.pack("<i", 2**30), "vocabulary"),
        (60 + 4 * 80 * 201 + 5 * 50257, struct.pack("<i", 9), "damaged"),
        (60 + 4 * 80 * 201 + 5 * 50257 + 8, struct.pack("<i", 1), "precision"),
    ],
)
def test_changed_bytes_are_refused(good: Path, tmp_path: Path, offset: int, value: bytes, says: str) -> None:
    with pytest.raises(WhisperFileError, match=says) as caught:
        check_whisper_file(_changed(good, tmp_path, offset, value))
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


@pytest.mark.parametrize("share", [0.0, 0.00001, 0.02, 0.1, 0.5, 0.9999])
def test_truncated_file_is_refused(good: Path, tmp_path: Path, share: float) -> None:
    data = good.read_bytes()
    path = tmp_path / "short.bin"
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(WhisperFileError):
        check_whisper_file(path)


def test_every_whole_tensor_is_needed(good: Path, tmp_path: Path) -> None:
    last = 12 + 4 + len("decoder.blocks.0.mlp.2.bias") + 16 * 4
    path = tmp_path / "one_less.bin"
    path.write_bytes(good.read_bytes()[:-last])
    with pytest.raises(WhisperFileError, match="lacks 1 tensors"):
        check_whisper_file(path)


def test_rubbish_at_the_end_is_refused(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.bin"
    path.write_bytes(good.read_bytes() + b"\0" * 40)
    with pytest.raises(WhisperFileError):
        check_whisper_file(path)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.bin", tmp_path):
        with pytest.raises(WhisperFileError, match="cannot be read"):
            check_whisper_file(path)
