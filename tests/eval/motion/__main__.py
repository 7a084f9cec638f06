"""How many questions about the last seconds are answered rightly, by family?

    python -m tests.eval motion [--clips 400] [--spoken 0] [--pack micro]
    python -m tests.eval motion --section stranger [--clips 400]

Held-out clips of the drawn home (layouts, styles and places that no training clip has). By sight: the pack's
eye and motion brick in this process, unit by unit as a headband gives them, with the question's family given.
--spoken N: so many of the questions are spoken to a whole headband on the emulated board, whose camera shows
the clip while they are. --heard N: so many are given to the recogniser and the rules of words alone. Both are
in words that no training sentence has. Beside it, as the strongest simple way without training: the commonest
answer of each family. Intervals are Wilson's, 95 %. Clips are drawn by the project's own code, as those of
training are: the figures say nothing about real motion.

--section stranger: clips of another renderer, with questions in other words and other judges, none of which
shares anything with training: by sight, with the family given and from the words. It says more about the
brick, and nothing about real motion either.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from host.answers.motion import ClipAsked, clip_asked, sentence
from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from host.language.router import Router
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import emulated_board
from models.brick import Activation, Brick
from models.clip import ClipAnswer, ClipQuestion, Unit, read_at
from models.pack.catalogue import Pack, load_pack
from models.sensing.registration import small_picture
from models.train.motion.features import activations_of
from models.train.recall.views import loaded
from models.train.world.clips import values
from models.train.world.clips.draw import random_clip
from models.train.world.clips.values import FAMILIES, Clip, decided_by_order
from models.train.world.home.picture.render import render
from models.train.world.wording.clips import HELD_OUT
from tests.eval.arguments import counted
from tests.eval.eye.page import share
from tests.eval.motion.heard import lines as heard_lines
from tests.eval.stranger.by_voice import VOICES, Speaker
from tests.eval.stranger_clips.by_sight import ask_about
from tests.eval.stranger_clips.compose import random_film
from tests.eval.stranger_clips.report import table as stranger_table

SIDE_PX = 192
LEAST_GAP_S = 0.2
"""Between the pictures of a clip that is shown while a question is spoken."""
SILENCE_S = 1.5
"""Before and after the speech of `Speaker`."""
GOAL, SPOKEN_GOAL = "92 %", "88 %"
_CONFIG = Config(
    answer=AnswerConfig(earcons=False), listen=ListenConfig(follow_up_s=0.0), journal=JournalConfig(path="")
)


@dataclass(frozen=True)
class Answered:
    """A question with the brick's answer. sure: it is given, not withheld."""

    question: values.ClipQuestion
    clip: Clip
    answer: ClipAnswer
    sure: bool

    @property
    def right(self) -> bool:
        """The likeliest label is the true one."""
        return self.answer.label == self.question.answer


def by_sight(
    pack: Pack, clips: Sequence[Clip], depth: int
) -> tuple[list[Answered], list[float], list[float]]:
    """The brick's answers at a depth, and the milliseconds of each unit and of each answer."""
    found, unit_ms, answer_ms = [], [], []
    spec = pack.bricks["motion"]
    least, encoder = spec.options["least"], str(pack.bricks["vision"].options["encoder"])
    with loaded(pack.bricks["vision"]) as eye, loaded(spec) as brick:
        for number, clip in enumerate(clips, 1):
            pictures = [render(view, SIDE_PX) for view in clip.views]
            read = read_at(spec.options, depth)
            rows = activations_of(eye, pictures, read)
            for view, taken_s in enumerate(clip.times_s):
                begun_s = time.perf_counter()
                small = small_picture(pictures[view])
                for place, after in enumerate(read):
                    activation = Activation(after, encoder, rows[place, view])
                    list(brick.execute(Unit(activation, taken_s, number, small)))
                unit_ms.append(1e3 * (time.perf_counter() - begun_s))
            for question in clip.questions:
                begun_s = time.perf_counter()
                answer = _asked(brick, question, number)
                answer_ms.append(1e3 * (time.perf_counter() - begun_s))
                sure = answer.probability >= least.get(question.family, 0.0)
                found.append(Answered(question, clip, answer, sure))
    return found, unit_ms, answer_ms


def _asked(brick: Brick, question: values.ClipQuestion, number: int) -> ClipAnswer:
    (answer,) = brick.execute(ClipQuestion(question.family, question.thing, question.other, number))
    assert isinstance(answer, ClipAnswer)
    return answer


def table(found: Sequence[Answered]) -> list[str]:
    """A line for each family, and for what the issue of motion asks about."""
    lines = [f"  {'what':26} {'right':36} commonest answer   withheld; wrong of those given"]
    for family in FAMILIES:
        own = [each for each in found if each.question.family == family]
        if own:
            lines.append(_line(family, own))
    ordered = [each for each in found if decided_by_order(each.question)]
    turned = [each for each in found if each.question.family in ("whether", "moved") and each.clip.turned]
    for name, own in (("decided by order alone", ordered), ("head turn or thing moved", turned)):
        if own:
            lines.append(_line(name, own))
    shares = [
        statistics.fmean(each.right for each in found if each.question.family == family)
        for family in {each.question.family for each in found}
    ]
    worst, mean = 100 * min(shares), 100 * statistics.fmean(shares)
    lines.append(f"  worst family {worst:.1f} % (goal {GOAL}); mean of families {mean:.1f} %")
    return lines


def _line(name: str, own: Sequence[Answered]) -> str:
    counts = Counter((each.question.family, each.question.answer) for each in own)
    best: Counter[str] = Counter()
    for (family, _), count in counts.items():
        best[family] = max(best[family], count)
    commonest = sum(best.values()) / len(own)
    given = [each for each in own if each.sure]
    wrong = share([not each.right for each in given])
    withheld = 1 - len(given) / len(own)
    right = share([each.right for each in own])
    return f"  {name:26} {right:36} {100 * commonest:5.1f} %            {100 * withheld:4.1f} %; {wrong}"


async def spoken(pack: Pack, number: int, seed: int, voices: str) -> list[str]:
    """Questions spoken while the camera shows the clip; right is the sentence for the true answer. Clips that
    are longer than the question, or too fast for the headband's interval between pictures, are left out.
    """
    rng, speaker = random.Random(f"motion spoken {seed}"), Speaker(seed, voices, "room", 20.0)
    router = Router()
    board = emulated_board(real_time=True, sound_card=False)
    right: list[bool] = []
    heard: list[bool] = []
    withheld = 0
    try:
        async with Headband(board, pack, _CONFIG) as headband:
            while len(right) < number:
                clip = random_clip(rng, "held")
                question = rng.choice(clip.questions)
                text = worded(question, rng)
                sound = speaker.say(text)[0]
                speech_s = len(sound) / MICROPHONE_RATE_HZ - SILENCE_S
                gaps_s = np.diff(clip.times_s)
                if gaps_s.min() < LEAST_GAP_S or clip.times_s[-1] > speech_s:
                    continue
                headband.recent_views.forget()
                showing = asyncio.create_task(_show(board, clip))
                await asyncio.sleep(0)
                board.microphone.say(sound)
                turn = await headband.ask()
                showing.cancel()
                heard.append(clip_asked(turn.decision) == clip_asked(router.decide(text, clips=True)))
                true = ClipAnswer(question.answer, 1.0, 9)
                wanted = sentence(ClipAsked(question.family, question.thing, question.other), true, {})
                right.append(turn.answer == wanted)
                withheld += turn.answered_by != "motion"
    finally:
        await board.close()
    return [
        f"  right, goal {SPOKEN_GOAL}: {share(right)}",
        f"  understood as asked: {share(heard)}; not answered by the motion brick: {withheld}",
    ]


async def _show(board: object, clip: Clip) -> None:
    """Shows the pictures at their times, the last one on."""
    pictures = [render(view, SIDE_PX) for view in clip.views]
    begun_s = time.monotonic()
    for picture, at_s in zip(pictures, clip.times_s, strict=True):
        await asyncio.sleep(max(0.0, begun_s + at_s - time.monotonic()))
        board.camera.show(picture)  # type: ignore[attr-defined]


def worded(question: values.ClipQuestion, rng: random.Random) -> str:
    """A clip's question in words that no training sentence has."""
    texts = [
        text
        for text in HELD_OUT[question.family]
        if ("{item}" in text) == bool(question.thing) and ("{item2}" in text) == bool(question.other)
    ]
    return rng.choice(texts).format(item=f"the {question.thing}", item2=f"the {question.other}")


def stranger(pack: Pack, clips: int, seed: int) -> None:
    """Prints the figures on a stranger's clips, at every depth at which the brick can read."""
    settings = pack.bricks["motion"].options
    rng = random.Random(f"stranger clips {seed}")
    films = [random_film(rng) for _ in range(clips)]
    print(f"motion: pack {pack.name} {pack.version}, seed {seed}, {clips} clips of another renderer")
    asked = list(ask_about(pack, films, settings["depths"], random.Random(f"stranger asks {seed}")))
    for depth in settings["depths"]:
        usual = " (the usual)" if depth == settings["depth"] else ""
        found = [each for each in asked if each.depth == depth]
        title = f"\nBy sight, units after {depth} blocks{usual}: {len(found)} questions, goal {GOAL}"
        print(stranger_table(found, title).text())


def main() -> None:
    """Command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="just eval motion", description=__doc__, formatter_class=raw)
    parser.add_argument("--section", choices=("own", "stranger"), default="own")
    parser.add_argument("--clips", type=counted, default=400)
    parser.add_argument("--heard", type=counted, default=0, help="so many questions to the recogniser alone")
    parser.add_argument("--spoken", type=int, default=0, help="so many questions aloud, in real time")
    parser.add_argument("--voices", choices=tuple(VOICES), default="usual", help="of what is spoken")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pack", default="models/packs/micro", help="a folder with a pack")
    options = parser.parse_args()
    pack = load_pack(options.pack)
    if "motion" not in pack.bricks:
        print(f"Pack '{pack.name}' has no motion brick.")
        return
    if options.section == "stranger":
        stranger(pack, options.clips, options.seed)
        return
    rng = random.Random(f"motion eval {options.seed}")
    clips = [random_clip(rng, "held") for _ in range(options.clips)]
    settings = pack.bricks["motion"].options
    print(f"motion: pack {pack.name} {pack.version}, seed {options.seed}, {len(clips)} held-out clips")
    for depth in settings["depths"] if clips else ():
        usual = " (the usual)" if depth == settings["depth"] else ""
        found, unit_ms, answer_ms = by_sight(pack, clips, depth)
        print(f"\nBy sight, units after {depth} blocks{usual}: {len(found)} questions, goal {GOAL}")
        print("\n".join(table(found)))
        for name, times in (("unit", unit_ms), ("answer", answer_ms)):
            p95 = sorted(times)[int(0.95 * len(times))]
            usual_ms = statistics.median(times)
            print(f"  each {name}, the brick alone: median {usual_ms:.2f} ms, 95 % within {p95:.2f} ms")
    if options.heard:
        print(f"\nHeard, room noise at 20 dB, {options.heard} questions, their words alone")
        print("\n".join(heard_lines(pack, options.heard, options.seed, options.voices)))
    if options.spoken:
        print(f"\nSpoken, room noise at 20 dB, {options.spoken} questions")
        print("\n".join(asyncio.run(spoken(pack, options.spoken, options.seed, options.voices))))


if __name__ == "__main__":
    main()
