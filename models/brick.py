"""Bricks: every model is `load() -> execute(request) -> release()`, with a placement and a declared memory.

This module defines the values that the main process and the bricks' processes exchange, and the protocol of a
brick module. It imports only numpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

MICROPHONE_RATE_HZ = 16_000
"""Sample rate of all sound that a model is given; that of the microphone, `hw.device.MICROPHONE_RATE_HZ`."""


class Placement(Enum):
    """Processor that runs a brick."""

    CPU = "cpu"
    NPU = "npu"
    GPU = "gpu"


@dataclass(frozen=True)
class BrickSpec:
    """One brick of a pack."""

    name: str
    """stt, vision, recall, text, reflex, motion, llm or tts"""
    placement: Placement
    """where it runs"""
    memory_mib: int
    """declared memory of its process beyond the pages shared with the fork server, loaded and working, MiB"""
    module: str
    """importable module with `create(options, context) -> Brick`; imported only in the brick's own process"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """file keys (absolute paths as text) and settings from the pack, merged"""


@dataclass(frozen=True)
class SlotRef:
    """Reference to the rows in one slot of the ring. sequence: number of the fill, so that a refilled slot is
    detected.

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


UNKNOWN_WORD = "??"


@dataclass(frozen=True)
class Transcript:
    """Recognised text, empty for none. probability: geometric mean over its tokens, 0 to 1. doubtful: less
    probable than what the pack's recogniser usually writes when it hears rightly. words: the probability of
    each word, the least of its tokens; none where the runtime does not tell.

    The word `UNKNOWN_WORD` in the text stands for one or more words that the recogniser does not know.
    """

    text: str
    probability: float
    doubtful: bool = False
    words: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture. rgb: uint8 [height, width, 3]. memory: the embedding is to be stored, so the ring must not
    drop it. deadline_s: time.monotonic() after which any other embedding may be dropped.
    """

    rgb: NDArray[np.uint8]
    memory: bool = False
    deadline_s: float = math.inf


@dataclass(frozen=True, eq=False)
class Embedding:
    """One picture as decoder input: its rows, or a reference to the ring slot that holds them.

    rows: float32 [tokens, width], C-contiguous.
    """

    rows: NDArray[np.float32] | None = None
    slot: SlotRef | None = None


@dataclass(frozen=True, eq=False)
class Activation:
    """One picture on its way through the encoder: the rows after `depth` blocks, by value or in a ring slot.

    depth: blocks passed, 0 after the stem; always the end of a group. encoder: identity of the encoder that
    gave it, `models.pack.chain.identity`; another encoder refuses it. rows: float32 or float16 [tokens,
    width], C-contiguous.
    """

    depth: int
    encoder: str
    rows: NDArray[Any] | None = None
    slot: SlotRef | None = None


@dataclass(frozen=True, eq=False)
class Encode:
    """Pictures to take through the stem and the first `depth` blocks, answered by one `Activation` for each,
    in order. The pictures pass each group of blocks together, so its weights are loaded once.

    frames: each uint8 [height, width, 3]. memory and deadline_s: of the answers' slots, as in `Frame`.
    """

    frames: tuple[NDArray[np.uint8], ...]
    depth: int
    memory: bool = False
    deadline_s: float = math.inf


@dataclass(frozen=True, eq=False)
class Resume:
    """Activations to take on to `depth` blocks, answered by one `Activation` for each, in order. They may
    come from different depths; one that is at `depth` already is answered as it is. Their ring slots stay
    filled. memory and deadline_s: of the answers' slots, as in `Frame`.
    """

    activations: tuple[Activation, ...]
    depth: int
    memory: bool = False
    deadline_s: float = math.inf


@dataclass(frozen=True, eq=False)
class Rows:
    """Activations of any depths to take through all remaining blocks, answered by one `Embedding` for each,
    in order. Their ring slots stay filled. memory and deadline_s: of the answers' slots, as in `Frame`.
    """

    activations: tuple[Activation, ...]
    memory: bool = False
    deadline_s: float = math.inf


@dataclass(frozen=True, eq=False)
class Embed:
    """Activations to place in the recall space, each by the exit at its own depth, answered by one `Recall`
    for each, in order. Their ring slots stay filled.
    """

    activations: tuple[Activation, ...]


@dataclass(frozen=True)
class Phrase:
    """Text to place in the recall space, answered by one `Recall`."""

    text: str


@dataclass(frozen=True, eq=False)
class Recall:
    """A place in the recall space, which pictures and phrases share: the more alike, the larger the dot
    product.

    vector: float32 [embedding], of length 1. depth: blocks that the picture has passed; the encoder's full
    depth for a phrase. encoder: identity of the encoder whose space this is. unknown: words of a phrase that
    its place says nothing of, as the encoder does not know them.
    """

    vector: NDArray[np.float32]
    depth: int
    encoder: str
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Prefill:
    """Pictures to evaluate before the question about them is known, oldest first; their ring slots stay
    filled.

    state: the decoder's process ends before the question, so each answer carries the decoder's state after
    part of the (one) picture, for a `Prompt` to restore.
    """

    images: tuple[Embedding, ...] = ()
    state: bool = False


@dataclass(frozen=True, eq=False)
class Prefilled:
    """The answer to a `Prefill`. n_tokens: positions already evaluated for a prompt with these pictures.
    state: the decoder's serialised state, when requested.
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
    """State of an earlier process of this decoder, with the picture prefilled."""
    history: tuple[tuple[str, str], ...] = ()
    """Earlier questions and answers, oldest first; the pack's `history_tokens` limits how many are used."""
    keep: bool = False
    """The pictures' ring slots stay filled, for a further question about them."""


@dataclass(frozen=True)
class TextPiece:
    """The next piece of an answer, as it is decoded. probability: the least of its tokens', 0 to 1."""

    text: str
    probability: float = 1.0


@dataclass(frozen=True)
class Completion:
    """The whole answer, after its pieces. Prompt and answer lengths in tokens. probability: the least of all
    tokens', 0 to 1.
    """

    text: str
    n_prompt: int
    n_generated: int
    probability: float = 1.0


@dataclass(frozen=True)
class Sentence:
    """Text to speak. Each line is synthesised separately, so that it can be played while the next is
    synthesised. length_scale: above 1 is slower.
    """

    text: str
    length_scale: float = 1.0


@dataclass(frozen=True, eq=False)
class AudioChunk:
    """Speech of one sentence. pcm: int16 [n], mono. sample_rate: Hz."""

    pcm: NDArray[np.int16]
    sample_rate: int


class BrickError(Exception):
    """A request that a brick refuses, in one sentence; the brick stays usable."""


class BrickBroken(BrickError):
    """A fault after which the brick's state is unknown, in one sentence; its process ends."""


class Cancelled(Exception):
    """Raised inside a brick when the request it works on has been cancelled."""


class RingView(Protocol):
    """The part of `models.ring.ring.Ring` that bricks use."""

    slots: int

    def allocate(self, tokens: int, width: int, *, memory: bool, dtype: str, deadline_s: float) -> Any: ...

    def acquire(self, ref: SlotRef) -> Any: ...

    def read(self, ref: SlotRef) -> NDArray[Any]: ...

    def peek(self, ref: SlotRef) -> AbstractContextManager[NDArray[Any]]: ...

    def discard(self, ref: SlotRef) -> None: ...


@dataclass
class Context:
    """What the child process provides to its brick."""

    cancelled: Callable[[], bool] = lambda: False
    """True once the current request is cancelled; cheap, may be called from any thread"""
    threads: int = 1
    """CPU threads this brick may use; may change between requests"""
    ring: RingView | None = None
    """the ring for image rows, None without one"""
    on_cancel: Callable[[], None] | None = None
    """set by a brick: called once, from another thread, at the moment of cancellation"""


class Brick(Protocol):
    """A model in its own process. All three are called from that process's main thread."""

    def load(self) -> None:
        """Read the model. Raises BrickError in one sentence for files it can't use."""

    def execute(self, request: Any) -> Iterator[Any]:
        """Answer one request, chunk by chunk. Raises Cancelled soon after `context.cancelled()` is true."""

    def release(self) -> None:
        """Free all model memory. The object is not used afterwards."""
