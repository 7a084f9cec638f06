"""The sizes of encoder, projector and decoder, from a checkpoint's config.json."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from models.convert.checkpoint.folder import ConvertError, reading

KINDS = {
    "siglip": "siglip",
    "siglip2": "siglip",
    "siglip_vision_model": "siglip",
    "siglip2_vision_model": "siglip",
    "llava_onevision": "llava-onevision",
    "smolvlm": "smolvlm",
    "idefics3": "smolvlm",
}
"""Model types that can be converted, by `model_type`. `siglip` has no decoder. Checkpoints of SigLIP 2 with
fixed resolution are stored as `siglip`; `siglip2` takes any aspect ratio (NaFlex) and is converted for one
square.
"""
_VISION_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "siglip_vision_model": {
        "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
        "image_size": 224, "patch_size": 16,
    },
    "smolvlm": {
        "hidden_size": 1152, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 16,
        "image_size": 224, "patch_size": 32,
    },
}  # fmt: skip
"""Defaults of `transformers` for keys that are missing in published config.json files."""
_TEXT_DEFAULTS: Mapping[str, Any] = {
    "vocab_size": 32_000, "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
    "num_attention_heads": 12, "max_position_embeddings": 64,
}  # fmt: skip
ACTIVATIONS = ("gelu_pytorch_tanh", "gelu")


@dataclass(frozen=True)
class LayerShape:
    """A transformer layer of SigLIP, of its picture or text encoder."""

    width: int
    hidden: int
    heads: int
    epsilon: float
    activation: str


@dataclass(frozen=True)
class VisionShape(LayerShape):
    """A SigLIP encoder. side, patch: pixels; layers: how many are used; final_norm: a norm follows the
    last one; head: a head pools the rows to one embedding; flat_patches: the patch embedding is stored as a
    matrix (NaFlex) instead of a convolution.
    """

    side: int
    patch: int
    layers: int
    final_norm: bool
    head: bool = False
    flat_patches: bool = False

    @property
    def grid(self) -> int:
        """Patches along an edge."""
        return self.side // self.patch


@dataclass(frozen=True)
class TextShape(LayerShape):
    """SigLIP's text encoder. tokens: length of its input, padded; embedding: length of its output."""

    layers: int
    vocab: int
    tokens: int
    embedding: int


@dataclass(frozen=True)
class ProjectorShape:
    """Maps encoder rows to decoder rows. shuffle: side of the square of patches that becomes one row, 1 for
    single patches; layers: 0 for none, 1 for linear, 2 for linear-activation-linear; newline: a learned row
    follows the picture.
    """

    layers: int
    width: int
    shuffle: int = 1
    activation: str = "gelu"
    newline: bool = False


@dataclass(frozen=True)
class DecoderShape:
    """A Qwen2 or Llama decoder."""

    architecture: str
    width: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    epsilon: float
    rope_base: float
    vocab: int
    context: int


@dataclass(frozen=True)
class ModelShape:
    """The whole model. decoder: None for an encoder only; image_token: id of the placeholder of a
    picture's row; text: the text encoder in the space of the pictures' embeddings, None without one.
    """

    kind: str
    vision: VisionShape
    projector: ProjectorShape
    decoder: DecoderShape | None
    image_token: int = -1
    text: TextShape | None = None

    @property
    def tokens(self) -> int:
        """Rows per picture."""
        return (self.vision.grid // self.projector.shuffle) ** 2 + self.projector.newline


def model_shape(config: Mapping[str, Any]) -> ModelShape:
    """The sizes by config.json. Raises ConvertError with one sentence for a model that cannot be
    converted.
    """
    model_type = str(config.get("model_type", "none"))
    if model_type not in KINDS:
        known = ", ".join(KINDS)
        raise ConvertError(f"The model type is {model_type!r}; those that can be converted are {known}.")
    kind = KINDS[model_type]
    with reading("The config.json"):
        if kind == "siglip":
            return _siglip(config, model_type)
        decoder = _decoder(config["text_config"])
        if kind == "smolvlm":
            return _smolvlm(config, decoder)
        return _llava_onevision(config, decoder)


def _siglip(config: Mapping[str, Any], model_type: str) -> ModelShape:
    told = dict(config.get("vision_config", config))
    flat = model_type.startswith("siglip2")
    if flat:
        grid = math.isqrt(int(told.get("num_patches", 256)))
        told["image_size"] = grid * int(told.get("patch_size", 16))
    vision = _vision(told, final_norm=True)
    head = bool(told.get("vision_use_head", True))
    vision = replace(vision, head=head, flat_patches=flat)
    text = None
    if head and "_vision_model" not in model_type:
        text = _text(config.get("text_config") or {}, vision.width)
    return ModelShape("siglip", vision, ProjectorShape(0, vision.width), None, text=text)


def _text(config: Mapping[str, Any], embedding: int) -> TextShape:
    """embedding: length of the pictures' embeddings, which the text's must have as well."""
    values = {**_TEXT_DEFAULTS, **config}
    activation = str(values.get("hidden_act", "gelu_pytorch_tanh"))
    _known_activation(activation)
    width = int(values["hidden_size"])
    shape = TextShape(
        width=width, hidden=int(values["intermediate_size"]), heads=int(values["num_attention_heads"]),
        epsilon=float(values.get("layer_norm_eps", 1e-6)), activation=activation,
        layers=int(values["num_hidden_layers"]), vocab=int(values["vocab_size"]),
        tokens=int(values["max_position_embeddings"]),
        embedding=int(values.get("projection_size") or width),
    )  # fmt: skip
    if shape.embedding != embedding or shape.width % shape.heads:
        raise ConvertError(
            f"The text encoder's measures in config.json don't fit: its embedding has {shape.embedding} "
            f"values and the pictures' has {embedding}."
        )
    return shape


def _smolvlm(config: Mapping[str, Any], decoder: DecoderShape) -> ModelShape:
    vision = _vision(config["vision_config"], "smolvlm", final_norm=True)
    shuffle = int(config.get("scale_factor", 2))
    if vision.grid % shuffle:
        raise ConvertError(
            f"A grid of {vision.grid} patches can't be shuffled by {shuffle}: config.json is wrong."
        )
    token = int(config.get("image_token_id", 128257))
    return ModelShape("smolvlm", vision, ProjectorShape(1, decoder.width, shuffle), decoder, token)


def _llava_onevision(config: Mapping[str, Any], decoder: DecoderShape) -> ModelShape:
    strategy = config.get("vision_feature_select_strategy", "full")
    layer = config.get("vision_feature_layer", -1)
    if strategy != "full" or not isinstance(layer, int):
        raise ConvertError(
            f"Image rows are taken from layer {layer} by {strategy!r}; one layer, by 'full', is converted."
        )
    vision = _vision(config["vision_config"], final_norm=False, upto=layer)
    act = str(config.get("projector_hidden_act", "gelu"))
    _known_activation(act)
    token = int(config.get("image_token_id", config.get("image_token_index", 151646)))
    projector = ProjectorShape(2, decoder.width, activation=act, newline=True)
    return ModelShape("llava-onevision", vision, projector, decoder, token)


def _vision(
    config: Mapping[str, Any], family: str = "siglip_vision_model", *, final_norm: bool, upto: int = -1
) -> VisionShape:
    """upto: as `vision_feature_layer`, the index of the state that is used, of which the first is the input
    of the first layer and the others are the outputs of the layers.
    """
    values = {**_VISION_DEFAULTS[family], **config}
    layers = int(values["num_hidden_layers"])
    activation = str(values.get("hidden_act", "gelu_pytorch_tanh"))
    _known_activation(activation)
    if values.get("num_channels", 3) != 3:
        raise ConvertError(f"Pictures of {values['num_channels']} channels can't be converted; only RGB can.")
    shape = VisionShape(
        side=int(values["image_size"]), patch=int(values["patch_size"]), width=int(values["hidden_size"]),
        hidden=int(values["intermediate_size"]), heads=int(values["num_attention_heads"]),
        layers=upto if upto >= 0 else layers + 1 + upto, epsilon=float(values.get("layer_norm_eps", 1e-6)),
        activation=activation, final_norm=final_norm,
    )  # fmt: skip
    if not (0 < shape.layers <= layers and shape.width % shape.heads == 0 and shape.grid > 0):
        raise ConvertError("The encoder's measures in config.json contradict each other.")
    return shape


def _known_activation(name: str) -> None:
    if name not in ACTIVATIONS:
        raise ConvertError(f"The activation {name!r} isn't known here; {' and '.join(ACTIVATIONS)} are.")


def _decoder(config: Mapping[str, Any]) -> DecoderShape:
    model_type = str(config.get("model_type", "llama"))
    if model_type not in ("qwen2", "llama"):
        raise ConvertError(f"The decoder is a {model_type!r}; qwen2 and llama are converted.")
    if config.get("use_sliding_window") and config.get("sliding_window"):
        raise ConvertError("The decoder attends through a sliding window, which isn't converted.")
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    rope_type = rope.get("rope_type", rope.get("type", "default"))
    if rope_type != "default":
        raise ConvertError(f"The decoder stretches its positions by {rope_type!r}, which isn't converted.")
    width, heads = int(config["hidden_size"]), int(config["num_attention_heads"])
    return DecoderShape(
        architecture=model_type, width=width, hidden=int(config["intermediate_size"]),
        layers=int(config["num_hidden_layers"]), heads=heads,
        kv_heads=int(config.get("num_key_value_heads") or heads),
        head_width=int(config.get("head_dim") or width // heads),
        epsilon=float(config.get("rms_norm_eps", 1e-6)),
        rope_base=float(rope.get("rope_theta", config.get("rope_theta", 10_000.0))),
        vocab=int(config["vocab_size"]), context=int(config.get("max_position_embeddings", 2048)),
    )  # fmt: skip
