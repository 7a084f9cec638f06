"""Runs a scenario on a headband while a meter records; returns one `Repeat` per repeat for `power.rig` to
evaluate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from host.rig.journal_follower import RigFault
from power.account.energy_model import EnergyModel
from power.meters.meter import Meter
from power.rig.activity import Activity, Dozing, JournalLine, activity
from power.rig.checks.refusal import Refusal
from power.rig.modelled import Plans, expected_power, on_the_board, record, working
from power.rig.run import Repeat
from power.rig.run_checks import work_done
from power.rig.scenario import Scenario, ScenarioStep
from power.twin.parameters import load_parameters

_LEAD_S = 0.2
"""Time recorded before and after a repeat; the two clocks may differ by that much."""


class Subject(Protocol):
    """The headband under test."""

    emulated: bool

    @property
    def plans(self) -> Plans:
        """Mode -> plan, for every mode that it has been in."""

    def now_s(self) -> float:
        """Its monotonic clock, seconds."""

    def lines(self) -> Sequence[JournalLine]:
        """Its journal so far, as `power.rig.activity` reads it."""

    async def wait(self, seconds: float) -> None:
        """Waits without doing anything to it."""

    async def enter(self, mode: str) -> None:
        """Brings it into a power mode; returns when the mode is active and its models are loaded."""

    async def ask(self, step: ScenarioStep) -> None:
        """Asks a question; returns when it is back in standby."""


async def play(
    scenario: Scenario,
    subject: Subject,
    meter: Meter | None,
    model: EnergyModel,
    repeats: int,
    notify: Callable[[str], None],
    monotonic: Callable[[], float] = time.monotonic,
) -> list[Repeat]:
    """Runs all repeats of the scenario. Without a meter the power is modelled from the headband's activity.
    `notify` gets a line about each step. `monotonic`: the meter's clock, which is this computer's.

    Raises `MeterError`, what the subject raises, and `Refusal` after the first repeat whose work is not as
    expected, or in which the headband was started anew.
    """
    played = []
    parameters = load_parameters()
    dozing = Dozing(parameters["sleep.enter_s"], parameters["sleep.resume_s"])
    first_mode = next((step.mode for step in scenario.steps if step.mode), "performance")
    for number in range(1, repeats + 1):
        await subject.enter(first_mode)
        notify(f"repeat {number} of {repeats}: settling")
        if meter is not None:
            await meter.start()
            await subject.wait(_LEAD_S)
        done = await _repeat(scenario, subject, dozing, lambda text, n=number: notify(f"repeat {n}: {text}"))  # type: ignore[misc]
        if any(line["event"] == "start" for line in subject.lines() if line["mono_s"] > done.settle_s):
            raise Refusal("work", f"Repeat {number}: the headband was started anew while it was measured.")
        work_done(done, scenario, number)
        if meter is not None:
            await subject.wait(_LEAD_S)
            recording = await meter.stop()
            start_s = recording.start_monotonic_s + subject.now_s() - monotonic()
            played.append(Repeat(replace(recording, start_monotonic_s=start_s), done))
        else:
            done = working(done)
            if subject.emulated:
                capture_s, hold_s = parameters["camera.capture_s"], parameters["camera.streaming_s"]
                done = on_the_board(done, subject.plans, model, capture_s, hold_s)
            played.append(Repeat(record(done, expected_power(done, subject.plans, model)), done))
    return played


async def _repeat(
    scenario: Scenario, subject: Subject, dozing: Dozing, notify: Callable[[str], None]
) -> Activity:
    scale = scenario.emulated_wait_scale if subject.emulated else 1.0
    changing = []
    settle_s = subject.now_s()
    await subject.wait(scenario.emulated_settle_s if subject.emulated else scenario.settle_s)
    begin_s = subject.now_s()
    for step in scenario.steps:
        if step.mode:
            since_s = subject.now_s()
            await subject.enter(step.mode)
            if subject.now_s() < since_s:
                raise RigFault("The headband was restarted between two modes of one repeat.")
            changing.append((since_s, subject.now_s()))
        if step.say is not None:
            notify(f'asking "{step.text or step.say.stem}"')
            await subject.ask(step)
        if step.wait_s:
            notify(f"leaving it alone for {step.wait_s * scale:g} s")
            await subject.wait(step.wait_s * scale)
    end_s = subject.now_s()
    return activity(subject.lines(), settle_s, begin_s, end_s, changing=changing, dozing=dozing)
