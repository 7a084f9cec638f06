"""A recorded day, read from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.states import StateMachine
from power.twin.day import DAY_S, events, load_day
from power.twin.day_csv import read_day_csv
from power.twin.governors import OurPolicy
from power.twin.parameters import TwinError, load_parameters
from power.twin.simulate import Twin

LIVED = """time,what,value
08:00,worn,yes
08:10:30,question,now
12:00,ambient,30
13:00,sound,
20:00,camera,no
23:30,question,device
00:30,worn,no
01:00,charging,yes
"""


def test_a_lived_day_is_replayed_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "lived.csv"
    path.write_text(LIVED)
    day = read_day_csv(path, load_day("normal"))
    assert (day.name, day.starts_h) == ("lived", 8.0)
    assert [(span.worn, span.charging, span.camera, span.ambient_c) for span in day.spans] == [
        (True, False, True, 21.0),
        (True, False, True, 30.0),
        (True, False, False, 30.0),
        (False, False, False, 30.0),
        (False, True, False, 30.0),
    ]
    assert day.spans[-1].end_s == DAY_S
    parameters = load_parameters()
    assert events(day, parameters) == events(day, parameters, 3)
    assert day.rates()["now"] == day.rates()["device"] == 1
    account = Twin(parameters, OurPolicy(), StateMachine()).run(day)
    assert [(asked.at_s, asked.route) for asked in account.asked] == [(630.0, "now"), (55_800.0, "device")]
    assert account.on_battery_s == pytest.approx(17 * 3600, abs=60)


def test_a_byte_order_mark_as_excel_writes_it_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    path = tmp_path / "lived.csv"
    days = []
    for encoding in ("utf-8", "utf-8-sig"):
        path.write_text(LIVED, encoding=encoding)
        days.append(read_day_csv(path, load_day("normal")))
    assert days[0] == days[1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("when,what,value\n08:00,worn,yes\n", "needs rows under the columns"),
        ("time,what,value\n", "needs rows under the columns"),
        ("time,what,value\nnoon,worn,yes\n", "line 2: 'noon' is not a time"),
        ("time,what,value\n08:00\n", "line 2: a row needs time, what, value"),
        ("what,value,time\nworn,yes\n", "line 2: a row needs time, what, value"),
        ("time,what,value\n-1:00,worn,yes\n", "line 2: '-1:00' is not a time"),
        ("time,what,value\n0\u00b2:00,worn,yes\n", "is not a time"),
        ("time,what,value\n1_0:00,worn,yes\n", "is not a time"),
        ("time,what,value\n08:00,ambient,nan\n", "'ambient' with 'nan'"),
        ("time,what,value\n08:00,ambient,inf\n", "'ambient' with 'inf'"),
        ("time,what,value\n08:00,worn,perhaps\n", "line 2: 'worn' with 'perhaps'"),
        ("time,what,value\n08:00,question,weather\n", "'question' with 'weather'"),
        ("time,what,value\n\n\n08:00,worn,yes\n\n09:00,dance,\n", "line 6: 'dance'"),
        ("time,what,value\n08:00,worn,yes\n09:00,sound,\n08:30,sound,\n", "line 4: 08:30 is earlier"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "day.csv"
    path.write_text(text)
    with pytest.raises(TwinError, match=says):
        read_day_csv(path, load_day("normal"))


def test_a_file_that_is_not_there_is_one_sentence_without_a_number(tmp_path: Path) -> None:
    with pytest.raises(TwinError, match=r"none\.csv cannot be read .* \(No such file or directory\)\.$"):
        read_day_csv(tmp_path / "none.csv", load_day("normal"))
