"""A real headband on the rig, known by its journal: it is restarted, its question cannot be played, and the
person at the bench does not answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host.config import Config
from host.rig import command, service
from host.rig.journal_follower import RigFault
from host.rig.play import play
from host.rig.service import ServiceSubject, service_subject
from power.rig.checks.refusal import Refusal
from power.rig.run import Repeat
from power.rig.scenario import Scenario, ScenarioStep
from tests.demo_files import COLOUR, DEMO
from tests.power.rig.bench import MODEL

QUIET = Scenario("quiet", "Nobody asks", (ScenarioStep("performance", 20.0),), 1, settle_s=15.0)


class Headband:
    """A service that writes its journal once a second, on clocks that only `sleep` moves."""

    def __init__(self, folder: Path, uptime_s: float) -> None:
        self.path = folder / "journal.jsonl"
        self.path.touch()
        self.now_s = self.ends_s = 10_000.0
        self.booted_s = self.now_s - uptime_s
        self.spoil: Callable[[], None] = lambda: None
        """Happens once, 20 s after the beginning."""
        self.subject = ServiceSubject(self.path, lambda what: None, lambda: self.now_s, self.sleep)
        self.write("plan", mode="performance")

    def write(self, event: str, **fields: Any) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps({"event": event, "mono_s": self.now_s - self.booted_s, **fields}) + "\n")

    def start(self, after_s: float | None = None) -> None:
        """Its program starts, so many seconds after its computer, if that started too."""
        if after_s is not None:
            self.booted_s = self.now_s - after_s
        self.write("start")
        self.write("plan", mode="performance")

    async def sleep(self, seconds: float) -> None:
        before_s, self.now_s = self.now_s, self.now_s + seconds
        if int(before_s) != int(self.now_s):
            self.write("battery")
        if before_s <= self.ends_s + 20.0 < self.now_s:
            self.spoil()

    def played(self) -> Repeat:
        repeats = play(QUIET, self.subject, None, MODEL, 1, lambda text: None, lambda: self.now_s)
        return asyncio.run(repeats)[0]


def test_a_headband_that_goes_on_is_measured(tmp_path: Path) -> None:
    done = Headband(tmp_path, 5_000.0).played().done
    assert done.end_s - done.settle_s == pytest.approx(35.0, abs=0.1)


@pytest.mark.parametrize("uptime_s", [30.0, 5_000.0])
def test_a_restart_of_its_computer_ends_the_run(tmp_path: Path, uptime_s: float) -> None:
    headband = Headband(tmp_path, uptime_s)
    headband.spoil = lambda: headband.start(12.0)
    with pytest.raises(RigFault, match="was restarted while it was measured"):
        headband.played()


def test_a_restart_of_its_program_ends_the_run(tmp_path: Path) -> None:
    headband = Headband(tmp_path, 5_000.0)
    headband.spoil = headband.start
    with pytest.raises(Refusal, match="Repeat 1: the headband was started anew while it was measured"):
        headband.played()


def test_another_battery_may_restart_it_before_it_is_measured(tmp_path: Path) -> None:
    headband = Headband(tmp_path, 5_000.0)
    headband.write("plan", mode="cascade")
    asked: list[str] = []

    def exchange(what: str) -> None:
        asked.append(what)
        headband.start(12.0)

    headband.subject = ServiceSubject(headband.path, exchange, lambda: headband.now_s, headband.sleep)
    headband.subject.rest_s = 1.0
    headband.write("battery")
    done = headband.played().done
    assert asked == ["Bring the headband into performance mode (82 percent of charge)."]
    assert 12.0 < done.settle_s < 20.0


def test_the_report_names_no_pack_of_a_headband_that_nobody_named(tmp_path: Path) -> None:
    subject = Headband(tmp_path, 30.0).subject
    assert command._conditions(subject, Config(), None)["pack"] == "the headband's own"
    assert command._conditions(subject, Config(), "standard")["pack"] == "standard"


def test_a_question_that_cannot_be_played_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deaf:
        def __init__(self, program: str, rate_hz: int) -> None:
            pass

        def write(self, pcm: object) -> bool:
            return False

        def end(self, cut: bool) -> None:
            assert cut

    monkeypatch.setattr(service, "find_player", lambda: "/usr/bin/aplay")
    monkeypatch.setattr(service, "Player", Deaf)
    with pytest.raises(RigFault, match="cannot be played: /usr/bin/aplay takes no sound"):
        asyncio.run(
            Headband(tmp_path, 30.0).subject.ask(ScenarioStep("performance", 0.0, DEMO / COLOUR[0], "now"))
        )


def test_a_run_that_is_stopped_does_not_wait_for_the_person(tmp_path: Path) -> None:
    answered = threading.Event()
    headband = Headband(tmp_path, 30.0)
    headband.write("plan", mode="cascade")

    def wait(what: str) -> None:
        answered.wait(10.0)

    subject = ServiceSubject(headband.path, wait, lambda: headband.now_s)
    headband.write("battery")
    began_s = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(subject.enter("performance"), 0.2))
    answered.set()
    assert time.monotonic() - began_s < 5.0


def test_where_nobody_can_press_enter_it_says_so_and_leaves_standard_output_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "journal.jsonl"
    journal.write_text('{"event": "start", "mono_s": 5}\n')
    with open(os.devnull) as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        monkeypatch.setattr(service, "_FIRST_LINE_S", 0.0)
        with pytest.raises(RigFault, match="run this in a terminal"):
            asyncio.run(service_subject(journal).enter("performance"))
    printed = capsys.readouterr()
    assert printed.out == "" and "Press Enter then." in printed.err
