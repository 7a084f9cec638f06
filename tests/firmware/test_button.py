"""The button: presses, and the gestures that are recognised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.pmu import guard_button as button
from firmware.pmu.guard_button import Button

TICK_MS = 20


class Finger:
    """Presses a button, and records its events with their times."""

    def __init__(self) -> None:
        self.button = Button()
        self.now_ms = 0
        self.told: list[tuple[int, int]] = []
        self.hold(False, 200)

    def hold(self, pressed: bool, ms: int) -> None:
        for _ in range(ms // TICK_MS):
            self.now_ms += TICK_MS
            gesture = self.button.step(self.now_ms, pressed)
            if gesture:
                self.told.append((self.now_ms, gesture))

    def press(self, ms: int, then_ms: int = 1_000) -> None:
        self.hold(True, ms)
        self.hold(False, then_ms)

    @property
    def gestures(self) -> list[int]:
        return [gesture for _, gesture in self.told]


@pytest.mark.parametrize(
    ("presses", "understood"),
    [
        ([(120, 1_000)], [button.SHORT]),
        ([(120, 200), (120, 1_000)], [button.DOUBLE]),
        ([(120, 600), (120, 1_000)], [button.SHORT, button.SHORT]),
        ([(120, 200), (120, 200), (120, 1_000)], [button.DOUBLE, button.SHORT]),
        ([(2_500, 1_000)], [button.LONG]),
        ([(11_000, 1_000)], [button.LONG, button.HELD]),
        ([(30_000, 1_000)], [button.LONG, button.HELD]),
        ([(120, 200), (11_000, 1_000)], [button.DOUBLE, button.HELD]),
        ([(20, 1_000)], []),
    ],
    ids=["short", "double", "two shorts", "three", "long", "held", "stuck", "double held", "spark"],
)
def test_presses_are_told_apart(presses: list[tuple[int, int]], understood: list[int]) -> None:
    finger = Finger()
    for press in presses:
        finger.press(*press)
    assert finger.gestures == understood


def test_a_double_press_is_told_while_the_second_press_lasts() -> None:
    finger = Finger()
    finger.press(100, 200)
    finger.hold(True, 100)
    assert finger.gestures == [button.DOUBLE]


def test_a_long_press_is_told_at_two_seconds_and_a_held_one_at_ten() -> None:
    finger = Finger()
    began_ms = finger.now_ms
    finger.hold(True, 12_000)
    late_ms = [at_ms - began_ms for at_ms, _ in finger.told]
    assert late_ms[0] in range(2_000, 2_100)
    assert late_ms[1] in range(10_000, 10_100)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_a_bouncing_contact_is_one_press(bounces: list[bool]) -> None:
    finger = Finger()
    for level in bounces:  # quicker than the debouncing
        finger.now_ms += 5
        assert finger.button.step(finger.now_ms, level) == button.NONE
    finger.hold(True, 100)
    finger.hold(False, 1_000)
    assert finger.gestures == [button.SHORT]


def test_a_press_from_before_the_start_counts_for_nothing() -> None:
    finger = Finger()
    finger.button = Button()
    finger.hold(True, 15_000)
    finger.hold(False, 1_000)
    assert finger.gestures == []
    finger.press(120)
    assert finger.gestures == [button.SHORT]


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 3_000)), max_size=60))
def test_whatever_the_contact_does_a_released_button_comes_to_rest(
    samples: list[tuple[bool, int]],
) -> None:
    finger = Finger()
    for pressed, pause_ms in samples:
        finger.now_ms += pause_ms
        finger.button.step(finger.now_ms, pressed)
    finger.hold(False, 1_000)
    assert not finger.button.busy
    finger.told.clear()
    finger.press(120)
    assert finger.gestures == [button.SHORT]
