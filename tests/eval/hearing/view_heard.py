"""Which questions about the view are understood as asked, heard surely or in doubt, and what else is taken
for one.

    python -m tests.eval.hearing.view_heard [--pack PACK] [--split validation|test] [--questions N]
                                            [--others N]

The clips are those of `just eval speech`: 90 % of them in noise at 5 to 30 dB. A question is understood
rightly where it asks the same of the view, in its usual words, as the words that were said.
"""

from __future__ import annotations

from collections.abc import Sequence

from host.config import AnswerConfig
from host.language.meaning import Abilities, meaning
from host.language.politeness import without_politeness
from host.language.router import Router, plain_words
from host.language.understanding import understand
from host.language.usual.view import usual_wording
from models.brick import Transcript
from models.pack.catalogue import Pack, load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from tests.eval.arguments import counted
from tests.eval.hearing.heard import OTHER, Outcomes, clip_arguments, clips

KINDS = "about the view", "other questions", OTHER
NOTHING, MISSED = "not asked of the view", "in doubt"


class Understanding:
    """The rules of words as a turn applies them, while the memory is off."""

    def __init__(self, pack: Pack) -> None:
        self._router = Router()
        clips, usual = "motion" in pack.bricks, pack.usual_wording
        self._can = Abilities(AnswerConfig().min_probability, clips=clips, usual=usual)

    def asked(self, heard: Transcript) -> tuple[str, str]:
        """What a transcript asks of the view in its usual words, and how it was found; "" and `NOTHING`."""
        found = meaning(heard, self._router, self._can)
        if found.decision.route != "now":
            return "", NOTHING
        plain = understand(heard.text, self._router, clips=self._can.clips, usual=self._can.usual)
        whole = plain.question == found.question and not heard.doubtful
        return (_usual(found.question), "in every word") if whole else (found.question, MISSED)


def _usual(text: str) -> str:
    return usual_wording(plain_words(without_politeness(text)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = clip_arguments("view-heard", __doc__)
    parser.add_argument("--questions", type=counted, default=1400)
    parser.add_argument("--others", type=counted, default=600)
    options = parser.parse_args(arguments)
    pack = load_pack(options.pack)
    recogniser, rules = InProcessRecogniser(pack.bricks["stt"].options), Understanding(pack)
    outcomes = Outcomes()
    for clip in clips(options):
        heard = recogniser.transcribe(clip.pcm)
        meant = "" if clip.family == OTHER else rules.asked(Transcript(clip.text, 1.0))[0]
        asked, how = rules.asked(heard)
        kind = OTHER if clip.family == OTHER else KINDS[0] if meant else KINDS[1]
        outcomes.note(kind, f"{how}, {'rightly' if asked == meant else 'wrongly'}" if asked else NOTHING)
        if how == MISSED and asked != meant:
            outcomes.wrong.append((clip.text, heard.text))
    for kind in KINDS:
        print(f"{kind}: {outcomes.clips(kind)}")
        outcomes.show(kind, 30)
    outcomes.show_wrong(f"wrongly, {MISSED}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
