"""Wake word and voice activity as they run all the time, one thread: MODULES CHUNKS, the folder of the
application's modules for both and how many chunks of 32 ms. Two regions: wake word, voice activity.
"""

from __future__ import annotations

import sys
import types

from marks import counted  # type: ignore[import-not-found]  # beside it where it runs


def main(modules: str, chunks: str) -> None:
    """Both hear the same noise, after ten chunks in which they start."""
    package = types.ModuleType("models")
    package.__path__ = [modules]
    sys.modules["models"] = package
    import numpy as np

    from models.listening.voice_activity import VoiceActivity
    from models.listening.wake_word import WakeWord

    sound = (2000 * np.random.default_rng(1).standard_normal((10 + int(chunks), 512))).astype(np.int16)
    for each in (WakeWord(), VoiceActivity()):
        for chunk in sound[:10]:
            each.process(chunk)
        with counted():
            for chunk in sound[10:]:
                each.process(chunk)


if __name__ == "__main__":
    main(*sys.argv[1:])
