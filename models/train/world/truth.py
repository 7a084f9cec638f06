"""The true answer to a question about a scene or a clip, as a complete sentence.

A question that is ambiguous, or whose answer is a matter of judgement, has no true answer and is not asked. A
question about something that is not so ("the red heart", where the heart is blue) is answered with what is.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.train.world.answering.clips import OF_CLIPS
from models.train.world.answering.geometry import offset_px, position_of
from models.train.world.answering.reference import Slots, some
from models.train.world.answering.scenes import OF_SCENES
from models.train.world.grammar import CLIP_FAMILIES, SCENE_FAMILIES, Template, meaning
from models.train.world.scenes import FramePair, Scene
from models.train.world.wording.device import SMALL_TALK

__all__ = (
    "BLURRED", "CLIP_FAMILIES", "DARK", "SCENE_FAMILIES", "SMALL_TALK", "TrueAnswer", "View", "kind_of",
    "offset_px", "position_of", "some", "true_answer",
)  # fmt: skip

DARK = "I cannot tell, the picture is too dark. Please find more light."
BLURRED = "I cannot tell, the picture is too blurred. Please hold still."
View = Scene | FramePair


@dataclass(frozen=True)
class TrueAnswer:
    """A question and its true answer. `kind`: "answerable"; "cannot_tell"; "false_premise" where something
    that the question supposes is not so, or fits several things; "declined" for what nobody should ask a
    headband, or what is no question.
    """

    question: str
    answer: str
    family: str
    kind: str


def kind_of(answer: str, family: str) -> str:
    """The kind of a true answer about a view."""
    if answer.startswith("I cannot"):
        return "cannot_tell"
    supposed = answer.startswith("I see ") and family != "describe" and answer != "I see nothing else."
    return "false_premise" if supposed else "answerable"


def true_answer(template: Template, slots: Slots, view: View) -> str | None:
    """The right answer to a question about `view`; None where the question is ambiguous."""
    frames = (view,) if isinstance(view, Scene) else (view.first, view.second)
    qualities = {frame.quality for frame in frames}
    if "dark" in qualities:
        return DARK
    if "blurred" in qualities:
        return BLURRED
    meant = meaning(slots)
    if isinstance(view, Scene):
        return OF_SCENES[template.family](template, meant, view)
    return OF_CLIPS[template.family](template, meant, view)
