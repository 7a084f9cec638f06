"""People's recordings become training clips."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from models.brick import MICROPHONE_RATE_HZ, UNKNOWN_WORD
from models.train.recogniser import shards
from models.train.sound import utterances
from models.train.sound.espeak import Espeak
from models.train.sound.people import clips as of_people
from models.train.sound.people.clips import PeopleClips
from models.train.sound.people.recordings import LIST, Unreadable, read_list
from models.train.sound.utterances import MAX_S


def said(path: Path, text: str) -> None:
    samples = np.pad(Espeak().say(text, "en-us", 160, 50), MICROPHONE_RATE_HZ // 2)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, MICROPHONE_RATE_HZ, 0, "NONE", ""))
        file.writeframes((20000 * samples).astype("<i2").tobytes())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("people")
    said(made / "time.wav", "what time is it")
    said(made / "keys.wav", "where are my keys")
    said(made / "other.wav", "zebra zygote")
    said(made / "long.wav", "the quick brown fox jumps over the lazy dog " * 3)
    lines = ["time.wav\tWhat time is it?\tada", "keys.wav\tWhere are my keys?\tada"]
    lines += ["other.wav\tzebra zygote\tbob", "long.wav\tthe quick brown fox and so on\tbob"]
    (made / LIST).write_text("\n".join(["file\tsentence\tspeaker", *lines]) + "\n")
    return made


@pytest.fixture(scope="module")
def people(folder: Path) -> PeopleClips:
    return PeopleClips(folder)


def test_each_recording_is_heard_in_turn_and_another_speaker_never_goes_on(people: PeopleClips) -> None:
    clips = people.clips(0, 60)
    for clip in clips:
        assert len(clip.pcm) <= MAX_S * MICROPHONE_RATE_HZ and np.abs(clip.pcm).max() <= 1.01
        assert clip.family == "people" and "zebra" not in clip.text
        assert not (UNKNOWN_WORD in clip.text and ("time" in clip.text or "keys" in clip.text))
    single = [
        clip.text for clip in clips if clip.text in ("what time is it", "where are my keys", UNKNOWN_WORD)
    ]
    assert len(set(single)) == 3 and len(single) < len(clips)
    assert min(len(clip.pcm) for clip in clips) < 1.6 * MICROPHONE_RATE_HZ  # the silence around them is cut
    assert [clip.text for clip in people.clips(0, 60)] == [clip.text for clip in clips]


def test_every_third_shard_is_of_people(
    people: PeopleClips, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {}
    monkeypatch.setattr(of_people, "PeopleClips", lambda folder: people)
    monkeypatch.setattr(utterances, "ClipGenerator", lambda *_: None)
    monkeypatch.setattr(shards, "make_shard", lambda by, out, split, number: made.update({number: by}))
    command = ["shards", "--out", str(tmp_path), "--count", "4", "--people", "recordings"]
    monkeypatch.setattr("sys.argv", command)
    monkeypatch.setattr("os.nice", lambda by: 0)
    shards.main()
    assert [made[number] is people for number in range(4)] == [True, False, False, True]


def test_a_folder_without_a_usable_list_is_one_sentence(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.nice", lambda by: 0)
    monkeypatch.setattr(of_people, "ClipGenerator", lambda _: None)
    monkeypatch.setattr(utterances, "ClipGenerator", lambda *_: None)
    monkeypatch.setattr("sys.argv", ["shards", "--out", str(tmp_path / "o"), "--people", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        shards.main()
    assert f"{tmp_path / LIST} cannot be read" in capsys.readouterr().err
    (tmp_path / LIST).write_text(f"file\tsentence\n{folder / 'long.wav'}\tthe quick brown fox\n")
    with pytest.raises(Unreadable, match=r"has no recording of at most 6.4 s\.$"):
        PeopleClips(tmp_path)


def test_words_that_are_said_may_be_all_that_is_known(folder: Path) -> None:
    row = f"{folder / 'time.wav'}\t\tTime, it"
    (folder / "some").mkdir()
    (folder / "some" / LIST).write_text(f"file\tsentence\twords\n{row}\n")
    (found,) = read_list(folder / "some")
    assert (found.sentence, found.words) == ("", ("time", "it"))


def test_a_list_that_a_spreadsheet_wrote_has_its_speakers(tmp_path: Path) -> None:
    """With a mark of the byte order before the first column's name."""
    row = "client_id\tpath\tsentence\nada\ttime.wav\tWhat time is it?\n"
    (tmp_path / LIST).write_text(row, encoding="utf-8-sig")
    (found,) = read_list(tmp_path)
    assert (found.speaker, found.path.name, found.sentence) == ("ada", "time.wav", "what time is it")
