"""What becomes of the clips of `just eval speech`, and of sentences said over noise, once they are heard: the
command lines and the report of the evaluations that count it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from models.train.recogniser.evaluate import fixed_clips
from models.train.sound.utterances import LabelledClip
from tests.eval.arguments import amount, counted
from tests.eval.intervals import shown
from tests.eval.stranger.by_voice import NOISES, RECORDED, VOICES, programs_of

OTHER = "other speech"
"""The family of clips that ask nothing."""
OWN_VOICES = "own"


def clip_arguments(name: str, text: str | None) -> argparse.ArgumentParser:
    """Pack, split and voices, for `just eval NAME`. text: what its module says of itself."""
    parser = _with_pack(name, text)
    parser.add_argument("--split", choices=("validation", "test"), default="test")
    parser.add_argument(
        "--voices", choices=(OWN_VOICES, *RECORDED), default=OWN_VOICES, help="(default: the split's own)"
    )
    return parser


def clips(options: argparse.Namespace) -> list[LabelledClip]:
    """The clips of `clip_arguments`, as many of other speech as its option `others` says, if it has one.
    Raises SystemExit, 2 with one sentence, for voices that are not installed.
    """
    voices = () if options.voices == OWN_VOICES else VOICES[options.voices]
    programs_of(options.voices)
    return fixed_clips(options.split, options.questions, getattr(options, "others", 0), 0, voices)


def said_arguments(name: str, text: str | None, times: int, everything: str) -> argparse.ArgumentParser:
    """Pack, voices and noise, for `just eval NAME`. times: how often each is said where no option says so;
    everything: what --all prints.
    """
    parser = _with_pack(name, text)
    parser.add_argument(
        "--times", type=counted, default=times, help=f"how often each is said (default {times})"
    )
    parser.add_argument("--voices", choices=tuple(VOICES), default="usual")
    parser.add_argument("--noise", choices=NOISES, default="room")
    parser.add_argument("--snr-db", type=amount, default=20.0, help="of speech over it (default 20)")
    parser.add_argument("--seed", type=counted, default=1)
    parser.add_argument("--all", action="store_true", help=everything)
    return parser


def _with_pack(name: str, text: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"just eval {name}", description=text.splitlines()[0] if text else ""
    )
    parser.add_argument("--pack", type=Path, default=Path("models/packs/micro"))
    return parser


class Outcomes:
    """How often each outcome was found, by kind of clip, and what was said and heard where it went wrong."""

    def __init__(self) -> None:
        self._count: Counter[tuple[str, str]] = Counter()
        self.wrong: list[tuple[str, str]] = []

    def note(self, kind: str, outcome: str) -> None:
        """One more clip of a kind."""
        self._count[kind, outcome] += 1

    @property
    def kinds(self) -> list[str]:
        """Those of which there is a clip, sorted."""
        return sorted({kind for kind, _ in self._count})

    def clips(self, kind: str) -> int:
        """How many there were of a kind."""
        return sum(number for (each, _), number in self._count.items() if each == kind)

    def show(self, kind: str, width: int, outcomes: Sequence[str] = ()) -> None:
        """Prints the share of each outcome among a kind's clips: of those named, or of all that it has."""
        for each in outcomes or sorted(outcome for of, outcome in self._count if of == kind):
            print(f"  {each:{width}s} {shown_count(self._count[kind, each], self.clips(kind))}")

    def show_wrong(self, title: str) -> None:
        """Prints what went wrong."""
        print(f"\n{title}:")
        for said, heard in self.wrong:
            print(f"  {said!r} -> {heard!r}")


def shown_count(hits: int, trials: int) -> str:
    """Hits among so many independent trials, as `shown`."""
    return shown([[at < hits] for at in range(trials)])
