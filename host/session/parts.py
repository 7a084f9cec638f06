"""The turn as a value, and the devices, settings and shared state that its steps use."""

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
"""Called with the name and the fields of each event when it happens."""


@dataclass(frozen=True)
class Turn:
    """One question and its answer; times in seconds of the monotonic clock."""

    heard: RecordedQuestion
    started_s: float
    plan: PowerPlan
    transcript: str = ""
    meant: str = ""
    """The whole question when the transcript is a follow-up ("and the red one"), else ""."""
    probability: float = 0.0
    decision: Decision = field(default_factory=lambda: Decision("unclear"))
    views: int = 0
    answer: str = ""
    failure: str | None = None
    notes: tuple[str, ...] = ()
    first_audio_s: float | None = None
    ended_s: float | None = None
    answer_tokens: int | None = None
    """Tokens that the language model generated; None when it generated none or was stopped."""
    spent: Spent | None = None
    """Energy from the wake word to the end of the answer; None until then."""

    @property
    def question(self) -> str:
        """The question to answer."""
        return self.meant or self.transcript

    @property
    def endpoint_silence_s(self) -> float:
        """Seconds of silence that ended the utterance."""
        return self.heard.endpoint_s - self.heard.speech_end_s

    @property
    def response_s(self) -> float | None:
        """Seconds from the end of speech to the first audio, with the endpointing silence; None without
        audio.
        """
        if self.first_audio_s is None:
            return None
        return self.endpoint_silence_s + self.first_audio_s - self.started_s


async def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Exchange:
    """A question and the part of its answer that was played; `ended_s` on the timeline's clock."""

    question: str
    answer: str
    ended_s: float


@dataclass
class Parts:
    """Devices, settings and state that the steps of a turn share. A turn replaces `device`, appends to
    `history`, and sets the fields that describe the present answer.
    """

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
    """Returns what the energy ledger knows now."""
    save_settings: Callable[[], Awaitable[None]] = _nothing
    """Writes the wearer's settings to the disk."""
    apply_recording: Callable[[], Awaitable[None]] = _nothing
    """Switches microphone and camera as the wearer's recording setting says."""
    answer_tokens: int | None = None
    """Tokens that the language model generated in the present turn; None until it has finished."""
    playback: PlaybackPosition = field(init=False)
    """Which part of the present answer was played."""
    history: deque[Exchange] = field(default_factory=lambda: deque(maxlen=6))
    """The last questions that the language model answered, oldest first."""
    transcription_s: float = float("inf")
    """Seconds that the last transcription took."""
    announcing: bool = False
    """True while an announcement (speech that answers no question) is played."""
    silenced: bool = False
    """True when the wearer silenced the present turn: no further sentence begins."""

    def __post_init__(self) -> None:
        loopback, clock = self.speaker.loopback, self.clock
        played_s = None if loopback is None else lambda: loopback.played_s(clock.monotonic())
        self.playback = PlaybackPosition(self.timeline.clock, played_s)

    def silence(self) -> None:
        """Stops playback now and for the rest of the turn."""
        self.silenced = True
        self.speaker.stop()
