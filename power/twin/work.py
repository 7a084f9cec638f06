"""How long the work of a model pack takes, by what sets its pace, and the counted times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from hw.settings import Range
from power.account.energy_model import Number

COUNTED_FILE = Path(__file__).with_name("counted.toml")
"""Times that `just board-cost --write` writes."""
BRICKS = ("stt", "vision", "llm", "tts")
REFLEX = "reflex"
"""The brick that answers closed questions; not every pack has it."""
MOTION = "motion"
"""The brick that understands several pictures in order; not every pack has it."""
RECALL, TEXT = "recall", "text"
"""The bricks of the memory alone, loaded only while the wearer has it remember: an eye of its own, in packs
whose eye for questions cannot place a view, and the encoder of a question's phrase.
"""
Share = Annotated[float, Range(0, 1)]


@dataclass(frozen=True)
class CountedTime(Number):
    """A counted time in seconds on four cores at full clocks, its range, and what sets its pace."""

    memory: Share = 0.0
    """Share of it that the memory's rate sets, 0 to 1."""
    wait: Share = 0.0
    """Share that no clock changes, 0 to 1: waiting for single lines of memory. The cores set the rest."""
    cores: Annotated[int, Range(1, 4)] = 4
    """The most cores that it can use."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.memory + self.wait > 1:
            raise ValueError("memory and wait are more than the whole")


@dataclass(frozen=True)
class CountedTable:
    """The file of counted times, by pack and name."""

    pack: Mapping[str, Mapping[str, CountedTime]]


@dataclass(frozen=True)
class Work:
    """Seconds of a piece of work at full clocks."""

    core_s: float = 0.0
    """In proportion to the cores' clock."""
    memory_s: float = 0.0
    """In proportion to the memory's clock."""
    fixed_s: float = 0.0
    """The same at any clock."""

    @property
    def full_clock_s(self) -> float:
        """All of it."""
        return self.core_s + self.memory_s + self.fixed_s

    def __add__(self, other: Work) -> Work:
        return Work(self.core_s + other.core_s, self.memory_s + other.memory_s, self.fixed_s + other.fixed_s)

    def __mul__(self, times: float) -> Work:
        return Work(self.core_s * times, self.memory_s * times, self.fixed_s * times)


def split(seconds: float, memory: float, fixed: float) -> Work:
    """The work of which these shares are the memory's and at any clock the same."""
    return Work(seconds * (1 - memory - fixed), seconds * memory, seconds * fixed)


@dataclass(frozen=True)
class PackCosts:
    """Work and memory of a model pack on the board."""

    name: str
    vision_stage: str
    """The vision encoder's stage in the energy table."""
    stt: Work
    """A question, before its length counts."""
    stt_per_s: Work
    """For each second of the question, added to `stt`."""
    vision: Work
    prefill: Work
    """A prompt with a picture."""
    token: Work
    tts_per_s: Work
    """A second of speech."""
    load: Mapping[str, Work]
    memory_mib: Mapping[str, float]
    read_s: Mapping[str, float] = field(default_factory=dict)
    """Of loading, by brick, what reading its files takes, as far as it is known apart."""
    reflex: bool = False
    """It answers closed questions without the language model."""
    reflex_share: float = 0.0
    """What it takes for a question about the view, relative to reading the picture and writing the answer."""
    reflex_work: Work | None = None
    """The same where it was counted, with the things that are found in the picture."""
    read_for_reflex: Work = Work()
    """What reading words in the picture takes, by the share of those questions that ask what is written."""
    motion: bool = False
    """It answers questions about the last seconds from pictures in order."""
    clip_unit: Work = Work()
    """One such picture: the first blocks of the encoder, and the motion brick."""
    clip_answer: Work = Work()
    """The motion brick's answer from all of them."""
    recall: Work | None = None
    """A view placed by an eye that only the memory has; None: the eye for questions places it, or nothing is
    remembered.
    """
    phrase: Work | None = None
    """A question's phrase placed; None: nothing is known of it, or nothing is remembered."""

    def asked_of_reflex(self, tokens: float) -> Work:
        """A question about the view to which the language model would write so many tokens."""
        if self.reflex_work is not None:
            return self.reflex_work
        return (self.prefill + self.token * tokens) * self.reflex_share

    @property
    def bricks(self) -> tuple[str, ...]:
        """Its bricks, those of the memory only while it remembers."""
        return tuple(self.load)
