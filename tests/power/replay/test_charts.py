"""The marks under a chart stand at the clock times that they name, and its lines within it."""

from __future__ import annotations

import re

from power.replay.charts import Axis, _x_ticks
from power.replay.page_charts import day_sheet
from power.replay.page_tables import COLOURS


def test_a_day_that_begins_within_an_hour_has_its_marks_at_whole_hours() -> None:
    marks = _x_ticks(Axis("t", 0.0, 86_400.0, clock_from_h=7 + 40 / 60))
    assert [(round(at_s), text) for at_s, text in marks[:2]] == [(1200, "8:00"), (8400, "10:00")]
    assert marks[-1][0] <= 86_400.0
    assert _x_ticks(Axis("t", 0.0, 7200.0, clock_from_h=7.0)) == [(0.0, "7:00"), (7200.0, "9:00")]


def test_a_day_in_the_cold_is_drawn_within_its_charts() -> None:
    samples = [
        {"at_s": at_s, "percent": 80.0, "mode": "performance", "alpha": 1.0, "cell_c": cell_c, "soc_c": soc_c}
        for at_s, cell_c, soc_c in ((0.0, 5.0, 12.0), (40_000.0, -17.0, -9.0), (86_400.0, -3.0, 2.0))
    ]
    policies = [{"title": name, "name": name, "samples": samples, "asked": []} for name in COLOURS]
    drawn = day_sheet({"policies": policies, "starts_h": 7.0, "length_s": 86_400.0}, "day")
    for chart in re.findall(r"<svg.*?</svg>", drawn, re.S):
        for path in re.findall(r'<path d="M([^"]*)"', chart):
            bottom = float(re.findall(r'viewBox="0 0 \d+ (\d+)"', chart)[0])
            heights = [float(pair.split()[1]) for pair in re.findall(r"[\d.-]+ [\d.-]+", path)]
            assert all(0 <= height <= bottom for height in heights)
