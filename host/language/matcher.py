"""hassil, imported without `importlib.metadata`, which it asks for nothing but its own version: two mebibytes
of a process that listens all day. Imported with the first transcript.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_NAME = "importlib.metadata"


@contextmanager
def _without_metadata() -> Iterator[None]:
    """Versions of packages are "" meanwhile, unless the module is there already."""
    if _NAME in sys.modules:
        yield
        return
    versionless = ModuleType(_NAME)
    setattr(versionless, "version", lambda package: "")  # noqa: B010 - a module has no such attribute for mypy
    sys.modules[_NAME] = versionless
    setattr(importlib, "metadata", versionless)  # noqa: B010
    try:
        yield
    finally:
        del sys.modules[_NAME]
        delattr(importlib, "metadata")


with _without_metadata():
    from hassil.intents import Intents
    from hassil.recognize import recognize

__all__ = ["Intents", "recognize"]
