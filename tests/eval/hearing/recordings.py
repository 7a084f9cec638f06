"""How well are people understood whose recordings lie in a folder?

    python -m tests.eval.hearing.recordings --data FOLDER [--pack PACK | --pocketsphinx] [--all]
    python -m tests.eval.hearing.recordings --sheet FILE [--seed N]

FOLDER has recordings.tsv, the list of `models.train.sound.people.recordings`. Where nothing is written as
said, the headband is not meant: then nothing is to be done. --sheet writes such a list, of sentences to read
aloud.

Sound of any rate is brought to 16 kHz and to one level, between short silences. The pack's recogniser hears
it, and what is heard goes through the headband's own step to a route. *Understood*: as what was said is when
it is typed, of what is understood then. --pocketsphinx: a public recogniser hears in the pack's place.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.language.router import Decision, Router
from models.brick import MICROPHONE_RATE_HZ, Transcript
from models.pack.catalogue import PackError, load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.recogniser.word_error import word_errors
from models.train.sound.people.recordings import Recording, Unreadable, read_list, read_samples
from models.train.sound.transcripts import vocabulary_words
from tests.eval.arguments import counted
from tests.eval.hearing.sphinx import PocketSphinx
from tests.eval.intervals import wilson_shown
from tests.eval.understood import judge
from tests.eval.understood.sayings import SAYINGS

SHEET_LINES = 60
UNCLEAR = "unclear"
"""The route of what is not understood."""
_QUIET_S = 0.4


@dataclass(frozen=True)
class Heard:
    """What was heard of a recording, and what becomes of it."""

    said: Recording
    transcript: Transcript
    decision: Decision

    def as_typed(self, router: Router) -> bool | None:
        """Whether it is understood as its sentence is when that is typed; None where it is not even then."""
        typed = judge.understood(self.said.sentence, router)
        if typed.route == UNCLEAR:
            return None
        return replace(self.decision, certainty=None) == replace(typed, certainty=None)


def read_sound(path: Path) -> NDArray[np.float32]:
    """float32 [n] at 16 kHz, of one channel, at one level between silences. Raises `Unreadable`."""
    quiet = np.zeros(int(_QUIET_S * MICROPHONE_RATE_HZ), np.float32)
    return np.concatenate([quiet, read_samples(path), quiet])


def sheet(seed: int) -> str:
    """A list of sentences to be read aloud, without the sound."""
    chosen = random.Random(seed).sample(SAYINGS, SHEET_LINES)
    lines = (f"{number:02d}.wav\t{said.text}\t" for number, said in enumerate(chosen, 1))
    return "\n".join(["file\tsentence\tspeaker", *lines, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 and one sentence for a pack, a list or a recording that cannot be used."""
    parser = argparse.ArgumentParser(prog="just eval recordings", description=(__doc__ or "").splitlines()[0])
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--data", type=Path, metavar="FOLDER", help="with recordings.tsv and its WAV files")
    wanted.add_argument("--sheet", type=Path, metavar="FILE", help="write a list of sentences to read aloud")
    parser.add_argument("--seed", type=counted, default=1, help="of the sheet")
    parser.add_argument("--pack", type=Path, default=Path("models/packs/micro"))
    parser.add_argument("--pocketsphinx", action="store_true", help="it hears in the place of the pack")
    parser.add_argument("--all", action="store_true", help="what was heard of each")
    options = parser.parse_args(arguments)
    if options.sheet:
        try:
            options.sheet.write_text(sheet(options.seed), encoding="utf-8")
        except OSError as error:
            print(f"{options.sheet} cannot be written: {error.strerror}.", file=sys.stderr)
            return 2
        return 0
    try:
        recordings, router = read_list(options.data), Router()
        recogniser = PocketSphinx() if options.pocketsphinx else _recogniser(options.pack)
        found = []
        for said in recordings:
            transcript = recogniser.transcribe(read_sound(said.path))
            found.append(Heard(said, transcript, judge.heard(transcript, router)))
            if options.all:
                decided = found[-1].decision
                print(f"  {said.sentence!r} -> {transcript.text!r}: {decided.route} {decided.intent}")
    except (PackError, Unreadable) as error:
        print(error, file=sys.stderr)
        return 2
    show(found, router)
    return 0


def _recogniser(pack: Path) -> InProcessRecogniser:
    return InProcessRecogniser(load_pack(pack).bricks["stt"].options)


def show(found: Sequence[Heard], router: Router) -> None:
    """Prints the words that were heard wrongly and the sentences that were understood, by speaker, and what
    became of what was not meant for the headband.
    """
    by_speaker: dict[str, list[Heard]] = defaultdict(list)
    for each in found:
        if each.said.sentence:
            by_speaker[each.said.speaker].append(each)
    asked = [each for of_one in by_speaker.values() for each in of_one]
    if len(by_speaker) > 1:
        for speaker, of_one in sorted(by_speaker.items()):
            _show_asked(speaker, of_one, router)
    if asked:
        _show_asked("all", asked, router)
    _show_recall(found)
    others = [each for each in found if not each.said.sentence]
    if not others:
        return
    taken = Counter(judge.taken_for(each.decision) for each in others)
    print(f"not meant for the headband: {len(others)}")
    print(f"  not understood, or asked back     {wilson_shown([_unclear(each) for each in others])}")
    print(f"  nor taken for a request           {wilson_shown([_left_alone(each) for each in others])}")
    changed = [judge.taken_for(each.decision) in judge.CHANGING for each in others]
    print(f"  changed unsaid                    {wilson_shown(changed)}")
    print("  taken for: " + ", ".join(f"{kind} {count}" for kind, count in taken.most_common()))


def _show_asked(speaker: str, found: Sequence[Heard], router: Router) -> None:
    words = sum(len(each.said.sentence.split()) for each in found)
    wrong = sum(word_errors(each.said.sentence, each.transcript.text) for each in found)
    typed = [right for each in found if (right := each.as_typed(router)) is not None]
    understood = wilson_shown(typed) if typed else "none even when typed"
    print(
        f"{speaker or '-':12s} {100 * wrong / words:5.1f} % of {words} words wrong, understood {understood}"
    )


def _show_recall(found: Sequence[Heard]) -> None:
    """Prints the share of the words that were said, and that the recogniser can write, which it wrote."""
    known = vocabulary_words()
    written = [
        word in each.transcript.text.split()
        for each in found
        for word in {*each.said.sentence.split(), *each.said.words} & known
    ]
    if written:
        print(f"of {len(written)} words that it can write, heard {100 * sum(written) / len(written):.1f} %")


def _unclear(heard: Heard) -> bool:
    return heard.decision.route == UNCLEAR


def _left_alone(heard: Heard) -> bool:
    return judge.taken_for(heard.decision) in ("open", UNCLEAR)


if __name__ == "__main__":
    sys.exit(main())
