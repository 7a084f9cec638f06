"""Asks aloud: a whole headband on the emulated board, with voices that no training data has."""

from __future__ import annotations

import random
import sys
from collections.abc import AsyncIterator, Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host.answers.timers import Timers
from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import emulated_board
from models.pack.catalogue import Pack
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import (
    HELD_OUT_LANGUAGE,
    HELD_OUT_VARIANTS,
    VALIDATION_LANGUAGE,
    VALIDATION_VOICES,
)
from models.train.sound.recorded_voices.missing import Missing
from models.train.sound.recorded_voices.voices import HELD_OUT, PREFIX, Manner, RecordedVoices
from tests.eval.stranger.outcome import Outcome
from tests.eval.stranger.questions import Question
from tests.eval.stranger.render import render
from tests.host.workbench import change_settings

_LANGUAGES = (HELD_OUT_LANGUAGE, VALIDATION_LANGUAGE, "en", "en-us", "en-gb-x-rp", "en-gb-scotland")
ODD_VARIANTS = (
    "whisper", "whisperf", "croak", "AnxiousAndy", "Mr serious", "kaukovalta", "ian", "robosoft", "UniRobot",
)  # fmt: skip
VOICES = {
    "usual": tuple(f"{language}+{variant}" for language in _LANGUAGES for variant in HELD_OUT_VARIANTS),
    "odd": tuple(f"{language}+{variant}" for language in _LANGUAGES for variant in ODD_VARIANTS),
    "validation": VALIDATION_VOICES,
    **{program: tuple(Manner(each).name for each in speakers) for program, speakers in HELD_OUT.items()},
}
VOICES["recorded"] = tuple(chain.from_iterable(VOICES[program] for program in HELD_OUT))
"""usual: held-out speakers with six accents; odd: whispers, croaks and robots, which do not train, from very
low to as high as a child; validation: those with which thresholds are chosen; flite, rhvoice: by another
program, where it is installed, from recordings of two and of four people; recorded: of these six.
"""
RECORDED = (*HELD_OUT, "recorded")
NOISES = ("room", "pink", "babble")
_QUIET_S, _AFTER_S = 0.5, 1.0
_CONFIG = Config(
    answer=AnswerConfig(earcons=False), listen=ListenConfig(follow_up_s=0.0), journal=JournalConfig(path="")
)
_TALK = (
    "and then he told me that the house had been sold", "we could take the early train on thursday",
    "nobody knows where the money went", "the children were playing behind the church",
)  # fmt: skip


def programs_of(voices: str) -> RecordedVoices:
    """The programs that speak these recorded voices, of `VOICES`, started. Raises SystemExit, 2 with one
    sentence, for one that is not installed.
    """
    recorded = RecordedVoices()
    try:
        for program in HELD_OUT:
            if voices in (program, "recorded"):
                recorded.start(program)
    except Missing as missing:
        print(missing, file=sys.stderr)
        raise SystemExit(2) from None
    return recorded


class Speaker:
    """Speaks questions over background sound. noise: one of `NOISES`; snr_db: of speech over it."""

    def __init__(self, seed: int, voices: str, noise: str, snr_db: float) -> None:
        """Raises SystemExit, 2 with one sentence, for voices of a program that is not installed."""
        self._recorded = programs_of(voices)
        self._espeak, self._rng = Espeak(), random.Random(f"stranger speaks {seed}")
        self._noise_rng = np.random.default_rng(seed)
        self._voices, self._noise, self._snr_db = VOICES[voices], noise, snr_db
        self._pitch = (10, 99) if voices == "odd" else (35, 65)

    def say(self, text: str) -> tuple[NDArray[np.int16], str]:
        """int16 [n] at 16 kHz with silence around it, and the voice."""
        voice = self._rng.choice(self._voices)
        speech = self._spoken(text, voice)
        padded = np.pad(speech, (int(_QUIET_S * MICROPHONE_RATE_HZ), int(_AFTER_S * MICROPHONE_RATE_HZ)))
        level = float(np.sqrt(np.mean(speech**2))) * 10 ** (-self._snr_db / 20)
        mixed = (padded + self._background(len(padded)) * level) * self._rng.uniform(0.35, 0.9)
        return (np.clip(mixed, -1, 1) * 32767).astype(np.int16), voice

    def _spoken(self, text: str, voice: str) -> NDArray[np.float32]:
        pace, pitch = self._rng.randint(140, 200), self._rng.randint(*self._pitch)
        if voice.startswith(f"{PREFIX}:"):
            return self._recorded.say(text, Manner.of(voice), pace)
        return self._espeak.say(text, voice, pace, pitch)

    def _background(self, length: int) -> NDArray[np.float32]:
        """Unit root mean square, float32 [length]."""
        if self._noise == "babble":
            total: NDArray[Any] = np.zeros(length)
            for text in self._rng.sample(_TALK, 3):
                talk = self._spoken(text, self._rng.choice(VOICES["usual"]))
                total += np.roll(np.resize(talk, length), self._rng.randrange(length))
        else:
            spectrum = np.fft.rfft(self._noise_rng.standard_normal(length))
            hertz = np.maximum(np.fft.rfftfreq(length, 1 / MICROPHONE_RATE_HZ), 30.0)
            total = np.fft.irfft(spectrum / hertz ** (0.5 if self._noise == "pink" else 0.9), length)
        return (total / np.sqrt(np.mean(total**2))).astype(np.float32)


async def ask_by_voice(pack: Pack, questions: Iterable[Question], speaker: Speaker) -> AsyncIterator[Outcome]:
    """The outcome of each question. Settings are as new before each."""
    board = emulated_board(real_time=False, sound_card=False)
    try:
        async with Headband(board, pack, _CONFIG) as headband:
            for question in questions:
                number = headband.state.settings.timers.next_number
                change_settings(
                    headband, volume_percent=55, slowness=1.0, request=None, recording=True,
                    timers=Timers(next_number=number),
                )  # fmt: skip
                headband.recent_views.forget()
                for frame, picture in enumerate(question.pictures):
                    board.camera.show(render(picture, frame))
                    await headband.recent_views.look()
                sound, voice = speaker.say(question.text)
                board.microphone.say(sound)
                turn = await headband.ask()
                yield Outcome(question, turn.transcript, turn.answer, voice)
    finally:
        await board.close()
