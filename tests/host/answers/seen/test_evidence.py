"""What becomes of an answer by the quality of the picture, what is read there, and what is seen there."""

from __future__ import annotations

from host.answers.seen.evidence import Evidence, Weighed, weighed
from models.detection import Candidate, Detection
from models.pack.brick_settings import CautionTable, DetectedTable, DetectionTable, ReadingTable
from models.reading import Reading, Word
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.home.splits import KINDS

READ = ReadingTable(0.8)
EACH = DetectedTable(0.9, 0.9, 0.2, CautionTable(1.0, 1.0, 1.0))
SEEN = DetectionTable(EACH, EACH)
STOP = Reading((Word("STOP", 0.5, 0.5, 0.2, 0.1, 0.95),))


def shows(*shapes: tuple[float, str, str]) -> Detection:
    found = tuple(Candidate(x, 0.5, 0.08, 0.08, ((name, 1.0),), ((of, 1.0),)) for x, name, of in shapes)
    return Detection(found, SHAPES, KINDS, "sign", COLOURS)


RED_STAR, BLUE_STAR = shows((0.5, "star", "red")), shows((0.5, "star", "blue"))


def of(said: str, question: str, evidence: Evidence) -> Weighed:
    return weighed(said, 0.5, question, evidence, SEEN, READ)


def verdict(said: str, question: str, evidence: Evidence) -> tuple[str, float] | None:
    found = of(said, question, evidence).verdict
    return None if found is None else (found.said, found.probability)


def test_nothing_is_decided_without_evidence() -> None:
    assert of("The star is blue.", "what colour is the star", Evidence()) == Weighed()


def test_in_a_blurred_picture_nothing_of_the_home_is_read_or_seen() -> None:
    said = "The label says slow."
    assert verdict(said, "read the label", Evidence(words=STOP)) == ("The label says stop.", 0.95)
    blurred = verdict(said, "read the label", Evidence((RED_STAR,), STOP, "blurred"))
    assert blurred == ("The picture is blurred.", 1.0)


def test_what_is_not_read_is_left_to_what_is_seen() -> None:
    told = verdict("The star is blue.", "what colour is the star", Evidence((RED_STAR,), Reading(())))
    assert told == ("The star is red.", 1.0)


def test_of_two_pictures_their_difference_is_told() -> None:
    question = "what changed"
    nothing = "Nothing changed."
    same = of(nothing, question, Evidence((RED_STAR, RED_STAR)))
    assert same.found is not None and same.found.agrees == 1.0
    other = of(nothing, question, Evidence((RED_STAR, BLUE_STAR)))
    assert other.found is not None and other.found.agrees == 0.0


def test_a_pack_that_states_nothing_leaves_the_answer() -> None:
    evidence = Evidence((RED_STAR,), STOP)
    said = "The sign says slow.", 0.5, "what does the sign say"
    assert weighed(*said, evidence, None, None) == Weighed()
