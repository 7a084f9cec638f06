"""Random checkpoints in the true shapes of public ones, to try a conversion and what it makes at full size.

    python -m tests.models.convert.true_shapes smolvlm-256m OUT

writes OUT in Hugging Face's layout, by the code of the model's authors: its shapes are those of the
published config.json, its weights chance, its tokenizer has few words. `just convert OUT PACK` goes on from
there. Needs the training environment.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.models.convert.checkpoints import CHAT_TEMPLATES, config, write_preprocessor, write_tokenizer
from tests.models.convert.siglip_checkpoints import write_unigram


@dataclass(frozen=True)
class TextShape:
    """The decoder of a SmolVLM, a Llama with grouped queries."""

    width: int
    hidden: int
    layers: int
    heads: int
    groups: int


SHAPES: Mapping[str, TextShape] = {
    "smolvlm-256m": TextShape(576, 1536, 30, 9, 3),
    "smolvlm-500m": TextShape(960, 2560, 32, 15, 5),
}
"""From the published config.json; the eye is SigLIP-B/16 at 512 pixels in both."""
SIGLIP = "siglip-base-224"
"""SigLIP-B/16 at 224 pixels with its text tower, the memory's own eye of the published packs."""
_SIDE_PX = 512
_EYE = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
    "image_size": _SIDE_PX, "patch_size": 16,
}  # fmt: skip


def write(name: str, root: Path) -> int:
    """A checkpoint as the published one is; returns how many weights it has."""
    import torch

    torch.manual_seed(1)
    written = _siglip(root) if name == SIGLIP else _smolvlm(SHAPES[name], root)
    (root / "README.md").write_text("---\nlicense: cc0-1.0\n---\nWeights of chance.\n")
    return written


def _siglip(root: Path) -> int:
    """In float32, with a SentencePiece model of few words."""
    import transformers

    eye = {**_EYE, "image_size": 224}
    settings = transformers.SiglipConfig(vision_config=eye, text_config={"vocab_size": 32_000})
    model = transformers.SiglipModel(settings)
    model.save_pretrained(root)
    write_unigram(root)
    write_preprocessor(root, "siglip", size={"height": 224, "width": 224}, resample=3)
    return int(model.num_parameters())


def _smolvlm(shape: TextShape, root: Path) -> int:
    """In bfloat16."""
    import torch
    import transformers

    text = {
        "model_type": "llama", "hidden_size": shape.width, "intermediate_size": shape.hidden,
        "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.groups, "head_dim": 64, "vocab_size": 49_280,
        "max_position_embeddings": 8192, "rope_theta": 100_000, "rms_norm_eps": 1e-5,
    }  # fmt: skip
    settings = transformers.Idefics3Config(
        vision_config=_EYE, text_config=text, scale_factor=4, tie_word_embeddings=False,
        image_token_id=config("smolvlm")["image_token_id"],
    )  # fmt: skip
    model = transformers.Idefics3ForConditionalGeneration(settings)
    model.to(torch.bfloat16).save_pretrained(root)
    write_tokenizer(root, "smolvlm")
    (root / "chat_template.jinja").write_text(CHAT_TEMPLATES["smolvlm"])
    edges = {"size": {"longest_edge": 4 * _SIDE_PX}, "max_image_size": {"longest_edge": _SIDE_PX}}
    write_preprocessor(root, "smolvlm", **edges)
    return int(model.num_parameters())


def main(arguments: list[str] | None = None) -> int:
    """Command line: writes it, and says how many weights there are."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.models.convert.true_shapes", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("name", choices=(*SHAPES, SIGLIP))
    parser.add_argument("out", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    weights = write(options.name, options.out)
    print(f"{options.out}: {options.name}, {weights / 1e6:.1f} million weights")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
