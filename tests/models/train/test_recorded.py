"""Voices of flite, RHVoice, SVOX Pico and Festival, which are made from recordings."""

from __future__ import annotations

import random
from argparse import Namespace

import numpy as np
import pytest

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.recorded_voices import festival, flite, pico, rhvoice
from models.train.sound.recorded_voices.missing import Missing
from models.train.sound.recorded_voices.voices import (
    FESTIVAL,
    FLITE,
    FOREIGN_SPEAKERS,
    HELD_OUT,
    PICO,
    RHVOICE,
    SPEAKERS,
    TRAIN_SPEAKERS,
    Manner,
    RecordedVoices,
    random_manner,
)
from models.train.sound.utterances import ClipGenerator
from tests.eval.chain import voices_of
from tests.eval.hearing.heard import OWN_VOICES, clips
from tests.eval.stranger.by_voice import Speaker, programs_of

TEXT = "where did i leave my keys"


@pytest.fixture(params=[FLITE, RHVOICE, PICO, FESTIVAL])
def speaker(request: pytest.FixtureRequest) -> str:
    """One of training, of each program."""
    name = next(each for each in TRAIN_SPEAKERS if SPEAKERS[each] == request.param)
    try:
        RecordedVoices().say("yes", Manner(name))
    except Missing as missing:
        pytest.skip(str(missing))
    return name


def middle_hz(samples: np.ndarray) -> float:
    """Below it lies half of the power."""
    power = np.cumsum(np.abs(np.fft.rfft(samples)) ** 2)
    return float(np.searchsorted(power, power[-1] / 2)) * MICROPHONE_RATE_HZ / len(samples)


def test_training_has_none_of_the_speakers_that_judge() -> None:
    rng = random.Random(1)
    drawn = [random_manner(rng) for _ in range(200)]
    assert {manner.speaker for manner in drawn} == {*TRAIN_SPEAKERS, *FOREIGN_SPEAKERS}
    assert all(0.8 <= each <= 1.3 for manner in drawn for each in (manner.formants, manner.pitch))
    for program, judges in HELD_OUT.items():
        assert not {*TRAIN_SPEAKERS, *FOREIGN_SPEAKERS} & set(judges)
        assert {SPEAKERS[each] for each in judges} == {program}


def test_a_manner_is_known_by_its_name() -> None:
    assert Manner.of(Manner("rms", 0.9, 1.25).name) == Manner("rms", 0.9, 1.25)


def test_higher_formants_and_a_faster_pace_are_heard(speaker: str) -> None:
    voices = RecordedVoices()
    usual = voices.say(TEXT, Manner(speaker))
    assert usual.dtype == np.float32 and 1.0 < len(usual) / MICROPHONE_RATE_HZ < 4.0
    high = voices.say(TEXT, Manner(speaker, formants=1.3))
    assert middle_hz(high) > 1.1 * middle_hz(usual)
    assert len(high) == pytest.approx(len(usual), rel=0.1)
    assert len(voices.say(TEXT, Manner(speaker), words_per_minute=220)) < 0.9 * len(usual)


@pytest.mark.parametrize("name", FOREIGN_SPEAKERS)
def test_a_foreigner_says_all_the_sounds_of_english(name: str) -> None:
    try:
        said = RecordedVoices().say("the treasure of a young judge, which he sings about", Manner(name))
    except Missing as missing:
        pytest.skip(str(missing))
    loud = np.abs(said).reshape(-1)[: len(said) // 1600 * 1600].reshape(-1, 1600).max(axis=1)
    assert 2.0 < len(said) / MICROPHONE_RATE_HZ < 6.0 and (loud > 0.01).mean() > 0.8


def test_a_speaker_that_is_not_installed_is_named(speaker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SPEAKERS, "nobody", SPEAKERS[speaker])
    with pytest.raises(Missing, match="no voice nobody"):
        RecordedVoices().say(TEXT, Manner("nobody"))


def test_clips_of_a_share_have_its_voices() -> None:
    try:
        generator = ClipGenerator("train", recorded_share=1.0)
    except Missing as missing:
        pytest.skip(str(missing))
    clip = generator.said(TEXT, "memory", random.Random(2), np.random.default_rng(2))
    assert Manner.of(clip.voice).speaker in (*TRAIN_SPEAKERS, *FOREIGN_SPEAKERS) and clip.text == TEXT
    assert len(clip.pcm) > MICROPHONE_RATE_HZ


@pytest.mark.parametrize(
    ("program", "of"),
    [(FLITE, flite), (RHVOICE, rhvoice), (PICO, pico), (FESTIVAL, festival)],
)
def test_without_the_program_there_is_one_sentence(
    program: str, of: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "_PROGRAM" if program == FESTIVAL else "_LIBRARY"
    monkeypatch.setattr(of, name, "libnowhere-{}.so")
    with pytest.raises(Missing, match="installed"):
        RecordedVoices().start(program)
    with pytest.raises(Missing):
        ClipGenerator("train", recorded_share=0.5)


@pytest.mark.parametrize(("program", "of"), [(FLITE, flite), (RHVOICE, rhvoice)])
def test_who_judges_is_missed_in_one_sentence(
    program: str, of: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(of, "_LIBRARY", "libnowhere-{}.so")
    with pytest.raises(SystemExit) as ended:
        Speaker(1, program, "room", 20.0)
    assert ended.value.code == 2 and "is not installed" in capsys.readouterr().err
    Speaker(1, "usual", "room", 20.0)
    with pytest.raises(SystemExit):
        voices_of("recorded")
    with pytest.raises(SystemExit):
        clips(Namespace(split="test", voices="recorded", questions=1))
    assert "is not installed" in capsys.readouterr().err


def test_evaluations_speak_in_the_voices_that_judge() -> None:
    try:
        programs_of("recorded")
    except SystemExit:
        pytest.skip("flite and RHVoice are not both installed.")
    made = clips(Namespace(split="test", voices="recorded", questions=12))
    judges = {each for speakers in HELD_OUT.values() for each in speakers}
    heard = {Manner.of(clip.voice).speaker for clip in made}
    assert len(heard) > 2 and heard <= judges
    rng = random.Random(3)
    own, recorded = voices_of(OWN_VOICES), voices_of("recorded")
    assert all(len(say(TEXT, rng)) > MICROPHONE_RATE_HZ for say in (own, recorded))
