"""What the recogniser writes: a closed vocabulary of words, and one mark for any other word."""

from __future__ import annotations

from functools import cache

from models.brick import UNKNOWN_WORD
from models.train.world.said import clips, device, memory, negation, people, reworded
from models.train.world.sentences import question_words

_OFTEN_HEARD = frozenset(("are", "is", "their", "our"))


@cache
def vocabulary_words() -> frozenset[str]:
    """Every word of everything that is said to the headband."""
    commands = device.every_word() | memory.every_word() | clips.every_word()
    other_ways = reworded.every_word() | people.every_word()
    other_ways |= frozenset(negation.WORDS)
    return question_words(other_speech=False) | commands | other_ways | _OFTEN_HEARD


def transcript(text: str) -> str:
    """`text` as the recogniser is taught to write it: words outside the vocabulary become one mark for all in
    a row. The mark is one token of GPT-2's vocabulary, which public recognisers do not write.
    """
    known = vocabulary_words()
    written: list[str] = []
    for word in text.split():
        if word in known:
            written.append(word)
        elif written[-1:] != [UNKNOWN_WORD]:
            written.append(UNKNOWN_WORD)
    return " ".join(written)
