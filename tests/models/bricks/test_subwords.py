"""Splitting sentences as SentencePiece does."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf", reason="gguf is not installed")

from models.bricks.subwords import SPACE, Subwords
from models.convert.checkpoint.folder import ConvertError
from models.convert.text.tokenizer import write_tokenizer
from tests.models.convert.siglip_checkpoints import PIECES, write_unigram


def read(path: Path) -> Subwords:
    return Subwords(json.loads(path.read_text()))


def unigram(tmp_path: Path, length: int = 12) -> Subwords:
    write_unigram(tmp_path)
    write_tokenizer(tmp_path, 60, length, tmp_path / "text.json")
    return read(tmp_path / "text.json")


def texts(subwords: Subwords, sentence: str) -> list[str]:
    return [PIECES[index][0] for index in subwords.ids(sentence)]


def test_the_most_probable_split_is_taken(tmp_path: Path):
    words = unigram(tmp_path)
    assert texts(words, "the keys on table") == [
        f"{SPACE}the", f"{SPACE}keys", f"{SPACE}on", f"{SPACE}table", "</s>",
    ]  # fmt: skip
    assert texts(words, "the key on the") == [
        f"{SPACE}the",
        f"{SPACE}key",
        f"{SPACE}on",
        f"{SPACE}the",
        "</s>",
    ]


def test_capitals_and_punctuation_are_left_out_as_in_training(tmp_path: Path):
    words = unigram(tmp_path)
    assert words.ids("  The KEYS, on...  the table? ") == words.ids("the keys on the table")
    assert words.ids("") == [1]


def test_what_no_piece_covers_is_one_unknown_token(tmp_path: Path):
    assert texts(unigram(tmp_path), "the qqq") == [f"{SPACE}the", SPACE, "<unk>", "</s>"]


def test_a_sentence_is_padded_or_cut_with_its_end(tmp_path: Path):
    assert unigram(tmp_path, 5).numbers("the").tolist() == [[4, 1, 1, 1, 1]]
    assert unigram(tmp_path, 3).numbers("the the the the").tolist() == [[4, 4, 1]]


def gemma(tmp_path: Path) -> Subwords:
    """A byte-pair model that spells unknown text in bytes."""
    pieces = ["<pad>", "<eos>", "<bos>", "<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    letters = [SPACE, *"abklet"]
    merged = ["ta", "bl", "tabl", "table", f"{SPACE}table"]
    merges = ["t a", "b l", "ta bl", "tabl e", f"{SPACE} table"]
    vocab = {piece: index for index, piece in enumerate([*pieces, *letters, *merged])}
    model = {"type": "BPE", "vocab": vocab, "merges": merges, "byte_fallback": True, "unk_token": "<unk>"}
    special = [{"id": index, "content": pieces[index], "special": True} for index in range(4)]
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": model, "added_tokens": special}))
    told = {"eos_token": "<eos>", "pad_token": "<pad>", "bos_token": "<bos>", "add_bos_token": False}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(told))
    write_tokenizer(tmp_path, 300, 4, tmp_path / "text.json")
    return read(tmp_path / "text.json")


def test_neighbours_are_merged_in_the_order_of_the_model(tmp_path: Path):
    words, end = gemma(tmp_path), 1
    table = 260 + 7 + 3
    assert words.ids("Table table") == [table, table + 1, end]
    assert words.ids("é") == [4 + 0xC3, 4 + 0xA9, end]
    assert words.numbers("table").tolist() == [[table, end, 0, 0]]


def piece(text: str, score: float, role: int) -> bytes:
    data = text.encode()
    entry = b"\x0a" + bytes([len(data)]) + data + b"\x15" + struct.pack("<f", score)
    entry += b"\x18" + bytes([role])
    return b"\x0a" + bytes([len(entry)]) + entry


def test_a_model_in_sentencepieces_own_format_is_the_same(tmp_path: Path):
    direct = unigram(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    roles = {"<pad>": 3, "</s>": 3, "<unk>": 2}
    data = b"".join(piece(text, score, roles.get(text, 1)) for text, score in PIECES)
    (tmp_path / "spiece.model").write_bytes(data + b"\x12\x02\x18\x01")
    write_tokenizer(tmp_path, 60, 12, tmp_path / "spiece.json")
    other = read(tmp_path / "spiece.json")
    for sentence in ("the keys on the table", "qq keys", "tablets, on", ""):
        assert np.array_equal(other.numbers(sentence), direct.numbers(sentence))
    (tmp_path / "spiece.model").write_bytes(data[:-3])
    with pytest.raises(ConvertError, match=r"spiece\.model can't be read"):
        write_tokenizer(tmp_path, 60, 12, tmp_path / "x.json")


def test_a_tokenizer_that_does_not_fit_is_refused_in_one_sentence(tmp_path: Path):
    write_unigram(tmp_path)
    with pytest.raises(ConvertError, match="has 19 tokens, and the text encoder 5 rows"):
        write_tokenizer(tmp_path, 5, 12, tmp_path / "x.json")
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "WordPiece", "vocab": {}}}')
    with pytest.raises(ConvertError, match="is of kind 'WordPiece'"):
        write_tokenizer(tmp_path, 60, 12, tmp_path / "x.json")
