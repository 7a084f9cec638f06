"""What the pack's recogniser makes of sentences said aloud: from it a classifier learns what is
misheard.

    python -m models.train.intents.heard [--pack PACK] [--of view|people]

Writes `wording/heard_of_view.txt` or `wording/heard_of_people.txt`: "kind | transcript" of every transcript
that is not word for word what was said, without the words that the recogniser does not know. The voices and
sounds are those with which the recogniser is trained; the committed files were written by a recogniser that
had not learned most of these sentences, as the wearer's are not learned either.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from host.language.classifier.view import OTHER
from models.brick import UNKNOWN_WORD
from models.pack.catalogue import load_pack
from models.train.intents.data import said_by_people
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.sound.utterances import ClipGenerator
from models.train.world.said.asked_of_view import ASKED, NOT_ASKED, filled, read_lines

_FOLDER = Path(__file__).parents[1] / "world" / "wording"
FILES = {"view": _FOLDER / "heard_of_view.txt", "people": _FOLDER / "heard_of_people.txt"}
_TIMES = 3
"""How often a wording about the view is said, each time of another thing."""
_OTHER_SPEECH = 1200
_CLIPS_WITH_THE_SAME_SPEAKERS = 500
_SHORTEST = 3
"""Words of the shortest transcript that is kept."""


def said_aloud(of: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kind and text of what is said."""
    if of == "people":
        yield from ((each.kind, each.text) for each in said_by_people())
        return
    for kind, wording in read_lines(ASKED):
        yield from ((kind, filled(wording, rng)) for _ in range(_TIMES))
    yield from ((OTHER, text) for _, text in read_lines(NOT_ASKED))


@cache
def heard(of: str) -> tuple[tuple[str, str], ...]:
    """Kind and transcript of each line of a file."""
    return read_lines(FILES[of])


def main() -> None:
    """Says each sentence, and writes what is heard."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pack", default="micro")
    parser.add_argument("--of", choices=sorted(FILES), default="view")
    options = parser.parse_args()
    recogniser = InProcessRecogniser(load_pack(options.pack).bricks["stt"].options)
    rng, noise_rng = random.Random(1), np.random.default_rng(1)
    speakers = ClipGenerator("train")
    sentences = list(said_aloud(options.of, rng))
    clips = ((kind, text, speakers.said(text, kind, rng, noise_rng).pcm) for kind, text in sentences)
    lines: dict[str, None] = {}
    for number, (kind, text, pcm) in enumerate(clips):
        if number % _CLIPS_WITH_THE_SAME_SPEAKERS == 0:
            speakers.draw_speakers(number)
        _keep(kind, text, recogniser.transcribe(pcm).text, lines)
    if options.of == "view":
        for _ in range(_OTHER_SPEECH):
            clip = speakers.other(rng, noise_rng)
            _keep(OTHER, "", recogniser.transcribe(clip.pcm).text, lines)
    about = "# What a recogniser made of sentences; `python -m models.train.intents.heard` writes this.\n"
    FILES[options.of].write_text(about + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{FILES[options.of].name}: {len(lines)} transcripts of {len(sentences)} sentences")


def _keep(kind: str, said: str, transcript: str, lines: dict[str, None]) -> None:
    words = [word for word in transcript.split() if word != UNKNOWN_WORD]
    text = " ".join(words)
    if len(words) >= _SHORTEST and text != said:
        lines[f"{kind} | {text}"] = None


if __name__ == "__main__":
    main()
