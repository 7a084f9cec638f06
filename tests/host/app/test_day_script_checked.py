"""A day script is checked completely before it runs."""

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile

from host.cli.main import main
from hw.device import MICROPHONE_RATE_HZ

ONE = "[[event]]\nat_s = 1\n"
WRONG = [
    (f"{ONE}say = 5", "[[event]] 1 say is 5"),
    (f'end_s = "x"\n{ONE}', 'end_s is "x"'),
    ("[[event]]\nat_s = nan", "[[event]] 1 at_s is nan"),
    ("[[event]]\nat_s = inf", "at_s is inf"),
    ("[[event]]\nat_s = -1", "at_s is -1"),
    ("[[event]]\nat_s = 1e300", "at_s is 1e+300"),
    (f"{ONE}{ONE}at_s = {'9' * 5000}", "not valid TOML"),
    (f"{ONE}{ONE}image = ['a.png']", '[[event]] 2 image is ["a.png"]'),
    (f"{ONE}charging = 'yes'", 'charging is "yes"'),
    (f"{ONE}note = 3", "note is 3"),
    (f"{ONE}button = 'kick'", '"press", "double", "long", "hold"'),
    (f"{ONE}into_answer_s = 1", "needs at_s or into_answer_s, one of the two"),
    ("[[event]]\ninto_answer_s = 1", "another event has to come before it"),
    (f"end_s = 0.5\n{ONE}", "[[event]] 1 is at 1 seconds, after the day's end at 0.5"),
    (f"{ONE}[[event]]\nat_s = 300\nsay = 'cut.wav'", "[[event]] 2 cannot be lived"),
    (f"{ONE}[[event]]\nat_s = 300\nimage = 'cut.wav'", "[[event]] 2 cannot be lived"),
    (f"{ONE}say = ['good.wav', 'missing.wav']", "missing.wav does not exist"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_a_wrong_script_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    soundfile.write(tmp_path / "good.wav", np.zeros(1600), MICROPHONE_RATE_HZ)
    (tmp_path / "cut.wav").write_bytes((tmp_path / "good.wav").read_bytes()[:1000])
    (tmp_path / "day.toml").write_text(text)
    assert main(["run", "--script", str(tmp_path / "day.toml")]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and words in said.err


def test_a_named_pipe_is_no_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "day.toml"
    os.mkfifo(pipe)
    assert main(["run", "--script", str(pipe)]) == 2
    said = capsys.readouterr().err
    assert said == f"The script {pipe} cannot be read: it is a pipe, for whose writer one waits for ever.\n"
