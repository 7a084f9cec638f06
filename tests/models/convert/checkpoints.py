"""Tiny checkpoints in Hugging Face's layout with random weights, written without PyTorch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.convert.ballast.decoder import byte_letters

SPECIAL = {
    "llava-onevision": ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<image>"),
    "smolvlm": (
        "<|endoftext|>", "<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<global-img>",
        "<image>",
    ),
}  # fmt: skip
_QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_WORDS = ("re", "ed", "red", "Ġw", "Ġwh", "Ġwha", "Ġwhat", "wh", "wha", "what", "co", "ol", "col")
VOCAB = 320
VISION = {
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
    "image_size": 56, "patch_size": 14,
}  # fmt: skip
TEXT = {
    "hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": VOCAB, "max_position_embeddings": 1024,
}  # fmt: skip


def config(kind: str) -> dict[str, Any]:
    """A config.json with the keys of published ones."""
    image = 256 + len(_WORDS) + SPECIAL[kind].index("<image>")
    if kind == "smolvlm":
        text = {**TEXT, "model_type": "llama", "rope_theta": 100_000.0, "rms_norm_eps": 1e-5}
        return {
            "model_type": "smolvlm", "scale_factor": 2, "image_token_id": image, "tie_word_embeddings": False,
            "vision_config": {**VISION, "model_type": "smolvlm_vision"}, "text_config": text,
        }  # fmt: skip
    text = {**TEXT, "model_type": "qwen2", "rope_theta": 1_000_000.0, "tie_word_embeddings": True}
    return {
        "model_type": "llava_onevision", "image_token_index": image, "video_token_index": 0,
        "tie_word_embeddings": True, "image_grid_pinpoints": [[56, 56], [112, 56]],
        "vision_config": {**VISION, "model_type": "siglip_vision_model", "vision_use_head": False},
        "text_config": text,
    }  # fmt: skip


def write_tokenizer(root: Path, kind: str) -> None:
    """A tokenizer.json of bytes, a few merges and the control tokens."""
    tokens = [*byte_letters(), *_WORDS]
    merges = []
    for word in _WORDS:
        cut = next(i for i in range(len(word) - 1, 0, -1) if {word[:i], word[i:]} <= set(tokens))
        merges.append([word[:cut], word[cut:]])
    level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": kind == "smolvlm",
    }
    first: dict[str, Any] = {"type": "Digits", "individual_digits": True}
    if kind == "llava-onevision":
        first = {"type": "Split", "pattern": {"Regex": _QWEN2_SPLIT}, "behavior": "Isolated", "invert": False}
    added = [
        {"id": len(tokens) + i, "content": token, "special": True, "single_word": False, "lstrip": False,
         "rstrip": False, "normalized": False}
        for i, token in enumerate(SPECIAL[kind])
    ]  # fmt: skip
    data = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "NFC"} if kind == "llava-onevision" else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [first, level]}, "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": {token: index for index, token in enumerate(tokens)}, "merges": merges,
        },
    }  # fmt: skip
    (root / "tokenizer.json").write_text(json.dumps(data))
    end = SPECIAL[kind][2]
    (root / "tokenizer_config.json").write_text(json.dumps({"eos_token": end}))


PREPROCESSORS: Mapping[str, Mapping[str, Any]] = {
    "smolvlm": {
        "image_processor_type": "Idefics3ImageProcessor", "do_image_splitting": True, "do_pad": True,
        "size": {"longest_edge": 224}, "max_image_size": {"longest_edge": 56}, "resample": 1,
    },
    "llava-onevision": {
        "image_processor_type": "LlavaOnevisionImageProcessor", "do_pad": True,
        "size": {"height": 56, "width": 56}, "resample": 3, "image_grid_pinpoints": [[56, 56], [112, 56]],
    },
    "siglip": {
        "image_processor_type": "SiglipImageProcessor", "size": {"height": 56, "width": 56}, "resample": 2,
    },
    "siglip2": {
        "image_processor_type": "Siglip2ImageProcessor", "patch_size": 14, "max_num_patches": 16,
        "resample": 2,
    },
}  # fmt: skip
"""The keys of published files, for pictures of 56 pixels."""


CHAT_TEMPLATES = {
    "smolvlm": (
        "<|im_start|>{% for one in messages %}{{ one['role'] | capitalize }}"
        "{% if one['content'][0]['type'] == 'image' %}:{% else %}{{ ': ' }}{% endif %}"
        "{% for part in one['content'] %}{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}"
        "{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
        "{% if add_generation_prompt %}Assistant:{% endif %}"
    ),
    "llava-onevision": (
        "{% for one in messages %}{{ '<|im_start|>' + one['role'] + ' ' }}"
        "{% for part in one['content'] | selectattr('type', 'equalto', 'image') %}<image>{% endfor %}"
        "{% for part in one['content'] | selectattr('type', 'equalto', 'text') %}"
        "{% if one['role'] == 'assistant' %}{% generation %}{{ '\\n' + part['text'] }}{% endgeneration %}"
        "{% else %}{{ '\\n' + part['text'] }}{% endif %}{% endfor %}<|im_end|>{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
    ),
}
"""Templates that write what the published ones write."""


def write_preprocessor(root: Path, kind: str, **changed: Any) -> None:
    """A preprocessor_config.json of that kind, with some keys changed."""
    same = {
        "do_resize": True, "do_rescale": True, "do_normalize": True, "do_convert_rgb": True,
        "rescale_factor": 1 / 255, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
    }  # fmt: skip
    told = {**same, **PREPROCESSORS[kind], **changed}
    (root / "preprocessor_config.json").write_text(json.dumps(told))


def write_safetensors(path: Path, tensors: Mapping[str, NDArray[Any]], dtype: str = "F32") -> None:
    """Stores float32 values as F32, F16 or BF16 (the upper half of a float32)."""
    head: dict[str, Any] = {}
    parts, at = [], 0
    for name, values in tensors.items():
        if dtype == "BF16":
            data = (
                (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
            )
        else:
            data = np.ascontiguousarray(values, np.float32 if dtype == "F32" else np.float16).tobytes()
        head[name] = {"dtype": dtype, "shape": list(values.shape), "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))


def tensors(kind: str, seed: int = 1, gain: float = 0.15) -> dict[str, NDArray[np.float32]]:
    """Random weights with the names of published checkpoints; the gains of norms are near one."""
    rng = np.random.default_rng(seed)
    found: dict[str, NDArray[np.float32]] = {}

    def add(name: str, *shape: int) -> None:
        found[name] = (gain * rng.standard_normal(shape)).astype(np.float32)

    def norm(name: str, width: int, *, bias: bool) -> None:
        found[f"{name}.weight"] = (1 + 0.1 * rng.standard_normal(width)).astype(np.float32)
        if bias:
            add(f"{name}.bias", width)

    width, hidden = VISION["hidden_size"], VISION["intermediate_size"]
    eye = "model.vision_model" if kind == "smolvlm" else "vision_tower.vision_model"
    text = "model.text_model" if kind == "smolvlm" else "language_model.model"
    add(f"{eye}.embeddings.patch_embedding.weight", width, 3, 14, 14)
    add(f"{eye}.embeddings.patch_embedding.bias", width)
    add(f"{eye}.embeddings.position_embedding.weight", 16, width)
    for layer in range(VISION["num_hidden_layers"]):
        at = f"{eye}.encoder.layers.{layer}"
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            add(f"{at}.self_attn.{part}.weight", width, width)
            add(f"{at}.self_attn.{part}.bias", width)
        for name, outputs, inputs in (("fc1", hidden, width), ("fc2", width, hidden)):
            add(f"{at}.mlp.{name}.weight", outputs, inputs)
            add(f"{at}.mlp.{name}.bias", outputs)
        norm(f"{at}.layer_norm1", width, bias=True)
        norm(f"{at}.layer_norm2", width, bias=True)
    norm(f"{eye}.post_layernorm", width, bias=True)
    if kind == "smolvlm":
        add("model.connector.modality_projection.proj.weight", TEXT["hidden_size"], width * 4)
        add("lm_head.weight", VOCAB, TEXT["hidden_size"])
    else:
        for name, inputs in (("linear_1", width), ("linear_2", TEXT["hidden_size"])):
            add(f"multi_modal_projector.{name}.weight", TEXT["hidden_size"], inputs)
            add(f"multi_modal_projector.{name}.bias", TEXT["hidden_size"])
        add("image_newline", TEXT["hidden_size"])
    _decoder(text, add, norm, biases=kind == "llava-onevision")
    return found


def _decoder(text: str, add: Any, norm: Any, *, biases: bool) -> None:
    width, hidden = TEXT["hidden_size"], TEXT["intermediate_size"]
    add(f"{text}.embed_tokens.weight", VOCAB, width)
    for layer in range(TEXT["num_hidden_layers"]):
        at = f"{text}.layers.{layer}"
        for part, outputs in (("q_proj", width), ("k_proj", width // 2), ("v_proj", width // 2)):
            add(f"{at}.self_attn.{part}.weight", outputs, width)
            if biases:
                add(f"{at}.self_attn.{part}.bias", outputs)
        add(f"{at}.self_attn.o_proj.weight", width, width)
        for part, outputs, inputs in (
            ("gate", hidden, width),
            ("up", hidden, width),
            ("down", width, hidden),
        ):
            add(f"{at}.mlp.{part}_proj.weight", outputs, inputs)
        norm(f"{at}.input_layernorm", width, bias=False)
        norm(f"{at}.post_attention_layernorm", width, bias=False)
    norm(f"{text}.norm", width, bias=False)


def write_checkpoint(root: Path, kind: str, dtype: str = "F32") -> Path:
    """Writes a complete checkpoint into a folder, and returns the folder."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "config.json").write_text(json.dumps(config(kind)))
    (root / "README.md").write_text("---\nlicense: apache-2.0\n---\nA tiny one.\n")
    write_preprocessor(root, kind)
    (root / "chat_template.json").write_text(json.dumps({"chat_template": CHAT_TEMPLATES[kind]}))
    write_tokenizer(root, kind)
    write_safetensors(root / "model.safetensors", tensors(kind), dtype)
    return root
