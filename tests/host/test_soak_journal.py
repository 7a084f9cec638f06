"""The check of a journal: that of the real state machine is consistent, and missing lines are found."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from host.app.recorder import Recorder
from host.observe.journal import Journal
from host.session.actions import Record
from host.states import INTERACTION, POWER, TABLE, Event, Region, Regions, take
from hw.emulated.clock import FakeClock
from tests.eval.soak.journal import faults, lines_of
from tests.host.session.doubles import perform

EVENTS = sorted({(region, event) for region, _, event in TABLE})
STEPS = st.lists(st.sampled_from(EVENTS), max_size=60)


def journal_of(steps: list[tuple[Region, Event]]) -> list[dict[str, Any]]:
    """What a headband would journal, with a turn after every utterance, one line a second."""
    clock = FakeClock()
    journal = Journal(None, clock)
    recorder = Recorder(journal, lambda event, fields: None)
    regions = Regions()
    for region, event in steps:
        regions, transition = take(regions, region, event, "a test")
        clock.jump(1.0)
        perform(recorder, Record(transition))
        if event == "utterance" and transition.target:
            clock.jump(1.0)
            journal.write("turn", response_ms=1.0, failure=None, silenced=False)
    return list(journal.recent)


@given(STEPS)
def test_only_what_the_table_refused_is_wrong_with_a_state_machines_journal(
    steps: list[tuple[Region, Event]],
) -> None:
    lines = journal_of(steps)
    refused = sum(line["event"] == "refused" for line in lines)
    found = faults(lines, over=False)
    assert len(found) == refused
    assert all("refused" in each for each in found)
    assert lines_of("\n".join(map(json.dumps, lines))) == (lines, [])


@given(STEPS, st.data())
def test_a_missing_transition_is_found(steps: list[tuple[Region, Event]], data: st.DataObject) -> None:
    lines = [line for line in journal_of(steps) if line["event"] != "refused"]
    moves = [number for number, line in enumerate(lines) if "from" in line and line["from"] != line["to"]]
    followed = [
        number
        for number in moves
        if any(lines[later]["region"] == lines[number]["region"] for later in moves if later > number)
    ]
    if followed:
        del lines[data.draw(st.sampled_from(followed))]
        assert faults(lines, over=False)


def line(number: int, event: str, **fields: object) -> dict[str, Any]:
    return {"t": float(number), "mono_s": float(number), "event": event, **fields}


def test_times_turns_sleep_timers_and_plans_are_looked_at() -> None:
    silent = {"response_ms": None, "failure": None, "silenced": False}
    utterance = {"region": INTERACTION, "from": "listening", "on": "utterance", "to": "thinking"}
    woken = {"region": INTERACTION, "from": "standby", "on": "woken", "to": "listening"}
    wrong = {
        "runs back": [line(2, "start"), line(1, "plan", mode="performance")],
        "without an utterance": [line(1, "turn", **silent | {"silenced": True})],
        "no outcome": [
            line(1, "transition", **woken),
            line(2, "transition", **utterance),
            line(3, "turn", **silent),
        ],
        "nothing was killed": [
            line(1, "turn", **silent | {"failure": "The stt brick failed at load: no file."})
        ],
        "became no turn": [line(1, "transition", **woken), line(2, "transition", **utterance)],
        "in its sleep": [line(1, "asleep"), line(2, "transition", **woken)],
        "wakes up while awake": [line(1, "awake")],
        "announced 5 times": [line(n, "timers", announced=[1]) for n in range(5)],
        "holds in performance": [line(1, "plan", mode="cascade")],
        "ends in standby": [line(1, "start")],
    }
    for sentence, lines in wrong.items():
        assert any(sentence in each for each in faults(lines)), sentence
    stop = {"region": INTERACTION, "from": "standby", "on": "stop", "to": "stopping"}
    power = {"region": POWER, "from": "performance", "on": "cascade", "to": "cascade"}
    assert faults([line(1, "transition", **power), line(2, "transition", **stop)]) == []


def test_what_is_no_line_is_said() -> None:
    lines, wrong = lines_of('{"t": 1.0, "mono_s": 1.0, "event": "start"}\n{"t": 2.0, "mono\n{"event": 3}\n')
    assert len(lines) == 1 and len(wrong) == 2 and wrong[0].startswith("line 2")
