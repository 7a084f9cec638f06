"""Trains the classifiers of sentences that no template knows, and writes their weights.

python -m models.train.intents
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from host.language.classifier.model import WEIGHTS
from host.language.classifier.view import WEIGHTS as WEIGHTS_OF_VIEW
from host.language.classifier.view import view_words
from host.language.classifier.words import marked
from host.language.further.freely import WEIGHTS as WEIGHTS_OF_FURTHER
from host.language.last_seconds.classified import WEIGHTS as WEIGHTS_OF_CLIP
from models.train.intents.clip import clip_sentences
from models.train.intents.data import Sentence, training_sentences
from models.train.intents.further import further_sentences
from models.train.intents.train import (
    PENALTY,
    PENALTY_OF_CLIP,
    PENALTY_OF_FURTHER,
    PENALTY_OF_VIEW,
    STEPS,
    fit,
)
from models.train.intents.view import view_sentences


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="folder of the files, where the host reads them by default")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    _write(training_sentences(), options.steps, marked, PENALTY, _at(options.out, WEIGHTS))
    _write(view_sentences(), options.steps, view_words, PENALTY_OF_VIEW, _at(options.out, WEIGHTS_OF_VIEW))
    _write(clip_sentences(), options.steps, marked, PENALTY_OF_CLIP, _at(options.out, WEIGHTS_OF_CLIP))
    further = _at(options.out, WEIGHTS_OF_FURTHER)
    _write(further_sentences(), options.steps, str.split, PENALTY_OF_FURTHER, further)


def _at(folder: Path | None, file: Path) -> Path:
    return file if folder is None else folder / file.name


def _write(
    sentences: Sequence[Sentence],
    steps: int,
    reads: Callable[[str], list[str]],
    penalty: float,
    out: Path,
) -> None:
    model = fit(sentences, steps, reads, penalty)
    out.write_bytes(model.to_bytes())
    named = sum(
        model.kinds[int(model.of_words(reads(each.text)).argmax())] == each.kind for each in sentences
    )
    print(
        f"{out.name}: {len(sentences)} sentences, {len(model.kinds)} kinds, {out.stat().st_size / 1024:.0f} "
        f"KiB; of the sentences themselves {named / len(sentences):.1%} are named rightly"
    )


if __name__ == "__main__":
    main()
