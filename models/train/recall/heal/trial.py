r"""One way of healing, tried for `just eval memory --section healing`:

    python -m models.train.recall.heal.trial --cache FOLDER --method progressive --seed 1 \
        --held STEMS... --out FILE

Trains on drawn days of the training split, stops by a day of the validation split, and places the views of
the files STEMS, which it knows nothing else about. FILE has, for each exit of `DEPTHS`: `places` of the
views; `onward`, their places at full depth where an activation that was stored at the exit, as soon as that
exit was done, is taken on by the finished eye with nothing recomputed; and `recomputed`, the blocks that
would have to be computed again for the finished eye's own bits.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from models.pack.catalogue import load_pack
from models.pack.chain import chain_of
from models.train.pack import PACK
from models.train.recall.heal import methods
from models.train.recall.heal.eye import Eye, read
from models.train.recall.heal.fit import Plan
from models.train.recall.heal.methods import Both, Views
from models.train.recall.heal.stems import drawn_day, together
from models.train.recall.views import loaded

DEPTHS = (1, 3, 12)
METHODS = ("none", "heads", "progressive", "untouched", "per_exit", "joint")
"""none: the eye as it is. untouched: as progressive, but the exits themselves stay as they are."""
DAYS, VALIDATION_DAYS, VIEWS = 4, 1, 300
APART = 1000
"""Training days of seed n begin here times n."""


@dataclass(frozen=True, eq=False)
class Tried:
    """The eye that places a view at each exit, the one that stored an activation there, and the one that
    takes it on.
    """

    at_exit: Mapping[int, Eye]
    stored_by: Mapping[int, Eye]
    full: Eye


def tried(eye: Eye, method: str, views: Both, plan: Plan, seed: int) -> Tried:
    """The eye, which is changed, healed by a method of `METHODS`."""
    given = views, plan, seed
    stored_by = dict.fromkeys(eye.depths, eye)
    if method == "heads":
        list(methods.heads(eye, *given))
    elif method in ("progressive", "untouched"):
        stages = methods.progressive(eye, *given, with_heads=method == "progressive")
        stored_by = {stage.depth: eye.copied() for stage in stages}
    elif method == "joint":
        stored_by = dict(zip(eye.depths, methods.joint(eye, *given), strict=True))
    elif method == "per_exit":
        own = methods.per_exit(eye, *given)
        return Tried(own, own, eye)
    return Tried(dict.fromkeys(eye.depths, eye), stored_by, eye)


def measured(found: Tried, stems: Tensor) -> dict[str, np.ndarray]:
    """What the file has of these views."""
    places, onward, recomputed = [], [], []
    whole = found.full.depths[-1]
    own = dict(_depths(found.full, stems))
    finished = methods.placed(found.full, own[whole], whole)
    for depth in found.full.depths:
        eyes = found.at_exit[depth], found.stored_by[depth]
        there, stored = (
            own[depth] if eye is found.full else methods.taken(eye, stems, 0, depth) for eye in eyes
        )
        places.append(methods.placed(eyes[0], there, depth).numpy())
        same = torch.equal(stored, own[depth])
        further = None if same else methods.taken(found.full, stored, depth, whole)
        onward.append((finished if further is None else methods.placed(found.full, further, whole)).numpy())
        recomputed.append(0 if same else depth)
    return {"places": np.stack(places), "onward": np.stack(onward), "recomputed": np.array(recomputed)}


def _depths(eye: Eye, stems: Tensor) -> Iterator[tuple[int, Tensor]]:
    """The activations at each exit."""
    at, activations = 0, stems
    for depth in eye.depths:
        activations, at = methods.taken(eye, activations, at, depth), depth
        yield depth, activations


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pack", type=Path, default=PACK, help=f"folder of the pack (default {PACK})")
    parser.add_argument("--cache", type=Path, required=True, help="where encoded days are kept")
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--untrained", action="store_true", help="begin with full depth's exit at every exit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=DAYS, help=f"training days (default {DAYS})")
    parser.add_argument("--epochs", type=int, default=Plan.epochs)
    parser.add_argument("--held", type=Path, nargs="+", required=True, help="files with stems of views")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    spec = load_pack(options.pack).bricks["vision"]
    chain = chain_of(spec.options)
    assert chain is not None
    eye = read({key: Path(spec.options[key]) for key in chain.keys}, chain)
    with loaded(spec) as brick:

        def encoded(split: str, first: int, days: int) -> Views:
            seeds = range(first, first + days)
            found = [
                drawn_day(brick, str(spec.options["encoder"]), 1, seed, VIEWS, split, options.cache)
                for seed in seeds
            ]
            return methods.views_of(eye, torch.from_numpy(together(found)))

        training = encoded("train", APART * options.seed + 1, options.days)
        validation = encoded("validation", 1, VALIDATION_DAYS)
    own = eye.copied(DEPTHS, untrained=options.untrained)
    found = tried(own, options.method, (training, validation), Plan(epochs=options.epochs), options.seed)
    held = [measured(found, torch.from_numpy(np.load(file))) for file in options.held]
    places, onward = (np.concatenate([each[key] for each in held], axis=1) for key in ("places", "onward"))
    recomputed = np.max([each["recomputed"] for each in held], axis=0)
    unfinished = options.out.with_suffix(".new.npz")
    np.savez(unfinished, places=places, onward=onward, recomputed=recomputed, views=len(training.stems))
    unfinished.replace(options.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
