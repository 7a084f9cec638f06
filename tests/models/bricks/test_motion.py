"""The motion brick with the shipped graphs and random units: the same answer unit by unit as all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from models.brick import Activation, Brick, BrickError, Context
from models.bricks import motion
from models.clip import MOST_UNITS, ClipAnswer, ClipQuestion, Forget, Held, SmallPicture, Unit
from models.pack.catalogue import load_pack
from models.sensing.registration import SIDE, shifts_of, turns_of
from models.train.world.clips.values import FAMILIES, LABELS
from models.train.world.home.splits import KINDS

PACK = load_pack(Path("models/packs/micro"))
OPTIONS = dict(PACK.bricks["motion"].options)
ENCODER = str(PACK.bricks["vision"].options["encoder"])
DEPTH = int(OPTIONS["depth"])
ROWS = np.random.default_rng(5).standard_normal((20, OPTIONS["tokens"], OPTIONS["width"]), np.float32)


@pytest.fixture(name="brick", scope="module")
def loaded_brick() -> Iterator[Brick]:
    brick = motion.create(OPTIONS, Context())
    brick.load()
    yield brick
    brick.release()


def show(
    brick: Brick,
    rows: NDArray[np.float32],
    clip: int,
    depth: int = DEPTH,
    small: Sequence[SmallPicture | None] = (),
) -> Held:
    held: Held | None = None
    for number, each in enumerate(rows):
        picture = small[number] if small else None
        (held,) = brick.execute(Unit(Activation(depth, ENCODER, each), 0.3 * number, clip, picture))
    assert held is not None
    return held


def looking(*turned: int) -> list[SmallPicture]:
    """Small pictures of a wall, whose content has come so many cells to the right since the first of all."""
    wall = np.random.default_rng(4).integers(0, 256, (SIDE, 3 * SIDE), np.uint8)
    return [SmallPicture(wall[:, SIDE - each : 2 * SIDE - each]) for each in turned]


def ask(
    brick: Brick, clip: int, family: str = "direction", thing: str = "cup", other: str = ""
) -> ClipAnswer:
    (answer,) = brick.execute(ClipQuestion(family, thing, other, clip))
    assert isinstance(answer, ClipAnswer)
    return answer


def test_a_clip_is_forgotten_and_no_other(brick: Brick) -> None:
    show(brick, ROWS[:3], 81)
    assert list(brick.execute(Forget(80))) == [] and ask(brick, 81).units == 3
    assert list(brick.execute(Forget(81))) == []
    with pytest.raises(BrickError, match="no unit of this clip"):
        ask(brick, 81)


def test_unit_by_unit_is_the_same_as_all_at_once(brick: Brick) -> None:
    number, small = 6, looking(0, 3, 9, 9, 5, -2)
    assert show(brick, ROWS[:number], 1, small=small) == Held(1, number, number - 1)
    found = ask(brick, 1)
    indices = np.arange(number)
    named = {
        "earlier": np.where(indices >= 2, indices - 2, indices),
        "before": np.where(indices >= 1, indices - 1, indices),
        "now": indices,
        "after": np.minimum(indices + 1, number - 1),
    }
    known = [None, None, *small]
    shifts = np.stack([shifts_of(*known[at : at + 3]) for at in range(number)])
    assert shifts[2, :, 0] == pytest.approx(np.array([6, 9]) / SIDE, abs=0.01)
    unit = onnxruntime.InferenceSession(OPTIONS[f"unit_{DEPTH:02}"])
    feeds = {name: ROWS[each] for name, each in named.items()} | {motion.SHIFTS: shifts}
    features = unit.run(["features"], feeds)[0]
    answer = onnxruntime.InferenceSession(OPTIONS["answer"])
    ages_s = (0.3 * (number - 1 - indices)).astype(np.float32)
    question = np.array([1, 1 + KINDS.index("cup"), 0], np.int64)
    feeds = {"features": features, "ages_s": ages_s, "question": question, motion.TURNS: turns_of(shifts)}
    logits = answer.run(["logits"], feeds)[0]
    allowed = [LABELS.index(label) for label in FAMILIES["direction"]]
    chances = np.exp(logits[allowed] - logits[allowed].max())
    assert found.units == number and found.depth == DEPTH
    assert list(found.distribution) == list(FAMILIES["direction"])
    assert list(found.distribution.values()) == pytest.approx(chances / chances.sum(), abs=1e-4)


def test_units_at_several_depths_are_answered_from_the_mean(brick: Brick) -> None:
    """The logarithms of the chances have the mean of the logits, up to a number that all have in common."""
    alone = []
    for clip, depth in ((20, 3), (21, 6), (22, 12)):
        show(brick, ROWS[:5], clip, depth)
        alone.append(np.log(list(ask(brick, clip).distribution.values())))
    for place, each in enumerate(ROWS[:5]):
        for depth in (3, 6, 12):
            list(brick.execute(Unit(Activation(depth, ENCODER, each), 0.3 * place, 23)))
    together = ask(brick, 23)
    mean = np.exp(np.mean(alone, axis=0))
    assert list(together.distribution.values()) == pytest.approx(mean / mean.sum(), abs=1e-4)
    assert (together.units, together.depth) == (5, 12)


def test_a_depth_that_lacks_a_picture_is_not_read(brick: Brick) -> None:
    show(brick, ROWS[:5], 24, 3)
    whole = ask(brick, 24)
    show(brick, ROWS[:2], 24, 6)
    assert ask(brick, 24) == whole and whole.depth == 3


def test_the_turn_of_the_head_counts_at_every_depth(brick: Brick) -> None:
    """Whether the depths come unit by unit or one after the other, and not where no picture tells it."""
    small = looking(0, 4, 9, 9, 6)
    for place, each in enumerate(ROWS[:5]):
        for depth in (3, 6):
            unit = Unit(Activation(depth, ENCODER, each), 0.3 * place, 25, small[place])
            list(brick.execute(unit))
    by_unit = ask(brick, 25)
    show(brick, ROWS[:5], 26, 3, small)
    show(brick, ROWS[:5], 26, 6, small)
    assert ask(brick, 26).distribution == by_unit.distribution
    show(brick, ROWS[:5], 27, 3)
    show(brick, ROWS[:5], 27, 6)
    unknown = ask(brick, 27).distribution
    assert unknown != by_unit.distribution
    show(brick, ROWS[:5], 28, 3, looking(0, 0, 0, 0, 0))
    assert ask(brick, 28).distribution != unknown  # it is known that it did not turn


def test_another_question_about_the_same_clip_costs_no_unit_again(brick: Brick) -> None:
    show(brick, ROWS[:4], 2)
    assert ask(brick, 2) == ask(brick, 2)
    assert ask(brick, 2, "first", "cup", "book").distribution.keys() == {"cup", "book", "unseen"}


def test_the_order_of_the_units_counts(brick: Brick) -> None:
    show(brick, ROWS[:5], 3)
    forward = ask(brick, 3)
    show(brick, ROWS[:5][::-1], 4)
    assert ask(brick, 4).distribution != forward.distribution


def test_one_unit_shows_no_motion_and_a_new_clip_begins_anew(brick: Brick) -> None:
    show(brick, ROWS[:5], 5)
    show(brick, ROWS[:1], 6)
    assert (ask(brick, 6).label, ask(brick, 6).units) == ("", 1)
    with pytest.raises(BrickError, match="no unit of this clip"):
        ask(brick, 5)  # gone


def test_a_question_about_units_of_an_ended_process_is_refused(brick: Brick) -> None:
    """It would be told otherwise that only one picture was seen."""
    show(brick, ROWS[:5], 10)
    again = motion.create(OPTIONS, Context())
    again.load()
    with pytest.raises(BrickError, match="no unit of this clip"):
        ask(again, 10)


def test_a_long_clip_is_answered_from_its_newest_units(brick: Brick) -> None:
    small = looking(*range(len(ROWS)))
    show(brick, ROWS, 7, small=small)
    answer = ask(brick, 7)
    assert answer.units == MOST_UNITS and "4 earlier units" in answer.reasons[0]


@pytest.mark.parametrize(
    ("unit", "sentence"),
    [
        (Activation(DEPTH + 1, ENCODER, ROWS[0]), "reads units of"),
        (Activation(DEPTH, ENCODER, ROWS[0][:3]), "The unit's rows are"),
        (Activation(DEPTH, "another eye", ROWS[0]), "is of the encoder"),
    ],
)
def test_units_that_it_cannot_read_are_refused(brick: Brick, unit: Activation, sentence: str) -> None:
    with pytest.raises(BrickError, match=sentence):
        list(brick.execute(Unit(unit, 0.0, 8)))


def test_what_it_does_not_know_is_refused_and_it_stays_usable(brick: Brick) -> None:
    show(brick, ROWS[:3], 9)
    with pytest.raises(BrickError, match="does not know the thing 'dog'"):
        ask(brick, 9, thing="dog")
    with pytest.raises(BrickError, match="no questions of the family"):
        ask(brick, 9, family="colour")
    assert ask(brick, 9).label


def test_a_damaged_table_of_labels_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text('{"families": {"direction": ["left"]}, "things": ["cup"], "labels": ["right"]}')
    brick = motion.create({**OPTIONS, "labels": str(path)}, Context())
    with pytest.raises(BrickError, match="which is no label"):
        brick.load()
