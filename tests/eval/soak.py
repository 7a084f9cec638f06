"""Many turns in one process: does anything grow?

    python -m tests.eval.soak [--turns 200] [--mode cascade] [--pack micro]

Prints resident memory of the main process, open files and children after the 5th turn and after the last.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
from pathlib import Path

import numpy as np

from host.app import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from hw.emulated.board import emulated_board
from hw.media import read_image, read_wav
from models.memory import children, rss_mib, trim_heap
from models.pack import load_pack
from power.plan import Mode

DEMO = Path("host/demo")
QUESTIONS = (("1-colour.wav", "1-view.png"), ("3-sign.wav", "3-view.png"), ("6-device.wav", "5-view.png"))
SETTLED_TURN = 5


def census() -> tuple[float, int, int]:
    """Resident MiB of this process, its open files, its children."""
    gc.collect()
    trim_heap()
    return rss_mib(os.getpid()), len(os.listdir("/proc/self/fd")), len(children(os.getpid()))


async def soak(turns: int, mode: Mode, pack_name: str) -> bool:
    """Runs the turns; True when nothing grew beyond what the project allows."""
    config = Config(
        answer=AnswerConfig(earcons=False),
        listen=ListenConfig(follow_up_s=0.0),
        journal=JournalConfig(path=""),
    )
    board = emulated_board(real_time=False, sound_card=False)
    silence = np.zeros(3 * board.microphone.sample_rate, np.int16)
    material = [(read_wav(DEMO / wav), read_image(DEMO / image)) for wav, image in QUESTIONS]
    answered = 0
    async with Headband(board, load_pack(pack_name), config, request=mode) as headband:
        for turn_number in range(turns):
            sound, image = material[turn_number % len(material)]
            board.camera.show(image)
            board.microphone.say(np.concatenate([sound, silence]))
            turn = await headband.ask()
            answered += bool(turn.answer) and turn.failure is None
            headband.brick_events.clear()
            if turn_number + 1 == SETTLED_TURN:
                before = census()
        after = census()
    await board.close()
    print(f"soak: {turns} {mode.value} turns on pack {pack_name}, {answered} answered")
    for name, unit, first, last in zip(
        ("main resident", "open files", "children"), ("MiB", "", ""), before, after, strict=True
    ):
        print(f"  {name:14s} {first:.1f} -> {last:.1f} {unit}")
    return after[0] - before[0] < 2.0 and after[1:] == before[1:] and answered == turns


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--mode", type=Mode, default=Mode.CASCADE)
    parser.add_argument("--pack", default="micro")
    options = parser.parse_args()
    steady = asyncio.run(soak(options.turns, options.mode, options.pack))
    print(f"  {'steady' if steady else 'NOT STEADY'}")
    return 0 if steady else 1


if __name__ == "__main__":
    raise SystemExit(main())
