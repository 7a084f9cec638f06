"""`headband replay`: what the rules did is what they do, or the first difference is named."""

from __future__ import annotations

import json
import random
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from host.answers.timers import Now
from host.app.on_script import DEMO as DEMO_SCRIPT
from host.cli.main import _parser
from host.cli.replay import replay
from host.observe.journal import Journal, rotated
from host.session import events as e
from host.session.as_json import step_fields
from host.session.state import State
from host.session.step import step
from host.session.values import Options, PlanRules, WearerSettings
from host.terminal.usage import UsageError
from hw.emulated.clock import FakeClock
from tests.host.session.world import World

DEMO = DEMO_SCRIPT.parent
STARTED = e.Started(Options(follow_up_s=8.0), WearerSettings(), PlanRules(1))
A_TURN = [
    STARTED, e.PlanApplied(1), e.WakeWordHeard(), e.SpeechPaused(1), e.SpeechEnded(1),
    e.Understood(3, "memory"), e.AnswerBegan(3), e.Sounding(3), e.AnswerEnded(3),
]  # fmt: skip


def journal_lines(events: list[e.Event]) -> list[dict[str, Any]]:
    """What the application journals of these events, one a second."""
    lines: list[dict[str, Any]] = []
    state = State()
    for number, event in enumerate(events):
        if isinstance(event, e.Started):
            state = State()
        at = Now(10.0 + number, 1_700_000_000.0 + number)
        event = replace(event, at=at)
        after, actions = step(state, event)
        if after != state or actions:
            time = {"t": at.wall_s, "mono_s": at.mono_s}
            lines += [time | {"event": "step", **step_fields(event, actions)}, time | {"event": "work"}]
        state = after
    return lines


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, allow_nan=False) + "\n" for line in lines))
    return path


def run(path: Path, *more: str) -> int:
    return replay(_parser().parse_args(["replay", str(path), *more]))


def test_the_same_events_lead_to_the_same_actions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = write(tmp_path / "journal.jsonl", journal_lines([*A_TURN, *A_TURN[:4]]))
    assert run(journal) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("run 1, 2023-11-") and first.endswith("actions: the same actions")
    assert f": {len(A_TURN)} events, " in first and ": 4 events, " in second


def test_a_long_session_of_random_events_is_replayed(tmp_path: Path) -> None:
    fed: list[e.Event] = []

    class Recorded(World):
        def feed(self, event: e.Event) -> None:
            super().feed(event)
            fed.append(event)

    world = Recorded(random.Random(3))
    world.start()
    for _ in range(400):
        world.one()
    journal = write(tmp_path / "journal.jsonl", journal_lines(fed))
    assert run(journal) == 0


def test_the_first_difference_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = journal_lines(A_TURN)
    wake = next(n for n, line in enumerate(lines) if line.get("in", {}).get("is") == "WakeWordHeard")
    lines[wake]["out"] = lines[wake]["out"][1:]
    journal = write(tmp_path / "journal.jsonl", lines)
    assert run(journal) == 1
    verdict, event, recorded, now = capsys.readouterr().out.splitlines()
    assert verdict.endswith(f"different from {journal}:{wake + 1} on")
    assert event.split() == ["event", "WakeWordHeard"]
    assert "NotePresence" in now and "NotePresence" not in recorded
    assert run(journal, "--json") == 1
    [told] = json.loads(capsys.readouterr().out)["runs"]
    assert told["same"] is False and told["difference"]["recorded"] == lines[wake]["out"]


def test_every_event_is_shown_with_the_state_after_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = write(tmp_path / "journal.jsonl", journal_lines(A_TURN))
    assert run(journal, "--show") == 0
    _, *shown = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in shown] == [
        "standby", "standby", "listening", "listening", "thinking", "thinking", "speaking", "speaking",
        "speaking",
    ]  # fmt: skip
    assert "     2.000  listening  WakeWordHeard  ->  NotePresence, PlayTone" in shown[2]
    assert run(journal, "--show", "--json") == 0
    [told] = json.loads(capsys.readouterr().out)["runs"]
    assert [each["event"]["is"] for each in told["steps"]][2] == "WakeWordHeard"


def test_the_file_before_the_journal_is_read_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, journal = journal_lines(A_TURN), tmp_path / "journal.jsonl"
    write(rotated(journal), lines[:6])
    write(journal, lines[6:])
    assert run(journal) == 0
    assert f": {len(A_TURN)} events, " in capsys.readouterr().out


def test_what_has_no_beginning_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = journal_lines([*A_TURN, *A_TURN])
    journal = write(tmp_path / "journal.jsonl", lines[2:])
    assert run(journal) == 0
    left_out, only = capsys.readouterr().out.splitlines()
    assert left_out.startswith(f"{len(A_TURN) - 1} events") and only.startswith("run 1")


def test_a_line_that_a_power_cut_tore_ends_its_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = write(tmp_path / "journal.jsonl", journal_lines([*A_TURN, *A_TURN]))
    lines = journal.read_text().splitlines()
    lines[8] = lines[8][:40]
    journal.write_text("\n".join(lines))
    assert run(journal) == 0
    assert f"{len(A_TURN) - 5} events are left out" in capsys.readouterr().out


def test_after_a_gap_it_begins_anew_at_the_next_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, clock = tmp_path / "journal.jsonl", FakeClock()
    journal = Journal(path, clock)

    def write_steps(events: list[e.Event]) -> None:
        for line in journal_lines(events):
            journal.write(line["event"], **{key: line[key] for key in ("in", "out") if key in line})

    write_steps(A_TURN)
    path.rename(tmp_path / "before.jsonl")
    path.symlink_to("/dev/full")
    write_steps(A_TURN[:3])
    path.unlink()
    (tmp_path / "before.jsonl").rename(path)
    whole = path.read_text()
    write_steps([*A_TURN[:5], *A_TURN])
    lines = path.read_text().splitlines()
    (gap,) = [number for number, text in enumerate(lines) if json.loads(text)["event"] == "gap"]
    assert gap == len(whole.splitlines())
    del lines[gap + 1]  # the start is among what is missing
    path.write_text("\n".join(lines) + "\n")
    assert run(path) == 0
    left_out, first, second = capsys.readouterr().out.splitlines()
    assert left_out.startswith("4 events are left out")
    assert all(f": {len(A_TURN)} events, " in each for each in (first, second))
    path.write_text("".join(f"{text}\n" for text in lines if json.loads(text)["event"] != "gap"))
    assert run(path) == 1, "without the gap they would belong to the run before"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "There is no journal"),
        ("", "holds no step"),
        ('{"event": "start"}\n', "holds no step"),
        ("\x00\xff\n[1]\n", "journal.jsonl is no journal of a headband."),
        ("[" * 200_000, "journal.jsonl is no journal of a headband."),
        ('{"traceEvents": []}', "journal.jsonl is no journal of a headband."),
        ('{"event": "step", "in": {"is": "Started"}}\n', ":1 has no actions."),
        ('{"event": "step", "in": {"is": "Started"}, "out": [3]}\n', ":1 has no actions."),
        ('{"event": "step", "in": {"is": "Started"}, "out": []}\n', ":1 cannot be replayed: Started lacks"),
    ],
)
def test_what_is_no_journal_is_one_sentence(tmp_path: Path, text: str | None, says: str) -> None:
    journal = tmp_path / "journal.jsonl"
    if text is not None:
        journal.write_text(text)
    with pytest.raises(UsageError) as problem:
        run(journal)
    assert says in str(problem.value) and str(problem.value).endswith((".", "}."))


def test_a_sound_is_no_journal() -> None:
    with pytest.raises(UsageError, match=r"1-find\.wav is no journal of a headband\."):
        run(DEMO / "1-find.wav")


def test_a_line_without_an_end_takes_little_memory(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    with journal.open("wb") as file:
        file.truncate(100_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match="is no journal"):
            run(journal)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


def test_a_device_is_no_journal() -> None:
    with pytest.raises(UsageError, match="it is a device"):
        run(Path("/dev/zero"))


@pytest.mark.parametrize("name", ["", "x" * 300])
def test_a_name_that_no_file_can_have_is_no_journal(name: str) -> None:
    with pytest.raises(UsageError, match=r"journal"):
        run(Path(name))


def test_a_separator_within_a_text_is_no_end_of_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, *others = journal_lines(A_TURN)
    note = json.dumps({"event": "note", "says": "one\u2028two\x85three"}, ensure_ascii=False)
    journal = tmp_path / "journal.jsonl"
    journal.write_text(
        "\n".join([json.dumps(first), note, *map(json.dumps, (second, *others))]), encoding="utf-8"
    )
    assert run(journal) == 0
    assert "left out" not in capsys.readouterr().out


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        run(tmp_path)
