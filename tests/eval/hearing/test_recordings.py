"""People's recordings in a folder: read, heard and judged."""

from __future__ import annotations

import re
import wave
from pathlib import Path

import numpy as np
import pytest

from models.train.sound.espeak import Espeak
from models.train.sound.people.recordings import LIST, Unreadable, read_list
from tests.eval.hearing import recordings, spliced, wake
from tests.eval.hearing.recordings import SHEET_LINES, read_sound
from tests.eval.understood.sayings import SAYINGS

RATE_HZ = 16_000


def write_wav(path: Path, samples: np.ndarray, rate_hz: int = RATE_HZ, channels: int = 1) -> None:
    """int16 samples, interleaved."""
    path.parent.mkdir(exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate_hz, 0, "NONE", ""))
        file.writeframes(np.asarray(samples, "<i2").tobytes())


def listed(folder: Path, *lines: str, first: str = "file\tsentence\tspeaker") -> Path:
    (folder / LIST).write_text("\n".join([first, *lines]) + "\n", encoding="utf-8")
    return folder


def tone(seconds: float, rate_hz: int = RATE_HZ) -> np.ndarray:
    return 8000 * np.sin(2 * np.pi * 440 * np.arange(int(seconds * rate_hz)) / rate_hz)


def test_what_people_say_is_heard_and_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voice = Espeak()
    for name, text in (("a", "what time is it"), ("b", "where are my keys"), ("c", "seven")):
        write_wav(tmp_path / f"{name}.wav", 20000 * voice.say(text, "en-us", 160, 50))
    listed(
        tmp_path,
        "a.wav\tWhat time is it?\tone",
        "b.wav\tWhere are my keys?\ttwo",
        "c.wav\tseven\tthree",
        "c.wav\t\ttwo",
    )
    assert recordings.main(["--data", str(tmp_path), "--all"]) == 0
    told = capsys.readouterr().out
    assert "'what time is it' -> 'what time is it': device time" in told
    assert "two            0.0 % of 4 words wrong, understood 1/1" in told
    assert "words wrong, understood none even when typed" in told and "understood 2/2" in told
    assert "not meant for the headband: 1" in told and "changed unsaid                    0/1" in told


def test_a_public_recogniser_hears_in_the_packs_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pocketsphinx", reason="PocketSphinx is not installed")
    write_wav(tmp_path / "a.wav", 20000 * Espeak().say("seven", "en-us", 140, 50))
    listed(tmp_path, "a.wav\t\tada\tseven flames", first="file\tsentence\tspeaker\twords")
    assert recordings.main(["--data", str(tmp_path), "--pocketsphinx", "--all"]) == 0
    told = capsys.readouterr().out
    assert re.search(r"'' -> '[a-z' ]+': ", told) and "of 1 words that it can write, heard" in told


def test_sentences_are_put_together_from_the_words_of_recordings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("how", "many", "what", "time", "is", "it", "now", "where", "are", "they")
    write_wav(tmp_path / "a.wav", tone(0.3 * len(words)))
    listed(tmp_path, f"a.wav\t{' '.join(words)}\tada")
    times = [f"a.wav\t{word}\t{0.3 * n:.1f}\t{0.3 * (n + 1):.1f}" for n, word in enumerate(words)]
    (tmp_path / "words.tsv").write_text("\n".join(["file\tword\tstart_s\tend_s", *times, ""]))
    command = ["--data", str(tmp_path), "--out", str(tmp_path / "out"), "--count", "3"]
    assert spliced.main(command) == 0 and capsys.readouterr().out == "3 sentences by 1 people\n"
    for said in read_list(tmp_path / "out"):
        assert set(said.sentence.split()) <= set(words) and len(read_sound(said.path)) > 0
    (tmp_path / "words.tsv").write_text("file\tword\tstart_s\tend_s\na.wav\tzebra\t0\t1\n")
    assert spliced.main(command) == 2 and "No sentence can be put together" in capsys.readouterr().err
    (tmp_path / "words.tsv").unlink()
    assert spliced.main(command) == 2 and capsys.readouterr().err.count("\n") == 1


def test_a_list_of_common_voice_is_read_as_it_is(tmp_path: Path) -> None:
    write_wav(tmp_path / "clips" / "x.wav", tone(1.0))
    first = "client_id\tpath\tsentence\tup_votes"
    listed(tmp_path, "somebody\tx.wav\tWho\u2019s there \u2014 \u201cAda\u201d?\t2", first=first)
    (found,) = read_list(tmp_path)
    assert (found.path, found.sentence) == (tmp_path / "clips" / "x.wav", "who's there ada")
    assert found.speaker == "somebody"


def test_sound_of_any_rate_comes_to_one_rate_and_level(tmp_path: Path) -> None:
    both = np.repeat(tone(1.0, 44_100), 2)
    write_wav(tmp_path / "a.wav", both, 44_100, channels=2)
    samples = read_sound(tmp_path / "a.wav")
    assert samples.dtype == np.float32 and len(samples) == pytest.approx(1.8 * RATE_HZ, abs=2)
    assert np.abs(samples).max() == pytest.approx(0.5, abs=0.01)
    assert not samples[: RATE_HZ // 4].any() and not samples[-RATE_HZ // 4 :].any()


def test_the_sheet_can_be_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert recordings.main(["--sheet", str(tmp_path / LIST)]) == 0
    found = read_list(tmp_path)
    assert len({each.path for each in found}) == SHEET_LINES
    assert {each.sentence for each in found} <= {said.text for said in SAYINGS}
    assert recordings.main(["--sheet", str(tmp_path / "nowhere" / LIST)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("list_text", "says"),
    [
        (None, "cannot be read"),
        ("name\ttext\na.wav\thello\n", "no columns file and sentence"),
        ("file\tsentence\n", "has no recording"),
        ("file\tsentence\nnowhere.wav\thello\n", "nowhere.wav"),
        ("file\tsentence\nsilent.wav\thello\n", "has no sound in it"),
        ("file\tsentence\nnoise.wav\thello\n", "noise.wav"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_sentence(
    list_text: str | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_wav(tmp_path / "silent.wav", np.zeros(RATE_HZ))
    (tmp_path / "noise.wav").write_bytes(b"no riff")
    if list_text is not None:
        (tmp_path / LIST).write_text(list_text)
    assert recordings.main(["--data", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.count("\n") == 1 and not told.out


def test_a_list_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / LIST).write_bytes(b"file\tsentence\n\xff\xfe\t\n")
    with pytest.raises(Unreadable, match="cannot be read"):
        read_list(tmp_path)


def test_wakes_by_people_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stand-in for the model wakes at what is loud for more than a second."""

    class Loud:
        def __init__(self, word: str, threshold: float) -> None:
            self._chunks = 0

        def reset(self) -> None:
            self._chunks = 0

        def process(self, pcm: np.ndarray) -> bool:
            self._chunks += np.abs(pcm).max() > 16_000
            return self._chunks == RATE_HZ // wake.CHUNK

    monkeypatch.setattr(wake, "WakeWord", Loud)
    for name, seconds in (("long", 2.0), ("short", 0.5), ("other", 2.0)):
        write_wav(tmp_path / f"{name}.wav", tone(seconds))
    listed(tmp_path, "long.wav\tAlexa!\t", "short.wav\talexa\t", "other.wav\t\t")
    assert wake.main(["--data", str(tmp_path), "--word", "alexa"]) == 0
    told = capsys.readouterr().out
    assert told.count("hits                 1/2") == 3
    assert told.count("false wakes in 0.1 min of 1 other recordings: 1") == 3
    assert wake.main(["--data", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
