"""Reads a checkpoint folder in Hugging Face's layout: config.json, *.safetensors, tokenizer.json.

PyTorch is not needed: tensors are mapped from disk one at a time, as float32. Their names differ between
versions of `transformers`; here a tensor's name is `vision.`, `projector.` or `text.` and its name in that
part, for example `vision.encoder.layers.0.mlp.fc1.weight`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gguf.utility import LocalTensor, SafetensorsLocal
from numpy.typing import NDArray

_RENAMED = (
    (r"(?:vision_tower|vision_model)\.(?:vision_model\.)?", "vision."),
    (r"(?=embeddings\.|encoder\.|post_layernorm\.|head\.)", "vision."),
    (r"language_model\.lm_head\.|lm_head\.", "text.lm_head."),
    (r"language_model\.(?:model\.)?|text_model\.(?=embed_tokens|layers|norm)", "text."),
    (r"multi_modal_projector\.|connector\.modality_projection\.(?:proj\.)?", "projector."),
    (r"image_newline$", "projector.image_newline"),
)
_WIDTHS = {"F32": 4, "F16": 2, "BF16": 2}


class ConvertError(Exception):
    """A checkpoint that cannot be converted; the message is a sentence for the user."""


@contextlib.contextmanager
def reading(file: Path | str, fault: str = "can't be read") -> Iterator[None]:
    """Raises ConvertError naming the file where its contents have not the form that a reader expects."""
    try:
        yield
    except KeyError as error:
        raise ConvertError(f"{file} lacks {error}.") from error
    except (
        LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError
    ) as error:  # fmt: skip
        raise ConvertError(f"{file} {fault}: {error}.") from error


def our_name(name: str) -> str:
    """A tensor's name in this project; unchanged for a tensor that is not converted."""
    bare = name.removeprefix("model.")
    for pattern, prefix in _RENAMED:
        found = re.match(pattern, bare)
        if found:
            return prefix + bare[found.end() :]
    return name


class Checkpoint:
    """A checkpoint folder. config: the contents of config.json."""

    def __init__(self, root: Path) -> None:
        """Raises ConvertError for a folder without a checkpoint, and for a missing or truncated file."""
        self.root = root
        if not root.is_dir():
            raise ConvertError(f"There is no folder {root}.")
        self.config: Mapping[str, Any] = read_json(root / "config.json", "says which model it is")
        self._tensors: dict[str, LocalTensor] = {}
        for path in self._weight_files():
            with reading(path, "is no whole safetensors file"):
                self._tensors |= _tensors(path)

    def _weight_files(self) -> list[Path]:
        index = self.root / "model.safetensors.index.json"
        if index.is_file():
            with reading(index):
                parts = sorted(set(read_json(index, "lists the parts")["weight_map"].values()))
                paths = [self.root / part for part in parts]
        else:
            paths = [self.root / "model.safetensors"]
        for path in paths:
            if not path.is_file():
                raise ConvertError(f"{self.root} has no {path.name}, which holds the weights.")
        return paths

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def tensor(self, name: str, shape: tuple[int, ...] | None = None) -> NDArray[np.float32]:
        """A tensor as float32. Raises ConvertError for a missing tensor, another shape than `shape`, and
        values that are not finite.
        """
        found = self._tensors.get(name)
        if found is None:
            raise ConvertError(f"{self.root} lacks the tensor {name}, which its config.json asks for.")
        with reading(f"{self.root}: {name}"):
            return self._as_float32(name, found, shape)

    def _as_float32(
        self, name: str, found: LocalTensor, shape: tuple[int, ...] | None
    ) -> NDArray[np.float32]:
        if found.dtype not in _WIDTHS:
            raise ConvertError(f"{self.root}: {name} is of type {found.dtype}; F32, F16 and BF16 are read.")
        if shape is not None and tuple(found.shape) != shape:
            raise ConvertError(f"{self.root}: {name} has shape {found.shape}, and config.json means {shape}.")
        data = found.mmap_bytes()
        if data.size != _WIDTHS[found.dtype] * int(np.prod(found.shape)):
            raise ConvertError(f"{self.root}: {name} has {data.size} bytes for a shape of {found.shape}.")
        if found.dtype == "BF16":
            values = (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            values = data.view(np.float32 if found.dtype == "F32" else np.float16).astype(np.float32)
        if not np.isfinite(values).all():
            raise ConvertError(f"{self.root}: {name} has values that are no finite numbers.")
        return np.asarray(values).reshape(found.shape)

    def float32_bytes(self) -> int:
        """Size of all weights as float32."""
        return sum(4 * int(np.prod(tensor.shape)) for tensor in self._tensors.values())

    def licence(self) -> str:
        """The licence in the metadata of the model card, empty for none."""
        try:
            card = (self.root / "README.md").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""
        head = re.match(r"---\n(.*?)\n---", card, re.DOTALL)
        found = re.search(r"(?m)^license:\s*(\S+)", head.group(1)) if head else None
        return found.group(1).strip("\"'") if found else ""


def _tensors(path: Path) -> dict[str, LocalTensor]:
    """The tensors of a file by our names. Raises ConvertError."""
    try:
        tensors = SafetensorsLocal(path).tensors
    except OSError as error:
        raise ConvertError(f"{path} can't be read: {error}.") from error
    size = path.stat().st_size
    found = {}
    for name, tensor in tensors.items():
        if not all(isinstance(length, int) and length >= 0 for length in tensor.shape):
            raise ConvertError(f"{path}: {name} has no usable shape: {tensor.shape}.")
        if tensor.data_range.size < 0 or tensor.data_range.offset + tensor.data_range.size > size:
            raise ConvertError(f"{path} is cut short: it ends before {name} does.")
        found[our_name(name)] = tensor
    return found


def read_json(path: Path, purpose: str) -> dict[str, Any]:
    """An object from a JSON file. Raises ConvertError with the file's name and `purpose`."""
    try:
        with reading(path):
            data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConvertError(f"{path.parent} has no {path.name}, which {purpose}.") from error
    except OSError as error:
        raise ConvertError(f"{path} can't be read: {error}.") from error
    if not isinstance(data, dict):
        raise ConvertError(f"{path} holds no JSON object.")
    return data
