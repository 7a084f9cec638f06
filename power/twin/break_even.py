"""Break-evens behind the policy's settings, computed from the twin's parameters."""

from __future__ import annotations

from typing import Any

from hw.supply import BatteryReading
from power.account.energy_model import LOAD
from power.policy.config import PowerConfig
from power.policy.plan import PowerPlan
from power.policy.policy import Policy
from power.twin.board_power import TwinBoard
from power.twin.parameters import Parameters

_FULL = BatteryReading(100, 4150, -200, 25.0, False, "good")


def break_even(parameters: Parameters, pack: str, config: PowerConfig | None = None) -> dict[str, Any]:
    """All of them, in a full battery's plan."""
    board = TwinBoard(parameters, parameters.pack(pack))
    plan, _ = Policy(config).decide(_FULL, 0.0)
    return {
        "sleep_after_s": sleep_after_s(board, plan),
        "reload_mwh": reload_mwh(board, plan),
        "keeping_mw": keeping_mw(board),
        "keep_from_questions_per_hour": keeping_mw(board) / reload_mwh(board, plan),
    }


def sleep_after_s(board: TwinBoard, plan: PowerPlan) -> float:
    """Quiet seconds awake that take as much more energy than sleep as falling asleep and waking up do: who
    waits as long and then sleeps never spends more than twice what he would if he knew when the next event
    comes (Karlin, Manasse, Rudolph, Sleator 1988, on snoopy caching).
    """
    talk = board.parameters
    moving_mw = board.stage_mw("resume", plan) - board.asleep_mw
    waiting_mw = board.stage_mw("listen", plan) - board.asleep_mw
    return (talk["sleep.enter_s"] + talk["sleep.resume_s"]) * moving_mw / waiting_mw


def reload_mwh(board: TwinBoard, plan: PowerPlan) -> float:
    """Energy of loading every model of the pack again, all of it with the board awake for that alone."""
    seconds = sum(board.seconds(board.pack.load[brick], plan, LOAD) for brick in board.pack.bricks)
    return board.stage_mw("load", plan) * seconds / 3600


def keeping_mw(board: TwinBoard) -> float:
    """Power of the memory that the pack's models take while the computer sleeps."""
    mib = sum(board.pack.memory_mib[brick] for brick in board.pack.bricks)
    return board.parameters["memory.keep_mw_per_gib"] * mib / 1024
