"""What the recogniser writes: a closed vocabulary of words, and one mark for any other word.

`python -m models.train.sound.transcripts` writes `host/language/usual/words.txt`, the words of the grammar.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from models.brick import UNKNOWN_WORD
from models.train.world.said import clips, device, everyone, memory, negation, people, reworded, speakers
from models.train.world.sentences import question_words
from models.train.world.wording.word_list import written

_OFTEN_HEARD = frozenset(("are", "is", "their", "our"))


WORDS = Path(__file__).parents[3] / "host" / "language" / "usual" / "words.txt"
_ABOUT = """\
# Every word of the sentences that are understood by their templates, and of the questions that a small
# language model was taught. `python -m models.train.sound.transcripts` writes this file.
"""


@cache
def vocabulary_words() -> frozenset[str]:
    """Every word that the recogniser writes: of the grammar, and of many people's speech."""
    return grammar_words() | speakers.every_word() | everyone.every_word()


@cache
def grammar_words() -> frozenset[str]:
    """Every word of the sentences by which questions and commands are taught to the headband."""
    commands = device.every_word() | memory.every_word() | clips.every_word()
    other_ways = reworded.every_word() | people.every_word()
    other_ways |= frozenset(negation.WORDS)
    return question_words(other_speech=False) | commands | other_ways | _OFTEN_HEARD


def transcript(text: str) -> str:
    """`text` as the recogniser is taught to write it: words outside the vocabulary become one mark for all in
    a row. The mark is one token of GPT-2's vocabulary, which public recognisers do not write.
    """
    known = vocabulary_words()
    heard: list[str] = []
    for word in text.split():
        if word in known:
            heard.append(word)
        elif heard[-1:] != [UNKNOWN_WORD]:
            heard.append(UNKNOWN_WORD)
    return " ".join(heard)


def words_file() -> str:
    """The text of `WORDS`."""
    return written(_ABOUT, grammar_words())


if __name__ == "__main__":
    WORDS.write_text(words_file(), encoding="utf-8")
