"""Writes the tokenizer of a SigLIP checkpoint as the file that `models.bricks.subwords` reads.

Published SigLIP checkpoints have a unigram model of SentencePiece (`spiece.model` or `tokenizer.json`), those
of SigLIP 2 Gemma's byte-pair model (`tokenizer.json`). Sentences are prepared as in training: in lower case
and, for the unigram model, without punctuation.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from models.bricks.subwords import SPACE, Subwords
from models.convert.checkpoint.folder import ConvertError, read_json, reading

_SAMPLES = (
    "keys on the kitchen table", "A photo of my phone, left of the cup", "where are the 3 books?", "café",
    "umbrella", "7", "1024 keys, room 31337, 12:05 and 3.5", "  two  and   three    spaces  ",
    "tab\tand\nline end", "Zürich, Ærøskøbing, naïve señor", "Кириллица и ελληνικά", "日本語 中文", "",
)  # fmt: skip
"""Sentences that are compared with the original tokenizer: also digits, white space and other scripts."""
_NORMAL, _USER_DEFINED = 1, 4


def write_tokenizer(root: Path, vocab: int, length: int, target: Path, pad: int = 1) -> None:
    """vocab: rows of the text encoder's table; length: of its input, in tokens; pad: id that fills up the
    input if the tokenizer names none.

    Raises ConvertError for a tokenizer that is missing, of another kind, or larger than the table.
    """
    table = {"length": length, **read_tokenizer(root, pad)}
    if len(table["pieces"]) > vocab:
        raise ConvertError(
            f"The tokenizer in {root} has {len(table['pieces'])} tokens, and the text encoder {vocab} rows."
        )
    target.write_text(json.dumps(table, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def check_tokenizer(root: Path, path: Path) -> bool:
    """Whether sample sentences were compared with the checkpoint's tokenizer.json, by its authors' library.
    Raises ConvertError where they are split otherwise.
    """
    stored = root / "tokenizer.json"
    if not stored.is_file():
        return False
    from tokenizers import Tokenizer

    try:
        theirs = Tokenizer.from_file(str(stored))
    except Exception as error:  # the library raises no other class
        raise ConvertError(f"{stored} can't be read: {error}.") from error
    ours = Subwords(json.loads(path.read_text(encoding="utf-8")))
    prepared = {sample: ours.prepared(sample) for sample in _SAMPLES}
    original = {
        sample: theirs.encode(text, add_special_tokens=False).ids for sample, text in prepared.items()
    }
    wrong = [sample for sample in _SAMPLES if ours.split(prepared[sample]) != original[sample]]
    if wrong:
        first = wrong[0]
        raise ConvertError(
            f"The pack's tokenizer splits {len(wrong)} of {len(_SAMPLES)} sentences otherwise than "
            f"tokenizer.json does, and may split none so; the first is {first!r}: "
            f"{ours.split(prepared[first])}, {original[first]}."
        )
    return True


def read_tokenizer(root: Path, pad: int = 1) -> dict[str, Any]:
    """The tokenizer of a checkpoint as `models.bricks.subwords` takes it. Raises ConvertError."""
    told = root / "tokenizer_config.json"
    names = read_json(told, "names the special tokens") if told.is_file() else {}
    stored, spiece = root / "tokenizer.json", root / "spiece.model"
    if stored.is_file():
        data = read_json(stored, "holds the vocabulary")
        with reading(stored):
            table = _from_json(data, stored)
            specials = {str(each["content"]): int(each["id"]) for each in data.get("added_tokens") or ()}
    elif spiece.is_file():
        table, specials = _from_spiece(spiece)
    else:
        raise ConvertError(
            f"{root} has neither tokenizer.json nor spiece.model, by which the text encoder's sentences are "
            "split."
        )
    ids = {piece: index for index, piece in enumerate(table["pieces"]) if piece} | specials
    unigram = table["kind"] == "unigram"
    end = _named(names, "eos_token", ids, "</s>" if unigram else "<eos>")
    begin = _named(names, "bos_token", ids, "<bos>") if names.get("add_bos_token") else -1
    blank = _named(names, "pad_token", ids, "</s>" if unigram else "<pad>")
    table |= {
        "begin": [begin] * (begin >= 0),
        "end": [end] * (end >= 0 and bool(names.get("add_eos_token", True))),
        "pad": blank if blank >= 0 else pad, "lower": bool(names.get("do_lower_case", True)),
        "no_punctuation": unigram, "prefix": unigram,
    }  # fmt: skip
    return table


def _named(names: Mapping[str, Any], key: str, ids: Mapping[str, int], usual: str) -> int:
    """The id of a special token, -1 for none."""
    told = names.get(key, usual)
    token = told.get("content", usual) if isinstance(told, Mapping) else told
    return ids.get(str(token), -1)


def _from_json(data: Mapping[str, Any], path: Path) -> dict[str, Any]:
    model = data.get("model") or {}
    kind = model.get("type", "BPE")
    special = {int(each["id"]) for each in data.get("added_tokens") or () if each.get("special")}
    if kind == "Unigram" and isinstance(model.get("vocab"), list):
        pieces = ["" if index in special else str(piece) for index, (piece, _) in enumerate(model["vocab"])]
        scores = [float(score) for _, score in model["vocab"]]
        unknown = model.get("unk_id")
        return {"kind": "unigram", "pieces": pieces, "scores": scores,
                "unknown": -1 if unknown is None else int(unknown)}  # fmt: skip
    if kind != "BPE" or not isinstance(model.get("vocab"), dict) or not model.get("byte_fallback"):
        raise ConvertError(
            f"{path} is of kind {kind!r}; SentencePiece's unigram models are converted, and byte-pair models "
            "that spell unknown text in bytes."
        )
    tokens = {int(index): str(piece) for piece, index in model["vocab"].items()}
    known = [tokens.get(index, "") for index in range(max(tokens) + 1)]
    return {"kind": "bpe", "pieces": known, "scores": _ranks(known, model.get("merges") or ()),
            "unknown": model["vocab"].get(model.get("unk_token"), -1)}  # fmt: skip


def _ranks(pieces: Sequence[str], merges: Sequence[Any]) -> list[int]:
    """By id, the place of the first merge that makes the piece; -1 for none."""
    first: dict[str, int] = {}
    for merge in merges:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        first.setdefault(f"{left}{right}", len(first))
    return [first.get(piece, -1) for piece in pieces]


def _from_spiece(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """A unigram model in SentencePiece's own format, a protobuf message; and its special tokens' ids."""
    pieces: list[str] = []
    scores: list[float] = []
    specials: dict[str, int] = {}
    unknown, kind = -1, 1
    try:
        for number, value in _fields(path.read_bytes()):
            if number == 1:
                entry = dict(_fields(value))
                text = entry[1].decode("utf-8")
                role = entry.get(3, _NORMAL)
                if role not in (_NORMAL, _USER_DEFINED):
                    specials[text] = len(pieces)
                    unknown = len(pieces) if role == 2 else unknown
                pieces.append(text if role in (_NORMAL, _USER_DEFINED) else "")
                scores.append(struct.unpack("<f", entry[2])[0] if 2 in entry else 0.0)
            elif number == 2:
                kind = dict(_fields(value)).get(3, 1)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
        raise ConvertError(f"{path} can't be read as a model of SentencePiece: {error}.") from error
    if kind != 1 or not pieces or not any(piece.startswith(SPACE) for piece in pieces):
        raise ConvertError(f"{path} is no unigram model of SentencePiece.")
    return {"kind": "unigram", "pieces": pieces, "scores": scores, "unknown": unknown}, specials


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a protobuf message: numbers as int, everything else as bytes."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
            continue
        size = {1: 8, 5: 4}.get(tag & 7) or number()
        if tag & 7 not in (1, 2, 5) or at + size > len(data):
            raise ValueError("it is damaged")
        yield tag >> 3, data[at : at + size]
        at += size
