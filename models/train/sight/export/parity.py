"""Compares what PyTorch computed at export with what ONNX Runtime and llama.cpp compute from the files.

python -m models.train.sight.export.parity .cache/train/vlm/out .cache/train/vlm/parity.npz
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from models.train.sight.runtime import AnswerDecoder, EncoderChain, TextEncoder, VisionEncoder

LARGEST_DIFFERENCE = 1e-4
"""Of activations relative to the largest value, of recall embeddings as they are."""


def main() -> None:
    """Prints the largest differences; exits 1 where one is too large or the next words differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exported", type=Path, help="folder with the exported files")
    parser.add_argument(
        "reference", type=Path, help="npz with picture, rows, ids and logits, written by the training"
    )
    options = parser.parse_args()
    reference = np.load(options.reference)
    picture = reference["picture"]
    chain, text = EncoderChain(options.exported / "vision"), TextEncoder(options.exported / "text.onnx")
    decoder = AnswerDecoder(options.exported / "decoder.gguf")
    activations = chain.activations(picture)
    rows = chain.rows(activations[-1])
    whole = VisionEncoder(options.exported / "vit.onnx").encode(picture)
    decoder.prefill_images([rows])
    ids = decoder.prompt(str(reference["question"]))
    logits = decoder.logits(ids)
    embeddings = np.stack([chain.embed(each, depth) for depth, each in enumerate(activations[1:], 1)])
    far = False
    for name, here, there in (
        ("activations", np.stack(activations), reference["activations"]),
        ("recall embeddings", embeddings, reference["embeddings"]),
        ("image rows", rows, reference["rows"]),
        ("image rows of the whole network", whole, reference["rows"]),
        ("chain against the whole network", rows, whole),
        ("text", text.embed(reference["tokens"]), reference["text"]),
        ("logits", logits, reference["logits"]),
    ):
        difference, largest = np.abs(here - there).max(), np.abs(there).max()
        print(f"{name}: largest difference {difference:.2e} of {largest:.1f}")
        far = far or (name != "logits" and difference > LARGEST_DIFFERENCE * max(1.0, largest))
    same_ids = ids == reference["ids"].tolist()
    same_word = int(logits.argmax()) == int(reference["logits"].argmax())
    print(f"token ids equal: {same_ids}; same next word: {same_word}")
    raise SystemExit(0 if same_ids and same_word and not far else 1)


if __name__ == "__main__":
    main()
