"""A number or a time that is taken back at once counts as not said."""

from __future__ import annotations

import pytest

from host.language.corrected import corrected
from models.brick import Transcript


def of(text: str) -> Transcript:
    return corrected(Transcript(text, 0.9, words=tuple(0.01 * n for n in range(len(text.split())))))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("set a timer for ten no fifteen minutes", "set a timer for fifteen minutes"),
        ("set a timer for ten minutes no fifteen", "set a timer for fifteen minutes"),
        ("set a timer for ten minutes no wait for fifteen please", "set a timer for fifteen minutes please"),
        ("wake me at seven no sorry half past seven", "wake me at half past seven"),
        ("wake me at half past seven uh actually make it eight", "wake me at eight"),
        ("volume five no six", "volume six"),
        ("volume five now six", "volume six"),
        ("wake me at two no one thirty", "wake me at one thirty"),
        ("set a timer for two minutes no one minute", "set a timer for one minute"),
        ("volume five no six no seven", "volume seven"),
        ("a timer of an hour or rather two hours", "a timer of two hours"),
        ("twenty five i mean thirty five minutes", "thirty five minutes"),
    ],
)
def test_what_is_said_instead_counts(said: str, meant: str) -> None:
    found = of(said)
    assert found.text == meant
    assert [said.split()[round(each * 100)] for each in found.words] == meant.split()


@pytest.mark.parametrize(
    "said",
    [
        "is there one red star and no blue one",
        "no set a timer for ten minutes",
        "set a timer for ten minutes no cancel it",
        "wake me at seven",
        "set a timer for ten minutes now please",
        "wake me at six no one else will",
        "set a timer for ten minutes now one more thing",
        "",
    ],
)
def test_other_sentences_stay(said: str) -> None:
    assert of(said).text == said


def test_without_probabilities_of_words_there_are_none_after() -> None:
    assert corrected(Transcript("volume five no six", 0.9)) == Transcript("volume six", 0.9)
