"""Plays a scenario on a headband while a meter records: one `Repeat` per repeat, for `power.rig` to judge.

The marker line is high for a moment at the start and the end of a repeat, and for as long as a question is
under way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from power.energy import EnergyModel
from power.meters.meter import Meter
from power.rig.activity import Activity, JournalLine, activity
from power.rig.modelled import Plans, expected_power, on_the_board, record, working
from power.rig.run import Repeat
from power.rig.scenario import Scenario, Step
from power.twin.parameters import load_parameters

PULSE_S = 0.05
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

    def mark(self, level: bool) -> None:
        """Drive the marker line, where there is one, and note it in the journal."""

    async def wait(self, seconds: float) -> None:
        """Leave it alone."""

    async def enter(self, mode: str) -> None:
        """Bring it into a power mode; returns once it holds and everything that it loads has loaded."""

    async def ask(self, step: Step) -> None:
        """Ask a question; returns when it is back in standby."""


async def play(
    scenario: Scenario,
    subject: Subject,
    meter: Meter | None,
    model: EnergyModel,
    repeats: int,
    tell: Callable[[str], None],
) -> list[Repeat]:
    """Every repeat of the scenario. Without a meter the power is modelled from what the headband did.

    Raises `MeterError`, and what the subject raises.
    """
    played = []
    capture_s = load_parameters()["camera.capture_s"]
    first_mode = next((step.mode for step in scenario.steps if step.mode), "performance")
    for number in range(1, repeats + 1):
        await subject.enter(first_mode)
        tell(f"repeat {number} of {repeats}: settling")
        if meter is not None:
            await meter.start()
            await subject.wait(_LEAD_S)
        done = await _repeat(scenario, subject, lambda text, n=number: tell(f"repeat {n}: {text}"))  # type: ignore[misc]
        if meter is not None:
            await subject.wait(_LEAD_S)
            played.append(Repeat(await meter.stop(), done))
        else:
            done = on_the_board(working(done), subject.plans, model, capture_s)
            played.append(Repeat(record(done, expected_power(done, subject.plans, model)), done))
    return played


async def _repeat(scenario: Scenario, subject: Subject, tell: Callable[[str], None]) -> Activity:
    scale = scenario.emulated_wait_scale if subject.emulated else 1.0
    settle_s = subject.now_s()
    await _pulse(subject)
    await subject.wait(scenario.emulated_settle_s if subject.emulated else scenario.settle_s)
    begin_s = subject.now_s()
    for step in scenario.steps:
        if step.mode:
            await subject.enter(step.mode)
        if step.say is not None:
            tell(f'asking "{step.text or step.say.stem}"')
            await subject.wait(PULSE_S)
            subject.mark(True)
            await subject.ask(step)
            subject.mark(False)
        if step.wait_s:
            tell(f"leaving it alone for {step.wait_s * scale:g} s")
            await subject.wait(step.wait_s * scale)
    await _pulse(subject)
    return activity(subject.lines(), settle_s, begin_s, subject.now_s())


async def _pulse(subject: Subject) -> None:
    await subject.wait(PULSE_S)
    subject.mark(True)
    await subject.wait(PULSE_S)
    subject.mark(False)
    await subject.wait(PULSE_S)
