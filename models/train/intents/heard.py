"""Wordings about the view as the pack's recogniser mishears them, from which the classifier learns.

    python -m models.train.intents.heard [--pack PACK]

Says them, sentences that name the same things, and other speech, in the voices and over the sounds with which
the recogniser is trained, and writes `wording/heard_of_view.txt`: "kind | transcript" of every transcript
that is not word for word what was said, without the words that the recogniser does not know. The committed
file was written by a recogniser that had not learned these sentences, as it has not learned the wearer's.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

import numpy as np

from host.language.classifier.view import OTHER
from models.brick import UNKNOWN_WORD
from models.pack.catalogue import load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.sound.utterances import ClipGenerator
from models.train.world.said.asked_of_view import ASKED, HEARD, NOT_ASKED, filled, read_lines

_TIMES = 3
"""How often a wording about the view is said, each time of another thing."""
_OTHER_SPEECH = 1200
_CLIPS_WITH_THE_SAME_SPEAKERS = 500
_SHORTEST = 3
"""Words of the shortest transcript that is kept."""


def said_aloud(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kind and text of what is said."""
    for kind, wording in read_lines(ASKED):
        yield from ((kind, filled(wording, rng)) for _ in range(_TIMES))
    yield from ((OTHER, text) for _, text in read_lines(NOT_ASKED))


def main() -> None:
    """Says each sentence, and writes what is heard."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pack", default="micro")
    recogniser = InProcessRecogniser(load_pack(parser.parse_args().pack).bricks["stt"].options)
    rng, noise_rng = random.Random(1), np.random.default_rng(1)
    speakers = ClipGenerator("train")
    sentences = list(said_aloud(rng))
    lines: dict[str, None] = {}
    for number, (kind, text) in enumerate(sentences):
        if number % _CLIPS_WITH_THE_SAME_SPEAKERS == 0:
            speakers.draw_speakers(number)
        pcm = speakers.said(text, kind, rng, noise_rng).pcm
        _keep(kind, text, recogniser.transcribe(pcm).text, lines)
    for _ in range(_OTHER_SPEECH):
        pcm = speakers.other(rng, noise_rng).pcm
        _keep(OTHER, "", recogniser.transcribe(pcm).text, lines)
    about = "# What a recogniser made of sentences; `python -m models.train.intents.heard` writes this.\n"
    HEARD.write_text(about + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{HEARD.name}: {len(lines)} transcripts of {len(sentences)} sentences and other speech")


def _keep(kind: str, said: str, transcript: str, lines: dict[str, None]) -> None:
    words = [word for word in transcript.split() if word != UNKNOWN_WORD]
    text = " ".join(words)
    if len(words) >= _SHORTEST and text != said:
        lines[f"{kind} | {text}"] = None


if __name__ == "__main__":
    main()
