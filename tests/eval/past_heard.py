"""Which questions to the memory are understood as such, heard wholly or not, and what else is taken for one.

    python -m tests.eval.past_heard [--pack PACK] [--split validation|test] [--questions N] [--others N]

The clips are those of `just eval speech`: held-out voices, 90 % of them in noise at 5 to 30 dB, a part of
them questions to the memory, and everyday speech. A question is understood rightly where it asks the same of
the memory as the words that were said.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from host.config import AnswerConfig
from host.language.doubt import sure_enough
from host.language.router import Decision, Router
from models.brick import UNKNOWN_WORD, Transcript
from models.pack.catalogue import load_pack
from models.train.recogniser.evaluate import fixed_clips, transcribed
from models.train.recogniser.in_process import InProcessRecogniser
from tests.eval.arguments import counted
from tests.eval.intervals import shown

_OTHER = "other speech"


def _asks(decision: Decision) -> tuple[str, object] | None:
    return (decision.intent, decision.slots.get("rest")) if decision.route == "memory" else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="just eval past-heard", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("--pack", type=Path, default=Path("models/packs/micro"))
    parser.add_argument("--split", choices=("validation", "test"), default="test")
    parser.add_argument("--questions", type=counted, default=1400)
    parser.add_argument("--others", type=counted, default=600)
    options = parser.parse_args(arguments)
    settings = load_pack(options.pack).bricks["stt"].options
    recogniser, router, least = InProcessRecogniser(settings), Router(), AnswerConfig().min_probability
    below = float(settings.get("doubtful_below", 0.0))
    count: Counter[tuple[str, str]] = Counter()
    wrong: list[tuple[str, str]] = []
    for clip in fixed_clips(options.split, options.questions, options.others, 0):
        heard = transcribed(recogniser, clip)
        transcript = Transcript(heard.text, heard.probability, heard.probability < below)
        said, plain = (_asks(router.decide(text, remembers=True)) for text in (clip.text, heard.text))
        asked = _asks(
            sure_enough(router.decide(heard.text, remembers=True), transcript, least, remembers=True)
        )
        kind = _OTHER if clip.family == _OTHER else "to the memory" if said else "other questions"
        surely = (
            plain is not None
            and asked == plain
            and not transcript.doubtful
            and UNKNOWN_WORD not in heard.text
        )
        how = "" if asked is None else "in every word" if surely else "with a word missed"
        found = how and f"{how}, {'rightly' if asked == said and kind != _OTHER else 'wrongly'}"
        count[kind, found or "not asked of the memory"] += 1
        if found.endswith("missed, wrongly"):
            wrong.append((clip.text, heard.text))
    for kind in ("to the memory", "other questions", _OTHER):
        of = sum(n for (each, _), n in count.items() if each == kind)
        print(f"{kind}: {of}")
        for (each, found), n in sorted(count.items()):
            if each == kind:
                print(f"  {found:34s} {shown([[at < n] for at in range(of)])}")
    print("\nwrongly, with a word missed:")
    for text, read in wrong:
        print(f"  {text!r} -> {read!r}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
