"""Files of words: comments begin with "#", the other lines are words with spaces between them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path


def read_words(path: Path) -> tuple[str, ...]:
    """The words of a file, in its order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())


def written(about: str, words: Iterable[str]) -> str:
    """The text of a file with these words in alphabetical order. about: its first lines, comments."""
    return about + textwrap.fill(" ".join(sorted(words)), 118) + "\n"
