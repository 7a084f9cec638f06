"""The values that events and actions carry: settings, plan, announcements. Sound, pictures and the wearer's
words, but for the names of timers, are none of them: a performer keeps those under the number that the event
names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from host.answers.timers import Timers
from models.caution import Caution
from power.policy.plan import Mode, PowerPlan, ResidencyKind

AnnouncementKind = Literal[
    "settings damaged", "recording on", "recording off", "switch off", "switch unread", "no microphone",
    "timers", "last answer", "farewell", "went back", "memory stopped",
    "program damaged", "settings unsaved", "recording unsaved",
]  # fmt: skip
Interruption = Literal["wake word", "stop word", "rest of the question", "recording off", "switch off"]
Press = Literal["listen", "choice"]
"""A press of the button. listen (short): listen to a question. choice (double): stop the current answer, or
repeat the last one.
"""


@dataclass(frozen=True)
class WearerSettings:
    """What the wearer sets by voice, button or command; saved on the disk except `request`."""

    volume_percent: int = 80
    slowness: float = 1.0
    """Length of speech relative to the voice's own pace."""
    request: Mode | None = None
    """Power mode that the wearer asked for; None: the policy decides by the battery."""
    timers: Timers = field(default_factory=Timers)
    """Running timers and alarms."""
    recording: bool = True
    """Whether microphone and camera may be used, as far as the wearer decides it."""
    memory: bool = False
    """Whether what the camera sees is remembered."""
    caution: Caution | None = None
    """How careful the wearer asked it to be with answers; None: as `headband.toml` says."""


@dataclass(frozen=True)
class PlanRules:
    """The part of a power plan that the session's rules depend on."""

    number: int = 0
    """Number of the whole plan, which the power performer keeps."""
    mode: Mode = Mode.PERFORMANCE
    reason: str = ""
    residency: ResidencyKind = "resident"
    prefetch: bool = False
    """No rule depends on it; journals of earlier versions have it."""
    suspend_between_events: bool = False
    sleep_within_s: float | None = None
    unit_s: float | None = None
    """Seconds of speech between two transcriptions of an unfinished question; None: only at pauses."""

    @property
    def one_at_a_time(self) -> bool:
        """True when there is memory for one brick only."""
        return self.residency == "one_at_a_time"


def plan_rules(plan: PowerPlan, number: int) -> PlanRules:
    """The rules' part of `plan`, which is kept under `number`."""
    return PlanRules(
        number, plan.mode, plan.reason, plan.residency, plan.prefetch, plan.suspend_between_events,
        plan.sleep_within_s, plan.unit_s,
    )  # fmt: skip


@dataclass(frozen=True)
class Options:
    """Settings of `headband.toml` that the rules depend on."""

    follow_up_s: float = 0.0
    """How long a further question may begin without the wake word; 0: not at all."""
    wake_word: bool = True
    """The wake word interrupts an answer."""
    stop_word: bool = True
    """The word "stop" interrupts an answer."""
    go_on: bool = True
    """A question may go on after its endpoint."""
    sleep_after_s: float = 0.0
    """Quiet seconds after which the computer may sleep; 0: it never sleeps."""


@dataclass(frozen=True)
class Announcement:
    """Speech that answers no question."""

    kind: AnnouncementKind
    sentence: str = ""
    """The sentence for "settings damaged", "farewell" and "memory stopped"; the performer words the
    others.
    """
    tone: str = ""
    """Earcon before it. After an announcement with a tone the wearer may reply without the wake word."""
    cause: str = ""
    """Why, for the journal."""
