"""From the end of speech to the first word on the board, modelled: a question of the normal day, by the
parts of the wait, with the ends of the range of every time.

A wait of a mode is that of a question like the one before it: its models are as that one left them, and the
computer, where the mode lets it sleep, is asleep when the wake word comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hw.supply import BatteryReading
from power.placement.site import modelled_site
from power.policy.config import PowerConfig
from power.twin.board_power import TwinBoard
from power.twin.day import load_day
from power.twin.governors import OurPolicy
from power.twin.parameters import Parameters
from power.twin.turn.turns import TurnTaken, TwinBricks, TwinQuestion, load_all, take_turn
from power.twin.work import RECALL, PackCosts

DAY = "normal"
"""The day that says how long a question and its answer are."""
SLOWER_WHEN_LOW = ("flash.read_mb_s",)
"""Rates: the longest wait is at their low end."""
BOARD_TIMES = (
    "sleep.resume_s", "sleep.hand_over_s", "sleep.first_sound_s", "camera.capture_s", "camera.frame_s",
    "reflex.work_share", *SLOWER_WHEN_LOW,
)  # fmt: skip
"""What the range of a wait depends on besides the pack's times."""
_VOLTAGE_MV, _CURRENT_MA, _BATTERY_C, _CHIP_C = 3800, -200, 25.0, 35.0


@dataclass(frozen=True)
class Situation:
    """How a question is asked. percent: charge; config: the policy's settings; closed: the pack answers it
    without the language model, as if it had a brick for that; memory_eye: that brick reads what the memory's
    own eye makes of the picture (`eye = "recall"` in a pack); goal_s: longest wait by the plan of the
    project.
    """

    title: str
    percent: int
    route: str
    goal_s: float
    config: PowerConfig | None = None
    closed: bool = False
    memory_eye: bool = False

    def asked_of(self, parameters: Parameters, pack: str) -> bool:
        """Whether the pack has what the situation needs; of a reflex it is always supposed."""
        return not self.memory_eye or replace(parameters, remembering=True).pack(pack).recall is not None


SITUATIONS = (
    Situation("performance, closed, as if it had a reflex", 80, "now", 2.0, closed=True),
    Situation(
        "performance, closed, as if it had a reflex that reads the memory's eye",
        80,
        "now",
        2.0,
        closed=True,
        memory_eye=True,
    ),
    Situation("performance, open, about the view", 80, "now", 5.0),
    Situation("performance, open, not about the view", 80, "open", 5.0),
    Situation("cascade, open, about the view", 15, "now", 10.0),
    Situation("one model at a time, two in 1000 MiB", 15, "now", 10.0, PowerConfig(cascade_memory_mib=1000)),
    Situation("one model at a time", 15, "now", 10.0, PowerConfig(cascade_one_at_a_time=True)),
    Situation(
        "one model at a time, nothing ahead",
        15,
        "now",
        10.0,
        PowerConfig(cascade_memory_mib=1000, cascade_prefetch=False),
    ),
)


@dataclass(frozen=True)
class Wait:
    """Seconds from the end of speech to the first word."""

    situation: Situation
    parts: Mapping[str, float]
    """What it is spent on, in order; the sum is the wait."""
    low_s: float
    """With every time at the low end of its range."""
    high_s: float
    energy_j: float = 0.0
    """Of the whole question from the wake word to the end of the answer, joules from the battery."""

    @property
    def seconds(self) -> float:
        """The wait."""
        return sum(self.parts.values())

    @property
    def kept(self) -> bool:
        """Is it within the goal?"""
        return self.seconds <= self.situation.goal_s


def wait(parameters: Parameters, pack: str, situation: Situation) -> Wait:
    """The wait of a pack, with its range. Raises `TwinError` for an unknown pack, and ValueError for one of
    which the situation is not asked.
    """
    usual = _second_turn(parameters, pack, situation)
    low, high = (_second_turn(_at_end(parameters, pack, end), pack, situation) for end in ("low", "high"))
    energy_j = sum(step.seconds * step.power_mw for step in usual.steps) / 1000
    return Wait(situation, usual.waited_for(), low.latency_s, high.latency_s, energy_j)


def _second_turn(parameters: Parameters, pack: str, situation: Situation) -> TurnTaken:
    values = replace(parameters, reflex=situation.closed or None, remembering=situation.memory_eye)
    costs, day = values.pack(pack), load_day(DAY)
    board = TwinBoard(values, _with_one_eye(costs) if situation.memory_eye else costs)
    reading = BatteryReading(situation.percent, _VOLTAGE_MV, _CURRENT_MA, _BATTERY_C, False, "good")
    policy = OurPolicy(situation.config, modelled_site(pack))
    plan = policy.decide(reading, 0.0, True, _CHIP_C)
    if situation.memory_eye:  # no question would wait for its picture
        plan = replace(plan, ahead=replace(plan.ahead, sensor="wake word"))
    bricks = TwinBricks(dict(board.pack.memory_mib))
    if plan.residency == "resident":
        load_all(plan, board, bricks)
    route = situation.route
    question = TwinQuestion(
        route, day.question_s[route], day.answer_tokens[route], wake_word=True, camera=True,
        closed=situation.closed,
    )  # fmt: skip
    take_turn(question, plan, board, bricks, plan.suspend_between_events)
    return take_turn(question, plan, board, bricks, plan.suspend_between_events)


def _with_one_eye(pack: PackCosts) -> PackCosts:
    """As if questions about the view were answered from what the memory's eye makes of it."""
    if pack.recall is None:
        raise ValueError(f"The memory of the pack {pack.name} has no eye of its own.")
    return replace(
        pack, vision=pack.recall, vision_stage="vision", load={**pack.load, "vision": pack.load[RECALL]}
    )


def _at_end(parameters: Parameters, pack: str, end: str) -> Parameters:
    """Every time of the board and of the pack at one end of its range, `low` or `high`."""
    other = {"low": "high", "high": "low"}[end]
    times = [name for name in parameters.quantities if name.startswith(f"pack.{pack}.")]
    return parameters.changed(
        {
            name: getattr(parameters.quantities[name], other if name in SLOWER_WHEN_LOW else end)
            for name in (*times, *BOARD_TIMES)
            if not name.endswith("_mib")
        }
    )
