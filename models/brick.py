"""Bricks: every model is `load() -> execute(request) -> release()`, with a placement and a memory need.

This module holds the values that travel between the main process and the bricks' processes, and the
protocol that a brick module fulfils. It imports nothing heavier than numpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

MICROPHONE_RATE_HZ = 16_000
"""Sample rate of all sound that a model is given; that of the microphone, `hw.device.MICROPHONE_RATE_HZ`."""


class Placement(Enum):
    """The part of the chip that runs a brick."""

    CPU = "cpu"
    NPU = "npu"
    GPU = "gpu"


@dataclass(frozen=True)
class BrickSpec:
    """What a pack says about one brick."""

    name: str
    """stt, vision, llm or tts"""
    placement: Placement
    """where it runs"""
    memory_mib: int
    """declared memory of its loaded, working process beyond the fork server's, MiB"""
    module: str
    """importable module with `create(options, context) -> Brick`; imported only in the brick's own process"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """file keys (absolute paths as text) and settings from the pack, merged"""


@dataclass(frozen=True)
class SlotRef:
    """A filled slot of the ring: where the rows lie, and which fill of the slot is meant.

    dtype: type of the values, "float32" or "float16".
    """

    index: int
    sequence: int
    tokens: int
    width: int
    dtype: str = "float32"


@dataclass(frozen=True, eq=False)
class Utterance:
    """Sound of one question. pcm: float32 [n], mono, 16 kHz, -1 to 1."""

    pcm: NDArray[np.float32]


@dataclass(frozen=True)
class Transcript:
    """What was said; empty when nothing was understood. probability: geometric mean over tokens, 0 to 1."""

    text: str
    probability: float


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture. rgb: uint8 [height, width, 3]. memory: its embedding is for memory, never dropped.
    deadline_s: after it (time.monotonic()) nobody needs the embedding of another any more.
    """

    rgb: NDArray[np.uint8]
    memory: bool = False
    deadline_s: float = math.inf


@dataclass(frozen=True, eq=False)
class Embedding:
    """One picture as decoder input: either the rows themselves or a reference to a ring slot that holds them.

    rows: float32 [tokens, width], C-contiguous.
    """

    rows: NDArray[np.float32] | None = None
    slot: SlotRef | None = None


@dataclass(frozen=True, eq=False)
class Prefill:
    """Pictures to take in ahead of the question about them, oldest first; their ring slots stay filled.

    state: the decoder will be gone by then, so what it made of the (one) picture goes out with the answers,
    more of it each time, for a `Prompt` to bring back.
    """

    images: tuple[Embedding, ...] = ()
    state: bool = False


@dataclass(frozen=True, eq=False)
class Prefilled:
    """The answer to a `Prefill`. n_tokens: positions that a prompt with these pictures need not feed. state:
    the decoder's, when that was asked for.
    """

    n_tokens: int
    state: bytes = b""


@dataclass(frozen=True, eq=False)
class Prompt:
    """A question about 0 or more pictures, oldest first. max_tokens: longest answer, in tokens."""

    question: str
    images: tuple[Embedding, ...] = ()
    max_tokens: int = 48
    ahead: Prefilled | None = None
    """What an earlier process of this decoder made of the picture."""
    history: tuple[tuple[str, str], ...] = ()
    """Questions and answers before, oldest first; the pack says how many of the last the decoder takes."""


@dataclass(frozen=True)
class TextPiece:
    """The next piece of an answer, as it is decoded."""

    text: str


@dataclass(frozen=True)
class Completion:
    """The whole answer, after its pieces. Prompt and answer lengths in tokens."""

    text: str
    n_prompt: int
    n_generated: int


@dataclass(frozen=True)
class Sentence:
    """Text to speak; what stands on a line of its own is synthesised on its own, so that the first can be
    heard while the next is made. length_scale: above 1 is slower.
    """

    text: str
    length_scale: float = 1.0


@dataclass(frozen=True, eq=False)
class AudioChunk:
    """Speech of one sentence. pcm: int16 [n], mono. sample_rate: Hz."""

    pcm: NDArray[np.int16]
    sample_rate: int


class BrickError(Exception):
    """A request that a brick refuses, in one sentence; the brick itself is well and stays loaded."""


class BrickBroken(BrickError):
    """A fault after which the brick's state is unknown, in one sentence; its process ends."""


class Cancelled(Exception):
    """Raised inside a brick when the request it works on has been cancelled."""


class RingView(Protocol):
    """What a brick needs of the ring; see models/ring/ring.py."""

    def allocate(self, tokens: int, width: int, *, memory: bool, dtype: str, deadline_s: float) -> Any: ...

    def acquire(self, ref: SlotRef) -> Any: ...


@dataclass
class Context:
    """What the process around a brick offers it."""

    cancelled: Callable[[], bool] = lambda: False
    """True once the request in work is cancelled; cheap, may be asked from any thread"""
    threads: int = 1
    """CPU threads this brick may use; may change between requests"""
    ring: RingView | None = None
    """the ring for image rows, when one is attached"""
    on_cancel: Callable[[], None] | None = None
    """set by a brick: called once, from another thread, at the moment of cancellation"""


class Brick(Protocol):
    """A model in its own process. All three are called from that process's main thread."""

    def load(self) -> None:
        """Read the model. Raises BrickError in one sentence for files it can't use."""

    def execute(self, request: Any) -> Iterator[Any]:
        """Answer one request, chunk by chunk. Raises Cancelled soon after `context.cancelled()` is true."""

    def release(self) -> None:
        """Give all model memory back. The object isn't used again afterwards."""
