"""Actions that are repeated on a busy computer."""

from __future__ import annotations

import base64
import io
import subprocess
import wave
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hw.device import MICROPHONE_RATE_HZ
from tests.virtual import trial, wearer, wire
from tests.virtual.attached import Check, tried
from tests.virtual.machine import Machine, VirtualBoardError

SOUND = np.arange(1600, dtype=np.int16)


class Headband:
    """A board that wakes at the n-th wake word and answers the n-th question; time passes only in waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wakes: int, answers: int = 1) -> None:
        self.wakes, self.answers = wakes, answers
        self.played = self.woken = self.answered = 0
        self.now_s = 0.0
        self.ears = 0
        clock = SimpleNamespace(monotonic=lambda: self.now_s, sleep=self._wait)
        monkeypatch.setattr(wearer, "time", clock)

    def _wait(self, seconds: float) -> None:
        self.now_s += seconds

    def call(self, command: str, **how: Any) -> subprocess.CompletedProcess[str]:
        said = ""
        if command.startswith("aplay"):
            self.played += 1
            self.woken += self.played >= self.wakes
            self.answered += self.played >= self.wakes and self.woken >= self.answers
        elif "woken" in command:
            said = str(self.woken)
        elif "speaking" in command:
            said = str(self.answered)
        elif "systemd-run" in command:
            self.ears += 1
        elif command == "systemctl stop ears":
            self.ears = 0
        elif "base64 -w0" in command:
            file = io.BytesIO()
            with wave.open(file, "wb") as written:
                written.setparams((1, 2, MICROPHONE_RATE_HZ, 0, "NONE", ""))
                written.writeframes(SOUND.tobytes())
            said = base64.b64encode(file.getvalue()).decode()
        return subprocess.CompletedProcess([], 0, said, "")


def test_the_wearer_says_again_what_did_not_wake_it(monkeypatch: pytest.MonkeyPatch) -> None:
    headband = Headband(monkeypatch, wakes=3)
    heard = wearer.ask(cast(Machine, headband), "how much battery is left")
    assert headband.played == 3 and headband.ears == 0 and np.array_equal(heard, SOUND)


def test_the_wearer_asks_again_when_no_answer_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    headband = Headband(monkeypatch, wakes=1, answers=2)
    wearer.ask(cast(Machine, headband), "how much battery is left")
    assert headband.played == 2


def test_the_wearer_gives_up_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    headband = Headband(monkeypatch, wakes=100)
    with pytest.raises(VirtualBoardError, match="'how', said 4 times, does not wake it within 90 s"):
        wearer.ask(cast(Machine, headband), "how")
    assert headband.played == wearer.TRIES and headband.ears == 0


@pytest.mark.parametrize(
    ("heard", "held", "says"),
    [
        (["eighty two"], True, "hears eighty two"),
        (["", "eighty two"], True, "hears eighty two, asked 2 times"),
        (["twelve"], False, "hears twelve"),
        (["", "", "", "eighty two"], False, "hears no number, asked 3 times"),
    ],
)
def test_who_hears_no_number_asks_again(
    monkeypatch: pytest.MonkeyPatch, heard: list[str], held: bool, says: str
) -> None:
    monkeypatch.setattr(wire, "ask", lambda machine, sentence: heard.pop(0))
    monkeypatch.setattr(wire, "number", lambda sound: sound)
    pmu = SimpleNamespace(firmware=SimpleNamespace(gauge=SimpleNamespace(percent=82.5)))
    check = wire._asked(cast(Machine, None), cast(wire.Wire, SimpleNamespace(pmu=pmu)))
    assert (check.held, check.says) == (held, says)


def test_a_look_that_held_later_says_at_which_try() -> None:
    looks = [Check("x", False, "no"), Check("x", True, "yes")]
    assert tried(lambda: looks.pop(0)) == Check("x", True, "yes (at try 2)")
    assert tried(lambda: Check("x", False, "no")) == Check("x", False, "no (3 tries)")
    assert tried(lambda: Check("x", True, "yes")) == Check("x", True, "yes")


def test_a_deploy_that_ssh_did_not_let_in_is_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = trial.Tried(60.0, 1, "virtual-board can't be reached by ssh: banner exchange.")
    ends = [busy, trial.Tried(9.0, 0, "runs, healthy")]
    monkeypatch.setattr(trial, "_deploy", lambda *_, **__: ends.pop(0))
    assert trial.deploy(cast(Machine, None)).code == 0
    ends += [busy] * 9
    assert trial.deploy(cast(Machine, None)) == busy and len(ends) == 9 - trial.DEPLOYS
    assert trial.deploy(cast(Machine, None), cut_after_s=1.0) == busy and len(ends) == 8 - trial.DEPLOYS
