"""Reads a checkpoint's tokenizer.json as the tokenizer of a GGUF file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf

from models.convert.checkpoint.folder import ConvertError, read_json, reading
from models.convert.gguf_file import Tokenizer

_TURN_ENDS = ("<|im_end|>", "<end_of_utterance>", "<|eot_id|>", "<|endoftext|>")
"""Usual names of the token that ends an answer, in order of preference."""


def read_vocabulary(root: Path, size: int) -> Tokenizer:
    """size: rows of the embedding matrix; further ids than the tokenizer's are added as unused tokens.

    Raises ConvertError for a tokenizer that is missing, of another kind, or larger than the embedding.
    """
    data = read_json(root / "tokenizer.json", "holds the vocabulary")
    with reading(root / "tokenizer.json"):
        return _tokenizer(root, data, size)


def _tokenizer(root: Path, data: Mapping[str, Any], size: int) -> Tokenizer:
    model = data.get("model") or {}
    if model.get("type", "BPE") != "BPE" or not isinstance(model.get("vocab"), dict):
        raise ConvertError(
            f"{root / 'tokenizer.json'} is of kind {model.get('type')!r}; byte-level BPE is converted."
        )
    tokens: dict[int, str] = {int(index): token for token, index in model["vocab"].items()}
    added = {int(entry["id"]): entry for entry in data.get("added_tokens") or ()}
    tokens.update({index: str(entry["content"]) for index, entry in added.items()})
    if tokens and max(tokens) >= size:
        raise ConvertError(
            f"{root / 'tokenizer.json'} has {max(tokens) + 1} tokens, and the embedding {size} rows."
        )
    types = []
    for index in range(size):
        if index not in tokens:
            types.append(gguf.TokenType.UNUSED)
        elif index in added:
            special = bool(added[index].get("special"))
            types.append(gguf.TokenType.CONTROL if special else gguf.TokenType.USER_DEFINED)
        else:
            types.append(gguf.TokenType.NORMAL)
    pairs = (pair if isinstance(pair, str) else " ".join(pair) for pair in model.get("merges") or ())
    names = tuple(tokens.get(index, f"[unused{index}]") for index in range(size))
    splitting = _splitting(data.get("pre_tokenizer") or {}, root)
    return Tokenizer(names, tuple(types), tuple(pairs), splitting, _end(root, tokens))


def _splitting(pre: Mapping[str, Any], root: Path) -> str:
    """llama.cpp's name for the pre-tokenizer: that of Qwen2, SmolLM2 or GPT-2."""
    text = json.dumps(pre)
    steps = {step.get("type") for step in pre.get("pretokenizers", [pre])}
    if "ByteLevel" not in steps:
        raise ConvertError(
            f"{root / 'tokenizer.json'} doesn't split text into bytes; that kind isn't converted."
        )
    if "Split" in steps:
        return "llama-bpe" if "{1,3}" in text else "qwen2"
    return "smollm" if "Digits" in steps else "gpt-2"


def _end(root: Path, tokens: Mapping[int, str]) -> int:
    """The id of the token that ends an answer, from generation_config.json or tokenizer_config.json, else by
    the first of the usual names.
    """
    ids = {token: index for index, token in tokens.items()}
    for name in ("generation_config.json", "tokenizer_config.json"):
        path = root / name
        data = read_json(path, "says what ends an answer") if path.is_file() else {}
        told = data.get("eos_token_id", data.get("eos_token"))
        told = told[0] if isinstance(told, list) and told else told
        told = told.get("content") if isinstance(told, dict) else told
        if isinstance(told, int) and told in tokens:
            return told
        if isinstance(told, str) and told in ids:
            return ids[told]
    return next((ids[token] for token in _TURN_ENDS if token in ids), -1)
