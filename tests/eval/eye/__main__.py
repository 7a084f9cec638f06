"""The eye on held-out data: retrieval at every exit, answers about a home, and what the pieces cost.

    python -m tests.eval eye [--section NAME ...] [--pack micro] [--out FOLDER]
    python -m tests.eval eye --smoke                  everything at its smallest, in seconds

All of it takes half an hour on a quiet computer.

Sections: {sections}. `retrieval` asks in words for views of held-out days; `home` and `stranger` ask about
held-out views of the drawn home and about a second renderer's, as text; `voice` speaks the same to a whole
headband; `costs`, `stored` and `streaming` measure the pieces of the eye; `first-word` compares the latency
with that of another pack (--against). A section that needs what the pack lacks says so. With --out the page
is also written there as Markdown, with the nearest views of ten queries as HTML.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from models.pack.catalogue import PackError, load_pack
from models.train.cutouts import Unreadable, read_cutouts
from tests.eval.arguments import counted
from tests.eval.eye.page import Lacks, Table
from tests.eval.eye.sections import SECTIONS, Options
from tests.eval.stranger.by_voice import VOICES
from tests.eval.stranger_home.facts import THINGS


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; the exit status."""
    given = _parser().parse_args(arguments)
    try:
        pack, against = load_pack(given.pack), load_pack(given.against)
        cutouts = read_cutouts(given.cutouts, THINGS) if given.cutouts else None
    except (PackError, Unreadable) as error:
        print(error, file=sys.stderr)
        return 2
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
    options = Options(
        pack, against, given.smoke, given.days, given.views, given.caption_days, given.questions,
        given.spoken, given.turns, given.seed, given.wrong, given.out, given.voices, cutouts,
    )  # fmt: skip
    started_s = time.monotonic()
    print(f"eye: pack {pack.name} {pack.version}, seed {given.seed}", flush=True)
    written = [f"# The eye of pack {pack.name} {pack.version}\n"]
    for name in given.section or SECTIONS:
        began_s = time.monotonic()
        try:
            tables = SECTIONS[name](options)
        except Lacks as error:
            tables = [Table(name.capitalize(), notes=[str(error)])]
        for table in tables:
            print(f"\n{table.text()}", flush=True)
            written.append(table.markdown())
        print(f"  ({name}: {time.monotonic() - began_s:.0f} s)", flush=True)
    if given.out:
        (given.out / "eye.md").write_text("\n".join(written), encoding="utf-8")
    print(f"\n{time.monotonic() - started_s:.0f} s")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="just eval eye",
        description=(__doc__ or "").format(sections=", ".join(SECTIONS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--section", choices=tuple(SECTIONS), action="append", help="only this; repeatable")
    parser.add_argument("--pack", default="micro", help="by name or folder")
    parser.add_argument("--against", default="micro", help="the pack of the comparison in first-word")
    parser.add_argument("--smoke", action="store_true", help="few views, questions and turns")
    parser.add_argument("--days", type=counted, default=5, help="held-out days of retrieval (default 5)")
    parser.add_argument("--views", type=counted, default=1200, help="candidates of each day (default 1200)")
    parser.add_argument(
        "--caption-days", type=counted, default=3, help="days of the decoder's baseline (default 3)"
    )
    parser.add_argument("--questions", type=counted, default=700, help="as text, each column (default 700)")
    parser.add_argument("--spoken", type=counted, default=350, help="spoken, each column (default 350)")
    parser.add_argument("--turns", type=counted, default=12, help="of first-word, each pack (default 12)")
    parser.add_argument("--seed", type=counted, default=1)
    parser.add_argument("--voices", choices=tuple(VOICES), default="usual", help="of what is spoken")
    parser.add_argument(
        "--cutouts", type=Path, help="a folder with cutouts.tsv: the things of the second renderer's home"
    )
    parser.add_argument("--wrong", type=counted, default=0, help="print this many wrong answers")
    parser.add_argument("--out", type=Path, help="a folder for eye.md and retrieval.html")
    return parser


if __name__ == "__main__":
    sys.exit(main())
