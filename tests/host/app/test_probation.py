"""What the service writes about its start, for the guard to judge it by."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from host.app import probation as module
from host.app.headband import Headband
from host.app.probation import FAILED, FOLDER, Probation, this_start
from host.boot.counting import PASSED, STEADY_S, Count, Proof
from host.boot.records import read_proof, write_count
from host.session.announcements import WENT_BACK
from host.ship.release import ROOT
from host.ship.target.supervise import SERVICE, trial_unit
from tests.host.simulated import loop_clock, simulate

NEW = Count("b", strikes=1, start=3, boot="boot")
GOOD = Count("b", strikes=1, start=3, boot="boot", standings={"b": "good"})


class Scene:
    """A headband that notes what it is asked, and whose self-test says something."""

    def __init__(self, proof: Path, monkeypatch: pytest.MonkeyPatch, says: str = "") -> None:
        async def run() -> str:
            self.tested = True
            return says

        self.tested, self.stopped_by, self.proof = False, "", proof
        monkeypatch.setattr(module, "SelfTest", lambda tools, at_rest: SimpleNamespace(run=run))

    def headband(self) -> Headband:
        def stop(cause: str) -> None:
            self.stopped_by = cause

        journal = SimpleNamespace(write=lambda event, **fields: None)
        board = SimpleNamespace(clock=loop_clock())
        return cast(Headband, SimpleNamespace(board=board, journal=journal, tools=None, stop=stop))

    def reached(self) -> Proof | None:
        return read_proof(self.proof)


def lived(
    count: Count,
    scene: Scene,
    live: Callable[[Probation], Coroutine[Any, Any, None]],
    *,
    fallback: bool = True,
) -> Probation:
    async def run() -> Probation:
        probation = Probation(count, scene.proof, fallback)
        async with probation.of(scene.headband()):
            await live(probation)
        probation.stopped()
        return probation

    return simulate(run())


async def a_day(probation: Probation) -> None:
    probation.observe("listening", {})
    await asyncio.sleep(0)
    await loop_clock().sleep(STEADY_S + 1)


@pytest.mark.parametrize(("count", "tested"), [(NEW, PASSED), (GOOD, "")])
def test_a_day_is_proven_and_only_what_is_not_good_is_tested(
    count: Count, tested: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(tmp_path / "proof", monkeypatch)
    lived(count, scene, a_day)
    assert scene.reached() == Proof("b", 3, listens=True, self_test=tested, steady=True, stopped=True)
    assert scene.tested == bool(tested) and scene.stopped_by == ""


@pytest.mark.parametrize("fallback", [True, False])
def test_a_failed_self_test_ends_the_service_where_another_release_can_do_better(
    fallback: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(tmp_path / "proof", monkeypatch, says="The tts brick made no sound.")
    probation = lived(NEW, scene, a_day, fallback=fallback)
    assert probation.failed == fallback and scene.stopped_by == (FAILED if fallback else "")
    found = scene.reached()
    assert found is not None and found.self_test == "The tts brick made no sound."
    assert found.stopped != fallback


def test_one_that_does_not_listen_is_not_tested_and_proves_nothing_but_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def deaf(probation: Probation) -> None:
        await loop_clock().sleep(1.0)

    scene = Scene(tmp_path / "proof", monkeypatch)
    lived(NEW, scene, deaf)
    assert scene.reached() == Proof("b", 3, stopped=True) and not scene.tested


def test_the_wearer_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def told(probation: Probation) -> None:
        assert probation.went_back
        probation.observe("transition", {"cause": WENT_BACK.cause, "to": "speaking"})

    scene = Scene(tmp_path / "proof", monkeypatch)
    lived(Count("b", start=3, boot="boot", refused="c"), scene, told)
    found = scene.reached()
    assert found is not None and found.told
    assert not Probation(Count("b", refused="c", told=True), None, False).went_back


def test_nothing_is_written_in_a_trial_and_where_nobody_counts(tmp_path: Path) -> None:
    root, other = tmp_path / "releases/b", tmp_path / "releases/a"
    for folder in (root, other):
        folder.mkdir(parents=True)
        (folder / "release.json").write_text(json.dumps({"id": folder.name}))
    (tmp_path / "current").symlink_to("releases/b")
    (tmp_path / "previous").symlink_to("releases/a")
    state, current = {"STATE_DIRECTORY": str(tmp_path)}, {FOLDER: str(tmp_path / "current")}
    assert this_start(state | current)[1] is None, "an older deploy's headband"
    write_count(tmp_path, NEW)
    assert this_start(state | current) == (NEW, tmp_path / "proof.json", True)
    assert this_start(state | {FOLDER: str(root)})[1] is None, "a trial"
    assert this_start(current)[1] is None, "no service"
    assert this_start(state)[1] is None, "a unit of before"
    assert this_start(state | {FOLDER: str(Path(__file__).parents[3])})[1] is None, "a checkout"


@pytest.mark.parametrize("trial", [False, True])
def test_the_unit_tells_a_start_of_the_current_release_from_a_trial(tmp_path: Path, trial: bool) -> None:
    """In a process of its own, in the folder and with the environment of the unit."""
    opt = tmp_path / "opt/headband"
    release = opt / "releases/b"
    release.mkdir(parents=True)
    for package in ("host", "hw", "models", "power", "firmware"):
        (release / package).symlink_to(ROOT / package)
    (release / "release.json").write_text(json.dumps({"id": "b"}))
    (opt / "current").symlink_to("releases/b")
    write_count(opt, NEW)
    unit = (ROOT / "host/service" / SERVICE).read_text()
    if trial:
        unit = trial_unit(unit, "b", back=True)
    (line,) = re.findall(r"^Environment=(.*)$", unit, re.M)
    (folder,) = re.findall(r"^WorkingDirectory=(.*)$", unit, re.M)
    given = dict(word.split("=", 1) for word in line.replace("/opt/headband", str(opt)).split())
    asked = "import os; from host.app.probation import this_start; print(this_start(os.environ)[1])"
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=folder.replace("/opt/headband", str(opt)),
        env={"STATE_DIRECTORY": str(tmp_path), **given}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == ("None" if trial else str(tmp_path / "proof.json"))
