"""What espeak-ng says depends on what it is asked to say, and not on when."""

from __future__ import annotations

import subprocess
import sys

SAID = """
import hashlib, time
from models.train.sound.espeak import Espeak
time.sleep({wait_s})
espeak, found = Espeak(), hashlib.sha256()
for voice in ("en-us", "en-us+whisper", "en-us+croak", "en-us+f2"):
    found.update(espeak.say("where did i leave my keys", voice).tobytes())
print(found.hexdigest())
"""


def test_two_runs_give_the_same_sounds() -> None:
    first, second = (
        subprocess.run(
            [sys.executable, "-c", SAID.format(wait_s=wait_s)], capture_output=True, text=True, check=True
        ).stdout
        for wait_s in (0.0, 1.1)
    )
    assert first == second != ""
