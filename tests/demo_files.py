"""The demo's recordings and pictures by what is asked, in whatever order it is."""

from __future__ import annotations

import re
from pathlib import Path

DEMO = Path(__file__).parents[1] / "host" / "demo"


def recording(which: str) -> str:
    """The name of a recording, by the family of its question ("colour") or its place in the demo ("3")."""
    (found,) = DEMO.glob(f"{which}-*.wav" if which.isdigit() else f"?-{which}.wav")
    return found.name


def words(wav: str) -> tuple[str, str]:
    """What is said in a recording about a view, and the true answer, as the demo's script notes them."""
    found = re.search(rf'"{wav}"[^\[]*?# said: (.+); true answer: (.+)', (DEMO / "demo.toml").read_text())
    assert found is not None, wav
    return found[1], found[2]


def _with_view(wav: str) -> tuple[str, str]:
    return wav, f"{wav[0]}-view.png"


COLOUR = _with_view(recording("colour"))
"""What colour a cross is, after the wake word, and a view."""
DEVICE = (recording("device"), COLOUR[1])
"""A question about the headband itself."""
THIRD = _with_view(recording("3"))
"""Another question after the wake word, and its view."""
FURTHER = recording("4")
"""A question about the same view, without the wake word."""
ELSEWHERE = next(name for name in ("1-view.png", "5-view.png") if name != COLOUR[1])
"""A third view."""
LONGEST = _with_view(max((recording(each) for each in "135"), key=lambda wav: len(words(wav)[1])))
"""The question, after the wake word, with the longest answer."""
