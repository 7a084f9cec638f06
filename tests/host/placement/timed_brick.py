"""A brick of any name that takes a known time for a request, less with more threads; an NPU may be gone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from models.brick import BrickError, Context

WORK_S = 0.2


class Timed:
    """Options: `gone`, it does not load."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options, self._context = options, context

    def load(self) -> None:
        if self._options.get("gone"):
            raise BrickError("the NPU is gone")

    def execute(self, request: Any) -> Iterator[Any]:
        time.sleep(WORK_S / self._context.threads)
        yield "done"

    def release(self) -> None:
        pass


def create(options: Mapping[str, Any], context: Context) -> Timed:
    """The brick module's entry point."""
    return Timed(options, context)
