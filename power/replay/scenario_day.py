"""A rig's scenario as a day of the twin, so that the policies can be compared on it.

On the rig a step says in which mode the headband has to be. Here that mode is what is being compared, so a
step with a mode replaces the pack by one whose charge brings the headband into that mode on the rig, and each
policy decides by that charge. Nothing else is forced, and no step waits for the mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hw.audio.sound_and_picture_files import MediaError, read_wav
from hw.device import MICROPHONE_RATE_HZ
from power.policy.config import PowerConfig
from power.policy.plan import MODES
from power.rig.scenario import Scenario
from power.twin.day import Day, DayEvent, DaySpan
from power.twin.parameters import Parameters, TwinError

TURN_S = 30.0
"""Time per question of a row, up to the next wait or pack: longer than an average turn under any policy, so
that the run takes the same time under each.
"""
_AMBIENT_C = 22.0


def scenario_day(scenario: Scenario, percent: Mapping[str, float], like: Day, parameters: Parameters) -> Day:
    """The scenario with all of its repeats. `percent`: the charge that stands for each mode; `like`: the day
    whose lengths of answers are taken. Questions last as long as their recordings without the wake word.
    Raises `TwinError` for a recording that cannot be read.
    """
    happens: list[DayEvent] = []
    at_s = row_s = 0.0
    first = next((step.mode for step in scenario.steps if step.mode), MODES[0])
    for _ in range(scenario.repeats):
        happens.append(DayEvent(at_s, "charge", percent=percent[first]))
        at_s += scenario.settle_s
        mode = first
        for step in scenario.steps:
            if step.mode and step.mode != mode:
                at_s, row_s = at_s + row_s, 0.0
                mode = step.mode
                happens.append(DayEvent(at_s, "charge", percent=percent[mode]))
            if step.say is not None:
                # Due at once, so asked as soon as the question before it is over.
                happens.append(DayEvent(at_s, "question", (step.route,)))
                row_s += TURN_S
            if step.wait_s:
                at_s, row_s = at_s + row_s + step.wait_s, 0.0
        at_s, row_s = at_s + row_s, 0.0
    return replace(
        like,
        name=scenario.name,
        about=f"{scenario.about.rstrip('.')}.",
        starts_h=0.0,
        spans=(DaySpan(0.0, at_s, True, False, _AMBIENT_C, True, "quiet", {}, 0.0),),
        question_s={**like.question_s, **_question_s(scenario, parameters["talk.wake_word_s"])},
        recorded=tuple(happens),
        length_s=at_s,
        note=_note(scenario, percent),
    )


def scenario_policy(config: PowerConfig) -> PowerConfig:
    """The policy as the rig runs it: a scenario changes packs faster than a day empties one, so that a mode
    need not have lasted before it changes.
    """
    return replace(config, dwell_s=0.0)


def _question_s(scenario: Scenario, wake_word_s: float) -> dict[str, float]:
    """Mean length of the recordings by route."""
    lengths: dict[str, list[float]] = {}
    for step in scenario.steps:
        if step.say is not None:
            lengths.setdefault(step.route, []).append(max(0.5, _seconds(step.say) - wake_word_s))
    return {route: sum(seconds) / len(seconds) for route, seconds in lengths.items()}


def _seconds(path: Path) -> float:
    try:
        return len(read_wav(path)) / MICROPHONE_RATE_HZ
    except MediaError as error:
        raise TwinError(str(error)) from None


def _note(scenario: Scenario, percent: Mapping[str, float]) -> str:
    charges = ", ".join(f"{mode} {percent[mode]:g} percent" for mode in MODES)
    return (
        "On the rig a step of this scenario forces a mode. Here each such step puts in a pack of the charge "
        f"that stands for the mode ({charges}), and each policy decides for itself what to do with it, "
        "without having to stay in a mode for a while first. The scenario is played "
        f"{scenario.repeats} times with {scenario.settle_s:g} s of quiet before each. A question is asked as "
        "soon as the one before it is over and nobody asked on; a row of them has "
        f"{TURN_S:g} s each until whatever comes next, so that all policies live through the same time. "
        "For the hours on a charge it is repeated with one pack, from full to empty."
    )
