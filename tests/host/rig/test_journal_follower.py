"""The journal of the rig: the lines that a headband writes about its work, and how the rig follows them."""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from host.config import Config, JournalConfig
from host.energy.power_journal import PowerJournal
from host.observe.journal import Journal, rotated
from host.observe.timeline import Timeline
from host.rig.emulated import BATTERY_PERCENT, EmulatedSubject
from host.rig.journal_follower import JournalFollower, RigFault
from host.rig.play import play
from host.rig.service import ServiceSubject
from hw.device import DeviceError
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.clock import FakeClock
from hw.emulated.simulated_time import SimulatedTimeLoop
from power.rig.activity import CAPTURE, SPEAK, activity
from power.rig.budgets import load_budgets
from power.rig.checks.refusal import Refusal
from power.rig.run import Repeat, evaluate
from power.rig.scenario import Scenario, ScenarioStep
from tests.demo_files import COLOUR, DEVICE
from tests.host.simulated import loop_clock, simulate
from tests.host.workbench import DEMO, QUIET, kill
from tests.power.rig.bench import MODEL, PLANS


class Notes:
    """A `PowerJournal` that writes to a folder; the timeline's clock is 70 s behind."""

    def __init__(self, folder: Path, work: bool) -> None:
        self.clock = FakeClock()
        self.board = emulated_board(clock=self.clock, sound_card=False, sysfs_root=folder / "sys")
        self.journal = Journal(folder / "journal.jsonl", self.clock)
        timeline = Timeline(lambda: self.clock.monotonic() - 70.0)
        self.notes = PowerJournal(self.journal, self.board, timeline, work)

    def step(self, source: str, target: str | None) -> None:
        self.notes.observe("transition", {"region": "interaction", "from": source, "to": target})


def noted(notes: Notes) -> list[tuple[str, dict[str, Any]]]:
    return [(line["event"], line) for line in notes.journal.recent]


@pytest.mark.parametrize("work", [True, False])
def test_work_is_noted_only_where_asked_for(tmp_path: Path, work: bool) -> None:
    notes = Notes(tmp_path, work)
    brick = SimpleNamespace(brick="stt", kind="execute", start_s=928.0, end_s=929.5, processor_s=0.4)
    notes.notes.observe("plan", {"mode": "cascade", "reason": "it is low"})
    notes.notes.observe("brick", {"event": brick})
    notes.notes.observe("spoken", {"start_s": 929.0, "end_s": 930.0})
    notes.notes.observe("frame", {"start_s": 999.7, "end_s": 1000.0, "gate": "new"})
    events = [event for event, _ in noted(notes)]
    assert events == (["plan", "brick", "speaker", "frame"] if work else ["plan"])
    if work:
        (_, _, ran), (_, _, spoke) = [(e, 0, line) for e, line in noted(notes)[1:3]]
        assert (ran["start_s"], ran["end_s"], ran["mono_s"]) == (998.0, 999.5, 1000.0)
        assert ran["processor_s"] == 0.4
        assert (spoke["start_s"], spoke["end_s"]) == (999.0, 1000.0)


def test_the_marker_is_high_while_the_wearer_is_served(tmp_path: Path) -> None:
    notes = Notes(tmp_path, False)
    path = ("standby", "listening", "listening", "thinking", "speaking", "follow_up", "listening", "standby")
    levels = []
    for source, target in itertools.pairwise(path):
        notes.step(source, target)
        levels.append(notes.board.marker.active)
    notes.step("standby", None)  # refused
    assert levels == [True, True, True, True, False, True, False]
    assert [line["level"] for event, line in noted(notes) if event == "marker"] == [True, False, True, False]


def test_a_marker_that_fails_is_noted_and_disturbs_nothing(tmp_path: Path) -> None:
    class Broken:
        def set(self, active: bool) -> None:
            raise DeviceError("The marker line cannot be driven.")

    notes = Notes(tmp_path, False)
    board = replace(notes.board, marker=Broken())  # type: ignore[arg-type]
    notes.notes = PowerJournal(notes.journal, board, Timeline(), False)
    notes.step("standby", "listening")
    assert [line.get("problem") for _, line in noted(notes)] == ["The marker line cannot be driven."]
    assert activity(list(notes.journal.recent), 999.0, 999.5, 1001.0).marker == ()


def test_a_journal_is_followed_over_its_rotation(tmp_path: Path) -> None:
    clock = FakeClock()
    path = tmp_path / "journal.jsonl"
    journal = Journal(path, clock, max_bytes=400)
    read: list[int] = []
    for number in range(12):
        clock.jump(1.0)
        journal.write("frame", number=number)
    followed = JournalFollower(path)
    known = len(followed.lines)
    for number in range(12, 40):
        clock.jump(1.0)
        journal.write("frame", number=number)
        if number % 3 == 0:  # the file holds more than that many
            read.append(followed.look())
    followed.look()
    assert rotated(path).exists() and known > 4
    numbers = [line["number"] for line in followed.lines]
    assert numbers == list(range(numbers[0], 40)) and sum(read) == len(numbers) - known


def test_a_computer_that_was_started_anew_has_another_clock(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    before = [{"mono_s": 900.0, "event": "plan", "mode": "cascade"}, {"mono_s": 901.0, "event": "start"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in before))
    followed = JournalFollower(path)
    with path.open("a") as file:
        file.write('{"mono_s": 20.0, "event": "start"}\n{"mono_s": 20.5, "event": "pl')
    assert followed.look() == 1
    assert [line["mono_s"] for line in followed.lines] == [20.0], "and a line being written waits"
    assert followed.last("plan", "mode") is None and followed.state == "standby"


def test_a_journal_without_work_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.touch()

    def answer(_: str) -> None:
        with path.open("a") as file:
            file.write(json.dumps({"mono_s": 5.0, "event": "turn", "route": "now", "mode": "cascade"}) + "\n")

    subject = ServiceSubject(path, answer)
    with pytest.raises(RigFault, match=r"set journal\.work of the headband"):
        asyncio.run(subject.ask(ScenarioStep("", 0.0, Path("colour.wav"), "now")))


def simulated_subject(
    kind: type[EmulatedSubject], board: EmulatedBoard, config: Config, journal: Path
) -> EmulatedSubject:
    """A subject in the time of the running loop, which stands still while its bricks work."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimulatedTimeLoop)
    subject = kind(board, "micro", config, journal, Timeline(loop.elapsed_s))
    loop.busy_elsewhere = lambda: subject.headband.bricks.busy
    return subject


def test_a_sleeping_headband_is_brought_into_every_mode(tmp_path: Path) -> None:
    config = replace(QUIET, listen=replace(QUIET.listen, sleep_after_s=0.3))
    config = replace(config, power=replace(config.power, dwell_s=0.0))

    async def scene() -> list[tuple[str, bool]]:
        board = emulated_board(
            clock=loop_clock(), battery_percent=BATTERY_PERCENT["cascade"], sound_card=False, sleeps=True
        )
        subject = simulated_subject(EmulatedSubject, board, config, tmp_path / "journal.jsonl")
        been = []
        async with subject.headband as headband:
            running = asyncio.create_task(headband.run())
            for mode in ("cascade", "throttled", "performance", "cascade"):
                await subject.enter(mode)
                await subject.wait(2.5)
                been.append((headband.plan.mode.value, board.microphone.asleep))
            headband.bricks.settled = functools.partial(subject.wait, 5.0)  # type: ignore[method-assign]
            await subject.enter("cascade")
            assert not board.microphone.asleep, "quiet time was over while models were loaded"
            subject.stop()
            async with asyncio.timeout(10):
                await running
        await board.close()
        assert set(subject.plans) == {"cascade", "throttled", "performance"}
        return been

    modes = ("cascade", "throttled", "performance", "cascade")
    assert simulate(scene()) == [(mode, True) for mode in modes]


def test_a_headband_that_has_ended_is_not_waited_for(tmp_path: Path) -> None:
    async def scene() -> float:
        board = emulated_board(clock=loop_clock(), battery_percent=82, sound_card=False, sleeps=True)
        subject = simulated_subject(EmulatedSubject, board, QUIET, tmp_path / "journal.jsonl")

        async def broken() -> None:
            raise OSError("no such device")

        async with subject.headband as headband:
            headband.run = broken  # type: ignore[method-assign]
            running = subject.start()
            began_s = subject.now_s()
            with pytest.raises(RigFault, match=r"it has ended \(OSError: no such device\)\."):
                await subject.enter("cascade")
            with pytest.raises(OSError, match="no such device"):
                await running
            waited_s = subject.now_s() - began_s
        await board.close()
        return waited_s

    assert simulate(scene()) < 5


def test_a_run_with_a_killed_brick_is_refused(tmp_path: Path) -> None:
    """The turn ends with the error tone, for which less power is drawn than for an answer."""

    class Struck(EmulatedSubject):
        asked = False

        def _observe(self, event: str, fields: dict[str, Any]) -> None:
            super()._observe(event, fields)
            self.asked = self.asked or event == "heard"
            loaded = event == "brick" and fields["event"].kind == "load"
            if event == "heard" or (self.asked and loaded):
                kill(self.headband.bricks.pids()["tts"])

    question = ScenarioStep("", 0.0, DEMO / DEVICE[0], "device")
    played = Scenario(
        "struck",
        "One question",
        (question,),
        1,
        settle_drift=0.5,
        emulated_settle_s=1.0,
        expect={"turns": (1, 1)},
    )

    async def scene() -> list[Repeat]:
        board = emulated_board(
            clock=loop_clock(), battery_percent=82, sound_card=False, sleeps=True, view=DEMO / COLOUR[1]
        )
        subject = simulated_subject(Struck, board, QUIET, tmp_path / "journal.jsonl")
        async with subject.headband as headband:
            running = asyncio.create_task(headband.run())
            repeats = await play(played, subject, None, MODEL, 1, lambda text: None)
            subject.stop()
            await running
        await board.close()
        return repeats

    with pytest.raises(Refusal, match="questions answered should be 1, and there were 0"):
        evaluate(played, simulate(scene()), PLANS, MODEL, load_budgets(), {})


def test_a_service_known_by_its_journal_did_what_the_headband_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One headband, followed by its journal like a running service; a person follows the rig's
    instructions.
    """
    monkeypatch.setattr("host.rig.service.find_player", lambda: None)
    question = ScenarioStep("", 0.0, DEMO / DEVICE[0], "device")
    played = Scenario(
        "contract", "A mode, a sleep and a question", (ScenarioStep("throttled", 2.5), question), 1,
        settle_s=2.0, expect={"turns": (1, 1)},
    )  # fmt: skip
    config = replace(
        QUIET,
        listen=replace(QUIET.listen, sleep_after_s=1.0),
        journal=JournalConfig(),
        power=replace(QUIET.power, dwell_s=0.0),
    )

    async def scene() -> None:
        board = emulated_board(
            clock=loop_clock(),
            battery_percent=BATTERY_PERCENT["performance"],
            sound_card=False,
            sleeps=True,
            view=DEMO / COLOUR[1],
        )
        inside = simulated_subject(EmulatedSubject, board, config, tmp_path / "journal.jsonl")
        loop = asyncio.get_running_loop()
        begun = []

        def person(told: str) -> None:
            doing = inside.enter("throttled") if "throttled" in told else inside.ask(question)
            begun.append(asyncio.run_coroutine_threadsafe(doing, loop))

        async with inside.headband as headband:
            clock = board.clock
            outside = ServiceSubject(
                tmp_path / "journal.jsonl", person, lambda: clock.monotonic() + 500.0, clock.sleep
            )
            outside.rest_s = 0.2
            running = asyncio.create_task(headband.run())
            await inside.enter("performance")
            assert outside.now_s() == pytest.approx(inside.now_s(), abs=0.3), "by the lines of loading models"
            (repeat,) = await play(played, outside, None, MODEL, 1, lambda text: None)
            await asyncio.gather(*map(asyncio.wrap_future, begun))
            assert len(begun) == 2
            begin_s, end_s = outside.now_s() - 60.0, outside.now_s()
            truth = [(e.brick, e.kind, e.end_s - e.start_s) for e in headband.brick_events]
            spoken = [span for span in headband.timeline.spans if span.track == "speaker"]
            pictures = board.camera.captures
            inside.stop()
            await running
        await board.close()
        seen, known = (activity(s.lines(), begin_s, begin_s, end_s) for s in (outside, inside))
        assert seen == known
        bricks = [s for s in seen.stages if s.name not in (CAPTURE, SPEAK)]
        assert [(s.name, s.kind) for s in bricks] == [(name, kind) for name, kind, _ in truth]
        assert [s.end_s - s.start_s for s in bricks] == pytest.approx([s for *_, s in truth], abs=2e-4)
        assert seen.work["frames"] == pictures
        assert [s.end_s - s.start_s for s in seen.stages if s.name == SPEAK] == pytest.approx(
            [span.end_s - span.start_s for span in spoken], abs=2e-4
        )
        assert [(q.route, q.mode, q.failure) for q in repeat.done.questions] == [
            ("device", "throttled", None)
        ]
        states = {span.state for span in repeat.done.states if span.mode == "throttled"}
        assert states >= {"standby", "asleep", "listening", "speaking"}
        thought = [line for line in outside.lines() if line.get("to") == "thinking"]
        assert len(thought) == 1, "which takes no simulated time"
        assert [level for _, level in seen.marker] == [True, False]

    simulate(scene())
