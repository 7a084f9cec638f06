"""Asks the headband a stranger's questions about a stranger's pictures: how many answers are right?

    python -m tests.eval stranger [--sight | --chain] [--questions 480] [--seed 1]
    python -m tests.eval stranger --sheet FILE      a sheet of its pictures, to look at

Pictures, wordings and judges are this package's own and never train anything. --sight gives the words as text
to the product's router, device skills, eye and decoder; --chain speaks them to a whole headband in held-out
voices. Intervals are Wilson's, 95 %. Pictures are drawn and speech is synthesised, so the figures say nothing
about photographs or people.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from models.pack.catalogue import Pack, load_pack
from tests.eval.arguments import amount, counted
from tests.eval.stranger.all_questions import FAMILIES, questions
from tests.eval.stranger.by_caution import by_caution
from tests.eval.stranger.by_text import ask_by_text
from tests.eval.stranger.by_voice import NOISES, VOICES, Speaker, ask_by_voice
from tests.eval.stranger.outcome import Outcome, report, write_json
from tests.eval.stranger.questions import Question
from tests.eval.stranger.sheet import write_sheet


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; the exit status."""
    options = _parser().parse_args(arguments)
    if options.sheet:
        write_sheet(options.sheet, options.seed)
        print(options.sheet)
        return 0
    if not options.questions:
        print("--questions has to be at least 1.", file=sys.stderr)
        return 2
    if unknown := [family for family in options.families if family not in FAMILIES]:
        print(f"There is no family {unknown[0]!r}; there are: {', '.join(FAMILIES)}.", file=sys.stderr)
        return 2
    started_s = time.monotonic()
    asked = questions(options.questions, options.seed, options.families)
    pack = load_pack(options.pack)
    if options.chain:
        speaker = Speaker(options.seed, options.voices, options.noise, options.snr)
        how = f"spoken, {options.voices} voices, {options.noise} noise at {options.snr:.0f} dB"
        outcomes = asyncio.run(_aloud(pack, asked, speaker))
    else:
        how, outcomes = "as text", list(ask_by_text(pack, asked))
    print(f"stranger: {len(outcomes)} questions {how}, seed {options.seed}, pack {options.pack}")
    print("\n".join([*report(outcomes), *by_caution(outcomes, pack.caution_levels)]))
    if options.wrong:
        _show_wrong(outcomes, options.wrong)
    if options.json:
        write_json(options.json, outcomes)
    print(f"{time.monotonic() - started_s:.0f} s")
    return 0


async def _aloud(pack: Pack, asked: Iterable[Question], speaker: Speaker) -> list[Outcome]:
    return [outcome async for outcome in ask_by_voice(pack, asked, speaker)]


def _show_wrong(outcomes: Sequence[Outcome], most: int) -> None:
    for each in [each for each in outcomes if not each.right][:most]:
        heard = "" if each.heard == each.question.text else f" heard as {each.heard!r}"
        print(f"{each.question.family}: {each.question.text!r}{heard}")
        print(f"    {each.said!r}; in truth {each.question.truth}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="just eval stranger", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--sight", action="store_true", help="questions as text (the default)")
    how.add_argument("--chain", action="store_true", help="questions spoken")
    parser.add_argument("--questions", type=counted, default=480, help="the families in turn (default 480)")
    parser.add_argument("--seed", type=counted, default=1)
    parser.add_argument("--pack", default="micro")
    parser.add_argument("--families", nargs="+", default=[], help="only these")
    parser.add_argument("--voices", choices=VOICES, default="usual", help="with --chain")
    parser.add_argument("--noise", choices=NOISES, default="room", help="with --chain")
    parser.add_argument("--snr", type=amount, default=20.0, help="speech over noise, dB (default 20)")
    parser.add_argument("--json", type=Path, help="write every question and answer here")
    parser.add_argument("--wrong", type=counted, default=0, help="print this many wrong answers")
    parser.add_argument("--sheet", type=Path, help="only write a PNG with 24 pictures")
    return parser


if __name__ == "__main__":
    sys.exit(main())
