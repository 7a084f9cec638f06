"""The ledger on disk: it persists over a restart, is complete after a crash, and is shown with the kind of
every figure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from pathlib import Path

import pytest

from host.cli.power_used import show_used
from host.energy.energy_meter import MAX_STANDBY_INTERVAL_S, SAVE_S
from host.energy.ledger_store import format_used, read_ledger, used
from host.terminal.usage import UsageError
from models.atomic_file import write_whole
from power.account.ledger import Ledger, Spent
from power.account.ledger_json import LedgerError, as_json
from tests.host.energy.ledger_bench import Bench, on_bench


def test_waiting_is_booked_and_saved_now_and_then(tmp_path: Path) -> None:
    path = tmp_path / "state" / "energy.json"

    async def scene(b: Bench) -> None:
        for _ in range(round(SAVE_S / MAX_STANDBY_INTERVAL_S) + 1):
            await b.wait(MAX_STANDBY_INTERVAL_S)
        await asyncio.sleep(0.1)
        kept = read_ledger(path)
        assert sum(book.seconds for book in kept.hours.values()) >= SAVE_S - MAX_STANDBY_INTERVAL_S

    on_bench(scene, path)


def test_a_restart_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "energy.json"

    async def scene(b: Bench) -> None:
        await b.wait(60)
        await b.turn()

    first = on_bench(scene, path)
    second = on_bench(scene, path)
    assert second.booked() == pytest.approx(2 * first.booked(), rel=0.01)
    assert len(read_ledger(path).turns) == 2
    assert [item.name for item in tmp_path.iterdir()] == ["energy.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 9}', "\x00" * 50])
def test_a_damaged_file_is_put_aside_and_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "energy.json"
    path.write_text(text)
    with pytest.raises(LedgerError):
        read_ledger(path)

    async def scene(b: Bench) -> None:
        assert [line["event"] for line in b.journal.recent] == ["ledger"]
        await b.turn()

    on_bench(scene, path)
    assert len(read_ledger(path).turns) == 1
    assert (tmp_path / "energy.bad.json").read_text() == text


def test_a_disk_that_refuses_stops_nothing_and_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def scene(b: Bench) -> None:
        for _ in range(2):
            await b.turn()
            await asyncio.sleep(0.05)

    b = on_bench(scene, tmp_path / "file" / "energy.json")
    assert len(b.meter.ledger.turns) == 2 and b.meter.problem is not None
    problems = [line["problem"] for line in b.journal.recent if line["event"] == "ledger"]
    assert len(problems) == 2 and "cannot be read" in problems[0] and "cannot be saved" in problems[1]


def test_what_was_used_is_told_with_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "energy.json"

    async def scene(b: Bench) -> None:
        await b.wait(600)
        await b.turn()
        b.counter.broken = True
        await b.turn()

    b = on_bench(scene, path)
    result = used(path, b.clock.time())
    assert json.loads(json.dumps(result)) == result
    assert result["battery"]["kind"] == "modelled" and 0 < result["battery"]["measured_share"] < 1
    assert result["battery"]["mwh"] == pytest.approx(
        sum(row["mwh"] for row in result["activities"]), abs=0.01
    )
    assert result["battery"]["mwh"] == pytest.approx(sum(result["stages_mwh"].values()), abs=0.01)
    assert {(row["activity"], row["kind"]) for row in result["activities"]} >= {
        ("turn", "measured"), ("turn", "modelled"), ("standby", "measured"),
    }  # fmt: skip
    text = format_used(result)
    assert "of it measured, the rest modelled" in text and "could not be read" in text
    assert "nothing" not in format_used(used(tmp_path / "none.json", b.clock.time()))


def test_what_a_wrong_clock_dated_later_is_kept_and_not_shown(tmp_path: Path) -> None:
    path, now_s = tmp_path / "energy.json", 1_767_268_800.0
    ledger = Ledger()
    for day in (0, 400):
        ledger.book(Spent("standby", "modelled", now_s + day * 86_400, 60.0, {"listen": 1.0}))
    write_whole(path, json.dumps(as_json(ledger)))
    for at_s, shown in ((now_s, 1), (now_s + 400 * 86_400, 2)):
        result = used(path, at_s)
        assert result["battery"]["mwh"] == 1.0
        assert (len(result["hours"]), len(result["days"])) == (1, shown)


def test_a_turn_of_an_earlier_day_is_told_with_its_date(tmp_path: Path) -> None:
    path, now_s = tmp_path / "energy.json", 1_767_268_800.0
    ledger = Ledger()
    for day in (-2, 0):
        ledger.book(Spent("turn", "modelled", now_s + day * 86_400, 9.0, {"llm": 2.0}))
    write_whole(path, json.dumps(as_json(ledger)))
    earlier, today = (line for line in format_used(used(path, now_s)).splitlines() if " a turn in " in line)
    before = time.localtime(now_s - 2 * 86_400)
    assert earlier.startswith(time.strftime("  %Y-%m-%d %H:%M:%S  a turn", before))
    assert today.startswith(time.strftime("  %H:%M:%S  a turn", time.localtime(now_s)))


def test_the_command_prints_the_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "headband.toml"
    settings.write_text(f'[journal]\npath = "{tmp_path}/journal.jsonl"\n')
    options = argparse.Namespace(config=settings, json=True)
    with pytest.raises(UsageError, match="no energy ledger yet"):
        show_used(options)
    ledger = Ledger()
    ledger.book(Spent("turn", "modelled", time.time(), 9.0, {"llm": 2.0}, answered_by="language model"))
    ledger.book(Spent("turn", "modelled", time.time(), 9.0, {"reflex": 0.5}, answered_by="reflex"))
    ledger.book(Spent("standby", "modelled", time.time(), 0.0, {"remember": 1.5}, views=3))
    ledger.book(Spent("standby", "modelled", time.time(), 0.0, {"remember": 0.7}, "outside"))
    write_whole(tmp_path / "energy.json", json.dumps(as_json(ledger)))
    assert show_used(options) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["battery"]["mwh"] == 4.0
    assert [(each["answered_by"], each["mean_mwh"]) for each in told["questions"]] == [
        ("language model", 2.0),
        ("reflex", 0.5),
    ]
    text = format_used(told)
    assert "1 answered by reflex: 0.50 mWh each, 0.50 mWh in all (modelled)" in text
    assert "of it remembering 1.50 mWh (modelled), 3 views at 0.50 mWh; 0.70 mWh from outside" in text
    path = tmp_path / "energy.json"
    for text, says in (
        ("{", "is damaged"), ("null", "is damaged"), ('{"version": 99}', "has the unknown version 99")
    ):  # fmt: skip
        path.write_text(text)
        assert show_used(options) == 1
        assert capsys.readouterr().err == f"The energy ledger {says}: {path}.\n"
    settings.write_text('[journal]\npath = ""\n')
    with pytest.raises(UsageError, match="in memory only"):
        show_used(options)
