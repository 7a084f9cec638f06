"""Trains the classifier of sentences that no template knows, and writes its weights.

python -m models.train.intents
"""

from __future__ import annotations

import argparse
from pathlib import Path

from host.language.classifier.model import WEIGHTS
from models.train.intents.data import training_sentences
from models.train.intents.train import STEPS, fit


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    sentences = training_sentences()
    model = fit(sentences, options.steps)
    options.out.write_bytes(model.to_bytes())
    named = sum(model.kind(each.text)[0] == each.kind for each in sentences)
    print(
        f"{len(sentences)} sentences, {len(model.kinds)} kinds, {options.out.stat().st_size / 1024:.0f} KiB; "
        f"of the sentences themselves {named / len(sentences):.1%} are named rightly"
    )


if __name__ == "__main__":
    main()
