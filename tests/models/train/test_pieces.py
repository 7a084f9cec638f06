"""Long recordings become pieces of whole words."""

from __future__ import annotations

import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.espeak import Espeak
from models.train.sound.people import pieces as of_pieces
from models.train.sound.people.pieces import LONG_PAUSE, LONGEST, PAUSE, SHORTEST, Word, cut, pause, pieces
from models.train.sound.people.recordings import LIST, read_list


@st.composite
def spoken(draw: st.DrawFn) -> list[Word]:
    words, at = [], 0
    for number in range(draw(st.integers(0, 40))):
        start = at + draw(st.sampled_from((0, 0, 0, 3, PAUSE, 60)))
        at = start + draw(st.integers(3, 80) | st.just(LONGEST + 5))
        words.append(Word(str(number), start, at))
    return words


@given(spoken())
def test_pieces_are_short_and_in_order_and_no_word_is_in_two(words: list[Word]) -> None:
    ended = 0
    for first, end in pieces(words):
        assert ended <= first < end <= len(words)
        length = words[end - 1].end - words[first].start
        assert length <= LONGEST
        assert all(pause(words, at) < LONG_PAUSE for at in range(first + 1, end))
        if pause(words, end) < PAUSE:  # no pause in reach
            assert all(
                pause(words, at) < PAUSE or words[at - 1].end - words[first].start < SHORTEST
                for at in range(first + 1, end)
            )
        ended = end


def test_a_pause_is_where_a_piece_ends() -> None:
    words = [Word("one", 0, 90), Word("two", 95, 180), Word("three", 200, 300), Word("four", 302, 520)]
    assert list(pieces(words)) == [(0, 2), (2, 4)]
    samples = np.arange(530 * 160, dtype=np.float32)
    first, second = (cut(samples, words, *piece) for piece in pieces(words))
    assert (first[0], first[-1]) == (0, (180 + 9) * 160 - 1)
    assert second[0] == (200 - 9) * 160


def test_without_the_aligner_it_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pocketsphinx", None)
    assert of_pieces.main(["--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == "PocketSphinx is not installed; requirements-dev.lock has it.\n"


def test_where_nothing_can_be_written_it_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(of_pieces, "Aligner", lambda: None)
    (tmp_path / LIST).write_text("file\tsentence\na.wav\t\n")
    assert of_pieces.main(["--data", str(tmp_path), "--out", str(tmp_path / LIST)]) == 2
    assert capsys.readouterr().err == f"{tmp_path / LIST} cannot be written: File exists.\n"


def test_a_long_recording_is_cut_where_its_words_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pocketsphinx", reason="PocketSphinx is not installed")
    halves = [Espeak().say(text, "en-us", 150, 50) for text in ("where are my keys", "what time is it now")]
    quiet = np.zeros(MICROPHONE_RATE_HZ, np.float32)
    samples = np.concatenate([quiet, halves[0], quiet, quiet, halves[1], quiet])
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((1, 2, MICROPHONE_RATE_HZ, 0, "NONE", ""))
        file.writeframes((20000 * samples).astype("<i2").tobytes())
    row = "a.wav\twhere are my keys what time is it now\tada"
    (tmp_path / LIST).write_text(f"file\tsentence\tspeaker\n{row}\n")
    assert of_pieces.main(["--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith("1 recordings, 2 pieces; 0 without")
    found = read_list(tmp_path / "out")
    assert [each.sentence for each in found] == ["where are my keys", "what time is it now"]
    assert {each.speaker for each in found} == {"ada"} and all(each.path.exists() for each in found)
