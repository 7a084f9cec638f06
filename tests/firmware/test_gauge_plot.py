"""The diagram of a day has titles and units."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.eval.gauge.plot import Trace, picture

NAMESPACE = "{http://www.w3.org/2000/svg}"
PERCENT = st.floats(0, 100)


def texts(svg: str) -> str:
    return " | ".join(each.text or "" for each in ElementTree.fromstring(svg).iter(f"{NAMESPACE}text"))


def test_axes_units_and_legend_are_there() -> None:
    day = Trace(
        hours=[0.0, 1.0, 2.0, 3.0],
        truth=[100, 80, 85, 60],
        shown=[100, 81, 84, 61],
        naive=[100, 60, 95, 40],
        powered=[False, False, True, False],
        resets=[(1.5, "watchdog")],
    )
    found = texts(picture(day))
    for words in (
        "charge, percent of a full one", "100 %", "percentage points", "+3",
        "hours since the overnight charge", "true charge of the simulated cell", "shown by the gauge",
        "charger connected", "watchdog",
    ):  # fmt: skip
        assert words in found
    boxes = ElementTree.fromstring(picture(day)).iter(f"{NAMESPACE}rect")
    assert sum(each.get("fill") == "#f2d28b" for each in boxes) == 2, "in the legend, and once in the day"


@settings(deadline=None)
@given(st.lists(st.tuples(PERCENT, PERCENT, PERCENT, st.booleans()), min_size=1, max_size=40))
def test_whatever_the_day_all_is_drawn_inside_the_picture(
    looks: list[tuple[float, float, float, bool]],
) -> None:
    truth, shown, naive, powered = (list(column) for column in zip(*looks, strict=True))
    svg = ElementTree.fromstring(picture(Trace(list(range(len(looks))), truth, shown, naive, powered, [])))
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    for line in svg.iter(f"{NAMESPACE}polyline"):
        for point in line.get("points", "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width and 0 <= y <= height
