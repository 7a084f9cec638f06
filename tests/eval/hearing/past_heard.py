"""Which questions to the memory are understood as such, heard wholly or not, and what else is taken for one.

    python -m tests.eval.hearing.past_heard [--pack PACK] [--split validation|test] [--questions N]
                                            [--others N]

The clips are those of `just eval speech`: held-out voices, 90 % of them in noise at 5 to 30 dB, a part of
them questions to the memory, and everyday speech. A question is understood rightly where it asks the same of
the memory as the words that were said.
"""

from __future__ import annotations

from collections.abc import Sequence

from host.config import AnswerConfig
from host.language.meaning import Abilities, meaning
from host.language.router import Decision, Router
from models.brick import UNKNOWN_WORD
from models.pack.catalogue import load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from tests.eval.arguments import counted
from tests.eval.hearing.heard import OTHER, Outcomes, clip_arguments, clips


def _asks(decision: Decision) -> tuple[str, object] | None:
    return (decision.intent, decision.slots.get("rest")) if decision.route == "memory" else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = clip_arguments("past-heard", __doc__)
    parser.add_argument("--questions", type=counted, default=1400)
    parser.add_argument("--others", type=counted, default=600)
    options = parser.parse_args(arguments)
    pack = load_pack(options.pack)
    recogniser = InProcessRecogniser(pack.bricks["stt"].options)
    router = Router()
    can = Abilities(
        AnswerConfig().min_probability,
        remembers=True,
        clips="motion" in pack.bricks,
        usual=pack.usual_wording,
    )
    outcomes = Outcomes()
    for clip in clips(options):
        heard = recogniser.transcribe(clip.pcm)
        said, plain = (_asks(router.decide(text, remembers=True)) for text in (clip.text, heard.text))
        asked = _asks(meaning(heard, router, can).decision)
        kind = OTHER if clip.family == OTHER else "to the memory" if said else "other questions"
        surely = (
            plain is not None and asked == plain and not heard.doubtful and UNKNOWN_WORD not in heard.text
        )
        how = "" if asked is None else "in every word" if surely else "with a word missed"
        found = how and f"{how}, {'rightly' if asked == said and kind != OTHER else 'wrongly'}"
        outcomes.note(kind, found or "not asked of the memory")
        if found.endswith("missed, wrongly"):
            outcomes.wrong.append((clip.text, heard.text))
    for kind in ("to the memory", "other questions", OTHER):
        print(f"{kind}: {outcomes.clips(kind)}")
        outcomes.show(kind, 34)
    outcomes.show_wrong("wrongly, with a word missed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
