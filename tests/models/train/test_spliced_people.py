"""Sentences are put together from people's words."""

from __future__ import annotations

import random
import wave
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.people import clips as of_people
from models.train.sound.people.clips import PeopleClips
from models.train.sound.people.recordings import LIST, WORDS, Unreadable
from models.train.sound.people.spliced import SplicedPeople

WORD_S = 0.3
SAID = {"ada": ["where are my keys", "what time is it"], "bob": ["where is the book", "time flies"]}
PITCH_HZ = {"ada": 400, "bob": 1600}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Tones in the place of words; a speaker is known by the pitch."""
    lines, times = ["file\tsentence\tspeaker"], ["file\tword\tstart_s\tend_s"]
    for speaker, sentences in SAID.items():
        for number, sentence in enumerate(sentences):
            name, words = f"{speaker}{number}.wav", sentence.split()
            at = np.arange(int((len(words) * WORD_S + 1) * MICROPHONE_RATE_HZ)) / MICROPHONE_RATE_HZ
            with wave.open(str(tmp_path / name), "wb") as file:
                file.setparams((1, 2, MICROPHONE_RATE_HZ, 0, "NONE", ""))
                tone = 9000 * np.sin(2 * np.pi * PITCH_HZ[speaker] * at)
                file.writeframes(tone.astype("<i2").tobytes())
            lines.append(f"{name}\t{sentence}\t{speaker}")
            times += [
                f"{name}\t{word}\t{0.5 + n * WORD_S}\t{0.5 + (n + 1) * WORD_S}"
                for n, word in enumerate(words)
            ]
    (tmp_path / LIST).write_text("\n".join([*lines, ""]))
    (tmp_path / WORDS).write_text("\n".join([*times, ""]))
    return tmp_path


def pitch_hz(samples: np.ndarray) -> float:
    return float(np.abs(np.fft.rfft(samples)).argmax()) * MICROPHONE_RATE_HZ / len(samples)


def test_a_sentence_is_of_one_speakers_words_as_far_as_they_go(folder: Path) -> None:
    people = SplicedPeople(folder, least_words=4)
    assert people.speakers == ["ada", "bob"]
    rng, heard = random.Random(1), set()
    for _ in range(20):
        found = people.sentence(lambda: ("where is it what time", "device"), rng)
        if found is None:  # of bob's words there are three in five
            continue
        heard.add(found.speaker)
        assert (found.text, found.family) == ("where is it what time", "device")
        # "is it" and "what time" are said in a row: three parts with an edge on each side
        assert len(found.pcm) / MICROPHONE_RATE_HZ == pytest.approx(5 * WORD_S + 3 * 0.02, abs=0.01)
        assert pitch_hz(found.pcm[: int(0.25 * MICROPHONE_RATE_HZ)]) == pytest.approx(PITCH_HZ["ada"], abs=10)
    assert heard == {"ada"}


def test_words_that_nobody_says_are_in_no_sentence(folder: Path) -> None:
    assert (
        SplicedPeople(folder, least_words=4).sentence(lambda: ("where is the zebra", ""), random.Random(1))
        is None
    )


def test_clips_have_such_sentences_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_people, "_SPLICED_SHARE", 1.0)
    monkeypatch.setattr(of_people, "SplicedPeople", partial(SplicedPeople, least_words=4))
    monkeypatch.setattr(of_people, "_TWO_SHARE", 0.0)
    people = PeopleClips(folder)
    monkeypatch.setattr(people._around, "sentence", lambda rng: ("where are my book", "memory"))
    clips = people.clips(0, 12)
    spoken = {(clip.text, clip.family) for clip in clips}
    assert ("where are my book", "memory") in spoken and len(spoken) > 1  # bob lacks half of the words


def test_a_bad_table_of_words_is_one_sentence(folder: Path) -> None:
    (folder / WORDS).write_text("file\tword\na.wav\tone\n")
    with pytest.raises(Unreadable, match="cannot be read: 'start_s'"):
        SplicedPeople(folder)


def test_whoever_has_said_little_says_no_such_sentence(folder: Path) -> None:
    people = SplicedPeople(folder)
    assert people.speakers == [] and people.sentence(lambda: ("what time", ""), random.Random(1)) is None
    assert {clip.family for clip in PeopleClips(folder).clips(0, 8)} == {"people"}
