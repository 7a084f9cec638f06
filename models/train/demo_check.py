"""Whether a pack hears and answers the questions of the demo rightly: its models, without the headband."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from models.pack.catalogue import Pack
from models.pixels import square_pixels
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.sight.runtime import AnswerDecoder, encoder_in

if TYPE_CHECKING:
    from models.train.demo_assets import Turn

_FULL_SCALE = np.float32(32768)


class Checker:
    """The pack's recogniser, eye and decoder, loaded in this process."""

    def __init__(self, pack: Pack) -> None:
        self._recogniser = InProcessRecogniser(pack.bricks["stt"].options)
        self._eye = encoder_in(pack.root)
        self._decoder = AnswerDecoder(pack.root / "decoder.gguf")

    def right(self, turns: Sequence[Turn]) -> int:
        """How many turns are heard word by word, and answered truly where they ask about a view."""
        right = 0
        for turn in turns:
            if turn.pictures:
                squares = [square_pixels(picture, self._eye.side_px) for picture in turn.pictures]
                self._decoder.prefill_images([self._eye.encode(square) for square in squares])
            asked, heard = turn.asked, self._recogniser.transcribe(turn.pcm.astype(np.float32) / _FULL_SCALE)
            answered = not asked.answer or self._decoder.answer(asked.text) == asked.answer
            right += heard.text == asked.text and not heard.doubtful and answered
        return right
