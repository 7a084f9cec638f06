"""A network between a pack's and one that was trained on from it (WiSE-FT, Wortsman et al. 2022).

    python -m models.train.sight.blend --from PACK --cache CACHE --out OUT [--shares 0.5 0.6 0.7 0.8 1]

A network that is trained on with pictures of many manners answers better what is drawn otherwise, and at
first a little worse what is drawn as usual. The weighted mean of the weights before and after keeps most of
the first and loses nothing of the second. The share of the new weights is the one with the most right
answers on validation views, in equal parts drawn as usual, in manners and with designs that training never
has, and about whether things are there, half of which are, among those with as many right as before of the
usual ones. Writes the files of that network to OUT, and `chosen.json` with the shares of right answers. Where
the eye did not learn (`--decoder-only`), its files are those of PACK.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from models.train.sight.data.batches import scene_batch, view_batch
from models.train.sight.export.files import export, write_reference
from models.train.sight.restored import restored
from models.train.sight.validation import Check, validate
from models.train.sight.vocabulary import Words
from models.train.sight.widened import hidden_units, widened
from models.train.world.home.random_views import random_view
from models.train.world.questions import ask_many
from models.train.world.scenes import random_scene
from models.train.world.variety.designs.redesign import redesigned
from models.train.world.variety.manner import USUAL, Manner, random_manner

SHARES = (0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_AT_ONCE, _ROWS = 32, 192
_KINDS = {
    "usual": "", "manners kept back": "manners", "designs kept back": "designs", "there or not": "there",
}  # fmt: skip
_THERE = 3
"""Questions of a view about things that are in it, and as many about others, of the kind "there or not": who
says too often that a thing is not there shall win nothing.
"""


def blended(old: Mapping[str, Tensor], new: Mapping[str, Tensor], share: float) -> dict[str, Tensor]:
    """Weights between two networks of one form; `share` of the new one, 0 to 1."""
    return {
        name: old[name].lerp(new[name], share) if value.is_floating_point() else value
        for name, value in new.items()
    }


def _of_scenes(words: Words, manners: Sequence[Manner], rng: random.Random) -> Check:
    scenes = [random_scene(rng, "validation") for _ in manners]
    asked = [ask_many(scene, rng, split, 4) for scene in scenes for split in ("validation", "train")]
    both = [[*asked[at], *asked[at + 1]] for at in range(0, len(asked), 2)]
    pairs = [[(item, True) for item in items] for items in both]
    arrays, _ = scene_batch(scenes, pairs, words, _ROWS, manners=manners)
    return Check(arrays, [[item.family for item in items] for items in both])


def checks(words: Words, unseen: str = "", batches: int = 8) -> list[Check]:
    """Validation views and scenes with questions, drawn as usual, in manners that are kept back (`unseen` is
    "manners"), or views only, whose things all have kept-back designs ("designs"), of which with "there"
    every question is whether or where a thing is.
    """
    rng, other = random.Random("blend"), random.Random(f"blend {unseen}")
    found = []
    for _ in range(batches):
        manners = [
            random_manner(other, unseen=True) if unseen == "manners" else USUAL for _ in range(_AT_ONCE)
        ]
        views = [random_view(rng, "validation", 0.06) for _ in manners]
        of_scenes = unseen not in ("designs", "there")
        if not of_scenes:
            views = [redesigned(view, other, unseen=True) for view in views]
        number = _THERE if unseen == "there" else 0
        splits = () if number else ("validation", "train")
        arrays, _, of_views = view_batch(
            views, rng, splits, 4, words, _ROWS, manners=manners, absent=number, present=number
        )
        found.append(Check(arrays, [[f"home {item.family}" for item in items] for items in of_views]))
        if of_scenes:
            found.append(_of_scenes(words, manners, rng))
    return found


def chosen(found: Mapping[float, Sequence[float]]) -> float:
    """The share with the best mean over the kinds of views (usual ones first), of those that are no worse on
    the usual ones than the smallest share; the smaller one of two that are alike.
    """
    least = found[min(found)][0]
    return max((share for share in found if found[share][0] >= least), key=lambda s: (sum(found[s]), -s))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from", type=Path, dest="pack", required=True, help="the pack that it began with")
    parser.add_argument("--cache", type=Path, required=True, help="folder with last.pt of the training")
    parser.add_argument("--out", type=Path, required=True, help="folder for the exported files")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES, help="of the new weights, to try")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model, words, text_words = restored(options.pack)
    new = torch.load(options.cache / "last.pt", weights_only=True, map_location="cpu")["averaged"]
    widened(model, hidden_units(new, "vit"), max(hidden_units(new, "decoder")))
    old = {name: value.clone() for name, value in model.state_dict().items()}
    model.eval().to(options.device)
    kinds = {name: checks(words, unseen) for name, unseen in _KINDS.items()}
    found = {}
    for share in options.shares:
        model.load_state_dict(blended(old, new, share))
        right = {kind: validate(model, asked)["all"] for kind, asked in kinds.items()}
        found[share] = list(right.values())
        print(
            json.dumps({"share": share, **{kind: round(part, 4) for kind, part in right.items()}}), flush=True
        )
    best = chosen(found)
    model.cpu().load_state_dict(blended(old, new, best))
    options.out.mkdir(parents=True, exist_ok=True)
    same = all(torch.equal(old[name], new[name]) for name in old if name.startswith(("vit.", "text.")))
    export(model, words, text_words, options.out, options.pack if same else None)
    write_reference(model, words, text_words, options.out / "parity.npz")
    (options.out / "chosen.json").write_text(
        json.dumps({"share": best, "right": {str(share): parts for share, parts in found.items()}})
    )
    print(f"{best:g} of the new weights: {options.out}")


if __name__ == "__main__":
    main()
