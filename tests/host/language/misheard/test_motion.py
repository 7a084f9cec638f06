"""Questions about the last seconds of which a word was missed."""

from __future__ import annotations

from functools import partial

import pytest

from host.answers.motion import ClipAsked, clip_asked
from host.language.doubt import sure_enough
from host.language.misheard.motion import misheard_motion
from host.language.router import Router
from models.brick import Transcript
from models.train.world.wording.clips import TRAINED

ROUTER = Router()
CLIPS = partial(ROUTER.decide, clips=True)


def asked(
    text: str, probability: float = 0.9, *, doubtful: bool = False, clips: bool = True
) -> ClipAsked | None:
    decision = ROUTER.decide(text, clips=clips)
    heard = Transcript(text, probability, doubtful)
    return clip_asked(sure_enough(decision, heard, 0.3, remembers=False, clips=CLIPS if clips else None))


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("was the light ??", ClipAsked("blinked")),
        ("do it blink", ClipAsked("blinked")),
        ("did ?? move", ClipAsked("whether")),
        ("is it true that my umbrella move", ClipAsked("whether", "umbrella")),
        ("how often did flash", ClipAsked("flashes")),
        ("what did ?? put down", ClipAsked("appeared")),
        ("what did seven ?? away", ClipAsked("gone")),
        ("what was on the ??", ClipAsked("read")),
        ("are the cup and the glasses swap now", ClipAsked("swapped", "cup", "glasses")),
        ("did the medicine box go ?? or slowly", ClipAsked("speed", "medicine box")),
        ("was it the cup or the umbrella that came that ??", ClipAsked("first", "cup", "umbrella")),
        ("?? how many times did the light go out", ClipAsked("flashes")),
        ("in which direction did the remote control", ClipAsked("direction", "remote control")),
        ("which ?? did the remote control move", ClipAsked("direction", "remote control")),
    ],
)
def test_a_missed_word_does_not_hide_what_is_asked(heard: str, meant: ClipAsked) -> None:
    assert asked(heard) == meant
    assert asked(heard, clips=False) is None, "only for a pack that answers them"
    assert asked(heard, 0.2) is None, "much too improbable"


@pytest.mark.parametrize(
    "heard",
    [
        "what ?? did the cup move", "which came first the cup or the cup", "what did ??", "was the ?? on",
        "what is on the ??", "how many ?? are there", "did the ?? arrive", "what was ?? and ??",
        "are the cup and the ?? here", "where is the ??", "did you put the milk away", "what did he say",
        "set a timer for ?? minutes", "did she ?? or slowly", "was it ?? that came",
    ],
)  # fmt: skip
def test_too_little_asks_for_nothing_of_the_last_seconds(heard: str) -> None:
    assert misheard_motion(heard) == ""


@pytest.mark.parametrize("family", TRAINED)
def test_a_doubtful_transcript_of_a_known_form_is_answered(family: str) -> None:
    for text in TRAINED[family]:
        words = text.format(item="my cup", item2="the coat")
        assert asked(words, 0.6, doubtful=True) == clip_asked(CLIPS(words)), words
