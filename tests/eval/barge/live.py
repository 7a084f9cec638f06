"""Latency of interruptions of a whole headband in real time, from the end of the word to silence.

    python -m tests.eval.barge.live [--times 10]

The emulated board, the micro pack's bricks in their processes, the voice at 0 dB, the word 5 dB below it.
"""

from __future__ import annotations

import argparse
import asyncio

import numpy as np

from host.config import WakeConfig
from hw.device import MICROPHONE_RATE_HZ
from models.listening.wake_word import WakeWord
from models.train.sound.espeak import Espeak
from tests.eval.barge.sound import CHOSEN, Sound, stop_utterances, wake_utterances
from tests.host.hearing.barge_in_bench import LONG, scene

LEVEL = 0.05
"""Root mean square of the words at the microphone: 5 dB below the pack's voice at its volume."""
_CHUNK_S = 512 / MICROPHONE_RATE_HZ


async def lateness_s(espeak: Espeak, words: list[Sound]) -> list[float | None]:
    """For each word, the time from its end until the speaker was silent; None where it was not."""
    found: list[float | None] = []
    async with scene(espeak) as made:
        await made.repeat()
        await made.until("turn", 30.0)  # the echo canceller adapts to the room
        for number, word in enumerate(words):
            made.headband.dialogue.note_spoken(LONG)
            await made.repeat()
            await asyncio.sleep(3.0 + 0.1 * (number % 7))
            made.stops_s.clear()
            word = word / np.sqrt(np.mean(word**2)) * LEVEL
            clip = made.board.microphone.say(np.clip(word * 32767, -32768, 32767).astype(np.int16))
            turn = (await made.until("turn", 30.0))["turn"]
            await clip.heard()
            if turn.answer == LONG or clip.started_s is None or not made.stops_s:
                found.append(None)
            else:
                found.append(made.stops_s[0] - (clip.started_s - _CHUNK_S + len(word) / MICROPHONE_RATE_HZ))
            if made.headband.state.interaction == "listening":
                await made.until("turn", 30.0)  # the answer to a missing question
            await asyncio.sleep(0.5)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=10, help="interruptions of each kind")
    times = parser.parse_args().times
    espeak, config = Espeak(), WakeConfig()
    wake = wake_utterances(espeak, config.word, WakeWord(config.word, config.threshold), times)
    for name, groups in ((CHOSEN, wake), ('"stop"', stop_utterances(espeak, times))):
        words = [word for group in groups for word in group][:times]
        found = asyncio.run(lateness_s(espeak, words))
        late_ms = [1000 * late_s for late_s in found if late_s is not None]
        middle, most = np.percentile(late_ms, [50, 95]) if late_ms else (np.nan, np.nan)
        print(
            f"{name}: {len(late_ms)} of {len(found)} silenced it; after its end: median {middle:.0f} ms, "
            f"p95 {most:.0f} ms, latest {max(late_ms, default=np.nan):.0f} ms"
        )


if __name__ == "__main__":
    main()
