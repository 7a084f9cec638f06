"""Of a dark or a blurred picture no answer about the home is given."""

from __future__ import annotations

import pytest

from host.answers.seen.unclear import said_instead


@pytest.mark.parametrize(
    "sentence",
    [
        "Your keys are on the kitchen table.", "I do not see your keys here.", "This is the kitchen.",
        "I see only part of your cup, turn left.", "You are not holding anything.", "The label says milk.",
        "The letters are too small to read, come closer.", "Nothing is on the table.",
        "I cannot tell which place this is.", "Yes, your cup is red.", "I see your keys and your cup.",
    ],
)  # fmt: skip
def test_the_cause_is_said_in_place_of_what_a_model_claims(sentence: str) -> None:
    assert said_instead(sentence, "dark") == "It is too dark to see."
    assert said_instead(sentence, "blurred") == "The picture is blurred."
    assert said_instead(sentence, "") == ""


@pytest.mark.parametrize(
    "sentence",
    [
        "The picture is blurred.", "I cannot tell, the picture is too dark. Please find more light.",
        "It is too dark to see, please turn on a light.", "The star is red.", "I see a heart and a cross.",
        "Nothing is next to the diamond.", "Yes.", "I did not catch that.", "",
    ],
)  # fmt: skip
def test_what_says_so_itself_or_is_about_a_drawing_of_shapes_stays(sentence: str) -> None:
    assert said_instead(sentence, "blurred") == ""
