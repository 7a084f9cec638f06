"""Settings: frozen dataclasses filled from `headband.toml`; an unknown key is an error."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from hw.settings import SettingsError, fill, read_toml
from models.pack import chosen_pack
from power.config import PowerConfig


class ConfigError(Exception):
    """The settings file cannot be used; the message is one sentence for the person who wrote it."""


BoardKind = Literal["emulated", "rk3566", "rk3588", "laptop"]


@dataclass(frozen=True)
class BoardConfig:
    """Which devices the headband has."""

    kind: BoardKind = "emulated"
    """emulated: a headband inside this computer; rk3566, rk3588: this computer is the headband's; laptop:
    this computer's own microphone, loudspeaker, camera and battery.
    """
    file: str = ""
    """A TOML file that says how they are attached, as `hw/wiring.py` describes (for an emulated board what is
    around it, as `hw/emulated/scene.py` does); empty for the one that comes with the kind.
    """

    def __post_init__(self) -> None:
        if self.kind not in get_args(BoardKind):
            raise ValueError(f"kind must be one of {', '.join(get_args(BoardKind))}, not {self.kind!r}")


@dataclass(frozen=True)
class WakeConfig:
    """The wake word."""

    word: str = "okay_nabu"
    """One of the models that pymicro-wakeword bundles: okay_nabu, hey_jarvis, hey_mycroft, alexa."""
    threshold: float = 0.8
    """Mean probability over the model's window that counts as heard, 0 to 1; lower hears more voices and
    more false words.
    """


@dataclass(frozen=True)
class ListenConfig:
    """How an utterance is cut out of the microphone's stream."""

    pre_roll_s: float = 0.3
    """Audio kept from before the wake word was recognised, in seconds: the recogniser fires late."""
    onset_margin_s: float = 0.25
    """Audio kept from before the first speech, in seconds."""
    speech_threshold: float = 0.5
    """Probability of the voice-activity model at which speech begins."""
    silence_threshold: float = 0.35
    """Probability under which speech may have ended."""
    pause_s: float = 0.2
    """Silence after which the recogniser starts on what was said so far, in seconds."""
    resume_s: float = 0.1
    """Sound after a pause that is taken for more speech, in seconds; shorter is a click."""
    end_silence_s: float = 0.8
    """Silence after speech that ends the utterance, in seconds, where the words do not tell more."""
    complete_silence_s: float = 0.35
    """The same after what is surely a whole question."""
    incomplete_silence_s: float = 1.2
    """The same after words that a question does not end with ("what colour is the"), and the longest that is
    waited for the recogniser to tell.
    """
    sure_probability: float = 0.93
    """Transcripts less probable than this (mean over tokens, 0 to 1) do not count as whole questions yet:
    half a question is often read as a whole one, but less surely.
    """
    min_speech_s: float = 0.2
    """Shorter bursts after the wake word are its own tail or a click, in seconds of speech."""
    wake_tail_s: float = 0.2
    """For so long after the wake word fired, speech is taken for the wake word's own tail, in seconds."""
    start_timeout_s: float = 4.0
    """Without speech for so long the headband goes back to standby, in seconds."""
    max_utterance_s: float = 8.0
    """Longest utterance, in seconds; a longer one is cut there."""
    follow_up_s: float = 4.0
    """How long a further question is heard without the wake word, in seconds; 0 switches it off."""
    sleep_after_s: float = 10.0
    """After so many quiet seconds the computer sleeps, where the power plan asks for it and the
    microcontroller can listen meanwhile; 0: it stays awake.
    """


@dataclass(frozen=True)
class BargeConfig:
    """How the wearer interrupts an answer."""

    wake_word: bool = True
    """The wake word silences an answer, and the headband listens at once."""
    stop_word: bool = True
    """"Stop", "be quiet" or "never mind" silences an answer where the recogniser is still in memory."""
    go_on: bool = True
    """A question goes on after a pause that seemed its end, as long as nothing was said in answer."""
    wake_threshold: float = 0.2
    """As [wake] threshold, but while it answers and knows the echo of its own voice: lower, so that the word
    is recognised before it is over.
    """
    unsure_threshold: float = 0.8
    """The same as long as it does not know that echo, and before it speaks."""


@dataclass(frozen=True)
class AnswerConfig:
    """What the wearer hears."""

    min_probability: float = 0.5
    """Transcripts less probable than this (mean over tokens, 0 to 1) count as not understood."""
    fixed_route: str = ""
    """Every question takes this route (now, frames, open, device, memory), whatever was understood: for
    measuring packs whose words mean nothing. Empty lets the router decide.
    """
    length_scale: float = 1.0
    """Speaking time relative to the voice's own; 1.2 is slower."""
    volume_percent: int = 80
    """Loudness at start, 0 to 100."""
    earcons: bool = True
    """Short tones for woken, thinking and error."""


@dataclass(frozen=True)
class JournalConfig:
    """The event journal."""

    path: str = "~/.local/state/headband/journal.jsonl"
    """Where it is written; empty keeps it in memory only."""
    max_bytes: int = 1_000_000
    """Size at which the file is rotated, in bytes; one old file is kept."""
    work: bool = False
    """Also note every picture, every run of a model and every spoken sentence, which `headband rig run
    --journal` reads; in performance mode the file is full after two hours.
    """


@dataclass(frozen=True)
class GuardConfig:
    """The microcontroller's watch over this program."""

    deadline_s: int = 30
    """Silence after which the microcontroller warns, 5 seconds later resets and then power-cycles the
    computer, in seconds, 5 to 3600; three heartbeats are sent within it. 0 switches the guard off.
    """
    stall_s: float = 120.0
    """Time without any progress (sound heard, a brick's work, a sentence begun) that counts as hanging, in
    seconds: no heartbeat is sent then. Longer than the slowest model may take for one sentence.
    """

    def __post_init__(self) -> None:
        if self.deadline_s and not 5 <= self.deadline_s <= 3600:
            raise ValueError("deadline_s must be 0, or 5 to 3600 seconds")
        if self.stall_s <= 0:
            raise ValueError("stall_s must be more than 0 seconds")


@dataclass(frozen=True)
class Config:
    """Everything in `headband.toml`."""

    pack: str = ""
    """Name of the model pack, or the folder of one. Empty: the one that `headband models use` chose, at first
    "micro".
    """
    board: BoardConfig = field(default_factory=BoardConfig)
    wake: WakeConfig = field(default_factory=WakeConfig)
    listen: ListenConfig = field(default_factory=ListenConfig)
    barge: BargeConfig = field(default_factory=BargeConfig)
    answer: AnswerConfig = field(default_factory=AnswerConfig)
    power: PowerConfig = field(default_factory=PowerConfig)
    guard: GuardConfig = field(default_factory=GuardConfig)
    journal: JournalConfig = field(default_factory=JournalConfig)


def load_config(path: Path | None) -> Config:
    """Reads `path`; None gives the defaults. Raises ConfigError for a missing file, bad TOML, unknown keys,
    wrong types.
    """
    if path is None:
        return Config()
    try:
        config: Config = fill(Config, read_toml(path))
    except SettingsError as error:
        raise ConfigError(str(error)) from error
    return config


def with_pack(config: Config, name: str | None) -> Config:
    """The settings with a pack named: `name`, else their own, else the chosen one."""
    return replace(config, pack=name or config.pack or chosen_pack())
