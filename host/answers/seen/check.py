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
from host.answers.seen.about_things import without_neighbour
from host.answers.seen.scene import scenes
from models.detection import Detection
from models.pack.brick_settings import DetectionTable

About = Literal["shapes", "things"]
SCENES = 24
"""Drawn of one picture."""


@dataclass(frozen=True)
class Checked:
    """sentence: what the claim is in most scenes, "" where it says only that the given one is wrong. share:
    of the scenes, 0 to 1. agrees: share in which it is the given one. about: what it is about. shorter: the
    given one without the neighbour that it names, "" where it names none; plainly: share of the scenes in
    which it is the given one, whatever is beside the thing.
    """

    sentence: str
    share: float
    agrees: float
    about: About = "shapes"
    shorter: str = ""
    plainly: float = 0.0

    def without_doubtful_neighbour(self, said: str, tables: DetectionTable) -> str:
        """The given sentence `said`; without the neighbour that it names where that is not borne out."""
        table = tables.things if self.about == "things" else tables.shapes
        return self.shorter if self.shorter and self.agrees < table.beside_from else said


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
    shorter = without_neighbour(sentence)
    plainly = sum(times for each, times in told.items() if without_neighbour(each) == shorter)
    agrees = plainly if shorter == sentence else told[sentence]
    return Checked(
        best,
        detection.clear * count / number,
        detection.clear * agrees / number,
        about,
        "" if shorter == sentence else shorter,
        detection.clear * plainly / number,
    )


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


@dataclass(frozen=True)
class Verdict:
    """said: what is said in place of an answer, or the answer. probability: how far it can be relied on.
    final: nothing else has to be asked about it.
    """

    said: str
    probability: float
    final: bool = True


def decided(said: str, probability: float, found: Checked, tables: DetectionTable) -> Verdict | None:
    """What becomes of the answer `said`, of words of that least probability, by what the detector makes of
    it; None where that decides nothing. A neighbour in which it does not believe is left out.
    """
    table = tables.things if found.about == "things" else tables.shapes
    if found.agrees >= table.backs_from:
        return Verdict(said, max(probability, found.agrees))
    plain = found.without_doubtful_neighbour(said, tables)
    if plain != said and found.plainly >= table.backs_from:
        return Verdict(plain, max(probability, found.plainly))
    if found.sentence and found.share >= table.corrects_from:
        return Verdict(found.sentence, found.share)
    if found.agrees < table.doubts_below:
        return Verdict(said, min(probability, found.agrees))
    return Verdict(plain, probability, final=False) if plain != said else None
