"""Whether a sentence is small talk, the only thing without a picture that a small language model was taught.

Asked anything else that no template knows, such a model answers all the same, and what it says means nothing.
"""

from __future__ import annotations

from host.language.router import plain_words

_WORDS = frozenset(
    (
        "a afternoon again and are ask bye can day do doing evening feel feeling good goodbye have "
        "headband hear hello help hey hi how i is it joke know later listening lot me morning much my "
        "name nice night now okay please right see so soon tell thank thanks that the then there to "
        "today tonight very well what what's who you your yourself"
    ).split()
)
_LONGEST = 7


def is_small_talk(text: str) -> bool:
    """Whether it has no other words than small talk has."""
    words = plain_words(text).split()
    return 0 < len(words) <= _LONGEST and set(words) <= _WORDS
