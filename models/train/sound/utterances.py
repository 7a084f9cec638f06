"""Synthesised clips with transcripts: questions, other speech, noise and silence.

A clip is at most 5.12 s, the window of the micro recogniser. It begins with 0-0.6 s and ends with 0.1-0.7 s
without speech. About 30 % of the questions follow the wake word, or its last 100-500 ms, in the same voice,
because a recording starts shortly before the wake word is detected; the transcript does not contain it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import (
    DRAWN_ACCENTS,
    DRAWN_SPEAKERS,
    PLAIN_VOICES,
    TRAIN_LANGUAGES,
    TRAIN_VARIANTS,
    VOICES,
)
from models.train.sound.noise import KINDS, add_noise, in_a_room, make_noise
from models.train.sound.other_speech import OtherSpeech
from models.train.sound.recorded_voices.voices import (
    FESTIVAL,
    FLITE,
    PICO,
    PREFIX,
    RHVOICE,
    Manner,
    RecordedVoices,
    random_manner,
)
from models.train.sound.sentences import cut_short, sentence, spliced
from models.train.sound.transcripts import transcript, vocabulary_words
from models.train.world.out_of_grammar import TEST_SENTENCES
from models.train.world.said.everyone import everyone_sentence

MAX_S = 5.12
SPLICED_SHARE, CUT_SHARE, ONE_WORD_SHARE = 0.35, 0.08, 0.04
"""Shares of the training questions that are spliced from two, that end too early, and that are one word or
two, as answers to what the headband asks back are.
"""
ROOM_SHARE = 0.35
"""Share of the training clips that are said in a room, whose walls give sound back."""
PAUSE_SHARE, PAUSE_S = 0.12, (0.25, 1.1)
"""Share of the training questions in which the speaker stops once, and for how long: nothing is to be written
twice because of it.
"""
KEPT_BACK_SHARE = 0.3
"""Share of the validation questions that are of people whom training has not."""
BABBLE_SHARE = 0.3
"""Share of babble among the sounds that are added to speech."""
WAKE_WORDS = ("okay nabu", "alexa", "hey jarvis", "hey mycroft")
_SEEDS = {"train": 1, "validation": 2, "test": 3}


@dataclass(frozen=True)
class LabelledClip:
    """pcm: float32 [n] at 16 kHz in [-1, 1]; text: transcript; family: kind of question or of other sound;
    voice: of espeak-ng or a recorded one; snr_db: None without added noise.
    """

    pcm: np.ndarray
    text: str
    family: str
    voice: str
    snr_db: float | None


class ClipGenerator:
    """Generates clips of one split; the same split and index always give the same clips.

    recorded_share: of the training clips, so many are in recorded voices. voices: in place of the split's
    own, where there are any.
    """

    def __init__(self, split: str, recorded_share: float = 0.0, voices: Sequence[str] = ()) -> None:
        """Raises `recorded_voices.missing.Missing` for recorded voices that are not installed."""
        self._split = split
        self._recorded_share = recorded_share if split == "train" else 0.0
        self._recorded = RecordedVoices()
        if self._recorded_share:
            for program in (FLITE, RHVOICE, PICO, FESTIVAL):
                self._recorded.start(program)
        self._espeak = Espeak(more_speakers=split == "train")
        self._voices = tuple(voices) or VOICES[split]
        self._any_words = sorted(vocabulary_words())
        self._other = OtherSpeech(split, self._espeak.phonemes, self._question_text)
        rng, noise_rng = random.Random(_SEEDS[split]), np.random.default_rng(_SEEDS[split])
        self._noises = {
            kind: [make_noise(kind, noise_rng, 10 * MICROPHONE_RATE_HZ, ()) for _ in range(8)]
            for kind in KINDS
            if kind != "babble"
        }
        self.draw_babble(rng, noise_rng)

    def _question_text(self, rng: random.Random) -> str:
        return sentence(rng, "train" if self._split == "train" else "held")[0]

    def _other_text(self, rng: random.Random) -> str:
        return rng.choice(TEST_SENTENCES) if self._split == "test" else self._other.sentence(rng)

    def draw_babble(self, rng: random.Random, noise_rng: np.random.Generator) -> None:
        """New babble for the clips that follow, of speakers of this split who say questions as well as other
        sentences.
        """
        lines = [
            self._line(
                self._other_text(rng) if number % 2 else self._question_text(rng), self._voice(rng), rng
            )
            for number in range(40)
        ]
        lines = [each for each in lines if len(each)]
        self._noises["babble"] = [
            make_noise("babble", noise_rng, 10 * MICROPHONE_RATE_HZ, lines) for _ in range(12)
        ]

    def _line(self, text: str, voice: str, rng: random.Random, pause_s: float = 0.0) -> np.ndarray:
        """The text in that voice at a random rate and pitch; faster where it is too long for the window.
        pause_s: of a pause between two of its words.
        """
        rate = rng.randint(130, 210)
        pitch, pitch_range = self._pitch(rng), rng.randint(20, 80)
        words = text.split()
        split = rng.randint(1, len(words) - 1) if pause_s and len(words) > 1 else 0
        parts = [" ".join(words[:split]), " ".join(words[split:])] if split else [text]
        pause = np.zeros(int(pause_s * MICROPHONE_RATE_HZ) if split else 0, np.float32)
        while True:
            said = [self._say(part, voice, rate, pitch, pitch_range) for part in parts]
            samples = said[0] if len(said) == 1 else np.concatenate([said[0], pause, said[1]])
            if len(samples) <= (MAX_S - 0.2) * MICROPHONE_RATE_HZ or rate >= 260:
                return samples
            rate += 30

    def _say(self, text: str, voice: str, rate: int, pitch: int, pitch_range: int) -> np.ndarray:
        if voice.startswith(f"{PREFIX}:"):
            return self._recorded.say(text, Manner.of(voice), rate)
        return self._espeak.say(text, voice, rate, pitch, pitch_range)

    def draw_speakers(self, index: int) -> None:
        """New speakers for the clips that follow; the same for the same index."""
        self._espeak.draw_speakers(index)

    def clips(self, index: int, count: int) -> list[LabelledClip]:
        """Clips of batch `index`: 74 % questions, 18 % other speech, 8 % no speech."""
        seed = 1_000_003 * _SEEDS[self._split] + index
        rng, noise_rng = random.Random(seed), np.random.default_rng(seed)
        self.draw_speakers(index)
        self.draw_babble(rng, noise_rng)
        made: list[LabelledClip] = []
        while len(made) < count:
            kind = rng.random()
            if kind < 0.08:
                made.append(self.nothing(rng, noise_rng))
                continue
            made.append(self.other(rng, noise_rng) if kind < 0.26 else self.question(rng, noise_rng))
        return made

    def sentence(self, rng: random.Random) -> tuple[str, str]:
        """A sentence that the wearer says, as training has them, and its family."""
        text, family = sentence(rng, "train" if self._split == "train" else "held", self._any_words)
        if self._split == "train" and rng.random() < SPLICED_SHARE:
            text = spliced(rng, self._any_words)
        return text, family

    def question(self, rng: random.Random, noise_rng: np.random.Generator) -> LabelledClip:
        """A sentence that the wearer says: a held-out one, unless the split is "train"."""
        text, family = sentence(rng, "train" if self._split == "train" else "held", self._any_words)
        if self._split == "validation" and rng.random() < KEPT_BACK_SHARE:
            text, family = everyone_sentence(rng, self._split), "everyone"
        kind = rng.random()
        if self._split == "train" and kind < SPLICED_SHARE:
            text = spliced(rng, self._any_words)
        elif self._split == "train" and kind < SPLICED_SHARE + CUT_SHARE:
            text = cut_short(text, rng)
        elif self._split == "train" and kind < SPLICED_SHARE + CUT_SHARE + ONE_WORD_SHARE:
            text, family = " ".join(rng.sample(self._any_words, rng.choice((1, 1, 2)))), "one word"
        return self.said(text, family, rng, noise_rng)

    def said(
        self, text: str, family: str, rng: random.Random, noise_rng: np.random.Generator
    ) -> LabelledClip:
        """That sentence by a speaker of the split, over its sounds."""
        voice = self._voice(rng)
        stops = self._split == "train" and rng.random() < PAUSE_SHARE
        speech = self._line(text, voice, rng, rng.uniform(*PAUSE_S) if stops else 0.0)
        if rng.random() < 0.3:
            speech = self._after_wake_word(speech, voice, rng)
        return self.finished(speech, transcript(text), family, voice, rng, noise_rng)

    def other(self, rng: random.Random, noise_rng: np.random.Generator) -> LabelledClip:
        """Speech outside the grammar, its transcript marked; or only the wake word, without a transcript."""
        if rng.random() < 0.1:
            text, written = rng.choice(WAKE_WORDS), ""
        else:
            text = self._other_text(rng)
            written = transcript(text)
        voice = self._voice(rng)
        speech = self._line(text, voice, rng)
        return self.finished(speech, written, "other speech", voice, rng, noise_rng)

    def nothing(self, rng: random.Random, noise_rng: np.random.Generator) -> LabelledClip:
        """Silence or background sound without speech."""
        n = int(rng.uniform(0.5, MAX_S) * MICROPHONE_RATE_HZ)
        pcm = (noise_rng.standard_normal(n) * 10.0 ** rng.uniform(-5.0, -3.5)).astype(np.float32)
        if rng.random() < 0.15:
            pcm[:] = 0.0
        elif rng.random() < 0.85:
            pcm += self._noise(rng, n) * 10.0 ** rng.uniform(-3.5, -0.8)
        return LabelledClip(np.clip(pcm, -1.0, 1.0), "", "no speech", "", None)

    def _pitch(self, rng: random.Random) -> int:
        """espeak-ng's pitch, 0 to 100; one speaker in ten is high like a child or very low."""
        if rng.random() < 0.1:
            return rng.choice((rng.randint(0, 15), rng.randint(85, 99), rng.randint(85, 99)))
        return rng.randint(25, 75)

    def _voice(self, rng: random.Random) -> str:
        if self._split != "train":
            return rng.choice(self._voices)
        if self._recorded_share and rng.random() < self._recorded_share:
            return random_manner(rng).name
        if rng.random() < 0.08:
            return rng.choice(PLAIN_VOICES)
        language = rng.choice(DRAWN_ACCENTS if rng.random() < 0.45 else TRAIN_LANGUAGES)
        variant = rng.choice(DRAWN_SPEAKERS if rng.random() < 0.6 else TRAIN_VARIANTS)
        return f"{language}+{variant}".rstrip("+")

    def _after_wake_word(self, speech: np.ndarray, voice: str, rng: random.Random) -> np.ndarray:
        wake = self._line(rng.choice(WAKE_WORDS), voice, rng)
        if rng.random() < 0.6:
            wake = wake[-int(rng.uniform(0.1, 0.5) * MICROPHONE_RATE_HZ) :]
        gap = np.zeros(int(rng.uniform(0.0, 0.3) * MICROPHONE_RATE_HZ), np.float32)
        joined = np.concatenate([wake, gap, speech])
        return joined if len(joined) <= (MAX_S - 0.15) * MICROPHONE_RATE_HZ else speech

    def _snr_db(self, rng: random.Random) -> float:
        """Uniform from 5 to 30 dB; in training from 1 to 30 dB, most often near 7."""
        return rng.triangular(1.0, 30.0, 7.0) if self._split == "train" else rng.uniform(5.0, 30.0)

    def _noise(self, rng: random.Random, n: int) -> np.ndarray:
        kind = "babble" if rng.random() < BABBLE_SHARE else rng.choice(KINDS)
        noise = rng.choice(self._noises[kind])
        start = rng.randrange(len(noise) - n)
        return noise[start : start + n]

    def finished(
        self,
        speech: np.ndarray,
        text: str,
        family: str,
        voice: str,
        rng: random.Random,
        noise_rng: np.random.Generator,
    ) -> LabelledClip:
        """A clip of that speech, float32 [n] at 16 kHz: in a room or not, over sounds, at some level."""
        limit = int(MAX_S * MICROPHONE_RATE_HZ)
        speech = speech[: limit - int(0.1 * MICROPHONE_RATE_HZ)]
        room = limit - len(speech)
        after = min(room, int(rng.uniform(0.1, 0.7) * MICROPHONE_RATE_HZ))
        before = min(room - after, int(rng.uniform(0.0, 0.6) * MICROPHONE_RATE_HZ))
        pcm = np.concatenate([np.zeros(before, np.float32), speech, np.zeros(after, np.float32)])
        if self._split == "train" and rng.random() < ROOM_SHARE:
            pcm = in_a_room(pcm, noise_rng)
        power = float(np.mean(speech**2)) + 1e-9
        snr_db = None if rng.random() < 0.1 else self._snr_db(rng)
        if snr_db is not None:
            pcm = add_noise(pcm, self._noise(rng, len(pcm)), snr_db, power)
        peak = 10.0 ** rng.uniform(-1.4, -0.02)
        pcm = pcm * (peak / (float(np.abs(pcm).max()) + 1e-9))
        pcm = pcm + noise_rng.standard_normal(len(pcm)).astype(np.float32) * 10.0 ** rng.uniform(-5.0, -4.0)
        return LabelledClip(pcm.astype(np.float32), text, family, voice, snr_db)
