"""The rules for when the camera's sensor streams, and what they cost."""

import asyncio
import sys

import pytest

from tests.eval.power.camera import RULES, Found, find, main

MINUTE_S = 60.0


def found(interval_s: float | None) -> dict[str, Found]:
    return {rule: asyncio.run(find(rule, interval_s, MINUTE_S, 1)) for rule in RULES}


def test_a_single_picture_costs_its_start_and_no_second_more() -> None:
    """Two questions in the minute, 0.35 s each; before, another second each."""
    each = found(None)
    assert each["as the headband"].use.streamed_s == pytest.approx(2 * 0.35)
    assert each["a second longer"].use.streamed_s == pytest.approx(2 * 1.35)
    assert each["as the headband"].waits_s == each["off after each"].waits_s == pytest.approx((0.35, 0.35))
    assert each["always on"].use.starts == 1


def test_pictures_in_a_row_share_one_stream_and_a_question_waits_for_a_frame_only() -> None:
    each = found(0.5)
    assert each["as the headband"].use.starts == 1
    assert max(each["as the headband"].waits_s) <= 1 / 30 + 0.01
    rare = found(1.6)
    assert rare["as the headband"].use.streamed_s < 0.3 * MINUTE_S < rare["a second longer"].use.streamed_s


def test_less_than_a_minute_has_no_question_to_tell_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["camera", "--minutes", "0.4"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert '"0.4" was given; it must be a number, 1 to 1_000_000 minutes' in capsys.readouterr().err
