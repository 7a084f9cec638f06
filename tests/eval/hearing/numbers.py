"""Are numbers, durations and clock times heard as what was said?

    python -m tests.eval.hearing.numbers [--pack PACK] [--split validation|test] [--questions N]

The clips are those of `just eval speech`: held-out voices, 90 % of them in noise at 5 to 30 dB. `right`: the
router reads the same command with the same values as in the words that were said, however they are spelt ("p
m", "pm"). `asked back`: the transcript is empty, doubtful, or has an unknown word. `other value`: the command
with another number, which the headband repeats; `other`: something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from host.config import AnswerConfig
from host.language.meaning import Abilities, meaning
from host.language.router import Decision, Router
from models.pack.catalogue import load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.sound.sentences import has_number
from tests.eval.arguments import counted
from tests.eval.hearing.heard import Outcomes, clip_arguments, clips, shown_count

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
    parser = clip_arguments("numbers", __doc__)
    parser.add_argument(
        "--questions",
        type=counted,
        default=3000,
        help="clips, of which one in six has a number (default 3000)",
    )
    options = parser.parse_args(arguments)
    pack = load_pack(options.pack)
    recogniser, router = InProcessRecogniser(pack.bricks["stt"].options), Router()
    can = Abilities(AnswerConfig().min_probability, usual=pack.usual_wording)
    outcomes, exact = Outcomes(), Counter[str]()
    for clip in clips(options):
        if not has_number(clip.family):
            continue
        heard = recogniser.transcribe(clip.pcm)
        said = router.decide(clip.text)
        found = outcome(said, meaning(heard, router, can).decision)
        kind = clip.family.removeprefix("number ")
        outcomes.note(kind, found)
        exact[kind] += clip.text == heard.text
        if found.startswith("other"):
            outcomes.wrong.append((clip.text, heard.text))
    for kind in outcomes.kinds:
        of = outcomes.clips(kind)
        print(f"{kind}: {of}, in these very words {shown_count(exact[kind], of)}")
        outcomes.show(kind, 12, OUTCOMES)
    outcomes.show_wrong("another value, or something else")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
