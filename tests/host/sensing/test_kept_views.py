"""Which views are kept, and which of their encodings stay in memory."""

from __future__ import annotations

import numpy as np
import pytest

from host.sensing.kept_views import REUSED_S, SURELY_SAME_LEVELS, Encoded, KeptViews, View
from host.sensing.view_gate import KEPT_VIEWS, GateCounts
from models.brick import Activation, Embedding
from tests.host.sensing.test_view_gate import room

DARK = np.zeros((240, 320, 3), np.uint8)
WHOLE = 12


class Bench:
    """Kept views and what they freed."""

    def __init__(self, most: int) -> None:
        self.freed: list[object] = []
        self.kept = KeptViews(self.freed.append)
        self.kept.limit(most)

    def see(self, picture: np.ndarray, at_s: float = 0.0) -> View:
        return self.kept.view(picture, at_s)

    def encode(self, view: View, depth: int = 1) -> Encoded:
        """Stores an encoding of a view's own picture."""
        data = Embedding() if depth == WHOLE else Activation(depth, "any")
        encoded = Encoded(view.verdict.measured, view.taken_s, depth, data)
        self.kept.store(view, encoded)
        return encoded

    def held(self, *views: View) -> list[int]:
        return [self.kept.depth(view) for view in views]


def slightly_moved(picture: np.ndarray) -> np.ndarray:
    """The gate takes it for the same view, but not surely."""
    return np.roll(picture, 8, axis=1)


def test_the_same_view_again_is_answered_from_its_encoding_for_a_while() -> None:
    b = Bench(4)
    first = b.see(room(1))
    assert b.kept.find(first) is None and b.held(first) == [0]
    encoded = b.encode(first)
    again = b.see(room(1), REUSED_S)
    assert again.kept is first.kept and b.kept.find(again) is encoded
    assert b.kept.find(again, own=True) is None and b.kept.find(first, own=True) is encoded
    assert b.kept.find(b.see(room(2), REUSED_S)) is None
    late = b.see(room(1), REUSED_S + 0.1)
    assert late.kept is not first.kept and b.kept.find(late) is None
    assert b.freed == [encoded.data] and b.held(first, again) == [0, 0]
    assert b.kept.counts == GateCounts(new=2, same_thumbnail=2)


def test_a_view_that_is_only_nearly_the_same_answers_no_question() -> None:
    b = Bench(4)
    first = b.see(room(1))
    b.encode(first)
    moved = b.see(slightly_moved(room(1)))
    assert (
        moved.kept is first.kept
        and moved.verdict.levels is not None
        and moved.verdict.levels > SURELY_SAME_LEVELS
    )
    assert b.held(moved) == [1] and b.kept.find(moved) is None
    newer = b.encode(moved, WHOLE)
    assert b.kept.find(moved) is newer and b.kept.find(first) is None
    assert b.see(slightly_moved(room(1)), 1.0).verdict.levels == 0.0, "it stands for the view"


def test_what_shows_nothing_is_neither_kept_nor_found() -> None:
    b = Bench(4)
    view = b.see(DARK)
    assert view.kept is None and b.held(view) == [0]
    encoded = b.encode(view, WHOLE)
    assert b.kept.find(view) is None and b.freed == [encoded.data]


@pytest.mark.parametrize("most", range(KEPT_VIEWS + 1))
def test_the_oldest_encodings_make_room(most: int) -> None:
    b = Bench(most)
    views = [b.see(room(seed), float(seed)) for seed in range(KEPT_VIEWS)]
    encodings = [b.encode(view) for view in views]
    assert b.held(*views) == [0] * (KEPT_VIEWS - most) + [1] * most
    assert b.freed == [each.data for each in encodings[: KEPT_VIEWS - most]]
    b.kept.limit(0)
    assert b.held(*views) == [0] * KEPT_VIEWS and len(b.freed) == KEPT_VIEWS


def test_a_view_that_is_kept_no_longer_takes_its_encoding_along() -> None:
    b = Bench(4)
    views = [b.see(room(seed), float(seed)) for seed in range(KEPT_VIEWS)]
    encodings = [b.encode(view) for view in views]
    b.see(room(99), 9.0)
    assert b.freed == [encodings[0].data] and b.kept.find(views[0]) is None
    late = b.encode(views[0], WHOLE)
    assert b.freed[-1] is late.data, "one that comes too late is freed"


def test_of_one_picture_the_deepest_stays_and_what_is_lent_is_not_freed() -> None:
    b = Bench(4)
    view = b.see(room(1))
    begun, rows = b.encode(view), b.encode(view, WHOLE)
    assert b.freed == [begun.data] and b.kept.find(view) is rows
    shallow = b.encode(view, 3)
    assert b.freed == [begun.data, shallow.data]
    b.kept.take(rows)
    assert b.kept.find(view) is None
    b.kept.forget()
    assert len(b.freed) == 2, "a question has it"
    b.kept.store(view, rows)
    assert b.freed[-1] is rows.data, "and nothing is kept after all was forgotten"


def test_rows_of_an_earlier_picture_do_not_replace_those_of_a_later_one() -> None:
    b = Bench(4)
    first = b.see(room(1))
    rows = b.encode(first, WHOLE)
    b.kept.take(rows)
    later = b.see(slightly_moved(room(1)), 2.0)
    newer = b.encode(later)
    b.kept.store(first, rows)
    assert b.kept.find(later) is newer and b.freed == [rows.data]
