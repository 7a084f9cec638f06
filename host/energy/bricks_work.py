"""What bricks, speaker and camera did in an interval, by which the model divides its energy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from host.observe.purpose import CLIP as FOR_CLIP
from host.observe.purpose import MEMORY
from host.observe.timeline import Span
from models.brick import Placement
from power.account.energy_model import DRAWS_AS, EnergyModel
from power.account.ledger import CLIP, REMEMBER
from power.account.modelled_interval import Active, Work
from power.policy.plan import PowerPlan

_BRICKS = ("stt", "vision", "recall", "text", "reflex", "motion", "llm", "tts")
_STAGES: Mapping[str, str] = {name: DRAWS_AS.get(name, name) for name in _BRICKS} | {"speaker": "speak"}
"""Track of the timeline -> stage of the model."""
_OWN = {MEMORY: REMEMBER, FOR_CLIP: CLIP}
"""What is worked for, where its energy is a stage of its own."""
CAMERA = "camera"
"""Track of the timeline with the spans in which the camera goes on for a clip."""
_WORK = ("load", "execute")
_CAPTURE = "capture"


def work_since(
    start_s: float, spans: Iterable[Span], model: EnergyModel, *, native: bool
) -> tuple[list[Work], dict[str, float]]:
    """The work of the spans, latest first, that ended after `start_s`, and the seconds of sound by stage that
    the clock does not include. Work for remembering, and for looking on while a question is spoken, is told
    from other work that draws the same.
    """
    work: list[Work] = []
    unseen: dict[str, float] = {}
    for span in spans:
        if span.end_s <= start_s:
            break
        for_memory = span.details.get("for") == MEMORY
        if span.track in _STAGES and (span.track == "speaker" or span.name in _WORK):
            stage = _stage(span, model, native)
            loads = span.track != "speaker" and span.name in model.stages
            draws = span.name if loads else stage
            own = _OWN.get(span.details.get("for", ""), stage)
            work.append(Work(own, span.start_s, span.end_s, draws))
            late_s = span.details.get("sound_s", 0.0) - (span.end_s - span.start_s)
            if late_s > 0 and not native:
                unseen[stage] = unseen.get(stage, 0.0) + late_s
        elif span.track == MEMORY and span.name in _WORK and for_memory:
            work.append(Work(REMEMBER, span.start_s, span.end_s))
    return work, unseen


def camera_work(looked_s: float, plan: PowerPlan, clip_s: float = 0.0) -> dict[Active, float]:
    """Seconds of the camera by what they were for and what they draw as. clip_s: at most so many were for the
    clips of questions. While the plan has the camera look for the memory, all of them count as the memory's,
    also the few for a question's own pictures.
    """
    if plan.frames_for == MEMORY:
        return {(REMEMBER, _CAPTURE): looked_s}
    of_clips_s = min(max(0.0, looked_s), clip_s)
    return {(_CAPTURE, _CAPTURE): looked_s - of_clips_s, (CLIP, _CAPTURE): of_clips_s}


def clip_camera_s(start_s: float, spans: Iterable[Span]) -> float:
    """Seconds, on the board's clock, in which the camera went on for clips that ended after `start_s`; the
    spans latest first.
    """
    total_s = 0.0
    for span in spans:
        if span.end_s <= start_s:
            break
        if span.track == CAMERA:
            total_s += float(span.details["sensed_s"])
    return total_s


def _stage(span: Span, model: EnergyModel, native: bool) -> str:
    """The stage of the model, by where the brick computed."""
    stage = _STAGES[span.track]
    on_npu = native and span.details.get("place") == Placement.NPU.value
    return f"{stage}_npu" if on_npu and f"{stage}_npu" in model.stages else stage
