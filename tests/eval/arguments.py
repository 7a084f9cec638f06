"""Types of numbers and of packs on the command lines of evaluations."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Annotated

from hw.settings import Range, argument
from models.pack.catalogue import PackError, load_pack

counted = argument(Annotated[int, Range(0, 1_000_000_000)])
amount = argument(Annotated[float, Range(0, 1_000_000)])


def whole_pack(text: str) -> str:
    """The name or folder of a pack whose files are all here."""
    try:
        load_pack(text)
    except PackError as error:
        raise ArgumentTypeError(str(error)) from error
    return text
