"""Shows a stranger's clips to a pack's own bricks, and asks about them: by family, and in words."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from host.answers.motion import READ, ClipAsked, clip_asked, sentence
from host.language.router import Router
from host.language.understanding import understand
from models.brick import Activation, Brick, Encode, Resume
from models.clip import ClipAnswer, ClipQuestion, Unit, read_at
from models.pack.catalogue import Pack
from models.sensing.registration import small_picture
from tests.eval.eye.pieces import loaded
from tests.eval.stranger_clips.film import Film, developed
from tests.eval.stranger_clips.judges import Verdict, verdict
from tests.eval.stranger_clips.truth import Truth, decided
from tests.eval.stranger_clips.wordings import worded


@dataclass(frozen=True)
class InWords:
    """A question in words. read: whether the product takes it for the question that it is. said: the answer
    to what it takes it for, "" where that is no question about the last seconds.
    """

    text: str
    read: bool
    said: str


@dataclass(frozen=True)
class Asked:
    """One question with what was said to it, from units after `depth` blocks.

    likeliest: the sentence of the brick's best answer, with the family and things given; given: the same
    where the pack is sure enough, else that it is not sure. documented, own: asked in words.
    """

    depth: int
    film: Film
    truth: Truth
    likeliest: str
    given: str
    documented: InWords
    own: InWords

    @property
    def right(self) -> bool:
        """The best answer is true."""
        return verdict(self.truth, self.likeliest) == "right"

    @property
    def told(self) -> Verdict:
        """Of what is said with the family given."""
        return verdict(self.truth, self.given)


def ask_about(
    pack: Pack, films: Sequence[Film], depths: Sequence[int], rng: random.Random
) -> Iterator[Asked]:
    """Every question that each film decides, at each of rising depths."""
    router, spec = Router(), pack.bricks["motion"]
    with loaded(pack.bricks["vision"]) as eye, loaded(spec) as brick:
        for number, film in enumerate(films):
            truths = decided(film, rng)
            texts = [(worded(truth, rng, own=False), worded(truth, rng, own=True)) for truth in truths]
            pictures = tuple(developed(film))
            small = [small_picture(each) for each in pictures]
            units = tuple(eye.execute(Encode(pictures, depths[0])))
            at_depths: dict[int, tuple[Activation, ...]] = {}
            for place, depth in enumerate(depths):
                units = tuple(eye.execute(Resume(units, depth)))
                at_depths[depth] = tuple(each for each in units if isinstance(each, Activation))
                clip = number * len(depths) + place
                for read in read_at(spec.options, depth):
                    for unit, taken_s, each in zip(at_depths[read], film.times_s, small, strict=True):
                        list(brick.execute(Unit(unit, taken_s, clip, each)))
                showing = _Showing(pack, brick, router, clip)
                for truth, (documented, own) in zip(truths, texts, strict=True):
                    asked = ClipAsked(truth.family, truth.thing, truth.other)
                    yield Asked(
                        depth, film, truth, showing.said(asked, sure=True), showing.said(asked),
                        showing.in_words(documented, asked), showing.in_words(own, asked),
                    )  # fmt: skip


@dataclass(frozen=True)
class _Showing:
    """A clip that the brick has just seen."""

    pack: Pack
    brick: Brick
    router: Router
    clip: int

    def said(self, asked: ClipAsked, *, sure: bool = False) -> str:
        """The answer as it is said. sure: however unlikely."""
        least = {} if sure else self.pack.bricks["motion"].options["least"]
        question = ClipQuestion(asked.family, asked.thing, asked.other, self.clip)
        (answer,) = self.brick.execute(question)
        assert isinstance(answer, ClipAnswer)
        return sentence(asked, answer, least)

    def in_words(self, text: str, asked: ClipAsked) -> InWords:
        """The same from a text that asks it."""
        understood = understand(text, self.router, clips=True, usual=self.pack.usual_wording)
        read = clip_asked(understood.decision)
        if read is None or read.family == READ:
            return InWords(text, False, "")
        return InWords(text, read == asked, self.said(read))
