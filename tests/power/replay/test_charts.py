"""The marks under a chart stand at the clock times that they name."""

from __future__ import annotations

from power.replay.charts import Axis, _x_ticks


def test_a_day_that_begins_within_an_hour_has_its_marks_at_whole_hours() -> None:
    marks = _x_ticks(Axis("t", 0.0, 86_400.0, clock_from_h=7 + 40 / 60))
    assert [(round(at_s), text) for at_s, text in marks[:2]] == [(1200, "8:00"), (8400, "10:00")]
    assert marks[-1][0] <= 86_400.0
    assert _x_ticks(Axis("t", 0.0, 7200.0, clock_from_h=7.0)) == [(0.0, "7:00"), (7200.0, "9:00")]
