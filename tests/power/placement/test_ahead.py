from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from power.placement.ahead import UNKNOWN, choose_ahead, expected
from power.placement.choice import choose_all
from power.placement.table import MODES, Place, Table
from tests.power.placement.made import turn


def chosen(table: Table, mode: str, *, alone: bool = False, reflex: bool = False, eye: Place = "cores"):
    placed = choose_all(table, mode, {"vision": (eye,), "llm": ("cores",), "stt": ("cores",)})
    return choose_ahead(table, mode, placed, alone=alone, reflex=reflex)


def test_a_picture_that_the_speech_hides_is_encoded_at_the_wake_word_and_taken_in() -> None:
    ahead = chosen(turn(0.5), "performance")
    assert (ahead.picture, ahead.prefill) == ("wake word", True)
    assert "nothing ahead" in ahead.reason and " J" in ahead.reason


@pytest.mark.parametrize("mode", MODES)
def test_with_room_for_one_brick_a_picture_of_12_s_waits_for_a_question_that_needs_it(mode: str) -> None:
    """At the wake word it would keep the recogniser out of the memory for 9 s, also of "what time is it"."""
    assert chosen(turn(12.0), mode, alone=True).picture == "question"
    assert chosen(turn(0.5), mode, alone=True).picture == "wake word"


def test_with_room_for_the_recogniser_beside_the_npu_a_slow_picture_begins_at_the_wake_word() -> None:
    """Every made brick has 100 MiB, so two never fit what the largest takes alone."""
    table = turn(5.0, place="npu")
    placed = choose_all(table, "cascade", {"vision": ("npu",), "llm": ("cores",), "stt": ("cores",)})
    waits = {}
    for room_mib in (0.0, None, 199.0, 200.0):
        ahead = choose_ahead(table, "cascade", placed, alone=True, reflex=False, room_mib=room_mib)
        ways = expected(table, "cascade", placed, alone=True, reflex=False, room_mib=room_mib)
        waits[room_mib] = next(way.wait_s for way in ways if way.picture == "wake word")
        assert ahead.picture == ("wake word" if room_mib == 200.0 else "question")
    assert waits[0.0] == waits[None] == waits[199.0] > waits[200.0] + 1


def test_a_picture_that_takes_no_time_is_encoded_at_the_wake_word() -> None:
    """A table in a file may say so."""
    table = turn(0.0, place="npu")
    placed = choose_all(table, "cascade", {"vision": ("npu",), "llm": ("cores",), "stt": ("cores",)})
    ahead = choose_ahead(table, "cascade", placed, alone=True, reflex=False, room_mib=200.0)
    assert ahead.picture == "wake word"


@pytest.mark.parametrize(("picture_s", "alone", "sensor"), [
    (4.0, False, "sound"), (0.5, False, "wake word"), (4.0, True, "wake word"),
])  # fmt: skip
def test_the_sensor_starts_with_the_sound_only_where_a_question_would_wait_for_its_picture(
    picture_s: float, alone: bool, sensor: str
) -> None:
    """Where the eye is loaded at the wake word, the sensor settles meanwhile."""
    table = turn(picture_s, place="npu")
    placed = choose_all(table, "performance", {"vision": ("npu",), "llm": ("cores",), "stt": ("cores",)})
    ahead = choose_ahead(table, "performance", placed, alone=alone, reflex=False, room_mib=200.0)
    assert (ahead.picture, ahead.sensor) == ("wake word", sensor)


def test_work_for_nothing_is_not_begun_where_hardly_a_question_is_about_the_view() -> None:
    assert chosen(turn(2.0, about_view=0.05), "cascade").picture == "question"
    assert chosen(turn(2.0, about_view=0.95), "cascade").picture == "wake word"


def test_with_one_brick_at_a_time_a_reflex_pack_loads_no_language_model_ahead() -> None:
    assert chosen(turn(0.5), "performance", alone=True).prefill
    assert not chosen(turn(0.5), "performance", alone=True, reflex=True).prefill


def test_a_missing_time_means_that_everything_begins_at_the_wake_word() -> None:
    made = turn(1.0)
    lacking = Table(
        made.board, made.pack, made.habits, made.awake_w, tuple(c for c in made.costs if c.brick != "stt")
    )
    assert chosen(lacking, "performance") == UNKNOWN


@given(
    st.floats(0.01, 60),
    st.floats(0, 1),
    st.sampled_from(MODES),
    st.booleans(),
    st.sampled_from(["cores", "npu"]),
)
def test_a_question_about_something_else_never_waits_less_for_work_ahead(
    picture_s: float, about_view: float, mode: str, alone: bool, eye: Place
) -> None:
    nobody = turn(picture_s, place=eye, about_view=0.0)
    always = turn(picture_s, place=eye, about_view=1.0)
    for table, sign in ((nobody, 1), (always, -1)):
        placed = choose_all(table, mode, {"vision": (eye,), "llm": ("cores",), "stt": ("cores",)})
        nothing, *ways = expected(table, mode, placed, alone=alone, reflex=False)
        if sign == 1:
            assert all(way.wait_s >= nothing.wait_s - 1e-9 for way in ways)
            assert all(way.energy_j >= nothing.energy_j - 1e-9 for way in ways)
        else:
            assert all(way.wait_s <= nothing.wait_s + 0.5 + 1e-9 for way in ways)  # at most a load more
    assert chosen(nobody, "performance", alone=alone, eye=eye).picture in ("question", "wake word")
