"""Checks that a file has the format of its name, before the SHA-256 of an unknown file is recorded.

A server or a USB stick may have a web page, an error in JSON or a compressed body under the right name; once
its SHA-256 is recorded, no other file is accepted. Only headers and structure are read, not the weights.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from models.bricks.whisper_file import MAGIC as WHISPER_MAGIC
from models.bricks.whisper_file import WhisperFileError, check_whisper_file

LONGEST_JSON_BYTES = 64 << 20
_LONGEST_TEMPLATE_BYTES = 1 << 20
_MOST_ENTRIES = 1_000_000
"""More tensors or keys than any model has."""
_ONNX_FIELDS = {1: 0, 2: 2, 3: 2, 4: 2, 5: 0, 6: 2, 7: 2, 8: 2, 14: 2, 20: 2, 25: 2, 26: 2}
"""Wire type by field number of ONNX's ModelProto; 1 is the format's version, 7 the graph."""
_MODEL_JSON: dict[str, Mapping[str, type]] = {
    ".onnx.json": {"audio": dict, "phoneme_id_map": dict},
    "tokenizer.json": {"model": dict},
    "tokenizer_config.json": {"tokenizer_class": str},
    "chat_template.json": {"chat_template": str},
    "preprocessor_config.json": {"image_mean": list, "image_std": list},
    "processor_config.json": {"processor_class": str},
    "config.json": {"model_type": str},
}
"""Required keys and types of their values by name ending; the first match applies."""


class _Unfit(Exception):
    """The file is not of its format; the text ends the sentence "it is ..."."""


def format_fault(path: Path, name: str) -> str:
    """What the file at `path` is instead of a file named `name`, such as "a web page" or "no ONNX network";
    empty when the format is right. Raises OSError.
    """
    suffix = Path(name).suffix.lower()
    check = _CHECKS.get(suffix)
    if check is None:
        return f"of a kind ({suffix or 'no ending'}) that can't be told from another"
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(512)
        file.seek(0)
        try:
            _refuse_other_kinds(start)
            check(file, size, name)
        except _Unfit as unfit:
            return str(unfit)
        except (struct.error, ValueError, TypeError, LookupError, RecursionError):
            return f"no {_WORDS[suffix]}"
    return ""


def _refuse_other_kinds(start: bytes) -> None:
    """Raises _Unfit for what servers send instead of a file."""
    if start.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")):
        raise _Unfit("compressed")
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype html", b"<html", b"<?xml", b"<!--", b"<head", b"<body")):
        raise _Unfit("a web page")
    if text.startswith(b"version https://git-lfs"):
        raise _Unfit("a pointer to the file, of Git's large file storage")


def _onnx(file: IO[bytes], size: int, name: str) -> None:
    """Checks that the fields of the outermost message fill the file exactly."""
    seen: dict[int, int] = {}
    while file.tell() < size:
        key = _varint(file)
        field, kind = key >> 3, key & 7
        if _ONNX_FIELDS.get(field) != kind:
            raise ValueError(f"field {field} of wire type {kind}")
        value = _varint(file)
        if kind == 2:
            if value > size - file.tell():
                raise ValueError("a field is longer than the file")
            file.seek(value, os.SEEK_CUR)
        seen[field] = value
    if file.tell() != size or not 1 <= seen.get(1, 0) <= 100 or not seen.get(7):
        raise ValueError("no whole ModelProto")


def _varint(file: IO[bytes]) -> int:
    value = 0
    for shift in range(0, 64, 7):
        (byte,) = struct.unpack("<B", file.read(1))
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
    raise ValueError("no varint")


def _gguf(file: IO[bytes], size: int, name: str) -> None:
    magic, version, tensors, keys = struct.unpack("<4sIQQ", file.read(24))
    plausible = 0 < tensors < _MOST_ENTRIES and 0 < keys < _MOST_ENTRIES
    if magic != b"GGUF" or version not in (2, 3) or not plausible:
        raise ValueError("no GGUF")


def _safetensors(file: IO[bytes], size: int, name: str) -> None:
    (length,) = struct.unpack("<Q", file.read(8))
    if not 2 <= length <= min(size - 8, LONGEST_JSON_BYTES):
        raise ValueError("no header")
    header = json.loads(file.read(length))
    ends = [entry["data_offsets"][1] for key, entry in _object(header).items() if key != "__metadata__"]
    if not ends or max(ends) != size - 8 - length:
        raise ValueError("header and data do not fit")


def _bin(file: IO[bytes], size: int, name: str) -> None:
    """Whisper's format, or PyTorch's, which is a zip archive."""
    start = file.read(4)
    if start == b"PK\x03\x04" and zipfile.is_zipfile(file):
        return
    if start != struct.pack("<I", WHISPER_MAGIC):
        raise ValueError("neither")
    try:
        check_whisper_file(Path(file.name))
    except WhisperFileError as error:
        raise ValueError(str(error)) from error


def _rknn(file: IO[bytes], size: int, name: str) -> None:
    if file.read(4) != b"RKNN":
        raise ValueError("no RKNN")


def _json(file: IO[bytes], size: int, name: str) -> None:
    if size > LONGEST_JSON_BYTES:
        raise ValueError("too long")
    content = _object(json.loads(file.read().decode("utf-8")))
    wanted = next((keys for ending, keys in _MODEL_JSON.items() if name.endswith(ending)), None)
    lacking = [key for key, kind in (wanted or {}).items() if not isinstance(content.get(key), kind)]
    if "error" in content and (lacking or wanted is None):
        raise _Unfit("an error message in JSON")
    if lacking:
        raise _Unfit(f"JSON without {lacking[0]!r}")


def _jinja(file: IO[bytes], size: int, name: str) -> None:
    """Checks for a text with a tag in it; the conversion compiles the template."""
    if size > _LONGEST_TEMPLATE_BYTES:
        raise ValueError("too long")
    text = file.read().decode("utf-8")
    opened = re.search(r"{[{%]", text)
    if opened is None or not re.search(r"[}%]}", text[opened.end() :]):
        raise ValueError("no template")


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not value:
        raise ValueError("no object")
    return value


_CHECKS: dict[str, Callable[[IO[bytes], int, str], None]] = {
    ".onnx": _onnx, ".gguf": _gguf, ".safetensors": _safetensors, ".bin": _bin, ".rknn": _rknn,
    ".json": _json, ".jinja": _jinja,
}  # fmt: skip
_WORDS = {
    ".onnx": "ONNX network", ".gguf": "GGUF model", ".safetensors": "safetensors file",
    ".bin": "whisper.cpp model", ".rknn": "RKNN network", ".json": "JSON object", ".jinja": "template",
}  # fmt: skip
