"""The state of a session."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from host.answers.timers import Timer
from host.session.values import Announcement, Options, PlanRules, WearerSettings
from host.states import InteractionState, PowerState, Regions
from hw.device import LightPattern
from power.account.routes import Route

SpeechStage = Literal[
    "queued", "understanding", "replying", "settling", "answering", "apologising", "saving", "ending"
]  # fmt: skip
"""queued: an earlier answer has not ended yet. settling: settings that the reply changed are being applied.
saving: an announcement of timers is being counted on the disk. ending: the answer is over; bricks and battery
are looked after.
"""
QUIET: tuple[InteractionState, ...] = ("standby", "follow_up")
"""Interaction states in which an announcement may begin."""
ANSWERING: tuple[InteractionState, ...] = ("thinking", "speaking")
"""Interaction states in which the wake word interrupts."""


@dataclass(frozen=True)
class Speech:
    """The one thing that the headband says or is about to say: an answer or an announcement."""

    number: int
    """Number of the question that is answered, or of the announcement; 0 for one that is being saved."""
    stage: SpeechStage
    announcement: Announcement | None = None
    """None for an answer."""
    recording: int | None = None
    """The question; None when nothing was said."""
    route: Route | None = None
    intent: str = ""
    commands: bool = False
    """It has requests to the device."""
    silenced: bool = False
    """The wearer silenced it."""
    failed: bool = False
    sounding: bool = False
    """Its first sample was played."""
    awaits: frozenset[int] = frozenset()
    """Numbers of actions that have to end before it goes on."""
    due: tuple[Timer, ...] = ()
    """Timers that the announcement is about."""
    settings: WearerSettings | None = None
    """Those that a device reply is worked out from."""

    @property
    def carried_out(self) -> bool:
        """True when what a device reply changes is changed already, or the memory keeps or forgets by now."""
        changes = self.route == "memory" and (self.intent == "keep" or self.intent.startswith("forget"))
        return (self.commands or changes) and self.stage not in ("queued", "understanding", "replying")


@dataclass(frozen=True)
class State:
    """Everything that the next step depends on."""

    options: Options = field(default_factory=Options)
    settings: WearerSettings = field(default_factory=WearerSettings)
    kept: bool = True
    """The settings are on the disk."""
    off_lost: bool = False
    """The wearer knows, or is about to be told, that a restart switches recording on, as the disk does not
    have it off.
    """
    plan: PlanRules = field(default_factory=PlanRules)
    """The plan in force."""
    next_plan: PlanRules | None = None
    """A plan that is obeyed as soon as nothing is under way."""
    applying: int | None = None
    """Number of the `ApplyPlan` under way."""
    regions: Regions = field(default_factory=Regions)
    light: LightPattern | None = None
    """The pattern shown; None before the first."""
    last_number: int = 0
    """The last number given to an action, a question or an announcement."""
    running: frozenset[int] = frozenset()
    """Numbers of actions that have begun and not ended."""
    question: int | None = None
    """Number of the question that is being spoken."""
    attempt: int | None = None
    """Number of the last early transcript."""
    speech: Speech | None = None
    cancelled: frozenset[int] = frozenset()
    """Answers and announcements that gave way to a question and have not ended yet."""
    waiting: tuple[Announcement, ...] = ()
    """Announcements that wait until nothing else is under way."""
    farewell: Announcement | None = None
    """What to say before switching off; None while nobody asked for that."""
    switch_off: bool = False
    """The recording switch is at off."""
    switch_unread: bool = False
    unacknowledged: frozenset[int] | None = None
    """What the command line's request waits for; None without one."""
    bricks_used: bool = False
    """A brick may have been loaded since the last release."""
    reminder: int | None = None
    """Number of the reminder that the microcontroller listens too, or then that the computer may sleep."""
    both_listen: bool = False
    """The microcontroller listens beside this computer, which sleeps at the reminder."""
    falling_asleep: int | None = None
    """Number of the sleep that is being prepared."""
    called_in_vain: int = 0
    """So many sounds in a row have woken the computer and brought no question, up to `MOST_IN_VAIN`."""
    awake_until_s: float = 0.0
    """Do not sleep before this time of the monotonic clock."""
    ended: bool = False
    """`End` was given."""

    @property
    def interaction(self) -> InteractionState:
        """State of the interaction region."""
        return self.regions.interaction

    @property
    def power(self) -> PowerState:
        """State of the power region."""
        return self.regions.power

    @property
    def recording(self) -> bool:
        """True while microphone and camera may be used."""
        return self.regions.recording == "on"

    @property
    def trying(self) -> bool:
        """True while the last early transcript is under way."""
        return self.attempt in self.running

    @property
    def free(self) -> bool:
        """True when a question may begin without an interruption: nothing is asked or said, or has to be."""
        return self.interaction in QUIET and self.speech is None and self.farewell is None

    @property
    def quiet(self) -> bool:
        """True when an announcement or a plan may begin: nothing is asked, said, cancelled or applied."""
        return (
            self.interaction in QUIET and self.speech is None and not self.cancelled and self.applying is None
        )

    @property
    def keeps_bricks(self) -> bool:
        """True when a brick may be in memory that may not stay: the plan has room for one only while it works
        (a question may have been abandoned), or recording is off, and a brick still holds what it was asked.
        """
        return self.bricks_used and (self.plan.one_at_a_time or not self.recording)

    def sleeps_on(self, number: int) -> bool:
        """True when the sleep of this number is all that is under way, and the plan lets it go on."""
        alone = replace(self, running=self.running - {number})
        return alone.at_rest and self.plan.suspend_between_events and self.options.sleep_after_s > 0

    @property
    def at_rest(self) -> bool:
        """True when nothing is under way and nothing waits."""
        return (
            self.quiet
            and self.interaction == "standby"
            and not self.running
            and not self.waiting
            and self.next_plan is None
            and self.farewell is None
        )
