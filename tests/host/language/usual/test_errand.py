"""Errands for other assistants are not asked of a picture."""

from __future__ import annotations

import pytest

from host.language.router import Router
from host.language.usual.errand import is_errand
from tests.eval.understood.judge import understood

ROUTER = Router()


@pytest.mark.parametrize(
    "text",
    [
        "i need to book a car in las vegas", "could you send my location to my sister",
        "remind me to pick up the laundry on monday", "please play something by the beatles",
        "add apples to my shopping list", "get me a cab to the station",
    ],
)  # fmt: skip
def test_an_errand_is_asked_of_no_picture(text: str) -> None:
    assert is_errand(text)
    for usual in (True, False):
        assert understood(text, ROUTER, usual=usual).route in ("unclear", "open")


def test_the_time_of_an_errand_sets_no_alarm() -> None:
    assert understood("i need a taxi at eight tomorrow morning to take me to work", ROUTER).intent != "alarm"
    assert understood("remind me at eight tomorrow morning to call home", ROUTER).intent == "alarm"


@pytest.mark.parametrize(
    "text",
    [
        "what book is on the table", "book on the shelf or not", "order of the cups from the left",
        "give me the text on the label", "tell me the address on this envelope", "what is my location",
        "send it away", "is there a letter on the mat",
    ],
)  # fmt: skip
def test_what_asks_of_the_view_is_none(text: str) -> None:
    assert not is_errand(text)
