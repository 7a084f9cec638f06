"""What a mode does about energy, as one table: each line says what and why, and the plan carries its reasons.

Every line saves energy on the twin (`headband power replay`): an awake board draws seven times what a
sleeping one does, so work ends sooner rather than at less power, unless a lower clock takes less energy for
it; and what is loaded stays, because a sleeping computer's memory draws the same whatever it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from power.placement.ahead import NOTHING, Ahead
from power.policy.config import PowerConfig
from power.policy.plan import Mode, ResidencyKind

FramesFor = Literal["memory", "questions"]
"""What frames between questions are for: the view is remembered; a picture is there when a question begins.
"""


RECALL_DEEPENS, LEAN_RECALL_DEEPENS = 20, 10
"""Views nearest to a question among which those that stopped early are encoded to full depth, in performance
and below: more than are looked at, or taking them on would change nothing (docs/figures.md, "Memory").
"""
RECALL_LOOKS, LEAN_RECALL_LOOKS = 10, 3
"""Views that the language model looks at again, in performance and below."""
CLIP_INTERVAL_S, LEAN_CLIP_INTERVAL_S = 0.2, 0.4
"""Between pictures while a question is spoken. In performance they are encoded as they come, which takes
energy for every question, so that one about the last seconds waits for the last picture only.
"""


@dataclass(frozen=True)
class Models:
    """How long models stay in memory, and why."""

    residency: ResidencyKind
    memory_mib: int | None
    """Limit of all of them together; None: none."""
    why: str


def models(mode: Mode, config: PowerConfig, alpha: float) -> Models:
    """The models' part of the table."""
    if mode is Mode.PERFORMANCE:
        return Models("resident", None, "all models stay loaded, for the shortest wait")
    if mode is Mode.THROTTLED:
        lean_mib, most_mib = config.lean_memory_mib, config.throttled_memory_mib
        most = round(lean_mib + alpha * (most_mib - lean_mib))
        return Models("budgeted", most, "models stay once loaded: loading again costs more than keeping")
    if mode is Mode.CUTOFF:
        return Models("one_at_a_time", config.cascade_memory_mib, "nothing is answered any more")
    if config.cascade_one_at_a_time or config.cascade_memory_mib is not None:
        return Models("one_at_a_time", config.cascade_memory_mib, "the memory holds one model at a time")
    return Models("budgeted", None, "models stay once loaded: loading again costs more than keeping")


def frames_for(mode: Mode, config: PowerConfig, *, remembering: bool, charging: bool) -> FramesFor | None:
    """What the camera looks for between questions; None: it does not look."""
    if mode not in (Mode.PERFORMANCE, Mode.THROTTLED):
        return None
    if remembering:
        return "memory"
    return "questions" if charging or config.frames_between_questions else None


def begun_ahead(ahead: Ahead, config: PowerConfig) -> Ahead:
    """What the settings permit of what the rule of placement would do before a question ends."""
    if not config.work_ahead:
        return NOTHING
    return ahead if config.sensor_at_sound else replace(ahead, sensor="wake word")


def cpu_khz(mode: Mode, config: PowerConfig, alpha: float, *, hot: bool) -> tuple[int | None, str]:
    """The highest CPU clock, and why. The steps are those at which a question takes less energy the lower
    they are; each costs waiting, which is saved for last.
    """
    if hot:
        return config.cool_cpu_khz, "it is too hot for more"
    if mode is Mode.PERFORMANCE:
        return None, "the fastest clock, for the shortest wait"
    khz = step(config.cpu_steps_khz, alpha)
    if khz == config.cpu_steps_khz[0]:
        return khz, "a question takes the least energy at this clock"
    return khz, "a slower clock saves energy, a slower one still costs more waiting than it has to"


def load_cpu_khz(khz: int | None, *, hot: bool) -> int | None:
    """The highest CPU clock while a model is loaded and none computes; `khz` is that of everything else. One
    core is busy then beside a board that is awake, which takes the least energy at the fastest clock.
    """
    return khz if hot else None


def step(steps: tuple[int, ...], alpha: float) -> int:
    """The step for alpha: the last at 1, the first at 0, and each of equal width between."""
    return steps[min(len(steps) - 1, int(alpha * len(steps)))]
