"""The pictures that are taken while a question is spoken, in case it asks what happened in the last seconds.

As `host.turn.clip`: from the first picture until the question is understood the camera takes one at the
plan's interval, whatever the question turns out to be. Each is a unit of the motion brick, encoded as it
comes where the plan says so and there is time, else when the question proves to be about them. Views from
before the wake word, of which there are few, are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from power.policy.plan import PowerPlan
from power.twin.board_power import Pulse, TurnStep, TwinBoard
from power.twin.work import MOTION

MOST_UNITS = 16
"""`models.clip.MOST_UNITS`."""
CLIP = "clip"
"""Stage of the encoding of these pictures and of the answer from them; it draws as the eye."""


@dataclass(frozen=True)
class ClipCost:
    """What a clip costs under a plan."""

    board: TwinBoard
    plan: PowerPlan
    camera: Pulse

    @staticmethod
    def of(board: TwinBoard, plan: PowerPlan, camera: bool) -> ClipCost | None:
        """None where the pack, the plan or a covered camera has no clips."""
        pulse = board.clip_camera(plan) if camera else None
        return None if pulse is None else ClipCost(board, plan, pulse)

    @property
    def unit_s(self) -> float:
        """How long a picture takes to encode."""
        return self.board.seconds(self.board.pack.clip_unit, self.plan)

    def pictures(self, seconds: float) -> float:
        """How many are taken in so long."""
        return max(0.0, seconds) / self.camera.every_s

    def on_arrival(self, seconds: float, spare_s: float, loaded: list[str]) -> list[TurnStep]:
        """The pictures of so long are encoded as they come, as far as there is time; nothing is loaded for
        that.
        """
        ready = self.plan.clip_on_arrival and {"vision", MOTION} <= set(loaded)
        return [self._step(min(self.pictures(seconds) * self.unit_s, max(0.0, spare_s)) if ready else 0.0)]

    def answer(self, seconds: float, encoded_s: float) -> list[TurnStep]:
        """What is left to encode of the pictures of so long, of which `encoded_s` is done, and the answer."""
        late = min(MOST_UNITS, max(0.0, self.pictures(seconds) - encoded_s / self.unit_s))
        answer_s = self.board.seconds(self.board.pack.clip_answer, self.plan)
        return [replace(self._step(late * self.unit_s), part="late pictures"), self._step(answer_s)]

    def beside(self, steps: list[TurnStep], *, first: bool = False) -> list[TurnStep]:
        """The same with the camera's power. first: only what follows the first picture."""
        found, taking = [], not first
        for step in steps:
            found.append(self._filmed(step) if taking else step)
            taking = taking or step.stage == "capture"
        return found

    def _filmed(self, step: TurnStep) -> TurnStep:
        return replace(step, power_mw=step.power_mw + self.camera.mean_mw, pulse=self.camera)

    def _step(self, seconds: float) -> TurnStep:
        return TurnStep(CLIP, seconds, self.board.stage_mw(self.board.pack.vision_stage, self.plan))
