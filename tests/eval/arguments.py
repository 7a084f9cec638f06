"""Numbers and packs on the command lines of evaluations."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Annotated

from hw.settings import Range, argument
from models.pack.catalogue import PackError, load_pack

counted = argument(Annotated[int, Range(0, 1_000_000_000)])
amount = argument(Annotated[float, Range(0, 1_000_000)])


def require_packs(parser: ArgumentParser, names: Iterable[str]) -> None:
    """Ends with bad usage, in a sentence, where a pack is not here, or not all of it."""
    for name in names:
        try:
            load_pack(name)
        except PackError as error:
            parser.error(f"argument --pack: {error}")
