"""What a turn works with, and what it is: the values that every step of it hands on."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from host.answers.device import DeviceState
from host.answers.energy_replies import Outlook
from host.config import Config
from host.hearing.endpointer import RecordedQuestion
from host.language.router import Decision, Router
from host.observe.timeline import Timeline
from host.sensing.recent_views import RecentViews
from host.speaking.playback_position import PlaybackPosition
from host.states import StateMachine
from hw.device import Clock, Light, Speaker
from hw.supply import BatteryReading
from models.process.bricks import Bricks
from power.account.ledger import Spent
from power.policy.plan import PowerPlan

Observer = Callable[[str, dict[str, Any]], None]
"""Called with an event's name and fields as it happens: the command line prints from it, tests read it."""


@dataclass(frozen=True)
class Turn:
    """Everything about one turn; times in seconds of the monotonic clock."""

    heard: RecordedQuestion
    started_s: float
    plan: PowerPlan
    transcript: str = ""
    meant: str = ""
    """The whole question, where the transcript is only a further one ("and the red one")."""
    probability: float = 0.0
    decision: Decision = field(default_factory=lambda: Decision("unclear"))
    views: int = 0
    answer: str = ""
    failure: str | None = None
    notes: tuple[str, ...] = ()
    first_audio_s: float | None = None
    ended_s: float | None = None
    answer_tokens: int | None = None
    """Length of what the language model wrote to its end; None where it wrote nothing or was stopped."""
    spent: Spent | None = None
    """Energy from the wake word to the end of the answer; None before that is over."""

    @property
    def question(self) -> str:
        """What is to be answered."""
        return self.meant or self.transcript

    @property
    def endpoint_silence_s(self) -> float:
        """Silence that had to pass before the utterance counted as finished."""
        return self.heard.endpoint_s - self.heard.speech_end_s

    @property
    def response_s(self) -> float | None:
        """End of speech to first audio, the endpointing silence included; None when nothing was said."""
        if self.first_audio_s is None:
            return None
        return self.endpoint_silence_s + self.first_audio_s - self.started_s


async def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Exchange:
    """A question and what was heard of its answer; `ended_s` on the timeline's clock."""

    question: str
    answer: str
    ended_s: float


@dataclass
class Parts:
    """What a turn works with. `device` is the only thing that a turn changes for the next one."""

    bricks: Bricks
    recent_views: RecentViews
    speaker: Speaker
    light: Light
    clock: Clock
    router: Router
    machine: StateMachine
    timeline: Timeline
    config: Config
    device: DeviceState
    battery_reading: BatteryReading
    plan: PowerPlan
    observe: Observer
    outlook: Callable[[], Outlook] = Outlook
    """What the energy ledger has to tell at this moment."""
    save_settings: Callable[[], Awaitable[None]] = _nothing
    """Returns when what the wearer has set outlives a restart."""
    apply_recording: Callable[[], Awaitable[None]] = _nothing
    """Returns when microphone and camera do what the wearer has set."""
    answer_tokens: int | None = None
    """Length of what the language model wrote to its end in the present turn."""
    playback: PlaybackPosition = field(init=False)
    """What of the present answer was heard."""
    history: deque[Exchange] = field(default_factory=lambda: deque(maxlen=6))
    """The last questions that the language model answered."""
    transcription_s: float = float("inf")
    """How long the recogniser took last, seconds."""
    announcing: bool = False
    """Something is being said that answers no question."""
    silenced: bool = False
    """The wearer silenced the present turn: no further sentence is begun."""

    def __post_init__(self) -> None:
        loopback, clock = self.speaker.loopback, self.clock
        played_s = None if loopback is None else lambda: loopback.heard_s(clock.monotonic())
        self.playback = PlaybackPosition(self.timeline.clock, played_s)

    def silence(self) -> None:
        """Fall silent now and stay so for the rest of the turn."""
        self.silenced = True
        self.speaker.stop()
