"""How the next deploy comes in: the program that verifies it. It belongs to no release: a release that is
damaged, or older than it, can be followed by another one. Sent to the headband's computer: standard library
only.
"""

from __future__ import annotations

import sys
from pathlib import Path

from host.ship.atomic import has_content, update_file
from host.ship.running import DeployRefused, run, say

RECEIVER = "usr/local/sbin/headband-receive"
SOURCE = "host/ship/target/receive.py"


class DeployAccess:
    """What a deploy needs of the headband's computer beside a release."""

    def __init__(self, prefix: Path) -> None:
        """`prefix` stands for `/`."""
        self._receiver = prefix / RECEIVER

    def is_as_in(self, release: Path) -> bool:
        """Whether everything is there, as that release has it."""
        return has_content(self._receiver, (release / SOURCE).read_bytes())

    def bring(self, release: Path) -> None:
        """Takes it from a release that runs. A receiver that doesn't work is not taken: without one that
        works nobody but root could deploy.
        """
        if has_content(self._receiver, (release / SOURCE).read_bytes()):
            return
        try:
            run(sys.executable, "-I", release / SOURCE, "look")
        except DeployRefused as problem:
            say(f"the receiver of this release does not work, so the one before stays: {problem}")
            return
        update_file(self._receiver, (release / SOURCE).read_bytes(), 0o755)
