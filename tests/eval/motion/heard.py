"""How many spoken questions about the last seconds are understood as asked, by the recogniser and the rules
of words alone; and how much else is taken for one. The wordings are those that no training sentence has.
"""

from __future__ import annotations

import random

import numpy as np

from host.answers.motion import ClipAsked, clip_asked
from host.config import AnswerConfig
from host.language.meaning import Abilities, meaning
from host.language.router import Router
from host.language.understanding import understand
from hw.device import MICROPHONE_RATE_HZ
from models.brick import Transcript
from models.pack.catalogue import Pack
from models.train.recogniser.evaluate import fixed_clips
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.world.home.splits import KINDS
from models.train.world.wording.clips import HELD_OUT
from tests.eval.eye.page import share
from tests.eval.stranger.by_voice import Speaker

AFTER_S = 0.5
"""Of the silence after the speech of `Speaker`, so much reaches the recogniser."""
_OTHERS = 900, 500
"""Other questions, and other speech."""


class Ears:
    """The pack's recogniser and the rules of words."""

    def __init__(self, pack: Pack) -> None:
        self._pack, self._router = pack, Router()
        self._recogniser = InProcessRecogniser(pack.bricks["stt"].options)
        self._least = AnswerConfig().min_probability

    def hears(self, pcm: np.ndarray) -> Transcript:
        """float32 [n] at 16 kHz."""
        return self._recogniser.transcribe(pcm)

    def asked(self, heard: Transcript, *, repairs: bool) -> ClipAsked | None:
        """repairs: a question of which a word was missed counts too."""
        usual = self._pack.usual_wording
        if repairs:
            can = Abilities(self._least, clips=True, usual=usual)
            return clip_asked(meaning(heard, self._router, can).decision)
        if heard.doubtful or "?" in heard.text or heard.probability < self._least:
            return None
        return clip_asked(understand(heard.text, self._router, clips=True, usual=usual).decision)

    def meant(self, text: str) -> ClipAsked | None:
        """What a sentence asks."""
        return clip_asked(self._router.decide(text, clips=True))


def lines(pack: Pack, number: int, seed: int, voices: str = "usual") -> list[str]:
    """The report on so many questions, and on other questions and other speech."""
    ears, rng = Ears(pack), random.Random(f"motion heard {seed}")
    speaker = Speaker(seed, voices, "room", 20.0)
    wholly: list[bool] = []
    repaired: list[bool] = []
    another = 0
    for at in range(number):
        text = random_question(tuple(HELD_OUT)[at % len(HELD_OUT)], rng)
        sound = speaker.say(text)[0]
        heard = ears.hears(sound[: -int(AFTER_S * MICROPHONE_RATE_HZ)].astype(np.float32) / 32768)
        meant, found = ears.meant(text), ears.asked(heard, repairs=True)
        wholly.append(ears.asked(heard, repairs=False) == meant)
        repaired.append(found == meant)
        another += found is not None and found != meant
    taken = others = 0
    for clip in fixed_clips("validation", *_OTHERS, 0):
        if ears.meant(clip.text) is None:
            others += 1
            taken += ears.asked(ears.hears(clip.pcm), repairs=True) is not None
    return [
        f"  heard in every word {share(wholly)}; with a word missed too {share(repaired)}",
        f"  taken for another question about the last seconds: {another} of {number}",
        f"  other questions and other speech taken for one: {taken} of {others}",
    ]


def random_question(family: str, rng: random.Random) -> str:
    """A question of the family, in words that no training sentence has."""
    one, two = rng.sample(KINDS, 2)
    text = rng.choice(HELD_OUT[family])
    return text.format(item=f"{rng.choice(('the', 'my'))} {one}", item2=f"the {two}")
