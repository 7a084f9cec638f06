"""What the steps of a turn work with: devices, models, and values that they only read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from host.config import Config
from host.language.router import Router
from host.memory.client import MemoryClient
from host.observe.observer import Observer
from host.observe.timeline import Timeline
from host.sensing.recent_views import RecentViews
from host.speaking.voice_pace import VoicePace
from host.turn.clip.chooser import ClipChooser
from host.turn.recalling.view_places import ViewPlaces
from host.turn.view_encoder import ViewEncoder
from hw.device import Clock, Speaker
from hw.supply import BatteryReading
from models.pack.chain import EYE, REFLEX, reflex_eye
from models.process.bricks import Bricks
from power.policy.plan import PowerPlan


class PowerNow(Protocol):
    """The plan in force and the last battery reading; read-only."""

    @property
    def plan(self) -> PowerPlan: ...

    @property
    def reading(self) -> BatteryReading: ...


UNTOLD_SHARE = 0.3
"""Share of the closed questions that the reflex brick of a pack answers which does not tell `answered_share`;
the estimate of `power/twin/parameters.toml`.
"""


@dataclass(frozen=True)
class Tools:
    """Given to every step of a turn; a step changes none of its fields."""

    bricks: Bricks
    recent_views: RecentViews
    view_encoder: ViewEncoder
    view_places: ViewPlaces
    speaker: Speaker
    clock: Clock
    router: Router
    timeline: Timeline
    config: Config
    power: PowerNow
    observe: Observer
    memory: MemoryClient
    voice_pace: VoicePace = field(default_factory=VoicePace)
    clip_chooser: ClipChooser | None = None
    """None for a pack that does not understand several pictures in their order."""

    @property
    def has_motion(self) -> bool:
        """Whether the pack understands several pictures in their order."""
        return "motion" in self.bricks.pack.bricks

    @property
    def asks_reflex(self) -> bool:
        """Whether the reflex brick is asked before the language model. With room for one brick only it is
        where loading it first saves time. Loading takes time by size, and for all questions but the share
        that it answers the language model has to be loaded after it.
        """
        bricks = self.bricks.pack.bricks
        if REFLEX not in bricks:
            return False
        alone = self.power.plan.residency == "one_at_a_time" and "llm" in bricks
        needed_mib = sum(bricks[name].memory_mib for name in self.only_for_reflex)
        answered_share = bricks[REFLEX].options.get("answered_share", UNTOLD_SHARE)
        return not alone or needed_mib <= answered_share * bricks["llm"].memory_mib

    @property
    def detects(self) -> bool:
        """Whether an object detector looks at the pictures that are asked about."""
        return self.asks_reflex and self.bricks.pack.detection is not None and not self.reflex_has_own_eye

    @property
    def reads(self) -> bool:
        """Whether the text reader looks at pictures in which something written is asked about."""
        return self.asks_reflex and self.bricks.pack.reading is not None

    @property
    def reflex_has_own_eye(self) -> bool:
        """Whether the pack's reflex brick reads another eye than the language model."""
        bricks = self.bricks.pack.bricks
        return REFLEX in bricks and reflex_eye(bricks) != EYE

    @property
    def only_for_reflex(self) -> tuple[str, ...]:
        """The bricks that are there for closed questions alone."""
        bricks = self.bricks.pack.bricks
        own = (reflex_eye(bricks),) if self.reflex_has_own_eye else ()
        return (*own, REFLEX) if REFLEX in bricks else ()
