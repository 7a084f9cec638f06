"""Further layers on the network of a pack whose own layers stay as they are: the end of such a training.

What its layers say, when a question stops at one of them, and from which confidence an answer is given stay
as the pack has them, so a question that was answered is answered the same. Only what no layer was sure of
goes on to the new ones.
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

import torch

from models.bricks.closed_sentence import AnswerTable
from models.convert.reflex.graph import layer_name, write_reflex
from models.convert.reflex.read import read_reflex
from models.train.detector.export import reflex_part
from models.train.new_files import replaced
from models.train.reflex.batches import Examples
from models.train.reflex.export import ANSWERS, FOLDER, MANIFEST, weights_of
from models.train.reflex.model import Reflex
from models.train.reflex.predict import Predictions, predictions, right_by_layer
from models.train.reflex.scores import fit_scores
from models.train.reflex.thresholds import Chosen, Outcome, outcome


def extended(averaged: Reflex, pack: Path, frozen: int, held_back: Examples, validation: Examples) -> Reflex:
    """The network with the exit scores of the pack, and with fitted ones for the layers after the first
    `frozen`; prints what it does on validation.
    """
    model = copy.deepcopy(averaged).eval()
    own = read_reflex(pack / FOLDER, replace(model.shape, layers=frozen))
    for number in range(frozen):
        score = model.layers[number].score
        with torch.no_grad():
            score.weight.copy_(torch.from_numpy(own[f"layers.{number}.score.weight"].copy()))
            score.bias.copy_(torch.from_numpy(own[f"layers.{number}.score.bias"].copy()))
    chosen = settings_of(pack)
    fit_scores(model, held_back, (chosen.keep, 1.0), range(frozen, model.shape.layers))
    found = predictions(model, validation, chosen.keep)
    closed = validation.labels[:, 0] > 0
    shares = [round(share, 4) for share in right_by_layer(found, closed)]
    print(f"closed questions right by layer, {chosen.keep:.0%} of the rows kept: {shares}", flush=True)
    for caution, least in chosen.caution.items():
        before, now = (outcome(each, chosen, least) for each in (_first_layers(found, frozen), found))
        print(f"{caution}: {_told(before)} with {frozen} layers, {_told(now)} with all", flush=True)
    return model


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


def _told(normal: Outcome) -> str:
    return f"{normal.coverage:.1%} answered or advised, {normal.wrong:.2%} of it wrongly"


def export_extended(model: Reflex, pack: Path, frozen: int, out: Path) -> None:
    """Writes `out`/reflex, the pack's reflex brick with this network, for `models.train.pack --reflex`."""
    manifest = (pack / "pack.toml").read_text(encoding="utf-8")
    with replaced(out / FOLDER) as unfinished:
        for path in tomllib.loads(manifest)["brick"]["reflex"]["files"].values():
            shutil.copyfile(pack / path, unfinished / Path(path).name)
        write_reflex(unfinished, weights_of(model))
        part = with_layers(reflex_part(manifest), range(frozen + 1, model.shape.layers + 1))
        (unfinished / MANIFEST).write_text(part, encoding="utf-8")


def with_layers(part: str, added: Sequence[int]) -> str:
    """The reflex brick's tables with further layers. added: their numbers, from 1."""
    last = added[0] - 1
    files = "".join(f'layer_{number} = "{FOLDER}/{layer_name(number)}"\n' for number in added)
    listed = "".join(
        f'[[file]]\npath = "{FOLDER}/{layer_name(number)}"\nsize = 0\nsha256 = ""\nlicence = "MIT"\n\n'
        for number in added
    )
    numbers = " and ".join(map(str, added))
    sentence = f" Layers {numbers} came later, with these settings."
    part = re.sub(rf"(?m)^(layer_{last} = .*\n)", lambda line: line[1] + files, part)
    part = re.sub(r"(?m)^layers = \d+$", f"layers = {added[-1]}", part)
    part = re.sub(
        r"(?m)^chosen = (.*)$", lambda line: f"chosen = {json.dumps(json.loads(line[1]) + sentence)}", part
    )
    return listed + part
