"""Validation while training: right answers by family in both worlds, and views found by caption at exits."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from models.train.sight.data.batches import clip_batch, scene_batch, view_batch
from models.train.sight.data.camera import random_shot
from models.train.sight.data.captioned import chosen_captions, matches
from models.train.sight.data.labels import Arrays
from models.train.sight.loss import Batch, activations, exact
from models.train.sight.model import Vlm
from models.train.sight.recall import found_among
from models.train.sight.text_words import TextWords
from models.train.sight.vit import SIDE_PX
from models.train.sight.vocabulary import Words
from models.train.world.home.random_views import random_view
from models.train.world.questions import ask_many
from models.train.world.scenes import random_clip, random_scene
from models.train.world.unanswered import unanswered

EXITS = (1, 2, 3, 4, 6, 8, 10, 12)
"""Depths at which retrieval is validated."""
_AT_ONCE = 32


@dataclass(frozen=True)
class Check:
    """A batch, with the family of each question of each sequence."""

    arrays: Arrays
    families: list[list[str]]


def tensors(arrays: Arrays, device: torch.device | str = "cpu") -> Batch:
    """The same arrays as tensors."""
    return {key: torch.from_numpy(np.asarray(value)).to(device) for key, value in arrays.items()}


def shape_checks(words: Words, scenes: int = 160, clips: int = 48) -> Iterator[Check]:
    """Validation scenes and clips; about half of the sentences are of the training split."""
    rng = random.Random("validation")
    for start in range(0, scenes, _AT_ONCE):
        views = [random_scene(rng, "validation") for _ in range(min(_AT_ONCE, scenes - start))]
        asked = [ask_many(view, rng, "validation", 4) + ask_many(view, rng, "train", 4) for view in views]
        for items in asked:
            items.append(unanswered(rng, "validation"))
        pairs = [[(item, True) for item in items] for items in asked]
        arrays, _ = scene_batch(views, pairs, words, 192)
        yield Check(arrays, [[item.family for item in items] for items in asked])
    for start in range(0, clips, 16):
        films = [random_clip(rng, "validation") for _ in range(min(16, clips - start))]
        asked = [ask_many(film, rng, "validation", 3) + ask_many(film, rng, "train", 4) for film in films]
        pairs = [[(item, True) for item in items] for items in asked]
        arrays = clip_batch(films, pairs, words, 192)
        yield Check(arrays, [[item.family for item in items] for items in asked])


def home_checks(words: Words, views: int = 256) -> Iterator[Check]:
    """Validation views of the home, half of the sentences of the training split; a quarter of the views are
    taken by cameras with faults ("home-shot").
    """
    rng = random.Random("validation home")
    for start in range(0, views, _AT_ONCE):
        number = min(_AT_ONCE, views - start)
        shown = [random_view(rng, "validation", 0.06) for _ in range(number)]
        shots = () if start % (4 * _AT_ONCE) else [random_shot(rng, SIDE_PX) for _ in shown]
        arrays, _, asked = view_batch(shown, rng, ("validation", "train"), 4, words, 192, shots)
        name = "home-shot" if shots else "home"
        yield Check(arrays, [[f"{name} {item.family}" for item in items] for items in asked])


@dataclass(frozen=True)
class RecallCheck:
    """Pictures of validation views, captions, and which is true of which."""

    pixels: np.ndarray
    captions: np.ndarray
    match: np.ndarray


def recall_check(words: Words, text_words: TextWords, views: int = 384) -> RecallCheck:
    """One caption of each clear view that has one, to be found among all views."""
    rng = random.Random("validation recall")
    shown = [random_view(rng, "validation", 0.0) for _ in range(views)]
    _, pictures, _ = view_batch(shown, rng, (), 0, words, 1)
    captioned = [picture.captioned for picture in pictures]
    captions = [caption for one in captioned for caption in chosen_captions(one, rng, 1)]
    return RecallCheck(
        np.stack([picture.pixels for picture in pictures]),
        np.stack([text_words.encode(caption) for caption in captions]),
        matches(captioned, captions),
    )


@torch.no_grad()
def validate(model: Vlm, checks: Sequence[Check]) -> dict[str, float]:
    """Share of exactly right answers by family, of each world ("shapes", "home"), and over all ("all")."""
    device = model.scale.device
    results: dict[str, list[bool]] = defaultdict(list)
    for check in checks:
        for (sequence, question), right in exact(model, tensors(check.arrays, device)).items():
            family = check.families[sequence][question]
            results[family].append(right)
            results["all"].append(right)
            results[family.partition(" ")[0] if " " in family else "shapes"].append(right)
    return {name: sum(found) / len(found) for name, found in sorted(results.items())}


@torch.no_grad()
def validate_recall(model: Vlm, check: RecallCheck) -> dict[int, tuple[float, float]]:
    """Depth -> R@1 and R@5 of captions among all validation views."""
    device = model.scale.device
    by_depth: dict[int, list[torch.Tensor]] = defaultdict(list)
    for start in range(0, len(check.pixels), _AT_ONCE):
        batch = tensors({"pixels": check.pixels[start : start + _AT_ONCE]}, device)
        depths = activations(model, batch)
        for depth in EXITS:
            by_depth[depth].append(model.vit.exits[depth - 1](depths[depth]))
    captions = model.text(torch.from_numpy(check.captions).to(device))
    match = torch.from_numpy(check.match).to(device)
    found = {depth: found_among(torch.cat(parts), captions, match) for depth, parts in by_depth.items()}
    return {depth: (shares[0], shares[1]) for depth, shares in found.items()}
