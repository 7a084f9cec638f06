"""Sentences to the headband put together from the words of people's recordings, for `recordings` to judge.

    python -m tests.eval.hearing.spliced --data FOLDER --out SENTENCES [--count N] [--own SHARE] [--seed N]

FOLDER has recordings.tsv and words.tsv, as `models.train.sound.people.pieces` writes them, of people whom no
training has. People who read novels aloud say hardly one sentence to a headband, but many of its words:
SENTENCES gets those of strangers and held-out ones of which all words are recorded, and a recordings.tsv.
Words that are cut out of other sentences are harder to understand than people are: the figures compare
recognisers, and are no promise.
"""

from __future__ import annotations

import argparse
import random
import sys
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.people.recordings import LIST, Unreadable
from models.train.sound.people.spliced import SplicedPeople
from models.train.sound.sentences import sentence
from tests.eval.arguments import counted
from tests.eval.understood.sayings import SAYINGS

_DRAWS = 4000
"""Of sentences, at most, until there are enough that can be said."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 and one sentence for a folder that cannot be used."""
    parser = argparse.ArgumentParser(prog="just eval spliced", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="SENTENCES")
    parser.add_argument("--count", type=counted, default=200, help="of sentences")
    parser.add_argument("--own", type=float, default=0.7, help="so many words have to be the speaker's own")
    parser.add_argument("--seed", type=counted, default=1)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    strangers = [(said.text, "") for said in SAYINGS]
    lines: dict[str, str] = {}
    try:
        voices = SplicedPeople(options.data, options.own, least_words=1)
        options.out.mkdir(parents=True, exist_ok=True)
        for _ in range(_DRAWS):
            if len(lines) == options.count:
                break
            found = voices.sentence(
                lambda: rng.choice(strangers) if rng.random() < 0.5 else sentence(rng, "held"), rng
            )
            if found is None or found.text in lines:
                continue
            name = f"{len(lines):03d}.wav"
            with wave.open(str(options.out / name), "wb") as file:
                file.setparams((1, 2, MICROPHONE_RATE_HZ, 0, "NONE", ""))
                file.writeframes((np.clip(found.pcm, -1.0, 1.0) * 32767).astype("<i2").tobytes())
            lines[found.text] = f"{name}\t{found.text}\t{found.speaker}"
    except Unreadable as error:
        print(error, file=sys.stderr)
        return 2
    if not lines:
        print(f"No sentence can be put together from the words of {options.data}.", file=sys.stderr)
        return 2
    rows = ["file\tsentence\tspeaker", *lines.values(), ""]
    (options.out / LIST).write_text("\n".join(rows), encoding="utf-8")
    people = {line.rpartition("\t")[2] for line in lines.values()}
    print(f"{len(lines)} sentences by {len(people)} people")
    return 0


if __name__ == "__main__":
    sys.exit(main())
