"""End to end from sound and pixels: held-out voices, sentences, scenes and shape-colour pairs through the
real bricks.

    python -m tests.eval.chain [--cases 600] [--pack micro] [--voices own|flite|rhvoice|recorded]
                               [--against-blocking]

Each case is a question in a held-out voice and a picture; voice activity detection, endpointing and the
bricks process them, and the answer is compared with the true one: right are the same words, those said with
a doubt ("I think"), and for a picture that shows nothing the same cause in other words. Scenes and speech are
synthetic, so the result does not apply to photographs or people. With `--against-blocking` the same cases are
also answered without any processing ahead: after a fixed silence of 0.55 s, one brick after the other.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from host.answers.reflex import thinking
from host.answers.sureness import AFTERWARDS, WITHHELD
from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import emulated_board
from models.pack.catalogue import load_pack
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import HELD_OUT_VOICES
from models.train.sound.noise import make_noise
from models.train.sound.recorded_voices.voices import Manner
from models.train.world.drawing import render
from models.train.world.questions import ask
from models.train.world.scenes import Scene, random_clip, random_scene
from models.train.world.truth import CLIP_FAMILIES, SCENE_FAMILIES, TrueAnswer, View
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from tests.eval.arguments import counted
from tests.eval.hearing.heard import OWN_VOICES
from tests.eval.intervals import bootstrap_shown
from tests.eval.pictures import side_px
from tests.eval.stranger.by_voice import RECORDED, VOICES, programs_of
from tests.eval.stranger_home.facts import BLURRED, DARK
from tests.eval.stranger_home.said import cause

OPEN_FAMILIES = ("describe",)
"""Families that are printed but are not closed questions."""


def with_doubt(said: str, true: str) -> bool:
    """Whether an answer is the true one said with a doubt, or gives the true cause for telling nothing."""
    return said in (thinking(true), f"{true} {AFTERWARDS}") or cause(said) == cause(true) in (DARK, BLURRED)


def tells_nothing(said: str) -> bool:
    """Whether an answer says that it cannot be told, or what is in the way."""
    return said.startswith("I cannot") or cause(said) in (DARK, BLURRED)


def a_case(rng: random.Random, family: str) -> tuple[View, TrueAnswer]:
    """A held-out view and a held-out question of `family` about it."""
    while True:
        view: View = random_scene(rng, "held") if family in SCENE_FAMILIES else random_clip(rng, "held")
        for _ in range(40):
            answered = ask(view, rng, "held", family)
            if answered is not None:
                return view, answered


Voices = Callable[[str, random.Random], NDArray[np.float32]]
"""Says a sentence, at 16 kHz, in a voice, at a pace and with a pitch that it draws."""


def voices_of(name: str) -> Voices:
    """The voices of a name of `VOICES`; for `OWN_VOICES` those that test the recogniser. Raises SystemExit, 2
    with one sentence, where they are not installed.
    """
    if name == OWN_VOICES:
        espeak = Espeak()
        return lambda text, rng: espeak.say(
            text, rng.choice(HELD_OUT_VOICES), rng.randint(135, 205), rng.randint(30, 70)
        )
    recorded, speakers = programs_of(name), VOICES[name]
    return lambda text, rng: recorded.say(text, Manner.of(rng.choice(speakers)), rng.randint(135, 205))


def spoken(say: Voices, text: str, rng: random.Random, noise_rng: np.random.Generator) -> NDArray[np.int16]:
    """The question in a held-out voice over background sound 12 to 30 dB below it, int16 [n] at 16 kHz."""
    speech = say(text, rng)
    clip = np.concatenate(
        [
            np.zeros(MICROPHONE_RATE_HZ // 2, np.float32),
            speech * rng.uniform(0.3, 0.9),
            np.zeros(MICROPHONE_RATE_HZ, np.float32),
        ]
    )
    level = float(np.sqrt(np.mean(speech**2))) * 10 ** (-rng.uniform(12, 30) / 20) * 0.6
    clip = clip + make_noise(rng.choice(("white", "pink", "fan", "hum")), noise_rng, len(clip), []) * level
    return (np.clip(clip, -1, 1) * 32767).astype(np.int16)


AHEAD = Config(
    answer=AnswerConfig(earcons=False), listen=ListenConfig(follow_up_s=0.0), journal=JournalConfig(path="")
)
BLOCKING = replace(
    AHEAD,
    listen=replace(
        AHEAD.listen, end_silence_s=0.55, complete_silence_s=0.55, incomplete_silence_s=0.55, pause_s=0.5
    ),
    power=PowerConfig(work_ahead=False),
)


async def measure(
    cases: int,
    pack_name: str,
    seed: int,
    verbose: bool,
    voices: str = OWN_VOICES,
    config: Config = AHEAD,
    mode: Mode | None = None,
) -> tuple[float, float]:
    """Runs the cases and prints the table; percent of closed questions right, and of questions transcribed
    exactly.
    """
    rng, noise_rng, say = random.Random(seed), np.random.default_rng(seed), voices_of(voices)
    families = [*SCENE_FAMILIES, *CLIP_FAMILIES]
    right: dict[str, list[bool]] = defaultdict(list)
    plainly: list[bool] = []
    withheld: list[bool] = []
    heard: list[bool] = []
    refused: dict[str, list[bool]] = defaultdict(list)
    board = emulated_board(real_time=False, sound_card=False)
    pack = load_pack(pack_name)
    side = side_px(pack)
    async with Headband(board, pack, config, request=mode) as headband:
        for number in range(cases):
            family = families[number % len(families)]
            view, answered = a_case(rng, family)
            scenes = [view] if isinstance(view, Scene) else [view.first, view.second]
            frames = [render(scene, index, side) for index, scene in enumerate(scenes)]
            headband.recent_views.forget()
            for frame in frames:
                board.camera.show(frame)
                await headband.recent_views.look()
            board.microphone.say(spoken(say, answered.question, rng, noise_rng))
            turn = await headband.ask()
            same = turn.answer == answered.answer
            correct = same or with_doubt(turn.answer, answered.answer)
            right[family].append(correct)
            if family not in OPEN_FAMILIES:
                plainly.append(same)
                withheld.append(turn.answer == WITHHELD)
            heard.append(turn.transcript == answered.question)
            refused[answered.kind].append(tells_nothing(turn.answer))
            if verbose and not correct:
                print(f"  {answered.question!r} heard as {turn.transcript!r}")
                print(f"    {turn.answer!r}, not {answered.answer!r}")
    await board.close()
    closed = [outcome for family in families if family not in OPEN_FAMILIES for outcome in right[family]]
    print(f"end to end, {cases} held-out cases, pack {pack_name}, {voices} voices (drawn scenes)")
    print(f"  closed questions right       {bootstrap_shown(closed)}")
    print(f"    in the very words, no doubt  {bootstrap_shown(plainly)}")
    print(f"    withheld as not sure enough  {bootstrap_shown(withheld)}")
    for family in families:
        note = "  (open)" if family in OPEN_FAMILIES else ""
        print(f"    {family:12s}               {bootstrap_shown(right[family])}{note}")
    print(f"  question transcribed exactly {bootstrap_shown(heard)}")
    print(f"  'cannot tell' when it should {bootstrap_shown(refused['cannot_tell'])}")
    print(f"  'cannot tell' when it should not {bootstrap_shown(refused['answerable'])}")
    return 100 * float(np.mean(closed)), 100 * float(np.mean(heard))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=counted, default=600)
    parser.add_argument("--pack", default="micro")
    parser.add_argument("--seed", type=counted, default=20_001)
    parser.add_argument("--voices", choices=(OWN_VOICES, *RECORDED), default=OWN_VOICES)
    parser.add_argument("--verbose", action="store_true", help="print every wrong answer")
    parser.add_argument("--against-blocking", action="store_true", help="and without any work ahead")
    options = parser.parse_args()
    arguments = (options.cases, options.pack, options.seed, options.verbose, options.voices)
    ours = asyncio.run(measure(*arguments))
    if options.against_blocking:
        print("\nblocking, one brick after the other:")
        blocking = asyncio.run(measure(*arguments, BLOCKING, Mode.CASCADE))
        for what, new, old in zip(("closed questions", "transcripts"), ours, blocking, strict=True):
            print(f"{what}: {new:.1f} % ahead, {old:.1f} % blocking, {new - old:+.1f} points")


if __name__ == "__main__":
    main()
