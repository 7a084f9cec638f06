"""Days that run as fast as possible: every clock of the headband follows the script."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile

from host.answers.timers import Now, Timers
from host.cli.main import main
from host.config import AnswerConfig
from host.memory.values import Moment
from host.wearer.saved_settings import VoiceSettings, as_json
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from models.train.demo_assets import speech
from models.train.sound.espeak import Espeak
from tests.demo_files import DEMO, LONGEST, words
from tests.host.memory.bench import START_S, store, view

SAID = {
    "timer": "set a thirty second timer",
    "battery": "how much battery is left",
    "off": "stop recording",
}
VOICE = "en-us+adam"


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of recordings to say."""
    folder, espeak = tmp_path_factory.mktemp("clips"), Espeak()
    for name, text in SAID.items():
        soundfile.write(folder / f"{name}.wav", speech(espeak, text, VOICE, wake=True), MICROPHONE_RATE_HZ)
    wake = read_wav(DEMO / LONGEST[0])[:MICROPHONE_RATE_HZ]  # the question comes later
    soundfile.write(folder / "wake.wav", wake, MICROPHONE_RATE_HZ)
    return folder


class Day:
    """A script, what its run printed, and the files that it wrote."""

    def __init__(self, folder: Path, clips: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._clips, self._capsys = folder, clips, capsys
        self.out = folder / "out"
        self.lines: list[str] = []

    def live(self, script: str) -> None:
        """Runs it, and feeds its journal to the rules again; `CLIPS` and `DEMO` in it are folders,
        and `ASKED` and `SHOWN` the question with the longest answer and its view.
        """
        text = script.replace("CLIPS", str(self._clips)).replace("DEMO", str(DEMO))
        text = text.replace("ASKED", LONGEST[0]).replace("SHOWN", LONGEST[1])
        (self.folder / "day.toml").write_text(text)
        config = self.folder / "headband.toml"
        config.write_text(f'[journal]\npath = "{self.folder / "journal.jsonl"}"\n')
        day = ["run", "--config", str(config), "--script", str(self.folder / "day.toml")]
        assert main([*day, "--out", str(self.out)]) == 0
        self.lines = self._capsys.readouterr().out.splitlines()
        assert main(["replay", str(self.folder / "journal.jsonl")]) == 0
        assert "the same actions" in self._capsys.readouterr().out

    def at_s(self, words: str) -> float:
        """The second of the first line with these words."""
        line = next(line for line in self.lines if words in line)
        return float(line.split()[0])

    def journal(self, event: str) -> list[dict[str, object]]:
        """Its lines of one kind."""
        lines = [json.loads(line) for line in (self.folder / "journal.jsonl").read_text().splitlines()]
        return [line for line in lines if line["event"] == event]


@pytest.fixture
def day(tmp_path: Path, clips: Path, capsys: pytest.CaptureFixture[str]) -> Day:
    return Day(tmp_path, clips, capsys)


TIMER = """
end_s = 43
[[event]]
at_s = 1
say = "CLIPS/timer.wav"
"""


def test_a_timer_rings_at_its_second_of_the_script_and_the_same_each_time(
    day: Day, tmp_path: Path, clips: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    day.live(TIMER)
    set_s, rung_s = day.at_s("-> device"), day.at_s("timer is done")
    assert 30.0 <= rung_s - set_s < 31.0  # a tone sounds before the sentence
    again = Day(tmp_path / "again", clips, capsys)
    again.folder.mkdir()
    again.live(TIMER)
    assert _comparable(day.lines) == _comparable(again.lines)
    assert (day.out / "spoken.wav").read_bytes() == (again.out / "spoken.wav").read_bytes()


def _comparable(lines: list[str]) -> list[str]:
    """Without what depends on how fast this computer is."""
    return [re.sub(r"\d+ ms after|[\d.]+ s after launch", "", line) for line in lines if "/out" not in line]


def test_an_answer_is_interrupted_by_the_wake_word_and_by_the_button(day: Day) -> None:
    day.live(
        """
        end_s = 26
        [[event]]
        at_s = 0
        image = "DEMO/SHOWN"
        [[event]]
        at_s = 1
        say = "DEMO/ASKED"
        [[event]]
        into_answer_s = 0.5
        say = "CLIPS/wake.wav"
        [[event]]
        at_s = 14
        say = "DEMO/ASKED"
        [[event]]
        into_answer_s = 0.8
        button = "double"
        [[event]]
        into_answer_s = 0.2
        battery = 30
        """
    )
    asked = [turn for turn in day.journal("turn") if turn["route"] == "now"]
    assert [turn["silenced"] for turn in asked] == [True, True]
    answer = " ".join(words(LONGEST[0])[1].split()[:2])
    speaking_s = [float(line.split()[0]) for line in day.lines if f'speaking    "{answer}' in line]
    heard_s = day.at_s("the wake word was heard over the answer") - speaking_s[0]
    assert 0.5 < heard_s < 2.0
    assert 0.8 < day.at_s("pressed twice") - speaking_s[-1] < 1.4
    assert day.at_s("throttled: the battery is at 30 percent") > speaking_s[-1]


def test_after_the_farewell_the_charger_brings_it_back_and_the_day_goes_on(day: Day) -> None:
    day.live(
        """
        end_s = 76
        [[event]]
        at_s = 0
        battery = 30
        [[event]]
        at_s = 2
        battery = 0
        [[event]]
        at_s = 28
        say = "CLIPS/battery.wav"
        note = "nobody hears this"
        [[event]]
        at_s = 33
        battery = 5
        charging = true
        [[event]]
        at_s = 62
        say = "CLIPS/battery.wav"
        [[event]]
        into_answer_s = 0.5
        charging = false
        """
    )
    off_s, on_s = day.at_s("off         it has no power"), day.at_s("on          it has power again")
    assert off_s < 28 and 43 <= on_s < 45  # ten steady seconds on the charger
    assert len([line for line in day.lines if "ready " in line]) == 2
    (turn,) = day.journal("turn")
    assert turn["route"] == "device" and day.at_s("understood") > 62
    assert any("percent and charging" in line for line in day.lines)


def test_a_long_press_switches_off_and_a_short_one_on_again(day: Day) -> None:
    day.live(
        """
        end_s = 46
        [[event]]
        at_s = 1
        button = "long"
        [[event]]
        at_s = 28
        button = "press"
        """
    )
    assert 3 < day.at_s("held for two seconds") <= day.at_s("Goodbye") < day.at_s("off         it")
    assert 28 < day.at_s("on          it") < 29.5


def test_recording_goes_off_by_word_and_switch_and_on_by_button_and_switch(day: Day) -> None:
    day.live(
        """
        end_s = 30
        [[event]]
        at_s = 1
        say = "CLIPS/off.wav"
        [[event]]
        at_s = 9
        say = "CLIPS/battery.wav"
        note = "nobody hears this"
        [[event]]
        at_s = 14
        button = "press"
        [[event]]
        at_s = 20
        recording_switch = "off"
        [[event]]
        at_s = 25
        recording_switch = "on"
        """
    )
    assert len(day.journal("turn")) == 1
    states = [line["to"] for line in day.journal("transition") if line["region"] == "recording"]
    assert states == ["off", "on", "off", "on"]
    assert 14 < day.at_s("I listen and look again.") < 17
    assert not any("does not answer" in line for line in day.lines), "switching on is no fault"


def test_a_sleeping_headband_notices_that_the_switch_was_moved_back(day: Day) -> None:
    day.live(
        """
        end_s = 45
        [[event]]
        at_s = 1
        recording_switch = "off"
        [[event]]
        at_s = 25
        recording_switch = "on"
        [[event]]
        at_s = 32
        say = "CLIPS/battery.wav"
        """
    )
    assert day.at_s("asleep") < 25
    assert 25 <= day.at_s("I listen and look again.") < 28
    assert len(day.journal("turn")) == 1


def test_what_is_in_view_when_the_memory_is_switched_on_is_remembered(day: Day) -> None:
    scenarios = Path(__file__).parents[3] / "power/scenarios"
    day.live(
        f"""
        end_s = 30
        [[event]]
        at_s = 0
        charging = true
        image = "DEMO/1-view.png"
        [[event]]
        at_s = 2
        say = "{scenarios}/remember.wav"
        [[event]]
        at_s = 12
        image = "DEMO/3-view.png"
        [[event]]
        at_s = 20
        say = "{scenarios}/where.wav"
        """
    )
    assert any("I saw your keys" in line for line in day.lines), day.lines
    assert not any("died" in line for line in day.lines), "the end of the day is no fault"


def test_a_run_leaves_what_it_promises_and_says_what(day: Day) -> None:
    day.live(
        """
        end_s = 9
        [[event]]
        at_s = 1
        say = "CLIPS/battery.wav"
        """
    )
    names = {"spoken.wav", "timeline.svg", "trace.json"}
    assert {path.name for path in day.out.iterdir()} == names
    assert names <= {word for line in day.lines for word in line.split()}
    drawn = (day.out / "timeline.svg").read_text()
    for what in ("wake word", "speech", "silence", "listening", "thinking", "speaking", "voice: execute"):
        assert re.search(f"<title>[^<]*{what.replace('execute', 'at work')}, ", drawn), what
    trace = json.loads((day.out / "trace.json").read_text())
    assert {"headband", "microphone", "speaker"} <= {e["cat"] for e in trace["traceEvents"] if "cat" in e}


def test_what_is_remembered_on_one_day_is_not_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulated monotonic time begins at the same second every day."""
    (tmp_path / "day.toml").write_text("end_s = 1\n[[event]]\nat_s = 0.5\nbattery = 70\n")
    (tmp_path / "headband.toml").write_text(f'[journal]\npath = "{tmp_path / "journal.jsonl"}"\n')
    boots: list[str] = []

    def begun(*arguments: object, boot: Callable[[], str], **named: object) -> None:
        boots.extend((boot(), boot()))
        raise KeyboardInterrupt

    monkeypatch.setattr("host.app.on_script.Headband", begun)
    day = ["run", "--config", str(tmp_path / "headband.toml"), "--script", str(tmp_path / "day.toml")]
    assert [main(day), main(day)] == [130, 130]
    assert boots[0] == boots[1] != boots[2] == boots[3]
    memory = store(tmp_path)
    taken = [Moment(boots[2 * day], 1000.0, START_S + 86_400 * day) for day in (0, 1)]
    for number, moment in enumerate(taken, 1):
        memory.add(view(number, moment), moment)
    assert [row.time_s for row in memory.rows(taken[1])] == [START_S, START_S + 86_400]


def test_a_day_on_which_nothing_is_said_says_so(day: Day) -> None:
    day.live("end_s = 1\n[[event]]\nat_s = 0.5\nbattery = 70\n")
    assert {path.name for path in day.out.iterdir()} == {"timeline.svg", "trace.json"}
    assert any("no spoken.wav: nothing was said" in line for line in day.lines)


def test_a_microphone_camera_or_pmu_that_goes_and_comes_back(day: Day) -> None:
    day.live(
        """
        end_s = 32
        [[event]]
        at_s = 0
        image = "DEMO/SHOWN"
        charging = true
        [[event]]
        at_s = 2
        microphone = "unplugged"
        camera = "unplugged"
        [[event]]
        at_s = 8
        microphone = "plugged"
        camera = "plugged"
        [[event]]
        at_s = 14
        pmu = "silent"
        [[event]]
        at_s = 22
        pmu = "answers"
        """
    )
    assert 2 < day.at_s("The microphone stopped working") < 3
    assert 8 < day.at_s("microphone  works again") < 22
    assert day.at_s("readable again") >= 22
    assert 14 < day.at_s("does not answer on the bus") < 20


def test_what_is_remembered_of_a_day_is_of_the_time_before_its_end(
    day: Day, capsys: pytest.CaptureFixture[str]
) -> None:
    now, voice = Now(0.0, time.time()), VoiceSettings(50, 1.0)
    kept = as_json(Timers(), voice, AnswerConfig(), now, "boot", memory=True)
    (day.folder / "kept.json").write_text(kept)
    day.live('end_s = 120\n[[event]]\nat_s = 0\nimage = "DEMO/SHOWN"\n[[event]]\nat_s = 2\nbattery = 70\n')
    ended_s, told = time.time(), []
    for _ in range(2):
        assert main(["memory", "show", "1", "--json", "--config", str(day.folder / "headband.toml")]) == 0
        told.append(json.loads(capsys.readouterr().out)["view"]["time_s"])
        time.sleep(0.1)
    assert told[0] == pytest.approx(told[1], abs=0.001), "it does not follow the clock"
    assert ended_s - 180 < told[0] < ended_s - 60
