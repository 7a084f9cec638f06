"""What becomes of the language model's answer by all else that is known of the pictures it is about. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from host.answers.seen.check import Checked, Verdict, checked, checked_change, decided
from host.answers.seen.unclear import said_instead
from host.answers.seen.written import as_read
from models.detection import Detection
from models.pack.brick_settings import DetectionTable, ReadingTable
from models.reading import Reading


@dataclass(frozen=True)
class Evidence:
    """Of one picture, or of two that are compared, the older first. things: what the object detector sees in
    each; empty where nobody knows. words: what the text reader reads in the only one. cause: why nothing can
    be made out in the only one, as `Quality.cause` has it.
    """

    things: tuple[Detection, ...] = ()
    words: Reading | None = None
    cause: str = ""


@dataclass(frozen=True)
class Weighed:
    """verdict: None where nothing is decided. found: what the object detector makes of the answer, None where
    it is not asked or can say nothing.
    """

    verdict: Verdict | None = None
    found: Checked | None = None


def weighed(
    said: str,
    probability: float,
    question: str,
    evidence: Evidence,
    detection: DetectionTable | None,
    reading: ReadingTable | None,
) -> Weighed:
    """What becomes of the answer `said`, of words of that least probability: by the cause why nothing can be
    made out, else by what is read, else by what is seen. detection, reading: what the pack lets the object
    detector and the text reader decide.
    """
    if told := said_instead(said, evidence.cause):
        return Weighed(Verdict(told, 1.0))
    if evidence.words is not None and reading is not None:
        seen = evidence.things[0] if evidence.things else None
        read = as_read(said.strip(), probability, evidence.words, reading.given_from, seen)
        if read is not None:
            return Weighed(read)
    if not evidence.things or detection is None:
        return Weighed()
    if len(evidence.things) > 1:
        found = checked_change(said, question, evidence.things[0], evidence.things[1])
    else:
        found = checked(said, question, evidence.things[0])
    return Weighed(None if found is None else decided(said, probability, found, detection), found)
