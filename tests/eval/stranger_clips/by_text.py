"""How many questions about the last seconds are understood in wordings that no rule was written with.

    python -m tests.eval.stranger_clips.by_text

Only counts are printed, so that rules can be judged without being written for these sentences. A question is
understood where its family is, and a thing is named exactly where the question names one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from host.answers.motion import clip_asked
from host.language.router import Router
from host.language.understanding import understand
from tests.eval.intervals import share
from tests.eval.stranger_clips.wordings import DOCUMENTED, OWN

_TABLES: Mapping[str, Mapping[str, Sequence[str]]] = {"documented": DOCUMENTED, "own": OWN}


def judged(family: str, text: str, router: Router) -> str:
    """What became of a question: "right", "another" question about the last seconds, or "other"."""
    said = text.format(item="the cup", item2="the book")
    asked = clip_asked(understand(said, router, clips=True, usual=True).decision)
    if asked is None:
        return "other"
    right = asked.family == family.split()[0] and bool(asked.thing) == ("{item}" in text)
    return "right" if right else "another"


def main() -> int:
    """Command line."""
    router = Router()
    for name, table in _TABLES.items():
        outcomes = {family: [judged(family, text, router) for text in table[family]] for family in table}
        for family, each in outcomes.items():
            print(f"{name:10s} {family:18s} {each.count('right')} of {len(each)}")
        every = [outcome for each in outcomes.values() for outcome in each]
        low, high = share([[outcome == "right"] for outcome in every])
        print(
            f"{name}: {every.count('right')} of {len(every)} [{100 * low:.0f}, {100 * high:.0f} %], "
            f"as another question about the last seconds: {every.count('another')}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
