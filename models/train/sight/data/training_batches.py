"""What training shows: batches of pictures, of scenes, of clips and of views of the home.

A batch depends on its seed and step only.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from models.train.sight.data.batches import (
    PICTURE_PX,
    Shown,
    clip_batch,
    picture_arrays,
    scene_batch,
    shown_scene,
    shown_view,
    view_batch,
)
from models.train.sight.data.camera import Shot, random_shot
from models.train.sight.data.captioned import caption_batch
from models.train.sight.data.labels import Arrays
from models.train.sight.text_words import TextWords
from models.train.sight.vocabulary import Words
from models.train.world.augmentation import (
    UNNAMED,
    clip_with_unnamed_colours,
    scene_of_signs,
    with_unnamed_colours,
    with_unnamed_shapes,
)
from models.train.world.drawing import UNNAMED_SHAPES
from models.train.world.grammar import COLOURS, SHAPES, SLOT_VALUES
from models.train.world.home.random_views import random_view
from models.train.world.home.things import label_height
from models.train.world.home.views import View
from models.train.world.questions import SHARES, ask_many, chat
from models.train.world.scenes import FramePair, Scene, random_clip, random_scene
from models.train.world.truth import TrueAnswer
from models.train.world.variety.designs.redesign import redesigned
from models.train.world.variety.manner import USUAL, Manner, random_manner

_COLOUR_WORDS = re.compile(rf"\b({'|'.join((*COLOURS, UNNAMED))})\b", re.IGNORECASE)
_SHAPE_WORDS = re.compile(
    rf"\b({'|'.join((*SHAPES, *SLOT_VALUES['shapes'], *UNNAMED_SHAPES))})\b", re.IGNORECASE
)
_SHARES = {**SHARES, "at": 2.6, "next": 5.0, "describe": 4.5}
"""Relative frequency of the families in training: those that are learned late come more often."""
_HOME_SHARES = {"on": 2.0, "sign": 2.0, "next": 1.5, "see": 1.5}
"""The same for the home; 1 for the others."""
_WITHOUT_SHAPES = {**dict.fromkeys(SHARES, 0.0), "count": 4.0, "exist": 1.0, "colour": 0.3, "position": 0.3}
"""Relative frequency of the families that have questions without a shape."""


@dataclass(frozen=True)
class BatchPlan:
    """The contents of batches. `pictures` counts frames, so a batch of clips has half as many clips.

    The first `sight_steps` batches have pictures and no questions: the decoder can learn nothing from an
    untrained ViT. In the next `rest_steps` the ViT is frozen and the decoder learns. After that both learn,
    and `picture_only_share` of the batches have no questions; of the others, `home_share` are views of the
    home and `clip_share` clips of shapes. Of the views with questions, `unnamed_colour_share` have things in
    unnamed colours; of the single pictures with questions, `unnamed_shape_share` have things in unnamed
    shapes. With `chat_share` of the views something is said that needs no picture. Batches have `captions`
    captions, except those of clips; `word_share` of the views of the home are chosen because they may have a
    word to read. `manner_share` of the pictures are drawn in a manner of their own, not in the usual one; in
    `design_share` of the views of the home most things have a design of the catalogue, not a usual style.
    `absent_questions` of each view of the home are about things that are not there.
    """

    pictures: int = 16
    questions: int = 20
    home_questions: int = 16
    text_rows: int = 256
    clip_text_rows: int = 224
    home_share: float = 0.45
    clip_share: float = 0.2
    sight_steps: int = 500
    sight_pictures: int = 24
    rest_steps: int = 150
    picture_only_share: float = 0.12
    unnamed_colour_share: float = 0.4
    unnamed_shape_share: float = 0.2
    captions: int = 112
    word_share: float = 0.2
    chat_share: float = 0.25
    manner_share: float = 0.7
    design_share: float = 0.75
    absent_questions: int = 0


ON_FROM_A_PACK = BatchPlan(
    sight_steps=0, rest_steps=0, questions=14, home_questions=11, text_rows=192, clip_text_rows=160,
    unnamed_colour_share=0.25, unnamed_shape_share=0.12, home_share=0.55, clip_share=0.15, absent_questions=3,
)  # fmt: skip
"""Fewer questions of each picture, as what is known already learns more from more pictures; more pictures in
which everything has a name, about which the hard questions can be asked; and as many questions about things
that are not there as about things that are.
"""


def with_pictures(plan: BatchPlan, pictures: int) -> BatchPlan:
    """The plan with batches of so many pictures, and as many captions for each."""
    captions = plan.captions * pictures // plan.pictures
    return replace(plan, pictures=pictures, sight_pictures=pictures, captions=captions)


def questions_about(view: Scene | FramePair, rng: random.Random, wanted: int) -> list[TrueAnswer]:
    """Training questions about the view. In a view with unnamed colours, no question or answer contains a
    colour; in one with unnamed shapes, no question or answer contains a shape.

    Otherwise the network would learn that a thing unlike the training pairs has no name.
    """
    things = view.things if isinstance(view, Scene) else (*view.first.things, *view.second.things)
    kept = None
    if any(thing.colour == UNNAMED for thing in things):
        kept = _COLOUR_WORDS
    elif any(thing.shape in UNNAMED_SHAPES for thing in things):
        kept = _SHAPE_WORDS
    found = ask_many(view, rng, "train", wanted, _WITHOUT_SHAPES if kept is _SHAPE_WORDS else _SHARES)
    return [item for item in found if not (kept and kept.search(f"{item.question} {item.answer}"))]


def _picture_only_scene(scene: Scene, rng: random.Random) -> Scene:
    """The scene for a batch without questions: many of its things have unnamed colours or unnamed shapes."""
    return (with_unnamed_colours if rng.random() < 0.6 else with_unnamed_shapes)(
        scene, rng, rng.uniform(0.3, 1.0)
    )


def scene_to_ask_about(scene: Scene, rng: random.Random, plan: BatchPlan) -> Scene:
    """The scene, or it with things in unnamed colours or of unnamed shapes."""
    draw = rng.random()
    if draw < plan.unnamed_colour_share:
        return with_unnamed_colours(scene, rng)
    return (
        with_unnamed_shapes(scene, rng)
        if draw < plan.unnamed_colour_share + plan.unnamed_shape_share
        else scene
    )


def _chat(rng: random.Random, plan: BatchPlan) -> list[tuple[TrueAnswer, bool]]:
    """Sometimes what needs no picture; what has no answer is said in front of one more often than not."""
    if rng.random() >= plan.chat_share:
        return []
    said = chat(rng, "train")
    return [(said, rng.random() < (0.2 if said.family == "smalltalk" else 0.75))]


def _shot(rng: random.Random) -> Shot:
    return random_shot(rng, PICTURE_PX)


def _manner(rng: random.Random, plan: BatchPlan) -> Manner:
    return random_manner(rng) if rng.random() < plan.manner_share else USUAL


def _has_words(view: View) -> bool:
    """True for a view with letters that may be readable."""
    scale, camera = PICTURE_PX / view.camera.field, view.camera
    if view.light.quality != "clear":
        return False
    labels = [t for t in view.things if t.label and abs(t.x - camera.x) < 0.5 * camera.field]
    near = [sign for sign in view.layout.signs if abs(sign.x - camera.x) < 0.4 * camera.field]
    return bool(near) or any(t.held or label_height(t.kind, t.label) * scale > 7 for t in labels)


def training_view(rng: random.Random, word_share: float, design_share: float = 0.0) -> View:
    """A view of the home; `word_share` of them are chosen because there may be something to read, and the
    things of `design_share` have other designs.
    """
    wanted, view = rng.random() < word_share, random_view(rng, "train", 0.07)
    for _ in range(20):
        if not wanted or _has_words(view):
            break
        view = random_view(rng, "train", 0.07)
    return redesigned(view, rng) if rng.random() < design_share else view


def _pictures_only(rng: random.Random, words: TextWords, plan: BatchPlan) -> Arrays:
    shown: list[Shown] = []
    for index in range(plan.sight_pictures):
        shot, manner = _shot(rng), _manner(rng, plan)
        if index % 8 == 0:
            shown.append(shown_scene(scene_of_signs(rng), shot, 0, manner))
        elif index % 8 < 3:
            scene = _picture_only_scene(random_scene(rng, "train", 0.06), rng)
            shown.append(shown_scene(scene, shot, 0, manner))
        else:
            shown.append(shown_view(training_view(rng, plan.word_share, plan.design_share), shot, manner)[0])
    return {
        **picture_arrays(shown),
        **caption_batch([one.captioned for one in shown], words, rng, plan.captions),
    }


def training_batch(step: int, words: Words, text_words: TextWords, plan: BatchPlan, seed: int = 1) -> Arrays:
    """The batch of `step`: pictures without questions, views, scenes (a picture per sequence) or clips."""
    rng = random.Random(f"sight {seed} {step}")
    pictures_only = step >= plan.sight_steps + plan.rest_steps and rng.random() < plan.picture_only_share
    if step < plan.sight_steps or pictures_only:
        return _pictures_only(rng, text_words, plan)
    draw = rng.random()
    if draw < plan.clip_share:
        clips = [random_clip(rng, "train", 0.06) for _ in range(plan.pictures // 2)]
        clips = [
            clip_with_unnamed_colours(clip, rng) if rng.random() < plan.unnamed_colour_share else clip
            for clip in clips
        ]
        asked = [[(item, True) for item in questions_about(clip, rng, plan.questions)] for clip in clips]
        shots, manners = [_shot(rng) for _ in clips], [_manner(rng, plan) for _ in clips]
        return clip_batch(clips, asked, words, plan.clip_text_rows, shots, manners)
    manners = [_manner(rng, plan) for _ in range(plan.pictures)]
    shots = [_shot(rng) for _ in range(plan.pictures)]
    if draw < plan.clip_share + plan.home_share:
        views = [training_view(rng, plan.word_share, plan.design_share) for _ in shots]
        said = [_chat(rng, plan) for _ in views]
        batch, shown, _ = view_batch(
            views,
            rng,
            ("train",),
            plan.home_questions,
            words,
            plan.text_rows,
            shots,
            said,
            _HOME_SHARES,
            manners,
            plan.absent_questions,
        )
    else:
        asked = []
        scenes = [scene_to_ask_about(random_scene(rng, "train", 0.06), rng, plan) for _ in shots]
        for scene in scenes:
            questions = [(item, True) for item in questions_about(scene, rng, plan.questions)]
            asked.append([*_chat(rng, plan), *questions])
        batch, shown = scene_batch(scenes, asked, words, plan.text_rows, shots, manners)
    if not plan.captions:
        return batch
    return {**batch, **caption_batch([one.captioned for one in shown], text_words, rng, plan.captions)}
