"""Are the sentences of `understood` understood as they were meant when they are said aloud?

    python -m tests.eval.understood.aloud [--pack PACK] [--times N] [--tried]
                                          [--voices usual|odd|validation|flite|rhvoice]
                                          [--noise room|pink|babble] [--snr-db DB] [--seed N] [--all]

Each is said in voices that no training data has, over background sound; the pack's recogniser hears it, and
what is heard goes through the headband's own step to a route, as in a headband that remembers. Beside that
stands what is made of the sentence itself, so that the difference is the recogniser's. *Changed unsaid*: what
was heard deletes, keeps, switches or sets something that the sentence does not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from host.language.router import Decision, Router
from models.brick import UNKNOWN_WORD, Transcript
from models.pack.catalogue import PackError, load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.recogniser.word_error import word_errors
from models.train.sound.transcripts import vocabulary_words
from tests.eval.hearing.heard import said_arguments
from tests.eval.intervals import wilson_shown
from tests.eval.stranger.by_voice import Speaker
from tests.eval.understood import judge
from tests.eval.understood.__main__ import GROUPS
from tests.eval.understood.sayings import SAYINGS, Saying
from tests.eval.understood.tried import tried

_FULL_SCALE = np.float32(32768)


@dataclass(frozen=True)
class Heard:
    """A sentence, what was heard of it, and what becomes of either."""

    said: Saying
    transcript: Transcript
    aloud: Decision
    by_text: Decision

    @property
    def changed_unsaid(self) -> bool:
        """Whether it deletes, keeps, switches or sets something that was not said."""
        changes = self.aloud.intent in judge.CHANGING
        return changes and judge.taken_for(self.aloud) != self.said.kind


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 and one sentence for a pack that cannot be used."""
    parser = said_arguments("understood-aloud", __doc__, 1, "what was heard of each")
    parser.add_argument(
        "--tried",
        action="store_true",
        help="instead: the sentences with which thresholds are chosen (with --voices validation)",
    )
    options = parser.parse_args(arguments)
    try:
        pack = load_pack(options.pack)
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    speaker = Speaker(options.seed, options.voices, options.noise, options.snr_db)
    recogniser, router = InProcessRecogniser(pack.bricks["stt"].options), Router()
    found = []
    for said in (tried() if options.tried else SAYINGS) * options.times:
        sound, _ = speaker.say(said.text)
        transcript = recogniser.transcribe(sound.astype(np.float32) / _FULL_SCALE)
        aloud, by_text = judge.heard(transcript, router), judge.understood(said.text, router)
        found.append(Heard(said, transcript, aloud, by_text))
        if options.all:
            print(f"  {said.text!r} -> {transcript.text!r}: {aloud.route} {aloud.intent}")
    show(found)
    return 0


def show(found: Sequence[Heard]) -> None:
    """Prints the shares that are right, said aloud and as text, and how well the words are heard."""
    print(f"{'right':30s} {'said aloud':36s} as text")
    for title, belongs in {**GROUPS, "all": lambda said: True}.items():
        of_group = [each for each in found if belongs(each.said)]
        if not of_group:
            continue
        aloud, by_text = (
            wilson_shown(
                [judge.right(each.said, decision) for each, decision in zip(of_group, made, strict=True)]
            )
            for made in ([each.aloud for each in of_group], [each.by_text for each in of_group])
        )
        print(f"  {title:28s} {aloud:36s} {by_text}")
    words = sum(len(each.said.text.split()) for each in found)
    wrong = sum(word_errors(each.said.text, each.transcript.text) for each in found)
    known = [set(each.said.text.split()) <= vocabulary_words() for each in found]
    marked = [UNKNOWN_WORD in each.transcript.text for each in found]
    print(f"words heard wrongly: {100 * wrong / words:.1f} % of {words}")
    print(f"sentences of words that the recogniser can write: {wilson_shown(known)}")
    print(f"asked back or not understood: {wilson_shown([each.aloud.route == 'unclear' for each in found])}")
    print(f"heard with an unknown word: {wilson_shown(marked)}")
    print(f"changed unsaid: {sum(each.changed_unsaid for each in found)} of {len(found)}")
    for each in found:
        if each.changed_unsaid:
            print(f"  {each.transcript.text!r}: {each.aloud.intent}")


if __name__ == "__main__":
    sys.exit(main())
