"""The models of `checkpoints` in NumPy and float64, as in their papers: independent of the converter and of
PyTorch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.models.convert.checkpoints import TEXT, VISION

Weights = Mapping[str, NDArray[Any]]


def image_rows(weights: Weights, kind: str, pixels: NDArray[np.float32]) -> NDArray[np.float64]:
    """[1, 3, 56, 56] -> rows for the decoder."""
    eye = "model.vision_model" if kind == "smolvlm" else "vision_tower.vision_model"
    patch, width = VISION["patch_size"], VISION["hidden_size"]
    grid = VISION["image_size"] // patch
    cut = pixels[0].reshape(3, grid, patch, grid, patch).transpose(1, 3, 0, 2, 4).reshape(grid * grid, -1)
    kernel = weights[f"{eye}.embeddings.patch_embedding.weight"].reshape(width, -1)
    x = cut.astype(np.float64) @ kernel.T + weights[f"{eye}.embeddings.patch_embedding.bias"]
    x = x + weights[f"{eye}.embeddings.position_embedding.weight"]
    for layer in range(VISION["num_hidden_layers"]):
        at = f"{eye}.encoder.layers.{layer}"
        normed = layer_norm(x, weights, f"{at}.layer_norm1")
        q, k, v = (linear(normed, weights, f"{at}.self_attn.{part}_proj") for part in "qkv")
        mixed = attend(q, k, v, VISION["num_attention_heads"], VISION["num_attention_heads"], causal=False)
        x = x + linear(mixed, weights, f"{at}.self_attn.out_proj")
        up = linear(layer_norm(x, weights, f"{at}.layer_norm2"), weights, f"{at}.mlp.fc1")
        gelu = 0.5 * up * (1 + np.tanh(math.sqrt(2 / math.pi) * (up + 0.044715 * up**3)))
        x = x + linear(gelu, weights, f"{at}.mlp.fc2")
    if kind == "smolvlm":
        x = layer_norm(x, weights, f"{eye}.post_layernorm").reshape(grid, grid, width)
        squares = [
            x[2 * row : 2 * row + 2, 2 * column : 2 * column + 2].reshape(-1)
            for row in range(grid // 2)
            for column in range(grid // 2)
        ]
        return np.asarray(np.stack(squares) @ weights["model.connector.modality_projection.proj.weight"].T)
    x = linear(x, weights, "multi_modal_projector.linear_1")
    x = x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    x = linear(x, weights, "multi_modal_projector.linear_2")
    return np.concatenate([x, weights["image_newline"][None]])


def logits(weights: Weights, kind: str, x: NDArray[Any], rope_base: float, eps: float) -> NDArray[np.float64]:
    """Input embeddings [n, width] -> [n, vocabulary]."""
    text = "model.text_model" if kind == "smolvlm" else "language_model.model"
    heads, kv_heads = TEXT["num_attention_heads"], TEXT["num_key_value_heads"]
    for layer in range(TEXT["num_hidden_layers"]):
        at = f"{text}.layers.{layer}"
        normed = rms_norm(x, weights[f"{at}.input_layernorm.weight"], eps)
        q, k, v = (linear(normed, weights, f"{at}.self_attn.{part}_proj") for part in "qkv")
        mixed = attend(rotate(q, heads, rope_base), rotate(k, kv_heads, rope_base), v, heads, kv_heads)
        x = x + linear(mixed, weights, f"{at}.self_attn.o_proj")
        normed = rms_norm(x, weights[f"{at}.post_attention_layernorm.weight"], eps)
        gate = linear(normed, weights, f"{at}.mlp.gate_proj")
        up = linear(normed, weights, f"{at}.mlp.up_proj")
        x = x + linear(gate / (1 + np.exp(-gate)) * up, weights, f"{at}.mlp.down_proj")
    x = rms_norm(x, weights[f"{text}.norm.weight"], eps)
    output = weights["lm_head.weight"] if kind == "smolvlm" else weights[f"{text}.embed_tokens.weight"]
    return np.asarray(x @ output.T)


def linear(x: NDArray[Any], weights: Weights, name: str) -> NDArray[np.float64]:
    product = x @ weights[f"{name}.weight"].T.astype(np.float64)
    return np.asarray(product + weights.get(f"{name}.bias", 0.0))


def layer_norm(x: NDArray[Any], weights: Weights, name: str) -> NDArray[np.float64]:
    centred = x - x.mean(-1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6)
    return np.asarray(normed * weights[f"{name}.weight"] + weights[f"{name}.bias"])


def rms_norm(x: NDArray[Any], gain: NDArray[Any], eps: float) -> NDArray[np.float64]:
    return np.asarray(x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * gain)


def rotate(x: NDArray[Any], heads: int, base: float) -> NDArray[np.float64]:
    """Rotary positions, with pairs of the first and second half of each head."""
    n, depth = len(x), x.shape[1] // heads
    angles = np.arange(n)[:, None] * base ** (-np.arange(0, depth, 2) / depth)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    a, b = np.split(x.reshape(n, heads, depth), 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1).reshape(n, -1)


def attend(
    q: NDArray[Any], k: NDArray[Any], v: NDArray[Any], heads: int, kv_heads: int, *, causal: bool = True
) -> NDArray[np.float64]:
    n, depth = len(q), q.shape[1] // heads
    q = q.reshape(n, heads, depth).transpose(1, 0, 2)
    k, v = (np.repeat(p.reshape(n, kv_heads, depth).transpose(1, 0, 2), heads // kv_heads, 0) for p in (k, v))
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(depth)
    if causal:
        scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.asarray((shares @ v).transpose(1, 0, 2).reshape(n, -1))
