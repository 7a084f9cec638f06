"""How far an object detector bears out a sentence about a picture, and what it would say instead.

Several scenes are drawn from what the detector holds possible. In each the sentence's claim is told anew; how
often it comes out the same is how sure the detector is of it, with all that matters: whether each thing is
there, which it is, and how narrowly it is nearer than another.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from host.answers.seen import about_changes
from host.answers.seen.about_shapes import claim_of as about_shapes
from host.answers.seen.about_things import claim_of as about_things
from host.answers.seen.scene import scenes
from models.detection import Detection
from models.pack.brick_settings import DetectionTable

About = Literal["shapes", "things"]
SCENES = 24
"""Drawn of one picture."""


@dataclass(frozen=True)
class Checked:
    """sentence: what the claim is in most scenes, "" where it says only that the given one is wrong. share:
    of the scenes, 0 to 1. agrees: share in which it is the given one. about: what it is about.
    """

    sentence: str
    share: float
    agrees: float
    about: About = "shapes"


def checked(sentence: str, question: str, detection: Detection, number: int = SCENES) -> Checked | None:
    """What a detection makes of an answer to a question, in plain words; None where it can say nothing."""
    about: About = "shapes"
    claim = about_shapes(sentence, question)
    if claim is None:
        about, claim = "things", about_things(sentence, question)
    if claim is None:
        return None
    told = Counter(claim(scene) for scene in scenes(detection, number))
    best, count = told.most_common(1)[0]
    return Checked(best, detection.clear * count / number, detection.clear * told[sentence] / number, about)


def checked_change(
    sentence: str, question: str, first: Detection, second: Detection, number: int = SCENES
) -> Checked | None:
    """The same of an answer about the difference between an earlier and a later picture."""
    claim = about_changes.claim_of(sentence, question)
    if claim is None:
        return None
    pairs = list(zip(scenes(first, number), scenes(second, number, seed=1), strict=True))
    if not all(map(about_changes.comparable, *zip(*pairs[:1], strict=True))):
        return None
    told = Counter(claim(*pair) for pair in pairs)
    best, count = told.most_common(1)[0]
    clear = min(first.clear, second.clear) / number
    return Checked(best, clear * count, clear * told[sentence])


def decided(
    said: str, probability: float, found: Checked, tables: DetectionTable
) -> tuple[str, float] | None:
    """The answer `said`, of words of that least probability, or what is said in its place, with a probability
    that follows what the detector makes of it; None where that decides nothing.
    """
    table = tables.things if found.about == "things" else tables.shapes
    if found.agrees >= table.backs_from:
        return said, max(probability, found.agrees)
    if found.sentence and found.share >= table.corrects_from:
        return found.sentence, found.share
    if found.agrees < table.doubts_below:
        return said, min(probability, found.agrees)
    return None
