"""What of a clip is as the training of the motion brick never has it, so that it can be judged on new things.

Training leaves one drawing style of each kind of thing, some hands and some looks to the clips on which
thresholds are chosen. The eye may have been trained on all of it; held-out styles are none of it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mix:
    """styles, looks: things are in styles, and pictures by hands and in looks, that training never has."""

    name: str = "known"
    styles: bool = False
    looks: bool = False


KNOWN = Mix()
MIXES = (KNOWN, Mix("styles", styles=True), Mix("looks", looks=True), Mix("all", True, True))
"""The combinations that validation has in equal shares."""


def mix_of(split: str, number: int) -> Mix:
    """The mix of a clip of a split by its number in a shard."""
    return MIXES[number % len(MIXES)] if split == "validation" else KNOWN
