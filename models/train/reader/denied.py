"""What the text reader reads where the decoder says that there is no label, or that nobody can read it.

    python -m models.train.reader.denied [PACK] [--views N]

On validation views that no training has, a part of them in manners and with designs of their own: for each
kind of answer, and each least probability of a word that is read, how many such words stand on a label and
how many do not, by the answer's own probability.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from host.answers.seen.written import LEAST_LETTERS, NO_LABEL, TOO_SMALL, is_whole, letters_of, on_things
from models.brick import Context
from models.bricks.detector import Detector
from models.bricks.reader import TextReader
from models.pack.catalogue import load_pack
from models.pixels import square_pixels
from models.train.reflex.unseen import MIXES, with_designs
from models.train.sight.data.camera import plain
from models.train.sight.runtime import AnswerDecoder, encoder_in
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.variety.manner import USUAL, random_manner

QUESTION = "read the label"
SMALL = "too small"
_FORMS = {"there is none": NO_LABEL, SMALL: TOO_SMALL}
_LETTERS_FROM = (0.01, 0.1, 0.4)
_READ_FROM, _ANSWER_BELOW = (0.8, 0.9, 0.95, 0.98), (0.7, 0.95, 1.01)
_WITHOUT_SHARE, _MANNER_SHARE, _DESIGN_SHARE = 0.1, 0.3, 0.3
"""Of views on which nothing is written those that are kept; of all: in a manner of their own; of their
things: in a design of their own.
"""


@dataclass(frozen=True)
class Denied:
    """An answer of one of `_FORMS` with its least probability. labelled: whether a label is in view;
    likeliest: the probability of the likeliest word on things, which may be misread, 0 for none; read: of the
    one word that is surely read there, 0 for none or several; right: whether that stands on a label.
    """

    form: str
    answer: float
    labelled: bool
    likeliest: float
    read: float
    right: bool


def denied(folder: Path, views: int, seed: int) -> list[Denied]:
    """Asks about so many views, at most one answer of each."""
    pack, rng, found = load_pack(folder), random.Random(f"denied {seed}"), list[Denied]()
    options = pack.bricks["reflex"].options
    detector, reader = Detector(options, Context()), TextReader(Path(options["reader"]), Context())
    encoder, decoder = encoder_in(folder), AnswerDecoder(folder / "decoder.gguf")
    asked = 0
    while asked < views:
        unseen = MIXES[asked % len(MIXES)]
        manner = random_manner(rng, unseen.looks) if rng.random() < _MANNER_SHARE else USUAL
        view = with_designs(random_view(rng, "validation", 0.1), rng, unseen, _DESIGN_SHARE)
        truth = truth_of(view)
        labels = {letters_of(each.label) for each in truth.things if each.label}
        if truth.quality != "clear" or not (labels or view.layout.signs or rng.random() < _WITHOUT_SHARE):
            continue
        asked += 1
        rgb = manner.looked(manner.view(view, plain(224).drawn_px))
        rows = encoder.encode(square_pixels(rgb, encoder.side_px))
        decoder.prefill_images([rows])
        said, least = decoder.answer_with_probability(QUESTION)
        form = next((name for name, pattern in _FORMS.items() if pattern.fullmatch(said)), "")
        words = on_things(reader.read(rgb).words, detector.seen(rows))
        sure = [each for each in words if is_whole(each) and each.probability >= _READ_FROM[0]]
        read = sure[0] if len(sure) == 1 and len(sure[0].text) >= LEAST_LETTERS else None
        if form:
            likeliest = max((each.probability for each in words), default=0.0)
            chance, right = (0.0, False) if read is None else (read.probability, read.text in labels)
            found.append(Denied(form, least, bool(labels), likeliest, chance, right))
    return found


def table(found: list[Denied]) -> str:
    """As text."""
    lines = [
        f"{'the answer':16}{'read from':>10}" + "".join(f"{f'below {each}':>16}" for each in _ANSWER_BELOW)
    ]
    for form in _FORMS:
        for read_from in _READ_FROM:
            cells = []
            for below in _ANSWER_BELOW:
                count = Counter(
                    each.right
                    for each in found
                    if each.form == form and each.read >= read_from and each.answer < below
                )
                cells.append(f"{f'{count[True]} right, {count[False]}':>16}")
            lines.append(f"{form:16}{read_from:>10}" + "".join(cells))
    for letters_from in _LETTERS_FROM:
        count = Counter(
            each.labelled for each in found if each.form == SMALL and each.likeliest < letters_from
        )
        lines.append(
            f"{SMALL}, and no word on a thing with {letters_from}: {count[False]} without a label, "
            f"{count[True]} with one"
        )
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pack", type=Path, nargs="?", default=Path("models/packs/micro"))
    parser.add_argument("--views", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(table(denied(options.pack, options.views, options.seed)))


if __name__ == "__main__":
    main()
