"""95 % intervals."""

from __future__ import annotations

import pytest

from tests.eval.intervals import bootstrap_shown, wilson, wilson_shown


def test_wilsons_interval() -> None:
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)


def test_shares_are_shown_with_their_interval() -> None:
    assert wilson_shown([False] * 10) == "0/10 = 0.0 % [0.0, 27.8]"
    assert bootstrap_shown([True, True]) == "2/2 = 100.0 % [100.0, 100.0]"
    assert bootstrap_shown([]) == "0/0"
