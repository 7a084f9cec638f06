"""Types of numbers on the command lines of evaluations."""

from __future__ import annotations

from typing import Annotated

from hw.settings import Range, argument

counted = argument(Annotated[int, Range(0, 1_000_000_000)])
amount = argument(Annotated[float, Range(0, 1_000_000)])
