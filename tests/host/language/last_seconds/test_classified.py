"""Questions about the last seconds in people's own words are put into usual ones, with the things that they
ask about, and the wearer is told where the headband does not know these by sight.
"""

from __future__ import annotations

import pytest

from host.language.last_seconds.classified import asked_of_clip, clip_model, read_clip
from host.language.meaning import Abilities, meaning
from host.language.router import CLIP, UNKNOWN_THING, Decision, Router
from models.brick import Transcript
from models.pack.catalogue import load_pack

ROUTER = Router()


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("whereabouts was my mug off to just then", "which way did the cup go"),
        ("at what sort of speed did my phone slide along", "how fast did the phone move"),
        ("at what sort of speed did it slide along", "how fast did it move"),
        ("how many times was that light winking at me", "how often did the light flash"),
        (
            "have my specs and the remote been swapped about on me",
            "did the glasses and the remote control change places",
        ),
        ("the tea mug and my water bottle which did i see first", "what came first the cup or the bottle"),
        ("are those two coffee cups swapped about", "did they change places"),
        ("when the door slammed did my tea mug budge at all", "did the cup move"),
        ("i had the impression that this box of pills slid which way", "which way did the medicine box go"),
        ("what's gone missing from beside my bag since i looked away", "what disappeared"),
        ("what did it say on that sticker we just went by", "what was on the label"),
    ],
)
def test_it_is_put_into_usual_words(said: str, question: str) -> None:
    found = read_clip(said)
    assert found is not None and not found.unknown and found.question == question


@pytest.mark.parametrize(
    "said",
    [
        "at what sort of speed did that trolley of hers slide along the corridor",
        "at what sort of speed was the fella with my umbrella walking",
        "have my specs and her shopping been swapped about on me",
        "did i see the hearse or my brolly first",
    ],
)
def test_of_things_that_the_headband_does_not_know_it_says_so(said: str) -> None:
    found = read_clip(said, 0.0)
    assert found is not None and found.unknown
    understood = meaning(heard(said), ROUTER, Abilities(0.5, clips=True, usual=True))
    assert understood.decision.slots[UNKNOWN_THING]
    knows_all = meaning(heard(said), ROUTER, Abilities(0.5, clips=True))
    assert UNKNOWN_THING not in knows_all.decision.slots


def test_every_kind_is_a_question_that_a_template_knows() -> None:
    families = set(load_pack("micro").bricks["motion"].options["least"])
    assert set(clip_model().kinds) >= families
    for text in ("my cup", "it", "my cup and the book"):
        found = read_clip(text, 0.0)
        assert found is None or ROUTER.decide(found.question, clips=True).intent == f"{CLIP} {found.kind}"


def heard(text: str, word: float = 0.97) -> Transcript:
    return Transcript(text, word, words=(word,) * len(text.split()))


def test_only_what_is_about_the_last_seconds_or_in_doubt_is_read() -> None:
    said = heard("how many times was that light winking at me")
    assert asked_of_clip(said, Decision("frames", "frames"), 0.5) is not None
    for other in (Decision("device", "time"), Decision("memory", "memory"), Decision("now", "now")):
        assert asked_of_clip(said, other, 0.5) is None
    assert asked_of_clip(heard(said.text, 0.4), Decision("frames", "frames"), 0.5) is None


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("did the cup move", "which way did the cup go"),
        ("what moved", "which way did it go"),
        ("what came first the cup or the book", "which way did it go"),
        ("where are my keys", "which way did it go"),
        ("", "which way did it go"),
    ],
)
def test_it_is_the_one_thing_of_the_question_before(before: str, question: str) -> None:
    can = Abilities(0.5, clips=True, usual=True)
    assert meaning(heard("which way did it go"), ROUTER, can, before).question == question
    without = Abilities(0.5, usual=True)
    assert not meaning(heard("which way did it go"), ROUTER, without, before).decision.intent.startswith(CLIP)
