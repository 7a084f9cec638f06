"""The eye, the text tower and the decoder of a pack, loaded in this process."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host.answers.seen.evidence import Evidence, weighed
from host.answers.seen.written import asks_what_is_written
from models.brick import (
    Activation,
    Brick,
    BrickError,
    BrickSpec,
    Completion,
    Context,
    Embed,
    Embedding,
    Encode,
    Frame,
    Phrase,
    Prompt,
    Resume,
    Rows,
)
from models.bricks import llm
from models.bricks.reader import TextReader
from models.detection import Detect, Detection
from models.pack.catalogue import Pack
from models.pack.chain import Chain, chain_of
from models.reading import Reading
from models.sensing.picture_quality import quality_of
from tests.eval.eye.page import Lacks

Rgb = NDArray[np.uint8]
Detects = Callable[[Embedding], Detection | None]
Reads = Callable[[str, Rgb], Reading | None]
_MAX_TOKENS = 48


def create(spec: BrickSpec, **settings: Any) -> Brick:
    """A brick of a pack, not yet loaded; `settings` replace the pack's."""
    module = importlib.import_module(spec.module)
    brick: Brick = module.create({**spec.options, **settings}, Context())
    return brick


@contextmanager
def loaded(spec: BrickSpec, **settings: Any) -> Iterator[Brick]:
    """A loaded brick."""
    brick = create(spec, **settings)
    brick.load()
    try:
        yield brick
    finally:
        brick.release()


def chain_in(pack: Pack) -> Chain:
    """The pack's chain. Raises Lacks."""
    if "vision" not in pack.bricks:
        raise Lacks(f"Pack '{pack.name}' has no eye.")
    chain = chain_of(pack.bricks["vision"].options)
    if chain is None:
        raise Lacks(f"The eye of pack '{pack.name}' is one graph, without depths at which it could stop.")
    return chain


def with_text(pack: Pack) -> Chain:
    """The chain of a pack with exits and a text tower. Raises Lacks."""
    if "text" not in pack.bricks:
        raise Lacks(f"Pack '{pack.name}' has no text tower.")
    chain = chain_in(pack)
    if not chain.exits:
        raise Lacks(f"The eye of pack '{pack.name}' has no exits.")
    return chain


class Eye:
    """The requests of a vision brick as functions."""

    def __init__(self, brick: Brick) -> None:
        self.brick = brick

    def look(self, frame: Rgb) -> Embedding:
        """The decoder's rows of one picture, through the whole encoder."""
        (found,) = self.brick.execute(Frame(frame))
        return found

    def encode(self, frames: Sequence[Rgb], depth: int) -> tuple[Activation, ...]:
        """Activations after so many blocks."""
        return tuple(self.brick.execute(Encode(tuple(frames), depth)))

    def resume(self, activations: Sequence[Activation], depth: int) -> tuple[Activation, ...]:
        """The same, deeper."""
        return tuple(self.brick.execute(Resume(tuple(activations), depth)))

    def rows(self, activations: Sequence[Activation]) -> tuple[Embedding, ...]:
        """The decoder's rows of activations."""
        return tuple(self.brick.execute(Rows(tuple(activations))))

    def embed(self, activations: Sequence[Activation]) -> NDArray[np.float32]:
        """Places in the recall space, float32 [activations, embedding]."""
        return np.stack([each.vector for each in self.brick.execute(Embed(tuple(activations)))])


def phrases(brick: Brick, texts: Sequence[str]) -> NDArray[np.float32]:
    """Places of texts in the recall space, float32 [texts, embedding]."""
    return np.stack([next(iter(brick.execute(Phrase(text)))).vector for text in texts])


@contextmanager
def decoder_of(pack: Pack) -> Iterator[Brick]:
    """The pack's decoder at this process's niceness. Raises Lacks."""
    if "llm" not in pack.bricks:
        raise Lacks(f"Pack '{pack.name}' has no decoder.")
    llm.NICENESS = 0  # the brick's niceness would apply to this process until its end
    with loaded(pack.bricks["llm"]) as brick:
        yield brick


@contextmanager
def detector_of(pack: Pack) -> Iterator[Detects]:
    """What the pack's object detector makes of rows; of a pack without one, nothing."""
    if pack.detection is None:
        yield lambda image: None
        return

    with loaded(pack.bricks["reflex"]) as brick:

        def detects(image: Embedding) -> Detection | None:
            (found,) = brick.execute(Detect(image))
            return found if isinstance(found, Detection) else None

        yield detects


def reader_of(pack: Pack) -> Reads:
    """What the pack's text reader reads in a picture where a question asks for it; of a pack without one,
    nothing.
    """
    if pack.reading is None:
        return lambda question, rgb: None
    reader = TextReader(Path(pack.bricks["reflex"].options["reader"]), Context())
    return lambda question, rgb: reader.read(rgb) if asks_what_is_written(question) else None


def checked_answer(
    said: str,
    probability: float,
    question: str,
    detection: Detection | None,
    pack: Pack,
    reading: Reading | None = None,
    picture: Rgb | None = None,
) -> tuple[str, float]:
    """The decoder's answer with its probability, as the headband says it once the text reader and the object
    detector have checked it. picture: whose quality counts too.
    """
    cause = "" if picture is None else quality_of(picture).cause
    evidence = Evidence(() if detection is None else (detection,), reading, cause)
    verdict = weighed(said, probability, question, evidence, pack.detection, pack.reading).verdict
    return (said, probability) if verdict is None else (verdict.said, verdict.probability)


def answer(decoder: Brick, question: str, image: Embedding) -> str:
    """The decoder's answer, or the sentence of its refusal."""
    return completed(decoder, question, image)[0]


def completed(decoder: Brick, question: str, image: Embedding) -> tuple[str, float]:
    """The same, and the least probability of its tokens."""
    said, probability = "", 1.0
    try:
        for chunk in decoder.execute(Prompt(question, (image,), _MAX_TOKENS)):
            if isinstance(chunk, Completion):
                said, probability = chunk.text, chunk.probability
    except BrickError as error:
        return str(error), 1.0
    return said, probability
