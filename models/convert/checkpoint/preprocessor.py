"""Reads how a checkpoint's pictures are prepared, from its preprocessor_config.json.

The classes of `transformers` that are known, and what they make of one picture without tiles:

    Idefics3, SmolVLM   long edge to `size.longest_edge`, then squashed to the square `max_image_size`
    SigLIP              squashed to the square `size`
    LLaVA-OneVision     the base tile: squashed to the square `size`
    SigLIP 2            NaFlex keeps the aspect ratio; this project's graph takes one square, so: squashed
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from models.convert.checkpoint.folder import ConvertError, read_json, reading
from models.convert.checkpoint.shapes import ModelShape
from models.pixels import FILTERS, Preparation

FILE = "preprocessor_config.json"
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "Idefics3": {"resample": 1, "size": {"longest_edge": 4 * 364}, "max_image_size": {"longest_edge": 364}},
    "SmolVLM": {"resample": 1, "size": {"longest_edge": 4 * 364}, "max_image_size": {"longest_edge": 364}},
    "Siglip": {"resample": 3, "size": {"height": 224, "width": 224}},
    "Siglip2": {"resample": 2},
    "LlavaOnevision": {
        "resample": 3, "size": {"height": 384, "width": 384},
        "image_mean": (0.48145466, 0.4578275, 0.40821073),
        "image_std": (0.26862954, 0.26130258, 0.27577711),
    },
}  # fmt: skip
"""Class -> what `transformers` takes for keys that the file does not have."""
_CLASSES: Mapping[str, tuple[str, ...]] = {
    "smolvlm": ("Idefics3", "SmolVLM"),
    "siglip": ("Siglip", "Siglip2"),
    "llava-onevision": ("LlavaOnevision",),
}
"""Kind of model -> its classes."""
_SUFFIXES = ("FeatureExtractor", "ImageProcessorFast", "ImageProcessorPil", "ImageProcessor")


def read_preparation(root: Path, shape: ModelShape) -> Preparation:
    """Raises ConvertError with one sentence for a file that is missing, and for what this project's vision
    brick does not do.
    """
    path, told = _stored(root)
    with reading(path):
        return _preparation(root, path, told, shape)


def _preparation(root: Path, path: Path, told: Mapping[str, Any], shape: ModelShape) -> Preparation:
    family = _family(told, path, shape)
    values = {**_DEFAULTS[family], **told}
    side = shape.vision.side
    if not values.get("do_resize", True):
        raise ConvertError(f"{path} says do_resize false; the encoder here takes one size of picture.")
    longest = 0
    if family in ("Idefics3", "SmolVLM"):
        _require_square(path, "max_image_size", values["max_image_size"], side)
        size = values["size"]
        longest = _number(path, "size", size.get("longest_edge")) if isinstance(size, Mapping) else 0
        if not 0 < longest <= 4096:
            raise ConvertError(f"{path} has the size {size}; a longest_edge of up to 4096 is converted.")
    elif family != "Siglip2":
        _require_square(path, "size", values["size"], side)
    if values.get("do_center_crop"):
        _require_square(path, "crop_size", values.get("crop_size", side), side)
    normalised = bool(values.get("do_normalize", True))
    rescale = _number(path, "rescale_factor", values.get("rescale_factor", 1 / 255), whole=False)
    mean = _channels(values.get("image_mean", 0.5)) if normalised else (0.0,) * 3
    std = _channels(values.get("image_std", 0.5)) if normalised else (1.0,) * 3
    if {len(mean), len(std)} != {3} or not all(std):
        raise ConvertError(f"{path} has no usable image_mean and image_std.")
    _require_tokens(root, shape)
    scale = rescale if values.get("do_rescale", True) else 1.0
    return Preparation(side, "squash", _filter(path, values["resample"]), longest, scale, mean, std)


def _stored(root: Path) -> tuple[Path, Mapping[str, Any]]:
    """The settings, also from where newer checkpoints have them, and their file."""
    both = root / "processor_config.json"
    if not (root / FILE).is_file() and both.is_file():
        inner = read_json(both, "says how pictures are prepared").get("image_processor")
        if isinstance(inner, dict):
            return both, inner
    return root / FILE, read_json(root / FILE, "says how pictures are prepared")


def _family(told: Mapping[str, Any], path: Path, shape: ModelShape) -> str:
    known = _CLASSES[shape.kind]
    name = str(told.get("image_processor_type") or told.get("feature_extractor_type") or "")
    if not name:
        return known[1] if shape.vision.flat_patches else known[0]
    family = next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), name)
    if family not in known:
        raise ConvertError(
            f"{path} names {name}; of a {shape.kind} model {' and '.join(known)} are converted."
        )
    return family


def _require_square(path: Path, key: str, told: Any, side: int) -> None:
    """Raises ConvertError where `told`, a size in any of the forms of `transformers`, is not that square."""
    sizes = told.values() if isinstance(told, Mapping) else told if isinstance(told, Sequence) else [told]
    wanted = ({"height", "width"}, {"longest_edge"}, {"shortest_edge"})
    keys_known = not isinstance(told, Mapping) or set(told) in wanted
    if not keys_known or {size for size in sizes if size is not None} != {side}:
        raise ConvertError(
            f"{path} has the {key} {told}, and the encoder in config.json takes {side} pixels."
        )


def _require_tokens(root: Path, shape: ModelShape) -> None:
    """Raises ConvertError where processor_config.json counts other rows per picture than config.json."""
    path = root / "processor_config.json"
    told = read_json(path, "counts a picture's rows") if path.is_file() else {}
    wanted = {"image_seq_len": shape.tokens, "num_image_tokens": shape.vision.grid**2}
    for key, rows in wanted.items():
        if told.get(key, rows) != rows:
            raise ConvertError(
                f"{path} has the {key} {told[key]}, and the shapes in config.json make {rows}."
            )


def _filter(path: Path, number: Any) -> str:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(FILTERS):
        raise ConvertError(f"{path} has the resample {number!r}, which is none of Pillow's filters.")
    return FILTERS[number]


def _number(path: Path, key: str, told: Any, *, whole: bool = True) -> Any:
    if isinstance(told, bool) or not isinstance(told, int if whole else int | float) or told <= 0:
        raise ConvertError(f"{path} has no usable {key}: {told!r}.")
    return told


def _channels(told: Any) -> tuple[float, ...]:
    try:
        return tuple(map(float, told)) if isinstance(told, Sequence) else (float(told),) * 3
    except (TypeError, ValueError):
        return ()
