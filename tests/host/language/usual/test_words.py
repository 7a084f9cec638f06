"""A word that nothing behind the recogniser knows counts as unheard where it may change what is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.language.misheard.unknown_words import asked_back
from host.language.router import Decision
from host.language.usual.words import is_answerable, known_only, known_words, unknown_in
from models.brick import UNKNOWN_WORD, Transcript
from models.train.sound.transcripts import WORDS, words_file

_WORD = st.sampled_from(("what", "colour", "is", "the", "star", "giraffe", "wibble", UNKNOWN_WORD))


def test_the_words_are_those_that_are_taught() -> None:
    assert WORDS.read_text(encoding="utf-8") == words_file(), "python -m models.train.sound.transcripts"


def test_an_unknown_word_is_marked_and_told() -> None:
    heard = Transcript("what colour is the giraffe", 0.9, words=(0.9, 0.9, 0.8, 0.9, 0.6))
    marked = known_only(heard)
    assert (marked.text, marked.words) == ("what colour is the ??", (0.9, 0.9, 0.8, 0.9, 0.6))
    assert asked_back(heard.text, usual=True) == "I do not know the word giraffe."
    assert asked_back(heard.text) is None
    assert asked_back("giraffe", usual=True) is None, "a single word may be anything"
    assert asked_back("the giraffe and the wibble", usual=True) is None, (
        "of two it is said that neither was caught"
    )


@given(words=st.lists(_WORD, max_size=8))
def test_what_is_marked_has_known_words_only_and_keeps_their_order(words: list[str]) -> None:
    heard = Transcript(" ".join(words), 0.9, words=tuple(0.5 + 0.01 * place for place in range(len(words))))
    marked = known_only(heard)
    kept = [word for word in words if word in known_words()]
    assert [word for word in marked.text.split() if word != UNKNOWN_WORD] == kept
    assert not unknown_in(marked.text.replace(UNKNOWN_WORD, " "))
    assert f"{UNKNOWN_WORD} {UNKNOWN_WORD}" not in marked.text or marked is heard
    assert len(marked.words) == len(marked.text.split())


@pytest.mark.parametrize(
    ("decision", "question", "answerable"),
    [
        (Decision("now", "now", {"rest": "x"}), "what colour is the star", True),
        (Decision("now", "now", {"rest": "x"}), "what colour is the giraffe", False),
        (Decision("open"), "who wrote the giraffe", False),
        (Decision("device", "timer", {}), "giraffe set a timer", True),
        (Decision("memory", "keep", {"rest": "giraffe"}), "remember this as giraffe", True),
        (Decision("memory", "memory", {"rest": "my keys"}), "gosh where did i leave my keys", True),
        (Decision("memory", "memory", {"rest": "my giraffe"}), "where did i leave my giraffe", False),
    ],
)
def test_words_matter_where_a_model_reads_them(decision: Decision, question: str, answerable: bool) -> None:
    assert is_answerable(decision, question) is answerable
