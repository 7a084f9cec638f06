"""Closed questions about one picture on held-out data: the reflex brick and each of its mechanisms.

    python -m tests.eval reflex [--section NAME ...] [--pack micro] [--reflex FOLDER ...] [--html FILE]
    python -m tests.eval reflex --data DIR            questions in the format of VQAv2 or VizWiz
    python -m tests.eval reflex --smoke               everything at its smallest

--reflex names exported networks, for example of several training seeds, in place of the pack's own; their
figures are averaged. All of them read the rows of the pack's eye.

Sections: {sections}. `first-stage` is V1, `exits` V3 and `pruning` V4 against simpler ways; `together` all of
them; `risk` risk and coverage by caution; `tempting` negated questions and absent things asked as present;
`llm` the same questions to the pack's language model; `wait`, only where it is named, a spoken question to
the whole headband with the reflex brick and without. Questions are asked as the headband asks its models:
without politeness, in usual words where the pack wants those. Thresholds are chosen on validation, and the
test is asked once. What exits and pruning save in the shapes of larger packs is in `just eval reflex-cost`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from host.language.router import Router
from host.language.understanding import understand
from models.pack.catalogue import Pack, PackError, load_pack
from tests.eval.arguments import counted
from tests.eval.eye.page import Lacks, Table
from tests.eval.eye.pieces import loaded
from tests.eval.reflex import (
    drawn,
    mechanisms,
    polarity,
    published,
    risk,
    stranger_cases,
    versus_llm,
    waiting,
)
from tests.eval.reflex.brick import brick_of
from tests.eval.reflex.cases import Case, composed
from tests.eval.reflex.collect import Asked, collect, look
from tests.eval.reflex.html_page import write_page
from tests.eval.reflex.network import Network, of_folder, of_pack
from tests.eval.reflex.pruning import RATIOS
from tests.eval.reflex.runs import Run

_VALIDATION_SEED = 500_000


@dataclass(frozen=True)
class Size:
    """Cases of each test world, each validation world, each tempting family, and for the language model."""

    test: int = 300
    validation: int = 350
    tempting: int = 240
    llm: int = 600
    turns: int = 9


SMOKE = Size(12, 12, 8, 4, 1)


class Evaluation:
    """The cases, the networks and their outputs, each computed when a section first needs it."""

    def __init__(
        self, pack: Pack, folders: Sequence[Path], size: Size, seed: int, ratios: Sequence[float] = RATIOS
    ) -> None:
        """ratios: shares of rows for which all ways to prune are compared."""
        self.pack, self.size, self.seed, self._ratios = pack, size, seed, ratios
        self._folders, self._router = folders, Router()

    @cached_property
    def networks(self) -> list[Network]:
        """Raises Lacks."""
        found = [of_folder(folder, self.pack) for folder in self._folders] or [of_pack(self.pack)]
        if len({network.layers for network in found}) > 1:
            raise Lacks("The networks have different numbers of layers.")
        return found

    def _looked(self, cases: Sequence[Case]) -> list[Asked]:
        if "vision" not in self.pack.bricks:
            raise Lacks(f"Pack '{self.pack.name}' has no eye.")
        asked = [replace(case, text=self._in_its_words(case.text)) for case in cases]
        with loaded(self.pack.bricks["vision"]) as eye:
            return look(eye, asked)

    def _in_its_words(self, text: str) -> str:
        """A question in the words that the headband gives its models."""
        return understand(text, self._router, usual=self.pack.usual_wording).question or text

    @cached_property
    def test(self) -> list[Asked]:
        """Held-out cases of both drawn worlds and of the second renderer's."""
        sources = (drawn.shapes, drawn.held_home, stranger_cases.shapes, stranger_cases.home)
        return self._looked(
            [case for source in sources for case in composed(source(self.seed), self.size.test)]
        )

    @cached_property
    def validation(self) -> list[Asked]:
        """Validation cases of both drawn worlds."""
        seed = _VALIDATION_SEED + self.seed
        sources = drawn.shapes(seed, "validation"), drawn.home(seed, "validation")
        return self._looked([case for source in sources for case in composed(source, self.size.validation)])

    @cached_property
    def runs(self) -> list[Run]:
        """Outputs of every network."""
        return [
            Run(collect(network, self.validation, ()), collect(network, self.test, self._ratios))
            for network in self.networks
        ]

    def tempting(self) -> Table:
        """Families that tempt to say yes or no."""
        families = polarity.families(self.size.tempting, self.seed)
        asked = {name: self._looked(cases) for name, cases in families.items()}
        return risk.tempting(
            {name: [collect(net, each, ()) for net in self.networks] for name, each in asked.items()}
        )

    def llm(self) -> Table:
        """The language model of the pack; the first network."""
        step = max(1, len(self.test) // self.size.llm)
        return versus_llm.report(self.pack, self.networks[0], self.test[::step][: self.size.llm])


SECTIONS: Mapping[str, Callable[[Evaluation], list[Table]]] = {
    "first-stage": lambda given: [mechanisms.first_stage(given.runs)],
    "exits": lambda given: mechanisms.exits(given.runs),
    "pruning": lambda given: [mechanisms.pruning(given.runs)],
    "together": lambda given: [mechanisms.together(given.runs)],
    "risk": lambda given: risk.risk(given.runs),
    "tempting": lambda given: [given.tempting()],
    "llm": lambda given: [given.llm()],
    "wait": lambda given: [waiting.report(given.pack, given.size.turns)],
}
USUAL = tuple(name for name in SECTIONS if name != "wait")
"""Sections that run when none is named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; the exit status."""
    given = _parser().parse_args(arguments)
    try:
        pack = load_pack(given.pack)
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    size = SMOKE if given.smoke else Size(given.questions, given.validation, turns=given.turns)
    if given.data:
        return published.main(pack, given.reflex, given.data, given.questions if given.smoke else 0)
    ratios = RATIOS if "pruning" in (given.section or USUAL) else ()
    evaluation = Evaluation(pack, given.reflex, size, given.seed, ratios)
    started_s = time.monotonic()
    print(f"reflex: pack {pack.name} {pack.version}, seed {given.seed}", flush=True)
    for name in given.section or USUAL:
        began_s = time.monotonic()
        try:
            tables = SECTIONS[name](evaluation)
        except Lacks as error:
            tables = [Table(name.capitalize(), notes=[str(error)])]
        for table in tables:
            print(f"\n{table.text()}", flush=True)
        print(f"  ({name}: {time.monotonic() - began_s:.0f} s)", flush=True)
    if given.html:
        try:
            with brick_of(evaluation.networks[0]) as brick:
                write_page(given.html, brick, evaluation.test, evaluation.networks[0].name)
        except (Lacks, OSError) as error:
            print(f"{given.html} is not written: {error}", file=sys.stderr)
            return 2
        print(f"\n{given.html} has {min(40, len(evaluation.test))} questions to look at.")
    print(f"\n{time.monotonic() - started_s:.0f} s")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="just eval reflex",
        description=(__doc__ or "").format(sections=", ".join(SECTIONS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--section", choices=tuple(SECTIONS), action="append", help="only this; repeatable")
    parser.add_argument("--pack", default="micro", help="by name or folder")
    parser.add_argument(
        "--reflex", type=Path, action="append", default=[], help="an exported network; repeatable"
    )
    parser.add_argument("--data", type=Path, help="a folder of VQAv2 or VizWiz to score the network on")
    parser.add_argument("--smoke", action="store_true", help="few questions")
    parser.add_argument("--questions", type=counted, default=300, help="of each test world (default 300)")
    parser.add_argument("--validation", type=counted, default=350, help="of each drawn world (default 350)")
    parser.add_argument("--turns", type=counted, default=9, help="of `wait`, each way and mode (default 9)")
    parser.add_argument("--seed", type=counted, default=1)
    parser.add_argument("--html", type=Path, help="a page with 40 questions to look at")
    return parser


if __name__ == "__main__":
    sys.exit(main())
