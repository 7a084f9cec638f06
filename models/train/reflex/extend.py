"""Further layers on the network of a pack whose own layers stay as they are: the end of such a training.

What its layers say, and from which confidence an answer is given, stay as the pack has them. How many image
rows go on after the first layer and at which score a question stops are chosen anew, as stopping early costs
more where later layers say more.
"""

from __future__ import annotations

import copy
import json
import re
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from models.bricks.closed_sentence import AnswerTable
from models.convert.reflex.graph import layer_name, write_reflex
from models.convert.reflex.read import read_reflex
from models.train.detector.export import reflex_part
from models.train.new_files import replaced
from models.train.reflex.batches import Examples
from models.train.reflex.export import ANSWERS, FOLDER, MANIFEST, weights_of
from models.train.reflex.model import Reflex
from models.train.reflex.predict import Predictions, predictions
from models.train.reflex.scores import fit_scores
from models.train.reflex.thresholds import (
    KEEPS,
    LOST_BY_EXITS,
    Chosen,
    choose_cost,
    exit_layers,
    outcome,
)


def extended(
    averaged: Reflex, pack: Path, frozen: int, held_back: Examples, validation: Examples
) -> tuple[Reflex, Chosen]:
    """The network with the exit scores of the pack, and with fitted ones for the layers after the first
    `frozen`, and its settings; prints what either does on validation.
    """
    model = copy.deepcopy(averaged).eval()
    own = read_reflex(pack / FOLDER, replace(model.shape, layers=frozen))
    for number in range(frozen):
        score = model.layers[number].score
        with torch.no_grad():
            score.weight.copy_(torch.from_numpy(own[f"layers.{number}.score.weight"].copy()))
            score.bias.copy_(torch.from_numpy(own[f"layers.{number}.score.bias"].copy()))
    before = settings_of(pack)
    fit_scores(model, held_back, (before.keep, 1.0), range(frozen, model.shape.layers))
    found = {keep: predictions(model, validation, keep) for keep in KEEPS}
    chosen = choose_cost(found, before)
    for settings, layers in ((before, frozen), (chosen, model.shape.layers)):
        told = _first_layers(found[settings.keep], layers)
        print(f"{layers} layers: {_told(told, settings)}", flush=True)
    return model, chosen


def settings_of(pack: Path) -> Chosen:
    """What a pack's manifest and answers say about its network's answers."""
    manifest = tomllib.loads((pack / "pack.toml").read_text(encoding="utf-8"))
    settings: dict[str, Any] = manifest["brick"]["reflex"]["settings"]
    names = ("answerable_from", "advice_from", "exit_score", "keep", "caution")
    temperature = AnswerTable.read(pack / FOLDER / ANSWERS).temperature
    return Chosen(**{name: settings[name] for name in names}, temperature=temperature, sentence="")


def _first_layers(found: Predictions, count: int) -> Predictions:
    """What the network says that has the first layers only."""
    parts = ("answers", "entropy", "score", "worth")
    return replace(found, **{part: getattr(found, part)[:count] for part in parts})


def _told(found: Predictions, settings: Chosen) -> str:
    layer = exit_layers(found.score, settings.exit_score)
    counted = found.read & (found.cause == 0)
    right = found.worth[layer, np.arange(len(layer))][counted].mean()
    normal = outcome(found, settings, settings.caution["normal"])
    return (
        f"{settings.keep:.0%} of the rows kept, exits from {settings.exit_score:g}: {right:.1%} right after "
        f"{layer[counted].mean() + 1:.2f} layers of what has an answer, at normal {normal.coverage:.1%} "
        f"answered or advised, {normal.wrong:.2%} of it wrongly"
    )


def export_extended(model: Reflex, chosen: Chosen, pack: Path, frozen: int, out: Path) -> None:
    """Writes `out`/reflex, the pack's reflex brick with this network, for `models.train.pack --reflex`."""
    manifest = (pack / "pack.toml").read_text(encoding="utf-8")
    with replaced(out / FOLDER) as unfinished:
        for path in tomllib.loads(manifest)["brick"]["reflex"]["files"].values():
            shutil.copyfile(pack / path, unfinished / Path(path).name)
        write_reflex(unfinished, weights_of(model))
        part = with_layers(reflex_part(manifest), range(frozen + 1, model.shape.layers + 1), chosen)
        (unfinished / MANIFEST).write_text(part, encoding="utf-8")


def with_layers(part: str, added: Sequence[int], chosen: Chosen) -> str:
    """The reflex brick's tables with further layers. added: their numbers, from 1. chosen: keep ratio and
    exit score.
    """
    last = added[0] - 1
    files = "".join(f'layer_{number} = "{FOLDER}/{layer_name(number)}"\n' for number in added)
    listed = "".join(
        f'[[file]]\npath = "{FOLDER}/{layer_name(number)}"\nsize = 0\nsha256 = ""\nlicence = "MIT"\n\n'
        for number in added
    )
    numbers = " and ".join(map(str, added))
    sentence = (
        f" Layers {numbers} came later; with them keep ratio and exit score are the least with which no mix "
        f"loses more than {100 * LOST_BY_EXITS:g} points of what all layers say of all rows."
    )
    part = re.sub(rf"(?m)^(layer_{last} = .*\n)", lambda line: line[1] + files, part)
    for key, value in (("layers", added[-1]), ("keep", chosen.keep), ("exit_score", chosen.exit_score)):
        part = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", part)
    part = re.sub(
        r"(?m)^chosen = (.*)$", lambda line: f"chosen = {json.dumps(json.loads(line[1]) + sentence)}", part
    )
    return listed + part
