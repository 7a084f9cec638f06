"""Cases of the drawn worlds: by their own grammar and exact answers, or by facts, judges and own wordings."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

from models.train.world.drawing import render
from models.train.world.home import answers as home_answers
from models.train.world.home import questions as home_questions
from models.train.world.home.picture.render import render as render_view
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.questions import ask_many
from models.train.world.scenes import random_scene
from models.train.world.truth import BLURRED, DARK, TrueAnswer
from models.train.world.unanswered import other_speech
from tests.eval.eye.held_home import facts_of_view, held_out_sentence
from tests.eval.reflex.cases import Case, Exactly, Rgb
from tests.eval.reflex.stranger_cases import about_home
from tests.eval.stranger.refusals import RefusesSpeech

MOST_VIEWS = 20_000
_OPEN = ("describe", "see")
_SPOILT = 0.09
_TURNS = {turn: side for side, turn in home_answers.TURN.items()}


def cause_of(asked: TrueAnswer) -> str:
    """The cause that a true answer of the drawn worlds names, one of `CAUSES`, or ""."""
    text = asked.answer
    if text in (DARK, home_answers.DARK):
        return "dark"
    if text in (BLURRED, home_answers.BLURRED):
        return "blurred"
    if text.startswith("I see only part"):
        turn = text.rstrip(".").rsplit(", ", 1)[-1]
        return f"cut {_TURNS[turn]}" if turn in _TURNS else "occluded"
    if text == home_answers.SMALL_LABEL:
        return "small"
    if text in (home_answers.NO_LABEL, home_answers.NO_PLACE):
        return "absent"
    if text.startswith(("I cannot see", "I do not see your", "I do not see a ")):
        return "absent"
    return "false premise" if asked.kind == "false_premise" else ""


def _of_grammar(world: str, asked: TrueAnswer, picture: Callable[[], Rgb], group: int) -> Case:
    return Case(
        world,
        asked.family,
        asked.question,
        Exactly(asked.answer),
        cause_of(asked),
        asked.answer,
        picture,
        group,
    )


def shapes(seed: int, split: str = "held") -> Iterator[Case]:
    """Questions of the grammar about scenes of shapes, and speech that is no question; exact answers."""
    rng = random.Random(f"reflex shapes {split} {seed}")
    for group in range(MOST_VIEWS):
        scene = random_scene(rng, split)

        picture = partial(render, scene)

        for asked in ask_many(scene, rng, split, 3):
            if asked.family not in _OPEN:
                yield _of_grammar("shapes", asked, picture, group)
        if group % 6 == 0:
            said = other_speech(rng, "held" if split == "held" else "train").question
            yield Case("shapes", "off topic", said, RefusesSpeech(), "off topic", "-", picture, group)


def home(seed: int, split: str = "validation") -> Iterator[Case]:
    """Questions of the grammar about views of the home; exact answers."""
    rng = random.Random(f"reflex home {split} {seed}")
    for group in range(MOST_VIEWS):
        view = random_view(rng, split, _SPOILT)

        picture = partial(render_view, view)

        for asked in home_questions.ask_many(truth_of(view), rng, split, 3):
            if asked.family not in _OPEN and asked.answer != home_answers.NO_THINGS:
                yield _of_grammar("home", asked, picture, group)


def held_home(seed: int) -> Iterator[Case]:
    """Held-out sentences and own wordings about held-out views of the home, judged by the views' facts."""
    rng = random.Random(f"reflex held home {seed}")
    for group in range(MOST_VIEWS):
        view = random_view(rng, "held", _SPOILT)

        picture = partial(render_view, view)

        yield from about_home("home", facts_of_view(view), picture, group, rng, held_out_sentence)
