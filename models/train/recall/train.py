"""Chooses how deep a pack's eye encodes what is remembered, and puts that into the pack:

    python -m models.train.recall.train [--pack models/packs/micro] [--days 10] [--views 400]

A predictor is trained that says from a view's place at the first exit how deep the view has to be encoded.
Its labels come from days of the training split alone, and from the views themselves
(`models.train.recall.labels`). Other days, of the validation split, decide between widths, labels and
thresholds, and between the predictor and one exit for all views: of all that keep at least `KEPT` of the
questions in words that full depth answers, the one that encodes the fewest blocks is taken. It goes into the
pack if it surely keeps `LEAST`; else every view is remembered at the last exit. Needs NumPy and the runtimes
only; minutes, nearly all of them for drawing and encoding the days.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np

from hw.settings import Range, argument
from models.exit_predictor import ExitPredictor
from models.pack.catalogue import Pack, PackError, load_pack, seal
from models.pack.chain import Chain, chain_of
from models.small_network import Layer, quantised
from models.train.pack import PACK
from models.train.recall.labels import good_enough
from models.train.recall.network import trained
from models.train.recall.questions import Asked, asked
from models.train.recall.views import Places, Remembered, loaded, remembered
from models.train.stopping import stopping
from models.train.world.home.day import FEWEST, MOST

KEPT, LEAST = 0.97, 0.95
"""Share of full depth's R@1 on validation days that has to be left; the least for the lower end of its 95 %
interval.
"""
DRAWS = 1000
"""Of the bootstrap over questions."""
WIDTHS, NEARER = (0, 16), (0, 2)
"""Widths of the layer between, 0 for none; other views that may be nearer at an exit that is good enough."""
MOST_EXITS = 4
"""Between so many exits, evenly spaced, a view is placed: each more is a file in the eye's memory, and makes
the groups that go on together smaller.
"""
STEPS = tuple(step / 50 for step in range(1, 50))
EPOCHS, VALIDATION_DAYS, VALIDATION_VIEWS = 30, 2, 600
FILE = "vision/predictor.json"
_NAMED, _IN_ONE_LINE = f'predictor = "{FILE}"', "files = {"
TRAINING_DAYS = argument(Annotated[int, Range(1, 1000, "days")])
TRAINING_VIEWS = argument(Annotated[int, Range(FEWEST, MOST, "views")])


@dataclass(frozen=True, eq=False)
class Day:
    """A day of validation. places: [exits, views, embedding]."""

    places: Places
    asked: Asked


@dataclass(frozen=True)
class Outcome:
    """What a rule for depths does on days. kept: R@1 relative to full depth; least: the lower end of its 95 %
    interval; depth: mean, of the whole.
    """

    kept: float
    least: float
    depth: float


def outcome(days: Sequence[Day], rule: Sequence[Sequence[int]], exits: Sequence[int]) -> Outcome:
    """rule: for each day the depth of each view."""
    hits, full, depths = [], [], []
    for day, chosen in zip(days, rule, strict=True):
        numbers = np.searchsorted(exits, chosen)
        hits.append(day.asked.hits(day.places[numbers, np.arange(len(numbers))]))
        full.append(day.asked.hits(day.places[-1]))
        depths += list(chosen)
    found, whole = np.concatenate(hits), np.concatenate(full)
    drawn = np.random.default_rng(0).integers(0, len(found), (DRAWS, len(found)))
    shares = found[drawn].sum(axis=1) / np.maximum(whole[drawn].sum(axis=1), 1)
    kept = float(found.sum() / max(whole.sum(), 1))
    return Outcome(kept, float(np.quantile(shares, 0.025)), float(np.mean(depths)) / exits[-1])


def rounded(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """The layers as the file has them."""
    found = []
    for layer in layers:
        levels, scales = quantised(layer.weights)
        found.append(Layer((levels * scales).astype(np.float32), layer.bias))
    return tuple(found)


def chosen(
    training: Sequence[Places], validation: Sequence[Day], exits: tuple[int, ...], encoder: str
) -> ExitPredictor | None:
    """The cheapest predictor that keeps `KEPT`; None where none does. encoder: its identity."""
    places = np.concatenate([each[0] for each in training])
    best: tuple[float, float, ExitPredictor] | None = None
    for nearer in NEARER:
        good = np.concatenate([good_enough(each, nearer) for each in training])
        for width in WIDTHS:
            layers = rounded(trained(places, good, width, EPOCHS, seed=1))
            for step in STEPS:
                found = ExitPredictor(exits, layers, step, encoder)
                told = outcome(validation, [found.depths(day.places[0]) for day in validation], exits)
                if told.kept >= KEPT and (best is None or (told.depth, -told.kept) < best[:2]):
                    said = (
                        f"On {len(training)} training days ({len(places)} views; labels: at most {nearer} "
                        f"other views nearer; {width or 'no'} values between), the cheapest of all that keep "
                        f"{KEPT:.0%} of the R@1 of full depth on {len(validation)} validation days: it keeps "
                        f"{told.kept:.1%}, surely {told.least:.1%}, at {told.depth:.1%} of the blocks."
                    )
                    best = told.depth, -told.kept, replace(found, chosen=said)
    return None if best is None else best[2]


def fixed(validation: Sequence[Day], exits: tuple[int, ...]) -> tuple[int, Outcome]:
    """The shallowest exit that, for all views, keeps `KEPT`; the last one does."""
    found = (
        (depth, outcome(validation, [[depth] * day.places.shape[1] for day in validation], exits))
        for depth in exits
    )
    return next((depth, told) for depth, told in found if told.kept >= KEPT)


def spaced(count: int) -> list[int]:
    """The numbers of the exits that are used, from 0: the first, the last, and some between."""
    return sorted({round(step * (count - 1) / (MOST_EXITS - 1)) for step in range(MOST_EXITS)})


def put_into(folder: Path, predictor: str, depth: int, said: str) -> None:
    """Writes into a pack's folder at which exit views are remembered, and the predictor's file; "" for none.
    Seals the pack. Raises PackError as `changed` does.
    """
    path = folder / "pack.toml"
    text = changed(path.read_text(encoding="utf-8"), bool(predictor), depth, said)
    if predictor:
        (folder / FILE).write_text(predictor, encoding="utf-8")
    else:
        (folder / FILE).unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")
    seal(folder)


def changed(text: str, predictor: bool, depth: int, said: str) -> str:
    """A manifest's text with what `put_into` writes. Raises PackError where the tables of the eye do not
    stand in it as training and `just convert` write them.
    """
    lines = _without(text.splitlines())
    try:
        at = lines.index("[brick.vision.settings]") + 1
        lines[at:at] = [f"remember_depth = {depth}", f"remember_chosen = {json.dumps(said)}"]
        if predictor:
            _name_predictor(lines)
            first = next(number for number, line in enumerate(lines) if line.startswith("[brick."))
            licence = json.dumps(tomllib.loads(text).get("licence", ""), ensure_ascii=False)
            lines[first:first] = [
                "[[file]]", f'path = "{FILE}"', "size = 0", 'sha256 = ""', f"licence = {licence}", "",
            ]  # fmt: skip
    except ValueError as error:
        raise PackError(
            "Its pack.toml can't be changed: the tables [brick.vision.settings] and [brick.vision.files], or "
            "files in [brick.vision], have to begin lines of their own."
        ) from error
    return "\n".join(lines) + "\n"


def _name_predictor(lines: list[str]) -> None:
    """Adds the predictor to the eye's files, a table of lines or in one line. Raises ValueError where neither
    is there.
    """
    if "[brick.vision.files]" in lines:
        lines.insert(lines.index("[brick.vision.files]") + 1, _NAMED)
        return
    own = lines.index("[brick.vision]") + 1
    end = next((at for at in range(own, len(lines)) if lines[at].startswith("[")), len(lines))
    at = own + [line.startswith(_IN_ONE_LINE) for line in lines[own:end]].index(True)
    lines[at] = lines[at].replace(_IN_ONE_LINE, f"{_IN_ONE_LINE} {_NAMED},", 1)


def _without(lines: Sequence[str]) -> list[str]:
    """A manifest's lines without what `put_into` writes."""
    found = list(lines)
    if f'path = "{FILE}"' in found:
        at = found.index(f'path = "{FILE}"') - 1
        del found[at : found.index("", at) + 1]
    ours = ("remember_depth = ", "remember_chosen = ", "predictor = ")
    found = [line.replace(f"{_IN_ONE_LINE} {_NAMED},", _IN_ONE_LINE) for line in found]
    return [line for line in found if not line.startswith(ours)]


def days_of(
    pack: Pack, chain: Chain, training: tuple[int, int], validation: tuple[int, int]
) -> tuple[list[Places], list[Day]]:
    """Places of training days, and days of validation: how many of each, and the views of one."""
    with loaded(pack.bricks["vision"]) as eye, loaded(pack.bricks["text"]) as tower:

        def made(seed: int, count: int, split: str) -> Remembered:
            found = remembered(eye, chain.exit_depths, seed, count, split)
            print(f"{split} day {seed}: {len(found.views)} new of {count} views", flush=True)
            return found

        seeds = [range(1, days + 1) for days, _ in (training, validation)]
        places = [made(seed, training[1], "train").places for seed in seeds[0]]
        others = [made(seed, validation[1], "validation") for seed in seeds[1]]
        return places, [Day(each.places, asked(tower, each.views)) for each in others]


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 with one sentence for a pack that can have no predictor; 130 and 143 where stopped."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pack", type=Path, default=PACK, help=f"folder of the pack (default {PACK})")
    parser.add_argument("--days", type=TRAINING_DAYS, default=10, help="training days (default 10)")
    parser.add_argument(
        "--views",
        type=TRAINING_VIEWS,
        default=400,
        help=f"views of each, {FEWEST} at least (default 400)",
    )
    parser.add_argument("--predictor", type=Path, help="also write the best predictor into this file")
    parser.add_argument("--quick", action="store_true", help="one short validation day")
    options = parser.parse_args(arguments)
    try:
        pack = load_pack(options.pack)
        if "vision" in pack.bricks:  # told before the days are drawn, not half an hour later
            changed((pack.root / "pack.toml").read_text(encoding="utf-8"), True, 0, "")
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    chain = chain_of(pack.bricks["vision"].options) if "vision" in pack.bricks else None
    if chain is None or len(chain.exits) < 2 or "text" not in pack.bricks:
        print(f"Pack '{pack.name}' has no exits to choose between, or no text tower.", file=sys.stderr)
        return 2
    with stopping() as stop:
        found = stop.unless(lambda: _found(pack, chain, options))
        if found is None:
            print("Stopped; the pack is as it was.", file=sys.stderr)
            return stop.status
        put_into(pack.root, *found)
    return 0


def _found(pack: Pack, chain: Chain, options: argparse.Namespace) -> tuple[str, int, str]:
    """What goes into the pack, as `put_into` takes it."""
    others = (1, options.views) if options.quick else (VALIDATION_DAYS, VALIDATION_VIEWS)
    training, validation = days_of(pack, chain, (options.days, options.views), others)
    encoder = str(pack.bricks["vision"].options["encoder"]).rpartition(" ")[2]
    used = spaced(len(chain.exits))
    exits = tuple(chain.exit_depths[number] for number in used)
    subset = [Day(each.places[used], each.asked) for each in validation]
    found = chosen([each[used] for each in training], subset, exits, encoder)
    if found is not None and options.predictor:
        options.predictor.write_text(found.text(), encoding="utf-8")
    return decided(found, subset, validation, exits, chain.exit_depths)


def decided(
    found: ExitPredictor | None,
    subset: Sequence[Day],
    validation: Sequence[Day],
    used: tuple[int, ...],
    exits: tuple[int, ...],
) -> tuple[str, int, str]:
    """What goes into the pack, as `put_into` takes it. subset: the days of validation at the exits that are
    `used` by the predictor.
    """
    depth, told = fixed(validation, exits)
    said = (
        f"On {len(validation)} validation days the shallowest exit for all views that keeps {KEPT:.0%} of "
        f"the R@1 of full depth: it keeps {told.kept:.1%}, surely {told.least:.1%}, at {told.depth:.1%} of "
        "the blocks."
    )
    text = ""
    print(f"{said}\n{found.chosen if found else f'No predictor keeps {KEPT:.0%}.'}")
    if found is not None:
        predicted = outcome(subset, [found.depths(day.places[0]) for day in subset], used)
        if predicted.depth < told.depth:
            text, told, said = found.text(), predicted, found.chosen
    if told.least < LEAST:
        return "", exits[-1], f"The last exit for all, as less does not surely keep {LEAST:.0%}. {said}"
    return text, depth, said


if __name__ == "__main__":
    sys.exit(main())
