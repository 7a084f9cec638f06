"""Presence, from the signs of a wearer; without a camera frame the wearer never counts as absent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from power.policy.presence import Presence, Signs

AFTER_S = 600.0


def test_one_view_for_ten_minutes_means_that_nobody_wears_it() -> None:
    signs = Signs()
    assert signs.presence(0.0, AFTER_S) is Presence.UNKNOWN
    signs = signs.look(0.0, changed=True)
    assert signs.presence(1.0, AFTER_S) is Presence.PRESENT
    signs = signs.look(601.0, changed=False)
    assert signs.presence(601.0, AFTER_S) is Presence.AWAY
    assert signs.look(602.0, changed=True).presence(602.0, AFTER_S) is Presence.PRESENT
    assert signs.sign(602.0).presence(602.0, AFTER_S) is Presence.PRESENT
    assert signs.presence(601.0, 0.0) is Presence.PRESENT


def test_a_headband_that_saw_nothing_does_not_know() -> None:
    slept = Signs().look(0.0, changed=True).look(5.0, changed=False)
    assert slept.presence(5000.0, AFTER_S) is Presence.UNKNOWN
    blind = Signs().sign(0.0)
    assert blind.presence(5000.0, AFTER_S) is Presence.UNKNOWN


@given(st.lists(st.tuples(st.floats(0, 900), st.sampled_from(["sign", "moved", "still"])), max_size=40))
def test_nobody_is_away_within_ten_minutes_of_a_sign(day: list[tuple[float, str]]) -> None:
    signs, now_s, sign_s = Signs(), 0.0, None
    for after_s, what in day:
        now_s += after_s
        signs = signs.sign(now_s) if what == "sign" else signs.look(now_s, changed=what == "moved")
        sign_s = now_s if what != "still" or sign_s is None else sign_s
        away = signs.presence(now_s, AFTER_S) is Presence.AWAY
        assert away == (what == "still" and now_s - sign_s >= AFTER_S)
