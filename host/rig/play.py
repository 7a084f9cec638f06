"""Plays a scenario on a headband while a meter records: one `Repeat` per repeat, for `power.rig` to judge."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from power.account.energy_model import EnergyModel
from power.meters.meter import Meter
from power.rig.activity import Activity, Dozing, JournalLine, activity
from power.rig.checks import work_done
from power.rig.modelled import Plans, expected_power, on_the_board, record, working
from power.rig.run import Repeat
from power.rig.scenario import Scenario, ScenarioStep
from power.twin.parameters import load_parameters

_LEAD_S = 0.2
"""Recorded before and after the repeat, so that the clocks may be that far apart."""


class Subject(Protocol):
    """The headband on the rig."""

    emulated: bool

    @property
    def plans(self) -> Plans:
        """The plan of every mode that it has been in."""

    def now_s(self) -> float:
        """Its monotonic clock."""

    def lines(self) -> Sequence[JournalLine]:
        """Its journal so far, as `power.rig.activity` reads it."""

    async def wait(self, seconds: float) -> None:
        """Leave it alone."""

    async def enter(self, mode: str) -> None:
        """Bring it into a power mode; returns once it holds and everything that it loads has loaded."""

    async def ask(self, step: ScenarioStep) -> None:
        """Ask a question; returns when it is back in standby."""


async def play(
    scenario: Scenario,
    subject: Subject,
    meter: Meter | None,
    model: EnergyModel,
    repeats: int,
    tell: Callable[[str], None],
    monotonic: Callable[[], float] = time.monotonic,
) -> list[Repeat]:
    """Every repeat of the scenario. Without a meter the power is modelled from what the headband did.
    `monotonic`: the meter's clock, this computer's.

    Raises `MeterError`, what the subject raises, and `Refusal` as soon as a repeat's work is not what it has
    to be: the others would be played in vain.
    """
    played = []
    parameters = load_parameters()
    dozing = Dozing(parameters["sleep.enter_s"], parameters["sleep.resume_s"])
    first_mode = next((step.mode for step in scenario.steps if step.mode), "performance")
    for number in range(1, repeats + 1):
        await subject.enter(first_mode)
        tell(f"repeat {number} of {repeats}: settling")
        if meter is not None:
            await meter.start()
            await subject.wait(_LEAD_S)
        done = await _repeat(scenario, subject, dozing, lambda text, n=number: tell(f"repeat {n}: {text}"))  # type: ignore[misc]
        work_done(done, scenario, number)
        if meter is not None:
            await subject.wait(_LEAD_S)
            recording = await meter.stop()
            start_s = recording.start_monotonic_s + subject.now_s() - monotonic()
            played.append(Repeat(replace(recording, start_monotonic_s=start_s), done))
        else:
            done = working(done)
            if subject.emulated:
                done = on_the_board(done, subject.plans, model, parameters["camera.capture_s"])
            played.append(Repeat(record(done, expected_power(done, subject.plans, model)), done))
    return played


async def _repeat(
    scenario: Scenario, subject: Subject, dozing: Dozing, tell: Callable[[str], None]
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
            changing.append((since_s, subject.now_s()))
        if step.say is not None:
            tell(f'asking "{step.text or step.say.stem}"')
            await subject.ask(step)
        if step.wait_s:
            tell(f"leaving it alone for {step.wait_s * scale:g} s")
            await subject.wait(step.wait_s * scale)
    end_s = subject.now_s()
    return activity(subject.lines(), settle_s, begin_s, end_s, changing=changing, dozing=dozing)
