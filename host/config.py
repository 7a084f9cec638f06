"""Settings: frozen dataclasses filled from `headband.toml`; an unknown key is an error."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from hw.settings import Range, SettingsError, read_settings
from models.caution import Caution
from models.pack.catalogue import chosen_pack
from power.account.routes import AnsweredRoute
from power.policy.config import PowerConfig

BESIDE_THE_JOURNAL = (
    "kept.json", "kept.bad.json", "kept.lock", "running.lock", "energy.json", "energy.bad.json", "memory.db",
    "memory.db-wal", "memory.db-shm", "memory.db-journal", "memory.code", "memory.keeper", "memory.key",
    "placement",
)  # fmt: skip
"""What is kept in the journal's folder beside the journal."""


class ConfigError(Exception):
    """The settings file cannot be used; the message is one sentence for the person who wrote it."""


BoardKind = Literal["emulated", "rk3566", "rk3588", "laptop"]
WakeWordName = Literal["okay_nabu", "hey_jarvis", "hey_mycroft", "alexa"]
"""The models that pymicro-wakeword bundles."""


@dataclass(frozen=True)
class BoardConfig:
    """Which devices the headband has."""

    kind: BoardKind = "emulated"
    """emulated: a headband inside this computer; rk3566, rk3588: this computer is the headband; laptop:
    this computer's own microphone, loudspeaker, camera and battery.
    """
    file: str = ""
    """A TOML file that says how the devices are attached, as `hw/linux/wiring.py` describes (for an emulated
    board, its surroundings, as `hw/emulated/scene.py` describes); empty for the file that comes with the
    kind.
    """


@dataclass(frozen=True)
class WakeConfig:
    """The wake word."""

    word: WakeWordName = "okay_nabu"
    """One of the models that pymicro-wakeword bundles: okay_nabu, hey_jarvis, hey_mycroft, alexa."""
    threshold: Annotated[float, Range(0, 1)] = 0.8
    """Mean probability over the model's window from which the word is detected, 0 to 1; a lower threshold
    misses fewer words and has more false alarms.
    """


@dataclass(frozen=True)
class ListenConfig:
    """Endpointing: how an utterance is found in the microphone's stream."""

    pre_roll_s: Annotated[float, Range(0, 2, "seconds")] = 0.3
    """Audio kept from before the wake word was detected, 0 to 2 seconds: detection is late."""
    onset_margin_s: Annotated[float, Range(0, 2, "seconds")] = 0.25
    """Audio kept from before the first speech, 0 to 2 seconds."""
    speech_threshold: Annotated[float, Range(0, 1)] = 0.35
    """Probability of the voice-activity model at which speech begins, 0 to 1; of some hoarse and whispering
    voices it never reaches 0.5.
    """
    silence_threshold: Annotated[float, Range(0, 1)] = 0.35
    """Probability under which speech may have ended, 0 to 1, at most `speech_threshold`."""
    pause_s: Annotated[float, Range(0.05, 5, "seconds")] = 0.2
    """Silence after which the recogniser transcribes the speech so far, 0.05 to 5 seconds."""
    resume_s: Annotated[float, Range(0, 2, "seconds")] = 0.1
    """Least length of sound after a pause that counts as more speech, 0 to 2 seconds; less is a click."""
    end_silence_s: Annotated[float, Range(0.1, 10, "seconds")] = 0.8
    """Silence after speech that ends the utterance, 0.1 to 10 seconds, when its words do not show whether it
    is complete.
    """
    complete_silence_s: Annotated[float, Range(0.1, 10, "seconds")] = 0.35
    """The same after a certainly complete question, 0.1 to 10 seconds, at most `end_silence_s`."""
    incomplete_silence_s: Annotated[float, Range(0.1, 10, "seconds")] = 1.2
    """The same after words that no question ends with ("what colour is the"), and the longest wait for the
    transcript that decides, 0.1 to 10 seconds, at least `end_silence_s`.
    """
    sure_probability: Annotated[float, Range(0, 1)] = 0.8
    """Transcripts less probable than this (mean over tokens, 0 to 1) do not count as complete questions:
    a half question is often transcribed as a complete one, but with a lower probability.
    """
    min_speech_s: Annotated[float, Range(0, 2, "seconds")] = 0.2
    """Least length of speech in an utterance, 0 to 2 seconds; less is a click or the end of the wake word."""
    wake_tail_s: Annotated[float, Range(0, 2, "seconds")] = 0.2
    """Time after the detection of the wake word in which speech counts as its end, 0 to 2 seconds."""
    start_timeout_s: Annotated[float, Range(0.5, 60, "seconds")] = 4.0
    """Time without speech after which the headband returns to standby, 0.5 to 60 seconds."""
    max_utterance_s: Annotated[float, Range(2, 30, "seconds")] = 8.0
    """Longest utterance, 2 to 30 seconds; a longer one ends there."""
    follow_up_s: Annotated[float, Range(0, 60, "seconds")] = 4.0
    """How long a follow-up question needs no wake word, 0 to 60 seconds; 0 switches that off."""
    sleep_after_s: Annotated[float, Range(0, 3600, "seconds")] = 10.0
    """Quiet time after which the computer is suspended, 0 to 3600 seconds, if the power plan says so and the
    microcontroller can listen meanwhile; 0: never.
    """

    def __post_init__(self) -> None:
        if self.silence_threshold > self.speech_threshold:
            raise ValueError("silence_threshold must be at most speech_threshold")
        if not self.complete_silence_s <= self.end_silence_s <= self.incomplete_silence_s:
            raise ValueError("complete_silence_s <= end_silence_s <= incomplete_silence_s must hold")


@dataclass(frozen=True)
class BargeConfig:
    """How the wearer interrupts an answer."""

    wake_word: bool = True
    """The wake word silences an answer, and the headband listens at once."""
    stop_word: bool = True
    """"Stop", "be quiet" or "never mind" silences an answer, if the recogniser is in memory."""
    go_on: bool = True
    """A question may go on after a pause that seemed its end, until the answer is audible."""
    wake_threshold: Annotated[float, Range(0, 1)] = 0.2
    """As [wake] threshold, 0 to 1, but during an answer, when the level of the headband's own voice is known:
    lower, so that the word is detected before it ends.
    """
    unsure_threshold: Annotated[float, Range(0, 1)] = 0.8
    """The same while that level is not known, and before the answer is audible, 0 to 1."""


@dataclass(frozen=True)
class AnswerConfig:
    """What the wearer hears."""

    min_probability: Annotated[float, Range(0, 1)] = 0.5
    """Transcripts less probable than this (mean over tokens, 0 to 1) count as not understood."""
    caution: Caution = "normal"
    """How sure a pack must be of an answer about what is in view, low, normal or high: the higher, the fewer
    wrong answers. Closed questions of a pack with reflex then go on to the language model, and of that one's
    answers more are withheld ("I am not sure enough to say"). The pack has the probability that each means.
    """
    fixed_route: Literal["", AnsweredRoute] = ""
    """Every question takes this route (now, frames, open, device, memory), whatever was understood: to
    measure packs whose words mean nothing. Empty: the router decides.
    """
    length_scale: Annotated[float, Range(0.25, 4)] = 1.0
    """Speaking time relative to the voice's own, 0.25 to 4; 1.2 is slower."""
    volume_percent: Annotated[int, Range(0, 100, "percent")] = 80
    """Loudness at start, 0 to 100 percent."""
    earcons: bool = True
    """Short tones for woken, thinking and error."""


@dataclass(frozen=True)
class JournalConfig:
    """The event journal."""

    path: str = "~/.local/state/headband/journal.jsonl"
    """Where it is written; empty keeps it in memory only."""
    max_bytes: Annotated[int, Range(10_000, 1_000_000_000, "bytes")] = 1_000_000
    """Size at which the file is rotated, 10_000 to 1_000_000_000 bytes; one old file is kept."""
    work: bool = False
    """Also note every picture, every run of a model and every spoken sentence, which `headband rig run
    --journal` reads; in performance mode the file is full after two hours.
    """


@dataclass(frozen=True)
class MemoryConfig:
    """What memory keeps, once the wearer has said "remember what you see"."""

    retention_days: Annotated[float, Range(0.04, 3650, "days")] = 7.0
    """Views older than this are deleted, 0.04 to 3650 days; those that the wearer asked to keep stay."""
    max_bytes: Annotated[int, Range(1_000_000, 1_000_000_000_000, "bytes")] = 2 * 1024**3
    """Largest size of the store, 1_000_000 to 1_000_000_000_000 bytes; beyond it the oldest views are
    deleted, and those that the wearer asked to keep last.
    """
    activation_bytes: Annotated[int, Range(0, 1_000_000_000_000, "bytes")] = 64 * 1024**2
    """Largest size of the stored activations, from which views that stopped early are taken on: 0 to
    1_000_000_000_000 bytes. Beyond it the oldest are deleted, at every 64th view, and their views are taken
    on from their pictures. 0 stores none.
    """
    picture_px: Annotated[int, Range(64, 2048, "px")] = 384
    """Longer side of a stored picture, 64 to 2048 px."""
    picture_quality: Annotated[int, Range(30, 95)] = 80
    """JPEG quality of a stored picture, 30 to 95."""


@dataclass(frozen=True)
class GuardConfig:
    """The microcontroller's watchdog for this program."""

    deadline_s: Annotated[int, Range(5, 3600, "seconds", or_zero=True)] = 30
    """Time without a heartbeat after which the microcontroller warns, and 5 seconds later resets and then
    power-cycles the computer: 0, or 5 to 3600 seconds. Three heartbeats are sent in this time. 0 switches the
    watchdog off.
    """
    stall_s: Annotated[float, Range(1, 3600, "seconds")] = 120.0
    """Time without progress (sound read, a brick's work, a sentence begun) after which no heartbeat is sent,
    1 to 3600 seconds. It must exceed the time that the slowest model takes for one sentence.
    """


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
    memory: MemoryConfig = field(default_factory=MemoryConfig)


def load_config(path: Path | None) -> Config:
    """Reads `path`; None gives the defaults. Raises ConfigError for a missing file, bad TOML, unknown keys,
    wrong types, and a journal that can't be a file of its own.
    """
    try:
        config: Config = Config() if path is None else read_settings(Config, path)
    except SettingsError as error:
        raise ConfigError(str(error)) from error
    journal = config.journal.path
    if journal and (problem := _journal_problem(journal)) is not None:
        where = "The setting" if path is None else f"In {path},"
        raise ConfigError(f"{where} [journal] path is {json.dumps(journal, ensure_ascii=False)}: {problem}.")
    return config


def _journal_problem(text: str) -> str | None:
    """Why this can't be the journal's path; None if it can."""
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        return "there is no such home folder, so name a place in full (or set HOME)"
    if not path.name or path.name == ".." or os.path.isdir(path):
        return f"it must name a file, for example {path / 'journal.jsonl'}"
    if path.name in BESIDE_THE_JOURNAL:
        return "a file of that name is kept beside the journal, so give the journal another"
    return None


def with_pack(config: Config, name: str | None) -> Config:
    """The settings with `pack` set to `name`, else as it is, else to the pack that `headband models use`
    chose.
    """
    return replace(config, pack=name or config.pack or chosen_pack())
