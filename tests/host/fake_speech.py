"""A recogniser and a voice without models, for scenes that are about neither: one brick of either kind takes
as long to start as all that the rest of a headband does in a question.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from models.brick import AudioChunk, Context, Sentence, Transcript, Utterance
from models.pack.catalogue import Pack, load_pack
from tests.demo_files import COLOUR, words

RATE_HZ = 22_050
CHARACTERS_PER_S = 15.0
"""About what the voice of the micro pack says."""


class FakeSpeech:
    """Reads the words of the option `reads` whatever it hears, and says each sentence as a low hum."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options, self._context = options, context

    def load(self) -> None:
        """There is nothing to load."""

    def execute(self, request: Utterance | Sentence) -> Iterator[Transcript | AudioChunk]:
        if isinstance(request, Utterance):
            yield Transcript(self._options["reads"], 0.99)
            return
        for sentence in filter(None, re.split(r"(?<=[.!?])\s+|\n", request.text)):
            at_s = np.arange(round(len(sentence) / CHARACTERS_PER_S * RATE_HZ)) / RATE_HZ
            yield AudioChunk((2000 * np.sin(2 * np.pi * 200 * at_s)).astype(np.int16), RATE_HZ)

    def release(self) -> None:
        """There is nothing to free."""


def create(options: Mapping[str, Any], context: Context) -> FakeSpeech:
    """The brick, not yet loaded."""
    return FakeSpeech(options, context)


def without_speech_models(
    pack: Pack | None = None, *, bricks: Collection[str] = ("stt", "tts"), without: Collection[str] = ()
) -> Pack:
    """The micro pack, or another, with this recogniser, which reads the words of the recording `COLOUR`, and
    this voice, or one of the two. `without`: bricks to leave out.
    """
    pack = pack or load_pack("micro")
    kept = {name: spec for name, spec in pack.bricks.items() if name not in without}
    for name in bricks:
        options = {**kept[name].options, "reads": words(COLOUR[0])[0]}
        kept[name] = replace(kept[name], module=__name__, options=options)
    return replace(pack, bricks=kept)


@functools.cache
def unasked() -> Pack:
    """The micro pack with what a headband needs that is asked nothing."""
    return without_speech_models(without=("motion", "reflex"))
