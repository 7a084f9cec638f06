"""Compares what PyTorch computed at export with what ONNX Runtime and llama.cpp compute from the files.

python -m models.train.sight.export_parity models/packs/micro .cache/train/vlm/parity.npz
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from models.train.sight.runtime import AnswerDecoder, VisionEncoder


def main() -> None:
    """Prints the largest differences; exits 1 where the most probable next tokens differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument(
        "reference", type=Path, help="npz with picture, rows, ids and logits, written by the training"
    )
    options = parser.parse_args()
    reference = np.load(options.reference)
    encoder, decoder = VisionEncoder(options.pack / "vit.onnx"), AnswerDecoder(options.pack / "decoder.gguf")
    rows = encoder.encode(reference["picture"])
    decoder.prefill_images([rows])
    ids = decoder.prompt(str(reference["question"]))
    logits = decoder.logits(ids)
    same_ids = ids == reference["ids"].tolist()
    same_word = int(logits.argmax()) == int(reference["logits"].argmax())
    for name, here, there in (
        ("image rows", rows, reference["rows"]),
        ("logits", logits, reference["logits"]),
    ):
        print(f"{name}: largest difference {np.abs(here - there).max():.2e} of {np.abs(here).max():.1f}")
    print(f"token ids equal: {same_ids}; same next word: {same_word}")
    raise SystemExit(0 if same_ids and same_word else 1)


if __name__ == "__main__":
    main()
