"""The weights that a training begins with: those of another run's checkpoint, or of a pack."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from models.convert.checkpoint.folder import ConvertError
from models.convert.reflex.graph import layer_name
from models.convert.reflex.read import read_reflex
from models.convert.reflex.weights import ReflexShape
from models.train.reflex.batches import vocabulary
from models.train.reflex.export import ANSWERS, FOLDER, WORDS

_EMBEDDING = "words.embed.weight"
"""The rows of the words."""
_CAUSES = "answerable.causes."
"""Where each cause has a row."""
_ADDED = re.compile(r"\.(out|down)\.(weight|bias)$")
"""What a layer adds to its rows comes through these; zeros add nothing."""
_LAYER = re.compile(r"layers\.(\d+)\.(\w+)")
_NO_NETWORK = "{pack} has no network for closed questions."
_Weights = dict[str, Tensor]


def begun_with(
    path: Path,
    ours: Mapping[str, Tensor],
    words: Sequence[str],
    shape: ReflexShape,
    device: str,
    frozen: int = 0,
) -> _Weights:
    """The network's weights with those at `path`, the averaged ones of a run's checkpoint or those of a
    pack's folder; words and last causes that it did not know keep their rows of `ours`, and exit scores,
    which are fitted at the end, theirs. Layers that a pack's network lacks are put before its last one and
    change nothing at first; with `frozen`, the number of the layers that it has, they come after its last
    one. words: of this network, by their rows. Raises SystemExit with one sentence where they do not fit.
    """
    if path.is_dir():
        theirs, their_words = _of_pack(path, ours, shape, device, frozen)
    else:
        theirs, their_words = _of_run(path, device)
    made = dict(ours)
    known = {word: row for row, word in enumerate(their_words)}
    rows = [(row, known[word]) for row, word in enumerate(words) if word in known]
    if not rows or theirs.keys() != made.keys():
        raise SystemExit(f"{path} is no checkpoint of a network of this kind with its words.")
    for name, value in theirs.items():
        if ".score." in name:
            continue
        if name == _EMBEDDING:
            made[name][[row for row, _ in rows]] = value[[row for _, row in rows]]
        elif name.startswith(_CAUSES) and len(value) < len(made[name]):
            made[name][: len(value)] = value
        elif value.shape == made[name].shape:
            made[name] = value
        else:
            raise SystemExit(f"{path} is of a network of another size: {name}.")
    return made


def _of_run(path: Path, device: str) -> tuple[_Weights, list[str]]:
    try:
        state = torch.load(path, weights_only=True, map_location=device)
        return state["averaged"], state.get("words", [])
    except OSError as error:
        raise SystemExit(f"{path} can't be read: {error.strerror or error}.") from error
    except (pickle.UnpicklingError, RuntimeError, EOFError, LookupError, TypeError, AttributeError) as error:
        raise SystemExit(f"{path} is no checkpoint of a run.") from error


def known_words(pack: Path) -> tuple[str, ...]:
    """The words that a pack's network knows, without the entries for padding and unknown words. Raises
    SystemExit where it has none.
    """
    try:
        known = json.loads((pack / FOLDER / WORDS).read_text(encoding="utf-8"))["words"]
    except (FileNotFoundError, NotADirectoryError):
        raise SystemExit(_NO_NETWORK.format(pack=pack)) from None
    return tuple(known[len(vocabulary(())) :])


def learns(name: str, frozen: int) -> bool:
    """Whether a weight of this name is learnt. frozen: first layers that stay as they are, with the question
    encoder and the first stage; what the last of them makes of the image rows is read by the layers after it
    only, and is learnt. 0: all are.
    """
    if not frozen:
        return True
    found = _LAYER.match(name)
    if found is None:
        return False
    number = int(found[1])
    return number >= frozen or (number == frozen - 1 and found[2] in ("read", "image"))


def _of_pack(
    pack: Path, ours: Mapping[str, Tensor], shape: ReflexShape, device: str, frozen: int
) -> tuple[_Weights, list[str]]:
    layers = sum((pack / FOLDER / layer_name(number)).exists() for number in range(1, shape.layers + 1))
    if frozen and layers and frozen != layers:
        raise SystemExit(f"{pack} has {layers} layers of at most {shape.layers}, not {frozen}.")
    try:
        words = json.loads((pack / FOLDER / WORDS).read_text(encoding="utf-8"))["words"]
        causes = json.loads((pack / FOLDER / ANSWERS).read_text(encoding="utf-8"))["causes"]
        found = read_reflex(
            pack / FOLDER, replace(shape, words=len(words), causes=len(causes), layers=layers)
        )
    except FileNotFoundError:
        raise SystemExit(_NO_NETWORK.format(pack=pack)) from None
    except ConvertError as error:
        raise SystemExit(str(error)) from error
    weights = {name: torch.tensor(array, device=device) for name, array in found.arrays.items()}
    if frozen:
        return _built_on(weights, ours, layers), words
    return _deepened(weights, ours, layers, shape.layers), words


def _built_on(theirs: _Weights, ours: Mapping[str, Tensor], layers: int) -> _Weights:
    """Their network of so many layers with further ones of `ours` after them, which add nothing to rows at
    first and have the answer head of its last one. Its own layers say what they said.
    """
    made = dict(theirs)
    for name, value in ours.items():
        if name not in made:
            head = _LAYER.sub(rf"layers.{layers - 1}.\2", name) if ".head." in name else ""
            made[name] = theirs[head] if head else value * (not _ADDED.search(name))
    return made


def _deepened(theirs: _Weights, ours: Mapping[str, Tensor], layers: int, wanted: int) -> _Weights:
    """Their network of so many layers with `wanted` of them, which gives the same answers. The layers put in
    have the weights of `ours`, but add nothing to rows, and the answer head of the layer before.
    """
    if layers == wanted:
        return theirs
    last, before = f"layers.{layers - 1}.", f"layers.{layers - 2}."
    made = {name: value for name, value in theirs.items() if not name.startswith(last)}
    for layer in range(layers - 1, wanted - 1):
        for name, value in ours.items():
            if name.startswith(own := f"layers.{layer}."):
                head = theirs.get(name.replace(own, before)) if ".head." in name else None
                made[name] = head if head is not None else value * (not _ADDED.search(name))
    for name, value in theirs.items():
        if name.startswith(last):
            made[name.replace(last, f"layers.{wanted - 1}.")] = value
    return made
