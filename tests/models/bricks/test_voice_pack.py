"""The micro pack's voice through Piper itself."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

piper = pytest.importorskip("piper", reason="piper-tts is not installed")

VOICE = Path(__file__).parents[3] / "models" / "packs" / "micro" / "voice.onnx"
SENTENCE = "The circle is red, and the battery is at forty two percent."


@cache
def load() -> Any:
    return piper.PiperVoice.load(VOICE)


def speak(text: str, length_scale: float | None = None) -> list[Any]:
    settings = piper.SynthesisConfig(normalize_audio=False, length_scale=length_scale)
    return list(load().synthesize(text, settings, include_alignments=True))


def test_speaks_without_clipping_or_clicks_at_the_edges() -> None:
    (chunk,) = speak(SENTENCE)
    audio = chunk.audio_float_array
    seconds = len(audio) / chunk.sample_rate
    assert np.isfinite(audio).all()
    assert 2.5 < seconds < 6.5
    assert 0.6 < np.abs(audio).max() < 0.75
    assert max(abs(audio[0]), abs(audio[-1])) < 0.01
    assert np.abs(np.diff(audio)).max() < 0.6


def test_durations_of_all_phonemes_add_up_to_the_audio() -> None:
    (chunk,) = speak(SENTENCE)
    assert chunk.phoneme_alignments is not None
    assert sum(a.num_samples for a in chunk.phoneme_alignments) == len(chunk.audio_float_array)
    vowels = [a.num_samples for a in chunk.phoneme_alignments if a.phoneme in "ɛɪəɑʌæ"]
    assert min(vowels) > 0


def test_a_comma_is_heard_as_a_pause() -> None:
    (chunk,) = speak("No, the ring is blue.")
    at = 0
    for alignment in chunk.phoneme_alignments:
        if alignment.phoneme == ",":
            middle = chunk.audio_float_array[at : at + alignment.num_samples]
            assert alignment.num_samples > 0.08 * chunk.sample_rate
            assert np.abs(middle[len(middle) // 3 : -len(middle) // 4]).max() < 0.02
            return
        at += alignment.num_samples
    pytest.fail("no comma in the alignment")


def test_length_scale_stretches_time() -> None:
    plain, slow = (len(speak(SENTENCE, scale)[0].audio_float_array) for scale in (1.0, 1.3))
    assert slow / plain == pytest.approx(1.3, abs=0.02)


def test_same_text_gives_the_same_sound() -> None:
    first, second = (speak("Yes.")[0].audio_float_array for _ in range(2))
    assert np.array_equal(first, second)


def test_longest_answer_and_odd_input_do_not_break_it() -> None:
    assert len(speak(" ".join(["The large purple triangle is left of the sign"] * 6) + ".")) == 1
    for text in ("A", "42", "hm?!", "naïve café"):
        assert all(np.isfinite(c.audio_float_array).all() for c in speak(text))


def test_config_names_rate_language_and_hop() -> None:
    config = json.loads(Path(f"{VOICE}.json").read_text())
    assert config["audio"]["sample_rate"] == 22050
    assert config["espeak"]["voice"].startswith("en")
    assert config["num_speakers"] == 1
    assert config["hop_length"] > 0
    assert max(ids[0] for ids in config["phoneme_id_map"].values()) < config["num_symbols"]
