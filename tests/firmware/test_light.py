"""The state light: its patterns are distinct, and have priorities."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from firmware.pmu import guard_light as light
from firmware.pmu.guard_light import PATTERNS, Light, choose

TICK_MS = 20
CALM = {"gave_up": False, "ending": False, "hung": False, "awake": True, "charging": False, "low": False}


def course(code: int, seconds: float = 6.0) -> list[tuple[int, ...]]:
    """The colours of a pattern, tick by tick."""
    shown = Light()
    return [shown.step(at_ms, code) for at_ms in range(1_000, 1_000 + int(seconds * 1000), TICK_MS)]


def test_every_two_patterns_differ_without_their_colours() -> None:
    bright = {code: [sum(colour) > 0 for colour in course(code)] for code in PATTERNS if code != light.OFF}
    swelling = {code for code in PATTERNS if len(set(course(code))) > 2}
    for one, other in combinations(bright, 2):
        assert bright[one] != bright[other] or (one in swelling) != (other in swelling), (one, other)


def test_colours_stay_within_the_led() -> None:
    for code in PATTERNS:
        assert all(len(colour) == 3 and all(part in range(256) for part in colour) for colour in course(code))


def test_a_new_pattern_begins_at_its_beginning() -> None:
    shown = Light()
    shown.step(0, light.STANDBY)
    assert shown.step(2_345, light.STANDBY) == light.OFF_COLOUR
    assert shown.step(2_365, light.LISTENING) == light.BLUE
    assert shown.step(2_385, light.STANDBY) == light.GREEN


def test_rhythms_have_their_lengths() -> None:
    lit_ms = TICK_MS * sum(colour != light.OFF_COLOUR for colour in course(light.SPEAKING, 8.0))
    assert lit_ms == 6_000
    flashes = course(light.GAVE_UP, 2.5)
    rises = sum(b != light.OFF_COLOUR and a == light.OFF_COLOUR for a, b in pairwise(flashes))
    assert rises == 2  # the first flash of three begins with the pattern
    levels = [sum(colour) for colour in course(light.CHARGING, 3.0)]
    assert max(levels) > 300 and levels[0] == 0 and levels[-1] < 20


@pytest.mark.parametrize(
    ("facts", "host", "shown"),
    [
        ({}, light.OWN_CHOICE, light.STANDBY),
        ({}, light.THINKING, light.THINKING),
        ({}, 999, light.STANDBY),
        ({"charging": True}, light.OWN_CHOICE, light.CHARGING),
        ({"charging": True}, light.SPEAKING, light.SPEAKING),
        ({"low": True}, light.OWN_CHOICE, light.LOW_BATTERY),
        ({"awake": False}, light.THINKING, light.OFF),
        ({"awake": False, "charging": True}, light.THINKING, light.CHARGING),
        ({"hung": True}, light.LISTENING, light.ERROR),
        ({"ending": True}, light.LISTENING, light.LOW_BATTERY),
        ({"gave_up": True, "ending": True, "hung": True}, light.LISTENING, light.GAVE_UP),
    ],
)
def test_safety_comes_before_the_host_and_the_host_before_the_rest(
    facts: dict[str, bool], host: int, shown: int
) -> None:
    assert choose(host, **{**CALM, **facts}) == shown


def test_the_table_for_readers_covers_every_pattern() -> None:
    rows = light.table()
    assert [row[0] for row in rows] == sorted(PATTERNS)
    assert all(isinstance(text, str) and text for row in rows for text in row[1:])
    words = {row[1]: row[3] for row in rows}
    assert words["listening"] == "steady"
    assert words["standby"] == "40 ms on, 4.96 s off"
    assert words["speaking"] == "600 ms on, 200 ms off"
    assert words["gave up"] == "3 flashes every 2.50 s"
    assert words["charging"] == "swells and fades every 3 s"
