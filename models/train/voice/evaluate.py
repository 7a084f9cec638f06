"""Intelligibility of the voice.

    python -m models.train.voice.evaluate --voice models/packs/micro/voice.onnx

An independent recogniser (pocketsphinx with its bundled US English model) transcribes answers that are not in
the voice's training data, spoken by the voice and by espeak-ng. Its grammar has every answer of every
template. Needs `piper-tts`, `pocketsphinx`, `espeakng-loader`, `soxr` and `pillow`.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import soxr
from piper import PiperVoice, SynthesisConfig

from models.brick import MICROPHONE_RATE_HZ
from models.train.recogniser.word_error import bootstrap, word_errors
from models.train.sound.espeak_events import EspeakEvents
from models.train.voice.frames import SAMPLE_RATE_HZ
from models.train.voice.pairs import N_SENTENCES, RATE_WPM, SEED, VOICE
from models.train.voice.sentences import sample_sentence
from models.train.voice.spectrogram_picture import save_spectrograms
from models.train.world.answers import ANSWERS, UNTRAINED_ANSWERS, jsgf, sample_answer, words

_ANSWER_SEED = 2
_BACKGROUNDS = {"quiet": 50.0, "noisy": 10.0}
"""Signal-to-noise ratios in dB; the noise is white."""
_PAUSE_DB = -45.0
_PAUSE_STEP_S = 0.01
_SHORTEST_PAUSE_S = 0.04


@dataclass(frozen=True)
class RecognisedAnswer:
    """An answer and its transcript `heard`. `errors`: words that are wrong, missing or extra; `n_words`:
    words of the answer.
    """

    text: str
    heard: str
    errors: int
    n_words: int


@dataclass(frozen=True)
class SpeechProperties:
    """Properties of the speech of all answers. Levels are relative to full scale; pauses are those within
    sentences.
    """

    peak_dbfs: float
    clipped_samples: int
    largest_edge_jump: float
    longest_pause_s: float
    shortest_pause_s: float
    words_per_minute: float


class GrammarRecogniser:
    """pocketsphinx with the grammar of all answers; `folder` is where the grammar file goes."""

    def __init__(self, folder: Path) -> None:
        path = folder / "answers.jsgf"
        path.write_text(jsgf())
        from pocketsphinx import Decoder  # not with every Python

        self._decoder = Decoder(jsgf=str(path), loglevel="FATAL", samprate=MICROPHONE_RATE_HZ)

    def recognise(self, text: str, audio: np.ndarray, snr_db: float) -> RecognisedAnswer:
        """Transcribes float `audio` [n] at SAMPLE_RATE_HZ, in white noise from 0.25 s before it to 0.25 s
        after it.
        """
        speech = soxr.resample(np.asarray(audio, np.float32), SAMPLE_RATE_HZ, MICROPHONE_RATE_HZ)
        padded = np.pad(speech / np.abs(speech).max() * 20000, MICROPHONE_RATE_HZ // 4)
        noise = np.random.default_rng(0).normal(0, 1, len(padded))
        padded += noise * np.sqrt((padded**2).mean()) * 10 ** (-snr_db / 20)
        self._decoder.start_utt()
        self._decoder.process_raw(np.clip(padded, -32767, 32767).astype(np.int16).tobytes(), full_utt=True)
        self._decoder.end_utt()
        best = self._decoder.hyp()
        heard = best.hypstr if best else ""
        return RecognisedAnswer(text, heard, word_errors(" ".join(words(text)), heard), len(words(text)))


def unseen_answers(count: int) -> list[str]:
    """Distinct answers that are not in the training corpus; every second one has a template without any
    sentence in it.
    """
    corpus_rng, rng = random.Random(SEED), random.Random(_ANSWER_SEED)
    seen = {sample_sentence(corpus_rng) for _ in range(2 * N_SENTENCES)}
    chosen: list[str] = []
    while len(chosen) < count:
        text = sample_answer(rng, (ANSWERS, UNTRAINED_ANSWERS)[len(chosen) % 2])
        if text not in seen:
            seen.add(text)
            chosen.append(text)
    return chosen


def speech_properties(speech: list[np.ndarray], texts: list[str]) -> SpeechProperties:
    """Properties of `speech`: a float array in [-1, 1] for each text."""
    pauses = [p for audio in speech for p in inner_pauses_s(audio)]
    edges = [abs(float(audio[k])) for audio in speech for k in (0, -1)]
    seconds = sum(len(audio) for audio in speech) / SAMPLE_RATE_HZ
    return SpeechProperties(
        peak_dbfs=round(float(20 * np.log10(max(np.abs(audio).max() for audio in speech))), 2),
        clipped_samples=int(sum((np.abs(audio) >= 0.999).sum() for audio in speech)),
        largest_edge_jump=round(max(edges), 5),
        longest_pause_s=round(max(pauses, default=0.0), 2),
        shortest_pause_s=round(min(pauses, default=0.0), 2),
        words_per_minute=round(60 * sum(len(words(t)) for t in texts) / seconds, 1),
    )


def inner_pauses_s(audio: np.ndarray) -> list[float]:
    """Lengths of the silent intervals between the first and the last sound of a sentence."""
    step = round(_PAUSE_STEP_S * SAMPLE_RATE_HZ)
    blocks = audio[: len(audio) // step * step].reshape(-1, step)
    level = np.sqrt((blocks**2).mean(1)) / np.abs(audio).max()
    loud = np.flatnonzero(level > 10 ** (_PAUSE_DB / 20))
    gaps = (np.diff(loud) - 1) * _PAUSE_STEP_S
    return [float(gap) for gap in gaps if gap >= _SHORTEST_PAUSE_S]


def speak(voice: PiperVoice, text: str) -> np.ndarray:
    """float [n]: the model's output for all sentences of `text`, without Piper's normalisation."""
    settings = SynthesisConfig(normalize_audio=False)
    return np.concatenate([chunk.audio_float_array for chunk in voice.synthesize(text, settings)])


def _rounded(name: str, value_low_high: tuple[float, float, float]) -> dict[str, object]:
    value, low, high = (round(x, 4) for x in value_low_high)
    return {name: value, f"{name}_95": [low, high]}


def _compare(
    recogniser: GrammarRecogniser,
    texts: list[str],
    speech: dict[str, list[np.ndarray]],
    snr_db: float,
    show: bool,
) -> dict[str, object]:
    """Word accuracy of the voice and of espeak-ng at this signal-to-noise ratio, each with its 95 % interval,
    and their ratio.
    """
    report: dict[str, object] = {"snr_db": snr_db}
    right: dict[str, list[int]] = {}
    for name, audio in speech.items():
        heard = [recogniser.recognise(text, sound, snr_db) for text, sound in zip(texts, audio, strict=True)]
        right[name] = [h.n_words - h.errors for h in heard]
        report |= _rounded(f"{name}_word_accuracy", bootstrap(right[name], [h.n_words for h in heard]))
        report[f"{name}_exact_sentences"] = sum(h.errors == 0 for h in heard)
        if show:
            print(
                "\n".join(f"{name}, {snr_db} dB: {h.text!r} heard as {h.heard!r}" for h in heard if h.errors)
            )
    return report | _rounded("ratio", bootstrap(right["voice"], right["espeak-ng"]))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description="Word accuracy of the voice against espeak-ng, and facts about its sound."
    )
    parser.add_argument("--voice", type=Path, default=Path("models/packs/micro/voice.onnx"))
    parser.add_argument("--answers", type=int, default=50)
    parser.add_argument(
        "--work", type=Path, default=Path(".cache/train/voice"), help="folder for grammar and espeak-ng data"
    )
    parser.add_argument(
        "--picture", type=Path, help="where to write spectrograms (PNG): espeak-ng above, the voice below"
    )
    parser.add_argument(
        "--show-errors", action="store_true", help="print each answer that was not understood"
    )
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    espeak, voice, recogniser = (
        EspeakEvents(VOICE, RATE_WPM, options.work),
        PiperVoice.load(options.voice),
        GrammarRecogniser(options.work),
    )
    texts = unseen_answers(options.answers)
    speech = {
        "voice": [speak(voice, text) for text in texts],
        "espeak-ng": [espeak.say(text).pcm / 32768 for text in texts],
    }
    report: dict[str, object] = {"answers": len(texts)}
    for condition, snr_db in _BACKGROUNDS.items():
        report[condition] = _compare(recogniser, texts, speech, snr_db, options.show_errors)
    report["sound"] = {name: asdict(speech_properties(audio, texts)) for name, audio in speech.items()}
    print(json.dumps(report, indent=1))
    if options.picture:
        pairs = [audio for i in range(2) for audio in (speech["espeak-ng"][i], speech["voice"][i])]
        save_spectrograms(pairs, options.picture)
        print(f"{options.picture}: " + " / ".join(texts[:2]))


if __name__ == "__main__":
    main()
