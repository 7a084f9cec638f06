"""Soak test: many turns in one process. Does memory grow, and is the journal consistent?

    python -m tests.eval.soak [--turns 200] [--seed 1] [--pack micro]
    python -m tests.eval.soak --mode cascade [--turns 200] [--pack micro]
    python -m tests.eval.soak memory [--hours 24]      what is remembered, see `memory --help`

The first has faults, in real time: questions and requests, interrupted by the wake word and "stop", while
bricks and the fork server are killed, the battery changes the mode, timers ring, and microphone, camera and
microcontroller fail now and then. The second has only questions, in one mode, as fast as possible. Both count
the resources of the main process after the first few turns and after the last.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

import numpy as np

from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from hw.audio.sound_and_picture_files import read_image, read_wav
from hw.emulated.board import emulated_board
from models.pack.catalogue import load_pack
from power.policy.plan import MODES, Mode
from tests.demo_files import COLOUR, DEVICE, ELSEWHERE, THIRD
from tests.eval.arguments import counted, require_packs
from tests.eval.soak import memory
from tests.eval.soak.census import census
from tests.eval.soak.wild import bad_day, report
from tests.host.workbench import DEMO

QUESTIONS = (COLOUR, THIRD, (DEVICE[0], ELSEWHERE))
SETTLED_TURN = 5
GROWTH_MIB = 2.0


async def questions(turns: int, mode: Mode, pack_name: str) -> bool:
    """Runs the turns; True if no resource grew beyond its limit."""
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
            if turn_number + 1 == SETTLED_TURN:
                before = census()
        after = census()
    await board.close()
    print(f"soak: {turns} {mode.value} turns on pack {pack_name}, {answered} answered")
    print(f"  after {SETTLED_TURN:4d} turns  {before}")
    print(f"  after {turns:4d} turns  {after}")
    same = (after.files, after.processes, after.shared) == (before.files, before.processes, before.shared)
    return after.resident_mib - before.resident_mib < GROWTH_MIB and same and answered == turns


def main() -> int:
    if sys.argv[1:2] == ["memory"]:
        return memory.main(sys.argv[2:])
    parser = argparse.ArgumentParser(
        prog="just soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=counted, default=200)
    parser.add_argument("--seed", type=counted, default=1, help="of the bad day")
    parser.add_argument("--mode", choices=MODES, help="only questions, in this mode")
    parser.add_argument("--pack", default="micro")
    options = parser.parse_args()
    require_packs(parser, [options.pack])
    if options.mode is None:
        result = asyncio.run(
            bad_day(options.turns, options.seed, options.pack, tell=lambda text: print(text, flush=True))
        )
        print(report(result))
        steady = not result.problems
    else:
        steady = asyncio.run(questions(options.turns, Mode(options.mode), options.pack))
    print(f"  {'steady' if steady else 'NOT STEADY'}")
    return 0 if steady else 1


if __name__ == "__main__":
    raise SystemExit(main())
