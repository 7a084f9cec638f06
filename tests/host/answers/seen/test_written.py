"""What the text reader reads takes the place of the word that an answer says is written."""

from __future__ import annotations

import pytest

from host.answers.seen.written import as_read, asks_what_is_written, is_cut_off
from models.detection import Candidate, Detection
from models.reading import Reading, Word
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.home.splits import KINDS

SURE = 0.8


def words(*read: tuple[str, float], x: float = 0.5) -> Reading:
    return Reading(tuple(Word(text, x, 0.5, 0.2, 0.1, sure) for text, sure in read))


def said(sentence: str, reading: Reading, seen: Detection | None = None, probability: float = 0.5) -> str:
    """What is said in place of a sentence of that probability; "" where it stays."""
    verdict = as_read(sentence, probability, reading, SURE, seen)
    return "" if verdict is None else verdict.said


@pytest.mark.parametrize(
    ("sentence", "read", "instead"),
    [
        ("The sign says stop.", "STOP", "The sign says stop."),
        ("The sign says slow.", "STOP", "The sign says stop."),
        ("The label says fire.", "FISH", "The label says fish."),
        ("The bottle says milk.", "SILK", "The bottle says silk."),
        ("The sign says stop.", "PHARMACY", "The sign says pharmacy."),
        ("The number on the sign is forty two.", "47", "The number on the sign is forty seven."),
        ("The number on the sign is seven.", "7", "The number on the sign is seven."),
        ("The number on the sign is ten.", "1024", "The number on the sign is 1024."),
        ("The sign says ten.", "10", "The sign says ten."),
        ("The sign says ten.", "12", "The number on the sign is twelve."),
        ("The number on the sign is ten.", "TEN", "The sign says ten."),
        ("The label says bus.", "10", "The label says ten."),
    ],
)
def test_the_word_that_is_read_is_said(sentence: str, read: str, instead: str) -> None:
    verdict = as_read(sentence, 0.5, words((read, 0.95)), SURE)
    assert verdict is not None
    assert (verdict.said, verdict.probability, verdict.final) == (instead, 0.95, True)


@pytest.mark.parametrize(
    "sentence",
    ["The cross is red.", "Yes, there is a sign.", "I cannot read it.", "The sign is at the left.", ""],
)
def test_what_says_nothing_that_is_written_stays(sentence: str) -> None:
    assert said(sentence, words(("STOP", 0.99))) == ""


def test_what_is_hardly_read_changes_nothing() -> None:
    assert said("The sign says slow.", words(("STOP", 0.79))) == ""
    assert said("The sign says slow.", words()) == ""


def test_a_single_letter_is_no_word_but_a_digit_is_a_number() -> None:
    assert said("The sign says slow.", words(("S", 0.99))) == ""
    assert said("The number on the sign is two.", words(("3", 0.99))) == "The number on the sign is three."


def test_a_word_that_the_border_cuts_off_is_not_said() -> None:
    assert said("The sign says slow.", words(("OP", 0.99), x=0.05)) == ""


def test_of_several_words_the_one_like_the_answers_is_said() -> None:
    both = words(("FISH", 0.99), ("STOP", 0.9))
    assert said("The sign says stoop.", both) == "The sign says stop."
    assert said("The sign says zoo.", both) == "", "it may be either"


def test_a_word_on_a_sign_is_no_label() -> None:
    sign = Candidate(0.2, 0.5, 0.15, 0.1, (("sign", 0.9),), ())
    seen = Detection((sign,), SHAPES, KINDS, "sign", COLOURS)
    two = Reading((Word("STOP", 0.2, 0.5, 0.1, 0.1, 0.9), Word("MILK", 0.7, 0.5, 0.1, 0.1, 0.9)))
    assert said("The label says zoo.", two, seen) == "The label says milk."
    assert said("The sign says zoo.", two, seen) == "The sign says stop."


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("what does the sign say", True),
        ("can you read the label", True),
        ("which word is written there", True),
        ("what colour is the cross", False),
        ("where are my keys", False),
    ],
)
def test_which_questions_ask_for_it(question: str, asks: bool) -> None:
    assert asks_what_is_written(question) is asks


def test_a_surer_answer_stays_and_one_that_is_borne_out_is_as_sure_as_the_surer() -> None:
    assert said("The sign says lift.", words(("UFT", 0.9)), probability=0.99) == ""
    verdict = as_read("The sign says lift.", 0.4, words(("LIFT", 0.9)), SURE)
    assert verdict is not None and (verdict.said, verdict.probability) == ("The sign says lift.", 0.9)
    assert said("The number on the sign is sixty nine.", words(("1", 0.99))) == "", "of another length"


@pytest.mark.parametrize(
    ("probability", "read", "instead"),
    [
        (0.5, ("EAST", 0.99), "The label says east."),
        (0.96, ("EAST", 0.99), ""),
        (0.5, ("EAST", 0.9), ""),
        (0.5, ("TO", 0.99), ""),
    ],
)
def test_a_label_that_is_doubtfully_denied_is_read(
    probability: float, read: tuple[str, float], instead: str
) -> None:
    assert said("I do not see a label.", words(read), probability=probability) == instead
    assert said("I cannot see a sign.", words(read), probability=probability) == ""


@pytest.mark.parametrize(
    ("read", "instead"),
    [(("EAST", 0.99), "The label says east."), (("EAST", 0.94), ""), (("TO", 0.99), "")],
)
def test_letters_that_are_too_small_for_the_language_model_are_read(
    read: tuple[str, float], instead: str
) -> None:
    sentence = "The letters are too small to read, come closer."
    assert said(sentence, words(read), probability=0.95) == instead
    sign = Candidate(0.5, 0.5, 0.15, 0.1, (("sign", 0.9),), ())
    on_sign = Detection((sign,), SHAPES, KINDS, "sign", COLOURS)
    assert said(sentence, words(read), on_sign) == "I do not see a label.", "what is read stands on a sign"
    bottle = Candidate(0.5, 0.5, 0.15, 0.1, (("bottle", 0.9),), ())
    on_bottle = Detection((bottle,), SHAPES, KINDS, "sign", COLOURS)
    assert said(sentence, words(read), on_bottle, 0.95) == instead
    assert said(sentence, words(("RS", 0.05)), on_bottle) == "I do not see a label."


@pytest.mark.parametrize(
    ("likely", "read", "instead"),
    [
        (0.9, "MILK", "The sign says milk."),
        (0.2, "MILK", "The sign says milk."),
        (0.02, "MILK", "I cannot see a sign, but a label says milk."),
        (0.02, "", "I cannot see a sign."),
    ],
)
def test_a_sign_that_nobody_sees_is_none(likely: float, read: str, instead: str) -> None:
    bottle = Candidate(0.5, 0.5, 0.15, 0.1, (("bottle", 0.9), ("sign", likely)), ())
    seen = Detection((bottle,), SHAPES, KINDS, "sign", COLOURS)
    assert said("The sign says zoo.", words(*([(read, 0.9)] if read else [])), seen) == instead
    assert said("The label says zoo.", words(("MILK", 0.9)), seen) == "The label says milk."


@pytest.mark.parametrize(("half_width", "instead"), [(0.14, "The sign says pool."), (0.18, ""), (0.09, "")])
def test_a_word_near_the_border_is_whole_where_its_sign_is_in_view(half_width: float, instead: str) -> None:
    sign = Candidate(0.15, 0.5, half_width, 0.1, (("sign", 0.9),), ())
    seen = Detection((sign,), SHAPES, KINDS, "sign", COLOURS)
    read = Reading((Word("POOL", 0.12, 0.5, 0.2, 0.1, 0.99),))
    assert said("The sign says open.", read, seen) == instead
    assert is_cut_off("The sign says open.", read, SURE, seen) is (not instead)
    assert not is_cut_off("The sign says whirlpool.", read, SURE, seen)
    assert not is_cut_off("I cannot see a sign.", read, SURE, seen)
