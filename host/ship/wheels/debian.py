"""The Debian releases that a headband may have, by what a deploy has to fit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Debian:
    """One release of Debian."""

    number: int
    python: str
    """Major and minor version of its Python."""
    glibc_minor: int
    """Its glibc is 2.x with this x; it runs wheels for any from 2.17 on."""
    glibcxx_minor: int
    """The newest symbol version of its libstdc++ is GLIBCXX_3.4.x with this x."""

    def __str__(self) -> str:
        return f"Debian {self.number}"


DEBIANS = (Debian(12, "3.11", glibc_minor=36, glibcxx_minor=30), Debian(13, "3.13", 41, 33))
"""The first is the one that is meant where nothing says which."""


def by_python(python: str) -> Debian | None:
    """The Debian with that Python (major and minor version); None for one that no headband has."""
    return next((each for each in DEBIANS if each.python == python), None)
