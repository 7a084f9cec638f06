"""Are numbers, durations and clock times heard as what was said?

    python -m tests.eval.numbers [--pack PACK] [--split validation|test] [--questions N]

The clips are those of `just eval speech`: held-out voices, 90 % of them in noise at 5 to 30 dB. `right`: the
router reads the same command with the same values as in the words that were said, however they are spelt ("p
m", "pm"). `asked back`: the transcript is empty, doubtful, or has an unknown word. `other value`: the command
with another number, which the headband repeats; `other`: something else.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from host.config import AnswerConfig
from host.language.doubt import sure_enough
from host.language.router import Decision, Router
from models.brick import Transcript
from models.pack.catalogue import load_pack
from models.train.recogniser.evaluate import fixed_clips, transcribed
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.sound.sentences import has_number
from tests.eval.arguments import counted
from tests.eval.intervals import shown

OUTCOMES = ("right", "asked back", "other value", "other")


def outcome(said: Decision, heard: Decision) -> str:
    """One of `OUTCOMES`."""
    if (heard.route, heard.intent, heard.slots) == (said.route, said.intent, said.slots):
        return "right"
    if heard.route == "unclear":
        return "asked back"
    return "other value" if (heard.route, heard.intent) == (said.route, said.intent) else "other"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="just eval numbers", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("--pack", type=Path, default=Path("models/packs/micro"))
    parser.add_argument("--split", choices=("validation", "test"), default="test")
    parser.add_argument(
        "--questions",
        type=counted,
        default=3000,
        help="clips, of which one in six has a number (default 3000)",
    )
    options = parser.parse_args(arguments)
    settings = load_pack(options.pack).bricks["stt"].options
    recogniser, router, least = InProcessRecogniser(settings), Router(), AnswerConfig().min_probability
    below = float(settings.get("doubtful_below", 0.0))
    count: Counter[tuple[str, str]] = Counter()
    exact: Counter[str] = Counter()
    wrong: list[tuple[str, str]] = []
    for clip in fixed_clips(options.split, options.questions, 0, 0):
        if not has_number(clip.family):
            continue
        heard = transcribed(recogniser, clip)
        transcript = Transcript(heard.text, heard.probability, heard.probability < below)
        said = router.decide(clip.text)
        found = outcome(said, sure_enough(router.decide(heard.text), transcript, least, remembers=False))
        kind = clip.family.removeprefix("number ")
        count[kind, found] += 1
        exact[kind] += clip.text == heard.text
        if found.startswith("other"):
            wrong.append((clip.text, heard.text))
    for kind in sorted({kind for kind, _ in count}):
        of = sum(count[kind, each] for each in OUTCOMES)
        print(f"{kind}: {of}, in these very words {shown([[at < exact[kind]] for at in range(of)])}")
        for each in OUTCOMES:
            print(f"  {each:12s} {shown([[at < count[kind, each]] for at in range(of)])}")
    print("\nanother value, or something else:")
    for text, read in wrong:
        print(f"  {text!r} -> {read!r}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
