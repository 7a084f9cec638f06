"""All utterances of the soak test, synthesised once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hw.audio.sound_and_picture_files import read_image, read_wav
from models.train.sound.espeak import Espeak
from tests.demo_files import DEMO, recording

_VIEWS = ("1-view.png", "2-viewb.png", "3-view.png", "2-viewa.png", "5-view.png", "5-view.png")
QUESTIONS = tuple((recording(str(number)), view) for number, view in enumerate(_VIEWS, 1))
WAKE_WORD, STOP = "okay nabu", "stop"
REQUESTS = (
    "set a timer for two minutes", "cancel the timer", "save power", "use full power",
    "choose the mode yourself", "choose the mode yourself", "choose the mode yourself", "louder", "quieter",
    "repeat that", "what time is it", "what mode are you in",
)  # fmt: skip
VOICES = ("en+Storm", "en-us+Storm", "en-029+Tweaky")
WORDS_PER_MINUTE = 200
LEVEL = 0.07
"""Root mean square of the speech, relative to full scale."""

Pcm = NDArray[np.int16]


class Voice:
    """The demo's questions with their pictures, and words in several voices."""

    def __init__(self) -> None:
        espeak = Espeak()
        self.questions = [(read_wav(DEMO / wav), read_image(DEMO / image)) for wav, image in QUESTIONS]
        self.said = {
            (text, voice): _loud(espeak.say(text, voice, WORDS_PER_MINUTE))
            for text in (WAKE_WORD, STOP, *REQUESTS)
            for voice in VOICES
        }


def _loud(speech: NDArray[np.float32]) -> Pcm:
    speech = speech / np.sqrt(np.mean(speech**2)) * LEVEL
    return np.clip(speech * 32767, -32768, 32767).astype(np.int16)
