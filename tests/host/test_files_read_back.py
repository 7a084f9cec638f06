"""Numbers from files, from the PMU and from the command line: values that are not finite or not possible
never end in a traceback.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import console_json_lines as lines
from host.answers.timers import Now
from host.cli.main import main
from host.config import AnswerConfig
from host.energy.ledger_store import used
from host.rig.journal_follower import JournalFollower
from host.wearer.saved_settings import read_saved_settings
from hw.pmu_usb.console_client import Console
from hw.pmu_usb.serial_link import Link, LinkError
from models.pack import catalogue as pack
from power.account.ledger_json import LedgerError
from power.meters.csv_file import read_csv
from power.meters.meter import MeterError, open_meter
from power.rig.baseline import BaselineError, load_baseline
from power.twin.day import load_day
from power.twin.day_csv import read_day_csv
from power.twin.parameters import TwinError

HUGE = 10**400
ANYTHING: Any = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from((HUGE, -HUGE)),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
"""Values that `json` may return."""
SOME = settings(max_examples=30, deadline=None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time_s,power_mw\n0,1\n0.1,inf\n", "the power is .inf.; it must be a finite number"),
        ("time_s,power_w\n0,1\n0.1,1e300\n", "a power is 1e"),
        ("time_s,power_mw\n0,1\n1e300,1\n", "a time is 1e"),
        ("# expected: inf\ntime_s,power_mw\n0,1\n0.1,1\n", "expected is 'inf'; it must be a finite number"),
        ("# lost: nan\ntime_s,power_mw\n0,1\n0.1,1\n", "lost is 'nan'"),
        ("# start_monotonic_s: x\ntime_s,power_mw\n0,1\n0.1,1\n", "start_monotonic_s is 'x'"),
    ],
)
def test_a_recording_that_nothing_measured_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(text)
    with pytest.raises(MeterError, match=says):
        read_csv(path)
    with pytest.raises(MeterError, match="mv is inf; it must be above 0"):
        open_meter(f"csv:{path},mv=inf")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("08:00,ambient,nan\n", "'ambient' with 'nan' is not understood"),
        ("08:00,ambient,400\n", "'ambient' with '400' is not understood"),
        ("08:75,worn,yes\n", "'08:75' is not a time like"),
        ("-3:00,worn,yes\n", "'-3:00' is not a time like"),
        ("08:00\n", "line 2: a row needs time, what, value"),
    ],
)
def test_a_day_that_cannot_be_lived_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "day.csv"
    path.write_text(f"time,what,value\n{text}")
    with pytest.raises(TwinError, match=says):
        read_day_csv(path, load_day("normal"))


def test_damaged_lines_of_a_journal_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    bad = ["\0\0\0", "{", "3", "[1]", '{"mono_s": "x", "event": "turn"}', '{"mono_s": NaN, "event": "turn"}']
    bad += ['{"mono_s": 2}', f'{{"mono_s": {HUGE}, "event": "turn"}}']
    good = ['{"mono_s": 1, "event": "start"}', '{"mono_s": 2, "event": "turn"}']
    path.write_text("\n".join([good[0], *bad, good[1], ""]))
    assert [line["event"] for line in JournalFollower(path).lines] == ["start", "turn"]


SAVED: dict[str, Any] = {
    "format": 1, "scenario": {"name": "standby", "repeats": 5}, "meter": {"kind": "modelled", "name": "twin"},
    "conditions": {"board": "emulated", "pack": "micro"},
    "figures": [{"id": "a.mw", "label": "a", "unit": "mW", "value": 1.0, "per_repeat": [1.0, 1.0]}],
}  # fmt: skip


@SOME
@given(key=st.sampled_from([*SAVED, "value", "per_repeat", "name", "repeats", "kind"]), value=ANYTHING)
def test_a_baseline_is_taken_or_refused(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    saved = json.loads(json.dumps(SAVED))
    for table in (saved["figures"][0], saved["scenario"], saved["meter"], saved):
        if key in table:
            table[key] = value
            break
    path = tmp_path_factory.mktemp("saved") / "report.json"
    path.write_text(json.dumps(saved))
    try:
        assert load_baseline(path)["scenario"]["repeats"] >= 1
    except BaselineError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either is right


LEDGER: dict[str, Any] = {"version": 1, "hours": {}, "days": {}, "turns": [], "drain": {}}


@pytest.mark.parametrize(
    "table",
    [
        {"hours": {"99999999999999999999": []}},
        {"hours": {"-5": []}},
        {"turns": [{"ended_s": 1e300}]},
        {"turns": [{"ended_s": HUGE}]},
        {"turns": [{"seconds": True}]},
        {"drain": {"weighed_h": float("inf")}},
    ],
)
def test_a_ledger_of_impossible_hours_is_one_sentence(tmp_path: Path, table: dict[str, Any]) -> None:
    path = tmp_path / "energy.json"
    path.write_text(json.dumps({**LEDGER, **table}))
    with pytest.raises(LedgerError, match="damaged"):
        used(path, 0.0)
    path.write_text("[" * 100_000)
    with pytest.raises(LedgerError, match="damaged"):
        used(path, 0.0)


@SOME
@given(
    key=st.sampled_from(["mono_s", "wall_s", "next_number", "timers", "voice", "caution", "boot"]),
    value=ANYTHING,
)
def test_what_was_kept_never_stops_a_start(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    row = {"number": 1, "seconds": 60, "ends_s": 5.0, "due_s": 5.0, "said": 0}
    whole = {
        "version": 1, "boot": "b", "mono_s": 1.0, "wall_s": 2.0, "recording": True, "next_number": 2,
        "timers": [row], "voice": {"volume_percent": 50, "slowness": 1.0, "configured_percent": 80},
        "caution": {"asked": "high", "configured": "normal"},
    }  # fmt: skip
    path = tmp_path_factory.mktemp("kept") / "kept.json"
    rows = (row | {"ends_s": value, "seconds": value}, row | {"name": value})
    for table in (whole | {key: value}, *(whole | {"timers": [each]} for each in rows)):
        path.write_text(json.dumps(table))
        assert read_saved_settings(path, AnswerConfig(), Now(3.0, 4.0), "b").timers.next_number >= 1


def test_a_damaged_choice_of_pack_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    (tmp_path / pack.CHOICE).write_bytes(b"\xff\xfe")
    assert pack.chosen_pack() == pack.DEFAULT_PACK


class Replies(Link):
    """A PMU with these answers."""

    def __init__(self, reply: dict[str, Any]) -> None:
        self._reply = reply
        self._out = b""

    def write(self, data: bytes) -> None:
        asked = lines.decode(data[1:-1])
        self._out = lines.encode({**self._reply, "id": asked["id"]})

    def read(self, timeout_s: float) -> bytes:
        told, self._out = self._out, b""
        return told

    def close(self) -> None:
        pass


BATTERY = {
    "percent": 50, "voltage_mv": 3850, "current_ma": -150, "average_ma": -150, "temperature_dk": 2981,
    "remaining_mah": 1000, "full_mah": 2000, "cycles": 3, "resistance_mohm": 100, "known": True,
    "charging": False, "alarms": [],
}  # fmt: skip


@SOME
@given(key=st.sampled_from([*BATTERY]), value=ANYTHING)
def test_a_reply_of_the_pmu_is_understood_or_of_another_release(key: str, value: object) -> None:
    try:
        battery = Console(Replies({**BATTERY, key: value})).battery()
        assert 0 <= battery.percent <= 100 and -300 <= battery.temperature_c <= 7000
    except LinkError as error:
        assert "another release" in str(error)  # noqa: PT017 - either is right


@pytest.mark.parametrize("rows", [[[0, 5, "again"]], [["x", 5, ""]], [[0, "x", ""]], 5, [[HUGE, 1, ""]]])
def test_a_log_that_does_not_get_on_ends(rows: object) -> None:
    with pytest.raises(LinkError, match="another release"):
        Console(Replies({"lines": rows})).log()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("status --battery nan", '"nan" was given; it must be a whole number, 0 to 100 percent'),
        ("ask --battery 101", '"101" was given; it must be a whole number, 0 to 100 percent'),
        ("rig run standby --repeats 0", '"0" was given; it must be a whole number, 1 to 1000 repeats'),
        ("power twin --capacity-mah -5", '"-5" was given; it must be a whole number, 100 to 8000 mAh'),
        ("power twin --capacity-mah 1" + "0" * 400, "it must be a whole number, 100 to 8000 mAh"),
        ("power twin --days 0", '"0" was given; it must be a whole number, 1 to 366 days'),
    ],
)
def test_a_number_on_the_command_line_has_a_range(
    words: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    said = capsys.readouterr().err
    assert ended.value.code == 2 and says in said and said.count("\n") == 1 and len(said) < 250
