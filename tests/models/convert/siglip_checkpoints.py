"""Tiny SigLIP checkpoints in Hugging Face's layout with random weights, written without PyTorch, and the same
models in NumPy and float64, as in their papers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.models.convert.checkpoints import VISION, write_preprocessor, write_safetensors
from tests.models.convert.reference_models import Weights, attend, layer_norm, linear

SENTENCE_TOKENS = 12
LAYERS = 5
TEXT = {
    "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2, "num_attention_heads": 4,
    "vocab_size": 60, "max_position_embeddings": SENTENCE_TOKENS, "projection_size": VISION["hidden_size"],
}  # fmt: skip
PIECES = (
    ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("\u2581", -5.0), ("\u2581the", -2.0), ("\u2581key", -4.0),
    ("s", -3.0), ("\u2581on", -2.5), ("\u2581t", -6.0), ("h", -6.0), ("e", -6.0), ("\u2581table", -5.0),
    ("\u2581keys", -6.5), ("t", -6.0), ("a", -6.0), ("b", -6.0), ("l", -6.0), ("o", -6.0), ("n", -6.0),
)  # fmt: skip
"""A unigram vocabulary; "keys" is more probable whole than as "key" and "s"."""


def config(*, naflex: bool = False) -> dict[str, Any]:
    """A config.json with the keys of published ones."""
    eye = {**VISION, "num_hidden_layers": LAYERS}
    if naflex:
        eye = {key: value for key, value in eye.items() if key != "image_size"} | {"num_patches": 16}
        return {"model_type": "siglip2", "vision_config": eye, "text_config": TEXT}
    return {"model_type": "siglip", "vision_config": eye, "text_config": TEXT}


def tensors(*, naflex: bool = False, seed: int = 1, gain: float = 0.15) -> dict[str, NDArray[np.float32]]:
    """Random weights with the names of published checkpoints."""
    rng = np.random.default_rng(seed)
    found: dict[str, NDArray[np.float32]] = {}

    def add(name: str, *shape: int) -> None:
        found[name] = (gain * rng.standard_normal(shape)).astype(np.float32)

    def matrix(name: str, outputs: int, inputs: int) -> None:
        add(f"{name}.weight", outputs, inputs)
        add(f"{name}.bias", outputs)

    def norm(name: str, width: int) -> None:
        found[f"{name}.weight"] = (1 + 0.1 * rng.standard_normal(width)).astype(np.float32)
        add(f"{name}.bias", width)

    def layers(name: str, count: int, width: int, hidden: int) -> None:
        for layer in range(count):
            at = f"{name}.encoder.layers.{layer}"
            for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                matrix(f"{at}.self_attn.{part}", width, width)
            matrix(f"{at}.mlp.fc1", hidden, width)
            matrix(f"{at}.mlp.fc2", width, hidden)
            norm(f"{at}.layer_norm1", width)
            norm(f"{at}.layer_norm2", width)

    width, hidden = VISION["hidden_size"], VISION["intermediate_size"]
    if naflex:
        add("vision_model.embeddings.patch_embedding.weight", width, 14 * 14 * 3)
    else:
        add("vision_model.embeddings.patch_embedding.weight", width, 3, 14, 14)
    add("vision_model.embeddings.patch_embedding.bias", width)
    add("vision_model.embeddings.position_embedding.weight", 16, width)
    layers("vision_model", LAYERS, width, hidden)
    norm("vision_model.post_layernorm", width)
    add("vision_model.head.probe", 1, 1, width)
    add("vision_model.head.attention.in_proj_weight", 3 * width, width)
    add("vision_model.head.attention.in_proj_bias", 3 * width)
    matrix("vision_model.head.attention.out_proj", width, width)
    norm("vision_model.head.layernorm", width)
    matrix("vision_model.head.mlp.fc1", hidden, width)
    matrix("vision_model.head.mlp.fc2", width, hidden)
    width, hidden = int(TEXT["hidden_size"]), int(TEXT["intermediate_size"])
    add("text_model.embeddings.token_embedding.weight", int(TEXT["vocab_size"]), width)
    add("text_model.embeddings.position_embedding.weight", SENTENCE_TOKENS, width)
    layers("text_model", int(TEXT["num_hidden_layers"]), width, hidden)
    norm("text_model.final_layer_norm", width)
    matrix("text_model.head", int(TEXT["projection_size"]), width)
    return found


def write_unigram(root: Path) -> None:
    """A tokenizer.json as of published SigLIP checkpoints."""
    special = [
        {"id": index, "content": piece, "special": True} for index, (piece, _) in enumerate(PIECES[:3])
    ]
    model = {"type": "Unigram", "unk_id": 2, "vocab": [list(piece) for piece in PIECES]}
    space = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    data = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": space, "post_processor": None, "decoder": space, "model": model,
    }  # fmt: skip
    for each in special:
        each.update(single_word=False, lstrip=False, rstrip=False, normalized=False)
    (root / "tokenizer.json").write_text(json.dumps(data))
    (root / "tokenizer_config.json").write_text(json.dumps({"eos_token": "</s>", "pad_token": "</s>"}))


def write_siglip(root: Path, *, naflex: bool = False) -> Path:
    """Writes a complete checkpoint into a folder, and returns the folder."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "config.json").write_text(json.dumps(config(naflex=naflex)))
    (root / "README.md").write_text("---\nlicense: apache-2.0\n---\nA tiny one.\n")
    write_preprocessor(root, "siglip2" if naflex else "siglip")
    write_unigram(root)
    write_safetensors(root / "model.safetensors", tensors(naflex=naflex))
    return root


def activations(weights: Weights, pixels: NDArray[Any]) -> list[NDArray[np.float64]]:
    """Rows [patches, width] after the stem and after each layer; pixels: [1, 3, 56, 56]."""
    kernel = weights["vision_model.embeddings.patch_embedding.weight"]
    channels_last = kernel.ndim == 2
    cut = pixels[0].reshape(3, 4, 14, 4, 14)
    cut = cut.transpose(1, 3, 2, 4, 0) if channels_last else cut.transpose(1, 3, 0, 2, 4)
    x = cut.reshape(16, -1).astype(np.float64) @ kernel.reshape(len(kernel), -1).T
    x = x + weights["vision_model.embeddings.patch_embedding.bias"]
    states = [x + weights["vision_model.embeddings.position_embedding.weight"]]
    for layer in range(LAYERS):
        states.append(_layer(weights, f"vision_model.encoder.layers.{layer}", states[-1]))
    return states


def rows(weights: Weights, state: NDArray[Any]) -> NDArray[np.float64]:
    """The rows after the last norm."""
    return layer_norm(state, weights, "vision_model.post_layernorm")


def exit_embedding(weights: Weights, state: NDArray[Any]) -> NDArray[np.float64]:
    """The head's embedding of an activation, of length one."""
    head, normed = "vision_model.head", rows(weights, state)
    parts = zip(
        np.split(weights[f"{head}.attention.in_proj_weight"].astype(np.float64), 3),
        np.split(weights[f"{head}.attention.in_proj_bias"], 3),
        (weights[f"{head}.probe"][0], normed, normed),
        strict=True,
    )
    query, key, value = (x @ weight.T + bias for weight, bias, x in parts)
    mixed = attend(np.repeat(query, len(key), 0), key, value, 4, 4, causal=False)[:1]
    pooled = linear(mixed, weights, f"{head}.attention.out_proj")
    pooled = pooled + _mlp(weights, f"{head}.mlp", layer_norm(pooled, weights, f"{head}.layernorm"))
    return np.asarray(pooled / np.linalg.norm(pooled))


def sentence_embedding(weights: Weights, ids: list[int]) -> NDArray[np.float64]:
    """[1, values], of length one."""
    x = weights["text_model.embeddings.token_embedding.weight"][ids].astype(np.float64)
    x = x + weights["text_model.embeddings.position_embedding.weight"]
    for layer in range(int(TEXT["num_hidden_layers"])):
        x = _layer(weights, f"text_model.encoder.layers.{layer}", x)
    x = linear(layer_norm(x[-1:], weights, "text_model.final_layer_norm"), weights, "text_model.head")
    return np.asarray(x / np.linalg.norm(x))


def _layer(weights: Weights, at: str, x: NDArray[Any]) -> NDArray[np.float64]:
    normed = layer_norm(x, weights, f"{at}.layer_norm1")
    q, k, v = (linear(normed, weights, f"{at}.self_attn.{part}_proj") for part in "qkv")
    x = x + linear(attend(q, k, v, 4, 4, causal=False), weights, f"{at}.self_attn.out_proj")
    return np.asarray(x + _mlp(weights, f"{at}.mlp", layer_norm(x, weights, f"{at}.layer_norm2")))


def _mlp(weights: Weights, name: str, x: NDArray[Any]) -> NDArray[np.float64]:
    up = linear(x, weights, f"{name}.fc1")
    gelu = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))
    return linear(gelu, weights, f"{name}.fc2")
