"""A transcript less probable than the pack's recogniser usually writes is doubtful."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from host.language.meaning import Abilities, meaning
from host.language.router import Router
from hw.audio.sound_and_picture_files import read_wav
from models.brick import Context, Transcript, Utterance
from models.bricks.stt import SpeechToText
from models.pack.catalogue import load_pack
from tests.demo_files import COLOUR, DEMO

ROOT = Path(__file__).parents[3]
QUESTION = read_wav(DEMO / COLOUR[0]).astype(np.float32) / np.float32(32768)


PACKS_OWN = float(load_pack("micro").bricks["stt"].options["doubtful_below"])


def heard(doubtful_below: float, pcm: NDArray[np.float32] = QUESTION) -> Transcript:
    """The transcript of a question of the demo, or of another clip."""
    model = str(ROOT / "models/packs/micro/stt.bin")
    brick = SpeechToText({"model": model, "audio_ctx": (256,), "doubtful_below": doubtful_below}, Context())
    brick.load()
    (said,) = brick.execute(Utterance(pcm))
    brick.release()
    return said


def heard_as(written: str, monkeypatch: pytest.MonkeyPatch) -> Transcript:
    """The transcript where the runtime writes this."""
    monkeypatch.setattr(
        "_pywhispercpp.whisper_full_get_segment_text", lambda native, segment: written.encode()
    )
    return heard(0.0)


@pytest.mark.parametrize(("doubtful_below", "doubtful"), [(0.0, False), (PACKS_OWN, False), (1.0, True)])
def test_doubt_is_a_matter_of_the_pack(doubtful_below: float, doubtful: bool) -> None:
    said = heard(doubtful_below)
    assert said.text and said.probability < 1.0
    assert said.doubtful is doubtful


def test_each_word_has_its_probability() -> None:
    said = heard(0.0)
    assert len(said.words) == len(said.text.split())
    assert all(0.0 < each <= 1.0 for each in said.words)
    assert min(said.words) <= said.probability <= 1.0


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (" [BLANK_AUDIO]", ""),
        (" (wind blowing)", ""),
        (" [MUSIC PLAY", ""),
        (" ♪ ♪", ""),
        (" *coughs* Stop.", "Stop."),
        (" [Music] Where are (door creaks) my keys?", "Where are my keys?"),
        (" What is ?? doing?", "What is ?? doing?"),
    ],
)
def test_what_the_recogniser_notes_of_noise_was_not_said(
    written: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = heard_as(written, monkeypatch)
    assert transcript.text == said
    assert (transcript.probability == 0.0) == (not said)


@pytest.mark.parametrize(
    ("written", "intent", "slots"),
    [
        ("Don’t listen.", "recording_off", {}),
        ("What’s the time?", "time", {}),
        ("Set a timer for 2½ minutes.", "timer", {"span": 150}),
        ("Set a timer for 2 1/2 minutes.", "timer", {"span": 150}),
        ("Set a timer for 1.5 hours.", "timer", {"span": 5400}),
        ("Set a timer for 0.5 hours.", "timer", {"span": 1800}),
        ("Wake me at 7.50.", "alarm", {"hour": 7, "minute": 50}),
    ],
)
def test_a_command_is_understood_however_the_recogniser_spells_it(
    written: str, intent: str, slots: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = replace(heard_as(written, monkeypatch), probability=0.95)
    decision = meaning(said, Router(), Abilities(0.5)).decision
    assert (decision.intent, decision.slots) == (intent, slots)


@pytest.mark.parametrize("written", ["Set a timer for 2.25 minutes.", "What is 1/2 of 8.5 metres?"])
def test_other_fractions_stay_as_they_are(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert heard_as(written, monkeypatch).text == written


@pytest.mark.parametrize("samples", [1, 1_599, 1_600, 1_679, 1_680])
def test_the_shortest_clip_is_long_enough_for_the_runtime(
    samples: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert heard(0.0, QUESTION[:samples]).text == ""
    assert "too short" not in capfd.readouterr().err
