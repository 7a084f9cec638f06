"""Which answers of the language model about pictures are given, and which are said as sure. Pure.

A decoder that meets what it never learnt still says something: the word that it knows best. Its probability
of that word is low then. A pack whose decoder was measured states, for each level of caution, the least
probability of a word from which an answer is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from host.answers.reflex import thinking
from models.caution import Caution
from models.sensing.looking_again import claims_nothing

WITHHELD = "I am not sure enough to say."
AFTERWARDS = "But I am not sure of that."
_STRICTER: Mapping[Caution, Caution] = {"low": "normal", "normal": "high", "high": "high"}
_MILDER: Mapping[Caution, Caution] = {"low": "low", "normal": "low", "high": "normal"}


@dataclass(frozen=True)
class Sureness:
    """Probabilities, 0 to 1. given_from: least one of an answer that is given; sure_from: of one that is said
    without "I think"; backed_from: of one for which something else speaks as well.
    """

    given_from: float = 0.0
    sure_from: float = 0.0
    backed_from: float = 0.0

    @classmethod
    def of(cls, levels: Mapping[str, float] | None, caution: Caution) -> Sureness:
        """That of a pack's levels; an answer that the next stricter level withholds is said with "I think",
        and one that is backed by something else needs no more than the next milder level. None: every answer
        is sure.
        """
        if levels is None:
            return cls()
        return cls(levels[caution], levels[_STRICTER[caution]], levels[_MILDER[caution]])

    def said(self, sentence: str, probability: float) -> str:
        """The sentence as it is said; `probability`: the least of its words', or its support by all looks.
        What claims nothing is never withheld, as "I do not see your keys here" says more than that.
        """
        if probability < self.given_from and not claims_nothing(sentence):
            return WITHHELD
        return sentence if probability >= self.sure_from else thinking(sentence)
