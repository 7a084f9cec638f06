"""What is written, from several readings that differ: of one sign in several pictures, each moved a little.

A reading that is a guess comes out otherwise in the next picture, and the true one comes again. So each
counts by the square of its probability, and what is told has the most of that.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Generic, TypeVar

_SETTLED, _TWICE = 1.5, 2.0
_CLEARLY = 1.1
"""The best reading needs so many times the weight of the second."""
_Of = TypeVar("_Of")


class Readings(Generic[_Of]):
    """Readings with the pictures that they are of."""

    def __init__(self) -> None:
        self._weights: dict[str, float] = defaultdict(float)
        self._surest: dict[str, tuple[float, _Of]] = {}
        self._pictures: dict[str, list[_Of]] = defaultdict(list)

    def add(self, text: str, probability: float, picture: _Of) -> None:
        """Adds a reading; probability: the least of its words'."""
        self._weights[text] += probability**2
        if text not in self._surest or probability > self._surest[text][0]:
            self._surest[text] = probability, picture
        if picture not in self._pictures[text]:
            self._pictures[text].append(picture)

    @property
    def settled(self) -> bool:
        """Whether further readings will hardly change the best."""
        first, second = self._first_two()
        return first >= _SETTLED and first >= _TWICE * second

    def best(self, least: float) -> tuple[str, _Of, int] | None:
        """The reading of most weight, the picture in which it is surest, and in how many pictures it was
        read; None where it has less weight than one of probability `least`, or hardly more than another.
        """
        first, second = self._first_two()
        if not self._weights or first < least**2 or first < _CLEARLY * second:
            return None
        text = max(self._weights, key=lambda each: self._weights[each])
        return text, self._surest[text][1], len(self._pictures[text])

    def _first_two(self) -> tuple[float, float]:
        first, second, *_ = (*sorted(self._weights.values(), reverse=True), 0.0, 0.0)
        return first, second
