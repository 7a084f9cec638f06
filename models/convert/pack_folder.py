"""Makes a pack of the converted files: writes the manifest, and copies recogniser and voice from another
pack.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.convert.checkpoint.shapes import ModelShape
from models.convert.prompt import Prompts
from models.convert.vision.chain_plan import ChainPlan
from models.convert.vision.npu import CHIPS
from models.pack.catalogue import load_pack, seal
from models.pack.manifest import Manifest
from models.pixels import Preparation

_TEXT_POSITIONS = 288
"""Positions of the decoder's context for everything but one picture."""
OTHER_BRICKS = ("stt", "tts")
"""Those that come from another pack."""
_ORDER = ("stt", "vision", "llm", "tts", "text")
"""Order of the bricks, in which those that stay in memory are loaded: what answers comes first."""
_TABLES = ("npu", "settings")
_PLACES = {
    "phrase": "a photo of {phrase}", "fits_from": 0.04, "about_as_well": 0.03,
    "chosen": "An estimate: with SigLIP's published weights others report cosines of 0.05 to 0.13 for what "
    "is in a picture, and about 0 for what is not.",
}  # fmt: skip
"""What the places of SigLIP's text encoder mean, the only one that is converted: its cosines are far smaller
than those that the settings' own defaults are for.
"""


@dataclass(frozen=True)
class PackParts:
    """Files of the new pack, by name in its folder.

    vision: the vision brick's files by key, one graph or a chain, which `plan` then describes; decoder: empty
    for none; text: the text brick's files by key, none without a text encoder; npu: the vision files for the
    NPU with the same keys, with the version of the runtime that they need; half: the graphs are in float16.
    """

    vision: Mapping[str, str]
    decoder: str = ""
    plan: ChainPlan | None = None
    text: Mapping[str, str] = field(default_factory=dict)
    npu: Mapping[str, str] = field(default_factory=dict)
    npu_version: str = ""
    half: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """Every file once."""
        tables = (self.vision, {"model": self.decoder} if self.decoder else {}, self.text, self.npu)
        return tuple(dict.fromkeys(path for table in tables for path in table.values()))


def write_pack(
    folder: Path,
    shape: ModelShape,
    parts: PackParts,
    *,
    name: str,
    description: str,
    licence: str,
    preparation: Preparation,
    prompts: Prompts | None,
    others: Manifest,
) -> None:
    """Write pack.toml with every file's size and SHA-256; copy the files for hearing and speaking of
    `others`.

    prompts: of the decoder, None without one. Raises PackError.
    """
    files = dict.fromkeys(parts.files, licence)
    bricks: dict[str, dict[str, Any]] = {}
    licences = {file.path: file.licence or others.licence for file in others.files}
    for brick in OTHER_BRICKS:
        table = dict(others.bricks[brick])
        for path in table["files"].values():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(others.root / path, target)
            files[path] = licences[path]
        bricks[brick] = table
    bricks["vision"] = _vision(folder, shape, parts, preparation)
    if parts.text:
        bricks["text"] = {
            "runtime": "onnxruntime-text", "placement": "cpu", "files": dict(parts.text),
            "memory_mib": _loading_mib(folder, parts.text, half=parts.half) + 60,
            "settings": _PLACES,
        }  # fmt: skip
    if shape.decoder is not None and prompts is not None:
        positions = min(shape.decoder.context, 256 * math.ceil((shape.tokens + _TEXT_POSITIONS) / 256))
        bricks["llm"] = {
            "runtime": "llama.cpp", "placement": "cpu",
            "memory_mib": _decoder_mib(folder / parts.decoder, shape, positions),
            "files": {"model": parts.decoder},
            "settings": {"n_ctx": positions, "n_batch": min(256, positions), **prompts.settings()},
        }  # fmt: skip
    head = {"name": name, "version": "1", "description": description, "licence": licence}
    text = "".join(f"{key} = {_toml(value)}\n" for key, value in head.items())
    for path, terms in files.items():
        text += f"\n[[file]]\npath = {_toml(path)}\nlicence = {_toml(terms)}\n"
    text += (
        "\n# Memory is what the shapes ask for; "
        "`python -m models.process.brick_cost FOLDER --declare` measures it.\n"
    )
    for brick in _ORDER:
        if brick in bricks:
            text += _table(brick, bricks[brick])
    (folder / "pack.toml").write_text(text, encoding="utf-8")
    seal(folder)
    load_pack(folder)


def vision_settings(preparation: Preparation) -> dict[str, Any]:
    """The settings of the vision brick that say how a picture is prepared."""
    return {
        "resize": preparation.resize, "filter": preparation.filter,
        "longest_edge_px": preparation.longest_edge_px, "rescale": preparation.rescale,
        "mean": list(preparation.mean), "std": list(preparation.std),
    }  # fmt: skip


def _vision(folder: Path, shape: ModelShape, parts: PackParts, preparation: Preparation) -> dict[str, Any]:
    """The table of the vision brick."""
    settings: dict[str, Any] = {"tokens": shape.tokens, "width": shape.projector.width}
    settings |= vision_settings(preparation)
    if parts.plan is not None:
        settings |= {
            "side_px": shape.vision.side, "groups": list(parts.plan.groups),
            "activation_tokens": shape.vision.grid**2, "activation_width": shape.vision.width,
        }  # fmt: skip
        if parts.plan.exits:
            untrained = [depth for depth in parts.plan.exits if depth < shape.vision.layers]
            settings |= {"embedding": shape.vision.width, "untrained_exits": untrained}
    table = {
        "runtime": "onnxruntime", "placement": "cpu", "files": dict(parts.vision), "settings": settings,
        "memory_mib": _loading_mib(folder, parts.vision, half=parts.half) + _working_mib(shape),
    }  # fmt: skip
    if parts.npu:
        key = "files" if parts.plan else "file"
        table["npu"] = {
            key: dict(parts.npu) if parts.plan else parts.npu["model"],
            "chips": list(CHIPS), "librknnrt": parts.npu_version, "side_px": shape.vision.side,
            "memory_mib": _loading_mib(folder, parts.npu) + _working_mib(shape),
        }  # fmt: skip
    return table


def _table(brick: str, values: Mapping[str, Any]) -> str:
    lines = [f"[brick.{brick}]"]
    lines += [f"{key} = {_toml(value)}" for key, value in values.items() if key not in _TABLES]
    for name in _TABLES:
        if values.get(name):
            lines += ["", f"[brick.{brick}.{name}]"]
            lines += [f"{key} = {_toml(value)}" for key, value in values[name].items()]
    return "\n".join(lines) + "\n\n"


def _toml(value: Any) -> str:
    """A string, number, list or inline table as TOML; strings are as in JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ", ".join(_toml(inner) for inner in value) + "]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _loading_mib(folder: Path, files: Mapping[str, str], *, half: bool = False) -> int:
    """Memory estimate: twice the files, for loading; three times in float16, which the processor's runtime
    widens to float32.
    """
    stored = sum((folder / path).stat().st_size for path in set(files.values()))
    return math.ceil((3 if half else 2) * stored / 2**20) + 20


def _working_mib(shape: ModelShape) -> int:
    """Memory estimate: the attention and hidden values of one layer."""
    vision = shape.vision
    rows = vision.grid**2
    working = 4 * (2 * vision.heads * rows * rows + rows * (6 * vision.width + 2 * vision.hidden))
    return math.ceil(working / 2**20)


def _decoder_mib(path: Path, shape: ModelShape, positions: int) -> int:
    """Memory estimate: weights, KV cache in float16, and the logits and rows of one batch."""
    decoder = shape.decoder
    assert decoder is not None
    kept = 2 * 2 * positions * decoder.layers * decoder.kv_heads * decoder.head_width
    working = 4 * 256 * (decoder.vocab // 8 + 4 * decoder.hidden)
    return math.ceil((path.stat().st_size + kept + working) / 2**20) + 30
