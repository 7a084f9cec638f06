"""What a closed question costs by how far it goes: wall time and processor time of the reflex brick with
random weights, by width, number of image tokens, layer of the exit and share of tokens pruned.

    ./justw eval reflex-cost                                     both widths, 196, 576 and 608 image tokens
    ./justw eval reflex-cost --width 256 --tokens 576            one of them
    ./justw eval reflex-cost --float32                           with the layers' weights not in 8 bits

Each measurement is of whole questions to a loaded brick in this process, the kinds in turn, medians. The time
of the cross-modal layers includes the choice of the tokens that are kept. Random weights cost what trained
ones cost; whether a question may leave early, or do with fewer tokens, is another matter.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from models.brick import Context, Embedding
from models.bricks import reflex
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.convert.ballast.generate import REFLEX_WIDTHS
from models.convert.ballast.reflex import ANSWERS, ballast_shape, write_ballast_reflex
from models.convert.reflex.weights import ReflexShape
from tests.eval.arguments import counted

TOKENS = (196, 576, 608)
"""14 x 14 cells; SigLIP-B/16 at 384 pixels; the most that MobiVQA's grid features have."""
PRUNED = (0.0, 0.5, 0.8, 0.9)
"""Shares of the image tokens that do not go on after the first layer."""
ROW_WIDTH = 896
"""Of the ballast pack's eye."""
QUESTION = "what colour is the cup on the table"
THREADS = 2


def loaded(folder: Path, shape: ReflexShape, tokens: int, threads: int, *, eight_bits: bool = True) -> Any:
    """The brick with a network of that shape, which is written where it is not there. eight_bits: of its
    layers' weights, as the ballast pack has them.
    """
    if not (folder / "front.onnx").exists():
        write_ballast_reflex(folder, shape, eight_bits=eight_bits)
    files = {path.stem: str(path) for path in folder.iterdir()}
    options = {
        **files, "tokens": tokens, "width": ROW_WIDTH, "layers": shape.layers, "answerable_from": 0.0,
        "advice_from": 1.0, "exit_score": 1.0, "keep": 1.0, "unknown_words": 24,
        "caution": dict.fromkeys(("low", "normal", "high"), 0.0),
    }  # fmt: skip
    brick = reflex.create(options, Context(threads=threads))
    brick.load()
    return brick


def measure(brick: Any, tokens: int, layers: int, repeats: int) -> dict[str, Any]:
    """Medians in ms: `steps`, wall time of the front and each layer without pruning; `exits`, [wall, cpu] of
    a question that ends after so many layers; `pruned`, [wall of the cross-modal layers, cpu of the question,
    tokens that go on].
    """
    rows = Embedding(rows=np.random.default_rng(5).standard_normal((tokens, ROW_WIDTH), np.float32))
    asked: dict[str, ClosedQuestion] = {}
    for layer in range(layers + 1):
        asked[f"exit {layer}"] = ClosedQuestion(QUESTION, rows, layers=layer, keep=1.0, certainty=1.0)
    for share in PRUNED:
        asked[f"pruned {share}"] = ClosedQuestion(QUESTION, rows, keep=1.0 - share, certainty=1.0)
    spent: dict[str, list[tuple[float, float, ClosedAnswer]]] = {name: [] for name in asked}
    for turn in range(repeats + 1):
        for name, question in asked.items():
            wall_s, cpu_s = time.monotonic(), time.process_time()
            (answer,) = brick.execute(question)
            if turn:  # the first is warming up
                spent[name].append((time.monotonic() - wall_s, time.process_time() - cpu_s, answer))

    def median(name: str, kind: Literal[0, 1]) -> float:
        return 1e3 * statistics.median([each[kind] for each in spent[name]])

    whole = [answer.layers_ms for _, _, answer in spent["pruned 0.0"]]
    exits = [[median(f"exit {layer}", 0), median(f"exit {layer}", 1)] for layer in range(layers + 1)]
    pruned = {
        share: [
            statistics.median(sum(answer.layers_ms[1:]) for _, _, answer in spent[f"pruned {share}"]),
            median(f"pruned {share}", 1),
            spent[f"pruned {share}"][0][2].kept,
        ]
        for share in PRUNED
    }
    return {
        "steps": [statistics.median(step) for step in zip(*whole, strict=True)],
        "exits": exits,
        "pruned": pruned,
    }


def table(shape: ReflexShape, tokens: int, found: dict[str, Any], threads: int) -> str:
    """The measurements as text."""
    words = len(QUESTION.split())
    steps = ["front", *(f"layer {number}" for number in range(1, len(found["steps"])))]
    cpu = [each[1] for each in found["exits"]]
    by_step = [cpu[0], *(after - before for before, after in itertools.pairwise(cpu))]

    def row(name: str, values: Sequence[float], digits: int = 1) -> str:
        return f"  {name:36}" + "".join(f"{value:10.{digits}f}" for value in values)

    whole = found["pruned"][PRUNED[0]][0]
    return "\n".join(
        [
            f"width {shape.width}, {sum(shape.blanks)} answers, {tokens} image tokens, {words} words, "
            f"threads {threads}; median ms",
            f"  {'':36}" + "".join(f"{step:>10}" for step in steps),
            row("wall time of the step", found["steps"]),
            row("processor time of the step", by_step),
            row("question that ends there: wall", [each[0] for each in found["exits"]]),
            row("question that ends there: processor", cpu),
            f"  {'pruned after layer 1':36}" + "".join(f"{share:10.0%}" for share in PRUNED),
            row("tokens that go on", [found["pruned"][share][2] for share in PRUNED], 0),
            row("cross-modal layers: wall", [found["pruned"][share][0] for share in PRUNED]),
            row("times as fast", [whole / found["pruned"][share][0] for share in PRUNED], 2),
            row("whole question: processor", [found["pruned"][share][1] for share in PRUNED]),
        ]
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="just eval reflex-cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--width", type=int, choices=REFLEX_WIDTHS, action="append", help="default: all")
    parser.add_argument("--tokens", type=counted, action="append", help="default: 196, 576 and 608")
    parser.add_argument("--answers", type=counted, default=ANSWERS, help=f"default: {ANSWERS}, as for VQAv2")
    parser.add_argument("--float32", action="store_true", help="the layers' weights, in place of 8 bits")
    parser.add_argument("--threads", type=counted, default=THREADS)
    parser.add_argument("--repeats", type=counted, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for width in options.width or REFLEX_WIDTHS:
            shape, written = ballast_shape(ROW_WIDTH, width, options.answers), Path(folder) / str(width)
            written.mkdir()
            for tokens in options.tokens or TOKENS:
                brick = loaded(written, shape, tokens, options.threads, eight_bits=not options.float32)
                found = measure(brick, tokens, shape.layers, options.repeats)
                brick.release()
                results.append({"width": width, "answers": options.answers, "tokens": tokens, **found})
                if not options.json:
                    print(table(shape, tokens, found, options.threads), end="\n\n", flush=True)
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
