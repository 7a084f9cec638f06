"""Replies about the last answer: how sure it was, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from host.answers.memory_replies import how_sure_recalled, why_recalled
from host.answers.motion import ClipTold
from host.answers.recollection import Recollection
from host.answers.reflex import AnsweredBy, ClosedResult
from models.closed_question import ClosedAnswer

NOTHING_ANSWERED = "I have not answered anything yet."
NOT_ANSWERED = "I had no answer to that."
NOT_JUDGED = "I did not judge that at all, so I cannot be sure of it."
WHY_NOT_JUDGED = "I can be wrong about what I see, and then you could come to harm."
NOT_SEEN = "That was not about what I see, so there was nothing to guess."
MODEL_SURE = "I cannot say how sure I am. The part of me that answered gives no probability."
MODEL_WHY = "I cannot say why. The part of me that answered gives no reasons."
HESITATED = "I am not very sure. I hesitated over a word of it."
DID_NOT_HESITATE = "I did not hesitate over any word of it, but I can be wrong."
SAME_TWICE = "Two pictures gave the same answer."
NOT_THE_SAME = "A second picture did not give the same answer."
READ_ALIKE = "I read it letter by letter as well, and that is the same."
ONE_LOOK = "I had only one picture, and such things I want to see twice."
_SURE = ((0.97, "very sure"), (0.9, "quite sure"), (0.75, "fairly sure"), (0.0, "not very sure"))
"""Least confidence -> words."""
_CAUSES = {
    "dark": "it is too dark",
    "blurred": "the picture is blurred",
    "cut left": "I see only a part of it",
    "cut right": "I see only a part of it",
    "cut up": "I see only a part of it",
    "cut down": "I see only a part of it",
    "occluded": "something is in front of it",
    "small": "it is too small or too far away",
    "absent": "I do not see it",
    "false premise": "it is not as you asked",
    "off topic": "a picture does not show that",
    "no place": "I see nothing that tells me the place",
}
_OTHER_CAUSE = "the picture does not show it"
_PLACES = (
    ("upper left", "top", "upper right"),
    ("left", "middle", "right"),
    ("lower left", "bottom", "lower right"),
)
_CLEARLY = 1.5
"""A third of the picture's width and height is named when it has so many times the mean of all nine."""


@dataclass(frozen=True)
class Grounds:
    """What an earlier answer rested on. by: who answered; closed: the reflex brick's result, if asked;
    hesitated: whether the language model was unsure of a word, if it was measured when that matters;
    recalled: what the memory told, if that was asked; clip: what an answer about the last seconds rests on;
    unsafe: it was asked to judge about safety, and declined.
    """

    by: AnsweredBy = ""
    closed: ClosedResult | None = None
    hesitated: bool | None = None
    recalled: Recollection | None = None
    clip: ClipTold | None = None
    unsafe: bool = False


def how_sure(grounds: Grounds | None) -> str:
    """How sure the last answer was; None: there was none."""
    if grounds is not None and grounds.unsafe:
        return NOT_JUDGED
    if grounds is not None and grounds.recalled is not None:
        return how_sure_recalled(grounds.recalled)
    if grounds is not None and grounds.clip is not None:
        if grounds.clip.cause:
            return f"I cannot tell, because {grounds.clip.cause}."
        return f"I am {_sure(grounds.clip.probability)}."
    answer, others = _answer(grounds)
    if answer is None:
        return others or _model_sure(grounds)
    if answer.advice:
        return f"I cannot tell, because {_cause(answer)}. Of that I am {_sure(1 - answer.answerable)}."
    assert grounds is not None
    return " ".join(filter(None, (f"I am {_sure(answer.confidence)}.", _of_two(grounds.closed))))


def why(grounds: Grounds | None) -> str:
    """Why the last answer was given; None: there was none."""
    if grounds is not None and grounds.unsafe:
        return WHY_NOT_JUDGED
    if grounds is not None and grounds.recalled is not None:
        return why_recalled(grounds.recalled)
    if grounds is not None and grounds.clip is not None:
        if grounds.clip.cause:
            return f"I could not tell, because {grounds.clip.cause}."
        pictures = "one picture" if grounds.clip.units == 1 else f"{grounds.clip.units} pictures"
        return f"I compared {pictures} of the last seconds. I am {_sure(grounds.clip.probability)}."
    answer, others = _answer(grounds)
    if answer is None:
        return others or MODEL_WHY
    if answer.advice:
        return f"I could not tell from the picture, because {_cause(answer)}."
    assert grounds is not None
    place = looked_at(answer)
    looked = f"I looked mostly at the {place} of the picture" if place else "I looked at the whole picture"
    values = list(dict.fromkeys(value.lower() for value in answer.values.values() if value))
    made_out = f", and made out: {', '.join(values)}" if values else ""
    said = f"{looked}{made_out}. I am {_sure(answer.confidence)}."
    return " ".join(filter(None, (said, _of_two(grounds.closed))))


def looked_at(answer: ClosedAnswer) -> str:
    """The part of the picture that the question's words attended to most; "" where there is no such part, or
    the tokens are no square grid.
    """
    if answer.saliency is None:
        return ""
    side = int(len(answer.saliency) ** 0.5)
    if side < 3 or side * side != len(answer.saliency):
        return ""
    grid = np.asarray(answer.saliency, np.float64).reshape(side, side)
    means = [[part.mean() for part in np.array_split(row, 3, axis=1)] for row in np.array_split(grid, 3)]
    whole = float(np.mean(means))
    row, column = np.unravel_index(int(np.argmax(means)), (3, 3))
    return _PLACES[row][column] if whole > 0 and means[row][column] >= _CLEARLY * whole else ""


def _answer(grounds: Grounds | None) -> tuple[ClosedAnswer | None, str]:
    """The reflex brick's answer, or what is said instead; ("" for the language model)."""
    if grounds is None:
        return None, NOTHING_ANSWERED
    if grounds.by == "reflex" and grounds.closed is not None:
        return grounds.closed.answer, ""
    return None, {"device": NOT_SEEN, "": NOT_ANSWERED}.get(grounds.by, "")


def _model_sure(grounds: Grounds | None) -> str:
    if grounds is None or grounds.hesitated is None:
        return MODEL_SURE
    return HESITATED if grounds.hesitated else DID_NOT_HESITATE


def _sure(confidence: float) -> str:
    words = next(words for least, words in _SURE if confidence >= least or least == 0.0)
    return f"{words}, about {max(1, min(99, round(100 * confidence)))} percent"


def _cause(answer: ClosedAnswer) -> str:
    return _CAUSES.get(answer.cause, _OTHER_CAUSE)


def _of_two(result: ClosedResult | None) -> str:
    if result is None or not result.matters:
        return ""
    read = READ_ALIKE if result.read_alike else ""
    if result.agreed is None:
        return read or ONE_LOOK
    return f"{SAME_TWICE if result.agreed else NOT_THE_SAME} {read}".rstrip()
