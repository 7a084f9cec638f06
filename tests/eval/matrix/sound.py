"""Transcription of held-out questions and speech of unseen answers, by precision of recogniser and voice."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from models.brick import BrickError, Context, Sentence
from models.bricks.tts import Voice
from models.convert.recogniser.precision import requantise_whisper
from models.pack.catalogue import Pack
from models.train.recogniser.evaluate import fixed_clips
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.recogniser.word_error import word_errors
from models.train.voice.evaluate import GrammarRecogniser, unseen_answers
from models.train.world.grammar import without_polite_word

_NOISE_DB = 10.0
"""Signal-to-noise ratio for the recognition of spoken answers; without noise nearly every word is right."""


@dataclass
class Heard:
    """errors: wrong words, by utterance; exact: at most a polite word is missing or added; seconds: processor
    time; note: how the file was run, if not directly.
    """

    errors: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    note: str = ""


def listen(pack: Pack, files: Mapping[str, Path], cases: int) -> dict[str, Heard]:
    """Results by precision, with the recogniser's brick; with the same weights as float16 where whisper.cpp
    on this computer does not support the precision.
    """
    clips = [clip for clip in fixed_clips("test", cases, 0, 0) if clip.text]
    found = {}
    for name, path in files.items():
        heard = found[name] = Heard()
        try:
            recogniser = _recogniser(pack, path)
        except BrickError:
            heard.note = "weights of this precision, computed in float16"
            requantise_whisper(files["f16"], path.with_suffix(".f16"), name, as_float16=True)
            recogniser = _recogniser(pack, path.with_suffix(".f16"))
        for clip in clips:
            start_s = time.process_time()
            transcript = recogniser.transcribe(clip.pcm)
            heard.seconds.append(time.process_time() - start_s)
            heard.errors.append(word_errors(clip.text, transcript.text))
            heard.words.append(len(clip.text.split()))
            heard.exact.append(without_polite_word(clip.text) == without_polite_word(transcript.text))
        recogniser.close()
    return found


def speak(pack: Pack, files: Mapping[str, Path], cases: int) -> dict[str, Heard]:
    """Results by precision, with the voice's brick, transcribed by pocketsphinx in noise."""
    texts: Sequence[str] = unseen_answers(cases)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        recogniser = GrammarRecogniser(Path(folder))
        for name, path in files.items():
            heard = found[name] = Heard()
            brick = Voice({**pack.bricks["tts"].options, "model": str(path)}, Context())
            brick.load()
            for text in texts:
                start_s = time.process_time()
                (chunk,) = brick.execute(Sentence(text))
                heard.seconds.append(time.process_time() - start_s)
                judged = recogniser.recognise(text, chunk.pcm / 32768.0, _NOISE_DB)
                heard.errors.append(judged.errors)
                heard.words.append(judged.n_words)
                heard.exact.append(judged.errors == 0)
            brick.release()
    return found


def _recogniser(pack: Pack, path: Path) -> InProcessRecogniser:
    return InProcessRecogniser({**pack.bricks["stt"].options, "model": str(path)})
