"""Questions about held-out days, asked aloud of a headband that remembers them.

    python -m tests.eval memory-voice [--days 6] [--questions 300] [--k 10 3 0]

Each day passes the view gate and is remembered whole, as in performance mode, by the real memory with the
pack's eye. After a tenth of the day and at its end a held-out voice asks, in sentences that the training
of the recogniser does not have; recogniser, router, memory, language model and voice are those of the pack.
Every question is asked by text as well, which leaves the recogniser out. An answer is right with the right
thing, place and time, judged from what the drawn day shows. `--k`: so many views the language model looks
at again, as performance, throttled and cascade have it. Where k is less than 10 the question is the
transcript.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from models.pack.catalogue import Pack, PackError, load_pack
from power.policy.savings import RECALL_LOOKS
from tests.eval.arguments import counted
from tests.eval.eye.page import Lacks
from tests.eval.eye.pieces import with_text
from tests.eval.memory.days import of_pack
from tests.eval.memory_voice import baselines, first_word, report
from tests.eval.memory_voice.asking import NOT_ASKED, Heard, Wearer, at_time, remembering
from tests.eval.memory_voice.days import DESIGNS, FIRST_SEED, STOPS, WornDay, worn
from tests.eval.memory_voice.past import WINDOWS, Past
from tests.eval.memory_voice.questions import Answered, Question, questions
from tests.eval.stranger.by_voice import VOICES, Speaker

ALOUD, TEXT = "aloud, k = {k}", "by text, k = {k}"


class Session:
    """Asks about days and keeps what was answered, by way of asking."""

    def __init__(self, pack: Pack, options: argparse.Namespace) -> None:
        self._pack, self._options = pack, options
        self._speaker = Speaker(options.seed, options.voices, "room", 24.0)
        self.ways: dict[str, list[Answered]] = defaultdict(list)

    def ask(self, day: WornDay, share: float, count: int) -> list[Answered]:
        """Asks questions after a share of the day; what was answered first, in order."""
        past, kept = day.until(share)
        asked = questions(past, day.seed, count)

        async def scene() -> None:
            with tempfile.TemporaryDirectory() as folder:
                at = remembering(day, kept, past.now_s, self._pack, Path(folder))
                async with at as wearer:
                    await self._all(wearer, asked, past)

        before = {way: len(answers) for way, answers in self.ways.items()}
        at_time(scene, past.now_s)
        first = next(iter(self.ways))
        return self.ways[first][before.get(first, 0) :]

    async def _all(self, wearer: Wearer, asked: Sequence[Question], past: Past) -> None:
        last: dict[str, tuple[Answered, Heard]] = {}

        def note(way: str, question: Question, heard: Heard) -> None:
            first = last[way][0] if way in last else None
            verdict = question.judged(heard.answer, heard.now_s, past, first)
            answered = Answered(question, heard.transcript, heard.answer, heard.now_s, verdict, heard.seconds)
            self.ways[way].append(answered)
            last[way] = answered, heard
            if self._options.verbose and not answered.right:
                print(
                    f"  [{way}] {question.text!r} heard {heard.transcript!r}: {verdict}\n    {heard.answer}"
                )

        for question in asked:
            most = max(self._options.k)
            before = {way: heard.recalled for way, (_, heard) in last.items()}
            aloud: Heard | None = None
            for k in sorted(self._options.k, reverse=True):
                way = ALOUD.format(k=k)
                if not self._options.text_only:
                    if aloud is None:
                        aloud = await wearer.asked_aloud(question.text, self._speaker, before.get(way))
                    found = aloud
                    if k != RECALL_LOOKS and not aloud.answer.startswith(NOT_ASKED.partition("{")[0]):
                        found = await wearer.asked(aloud.transcript, before.get(way), k)
                    note(way, question, found)
                way = TEXT.format(k=k)
                if k in (most, 0):
                    note(way, question, await wearer.asked(question.text, before.get(way), k))


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        pack = load_pack(options.pack)
        chain = with_text(pack)
    except (PackError, Lacks) as error:
        print(error, file=sys.stderr)
        return 2
    options.keep = None if options.keep is None else of_pack(options.keep, pack)
    if options.first_word:
        day = worn(
            pack.bricks["vision"], chain, options.first_seed, options.views, options.split, options.keep
        )
        print(first_word.report(pack, day, options.first_word).text())
        return 0
    began_s, session = time.monotonic(), Session(pack, options)
    simple: dict[str, list[Answered]] = defaultdict(list)
    for number in range(options.days):
        seed = options.first_seed + number
        day = worn(pack.bricks["vision"], chain, seed, options.views, options.split, options.keep)
        print(f"day {seed}: {len(day.kept)} of {options.views} views kept", flush=True)
        for at, share in enumerate(STOPS):
            left = options.days * len(STOPS) - number * len(STOPS) - at
            done = max((len(each) for each in session.ways.values()), default=0)
            answered = session.ask(day, share, max(0, -(-(options.questions - done) // left)))
            print(f"  {len(answered)} questions ({time.monotonic() - began_s:.0f} s)", flush=True)
            if not options.ours_only:
                _simply(pack, day, share, answered, simple, options)
    _print(session, simple, options)
    print(f"  ({time.monotonic() - began_s:.0f} s)")
    return 0


def _simply(
    pack: Pack,
    day: WornDay,
    share: float,
    answered: Sequence[Answered],
    into: dict[str, list[Answered]],
    options: argparse.Namespace,
) -> None:
    """The same questions to the simple ways, which are told the thing and the time that are meant."""
    past, kept = day.until(share)
    file = None if options.keep is None else options.keep / f"{options.split}_{day.seed}_{options.views}.txt"
    simple = baselines.Simple(pack, day, baselines.captions(pack, day, file))
    try:
        for each in answered:
            if each.question.kind not in baselines.KINDS:
                continue
            into["ours, of these"].append(each)
            window = next((span for name, span in WINDOWS.items() if name in each.question.text), (0.0, 1e9))
            for way in baselines.SIMPLE:
                said = simple.answer(way, each.question.name, window, kept, past.now_s)
                verdict = each.question.judged(said, past.now_s, past, None)
                into[way].append(Answered(each.question, each.question.text, said, past.now_s, verdict))
    finally:
        simple.close()


def _print(session: Session, simple: report.Ways, options: argparse.Namespace) -> None:
    most, ways = max(options.k), session.ways
    count = len(ways[TEXT.format(k=most)])
    title = f"{count} questions on {options.days} days of {options.views} views ({options.split})"
    tables = [report.by_way(ways, title)]
    if simple:
        kinds = ", ".join(baselines.KINDS)
        tables.append(report.by_way(simple, f"Beside simple ways, {kinds}; these are told what is meant"))
    tables.append(report.by_kind(ways))
    text = ways[TEXT.format(k=most)]
    tables.append(report.by_wording(ways.get(ALOUD.format(k=most), text), text))
    tables.append(report.verdicts(text))
    print("\n" + "\n\n".join(table.text() for table in tables))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="just eval memory-voice", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--days", type=counted, default=6, help="(default 6)")
    parser.add_argument("--questions", type=counted, default=300, help="in all (default 300)")
    parser.add_argument("--k", type=counted, nargs="+", default=(10, 3, 0), help="(default 10 3 0)")
    parser.add_argument(
        "--views", type=counted, default=1000, help="of each day, 100 at least (default 1000)"
    )
    parser.add_argument(
        "--split", choices=("held", "validation", DESIGNS), default="held",
        help=f"{DESIGNS}: validation days of things that look as in no training",
    )  # fmt: skip
    parser.add_argument(
        "--first-seed", type=counted, default=FIRST_SEED, help=f"of the first day (default {FIRST_SEED})"
    )
    parser.add_argument("--pack", default="micro", help="by name or folder")
    parser.add_argument("--seed", type=counted, default=1, help="of the voices")
    parser.add_argument("--voices", choices=tuple(VOICES), default="usual", help="(default usual)")
    parser.add_argument(
        "--first-word", type=counted, default=0, metavar="TURNS",
        help="instead: time to the first word beside a question about the present view, in each mode",
    )  # fmt: skip
    parser.add_argument("--text-only", action="store_true", help="without the recogniser")
    parser.add_argument("--ours-only", action="store_true", help="without the simple ways")
    parser.add_argument("--keep", type=Path, help="a folder where encoded days are kept for the next time")
    parser.add_argument("--verbose", action="store_true", help="print every wrong answer")
    return parser


if __name__ == "__main__":
    sys.exit(main())
