"""The demo as it is generated: what is asked, what is shown, and the script of its day."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np

from host.app.day_script import load_script
from models.train.demo_assets import Turn, write_demo
from models.train.demo_questions import LINES, VIEW_PX, Asked, questions
from models.train.world import grammar
from models.train.world.home import questions as home

SIDE_PX = 192


@cache
def drawn() -> tuple[Asked, ...]:
    return tuple(questions(random.Random(5), SIDE_PX))


def test_half_of_the_questions_are_those_of_somebody_at_home() -> None:
    assert len(LINES) == 6 and 2 * sum(line.world == "home" for line in LINES) >= len(LINES)


def test_questions_have_true_answers_and_what_is_varied_in_them_was_never_trained() -> None:
    asked = drawn()
    assert [each.line for each in asked] == list(LINES)
    for each in asked:
        assert each.line.told in each.answer and bool(each.answer) == bool(each.line.world)
        assert bool(each.frames) == each.line.new_view
        if "{" in each.line.text:
            held = grammar.is_held_out if each.line.world == "shapes" else home.sentence_split
            assert held(each.text) in (True, "held"), each.text
    assert [each.text for each in questions(random.Random(5), SIDE_PX)] == [each.text for each in asked]


def test_the_script_of_the_day_names_every_file_and_an_earlier_demo_is_gone(tmp_path: Path) -> None:
    (tmp_path / "3-earlier.wav").write_bytes(b"")
    silence, picture = np.zeros(16_000, np.int16), np.zeros((VIEW_PX, VIEW_PX, 3), np.uint8)
    made = [Turn(each, silence, (picture,) * len(each.frames)) for each in drawn()]
    write_demo(tmp_path, made)
    day = load_script(tmp_path / "demo.toml")
    named = {path.name for event in day.events for path in (*event.say, event.image) if path}
    assert named == {path.name for path in tmp_path.iterdir()} - {"demo.toml"}
    assert [event.battery for event in day.events if event.battery] == [82, 41, 14]
    assert sum(len(event.say) for event in day.events) == len(LINES)
