"""The sentence matcher is imported without what it does not need, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import sys
from host.language.router import Router
assert Router().decide("what time is it").intent == "time"
print(sorted({"importlib.metadata", "email", "zipfile"} & set(sys.modules)))
import importlib.metadata
print(bool(importlib.metadata.version("hassil")))
"""


def test_nothing_is_imported_for_a_version_number_that_nobody_asks_for() -> None:
    run = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "True"]
