"""The command line: one error sentence and exit 2 for unusable input, an answer for usable input."""

from __future__ import annotations

import asyncio
import errno
import json
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import wave
import zlib
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from PIL import Image, ImageDraw

from host.answers.timers import Now, Timers
from host.app.turn_report import sight_note
from host.cli.main import main
from host.config import AnswerConfig
from host.system.watchdog import LOW_BATTERY
from host.wearer import saved_settings, settings_store
from host.wearer.saved_settings import VoiceSettings
from hw.audio.sound_and_picture_files import read_wav
from hw.linux.system_clock import boot_id
from models.pack.catalogue import PACKS_FOLDER
from models.place import ROOT
from models.train.sound.espeak import Espeak
from power.policy.plan import Mode
from tests.demo_files import COLOUR, DEVICE
from tests.host.workbench import DEMO, bench

QUESTION = str(DEMO / COLOUR[0])
VIEW = str(DEMO / COLOUR[1])


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Runs a command that must be refused; returns its error sentence."""
    try:
        code = main(arguments)
    except SystemExit as stop:  # argparse exits so
        code = int(stop.code or 0)
    printed = capsys.readouterr()
    assert code == 2, printed
    assert printed.out == "" and len(printed.err.strip().splitlines()) == 1, printed.err
    return printed.err.strip()


def silent_wav(path: Path, seconds: float) -> Path:
    """A WAV of that length, with its data, at 8 kHz to keep it small."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8_000, 0, "NONE", ""))
        file.writeframes(bytes(int(seconds * 8_000) * 2))
    return path


def huge_png(path: Path, width: int, height: int) -> Path:
    """A PNG header of that size; the pixels would fill a gigabyte."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk)
    return path


def test_bad_sounds_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.wav"
    text.write_text("this is no sound")
    empty = silent_wav(tmp_path / "empty.wav", 0)
    hour = silent_wav(tmp_path / "hour.wav", 3_600)
    for path, words in (
        (tmp_path / "none.wav", "none.wav"),
        (text, "text.wav"),
        (empty, "empty.wav"),
        (hour, "limit"),
        (silent_wav(tmp_path / "three minutes.wav", 180), "180 seconds long; the limit is 120"),
        (tmp_path, "is a folder"),
        (tmp_path / ("x" * 300), "File name too long"),
    ):
        assert words in refusal(["ask", "--audio", str(path)], capsys)


def test_bad_pictures_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truncated = tmp_path / "truncated.png"
    truncated.write_bytes(Path(VIEW).read_bytes()[:3_000])
    huge = huge_png(tmp_path / "huge.png", 12_000, 9_000)
    for path in (tmp_path / "none.png", truncated, huge):
        assert path.name in refusal(["ask", "--audio", QUESTION, "--image", str(path)], capsys)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--battery", "140"], "0 to 100"),
        (["--battery", "full"], "whole number"),
        (["--mode", "turbo"], "turbo"),
        (["--pack", "gigantic"], "gigantic"),
        (["--out", "/nowhere/at/all/answer.wav"], "does not exist"),
        (["--out", "."], "is a folder"),
        (["--config", "none.toml"], "none.toml"),
    ],
)
def test_bad_options_are_refused(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refusal(["ask", "--audio", QUESTION, *arguments], capsys)


def test_a_damaged_model_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = tmp_path / "damaged"
    shutil.copytree(PACKS_FOLDER / "micro", pack)
    model = pack / "decoder.gguf"
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 0xFF
    model.write_bytes(data)
    assert "decoder.gguf" in refusal(["ask", "--audio", QUESTION, "--pack", str(pack)], capsys)


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "--audio", QUESTION],
        ["ask", "--board", "laptop"],
        ["run", "--script", str(DEMO / "demo.toml")],
        ["run", "--board", "laptop"],
        ["demo", "--fast"],
    ],
)
def test_a_pack_without_a_decoder_is_refused(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (PACKS_FOLDER / "micro" / "pack.toml").read_text()
    tables = re.split(r"(?m)^(?=\[)", text)
    (tmp_path / "pack.toml").write_text("".join(t for t in tables if not t.startswith("[brick.llm")))
    said = refusal([*arguments, "--pack", str(tmp_path)], capsys)
    assert "has no decoder (llm), so it answers no questions" in said


def ask(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """`headband ask --json`; returns the object."""
    out = tmp_path / "answer.wav"
    code = main(["ask", "--json", "--out", str(out), *arguments])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    report: dict[str, object] = json.loads(printed.out)
    return report


WIDE_VIEWS = (
    ((1280, 720), (130, 360), "a wide picture, seen whole"),
    ((1280, 960), (110, 300), "a wide picture, seen whole"),
    ((720, 1280), (360, 1150), "a tall picture, seen whole"),
)


def with_a_red_cross(size: tuple[int, int], place: tuple[int, int]) -> Image.Image:
    view = Image.new("RGB", size, (140, 140, 130))
    pen, (x, y) = ImageDraw.Draw(view), place
    pen.rectangle((x - 32, y - 90, x + 32, y + 90), fill=(210, 30, 30))
    pen.rectangle((x - 90, y - 32, x + 90, y + 32), fill=(210, 30, 30))
    return view


def test_ask_answers_and_accounts_for_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, view = tmp_path / "trace.json", tmp_path / "view.png"
    size, place, sight = WIDE_VIEWS[0]
    with_a_red_cross(size, place).save(view)
    report = ask(
        ["--audio", QUESTION, "--image", str(view), "--battery", "15", "--trace", str(trace)],
        tmp_path,
        capsys,
    )
    assert (report["mode"], report["mode_reason"]) == ("cascade", "the battery is at 15 percent")
    assert report["route"] == "now" and report["answer"] == "The cross is red."
    assert str(report["sight"]).startswith(sight)
    timings, memory, energy = report["timings_ms"], report["memory_mib"], report["energy_mwh"]
    assert isinstance(timings, dict) and isinstance(memory, dict) and isinstance(energy, dict)
    for brick in ("stt", "vision", "reflex", "tts"):
        assert timings[f"{brick}_load"] > 0 and timings[f"{brick}_execute"] > 0
        assert memory["bricks"][brick] > 0
    assert timings["end_of_speech_to_first_audio"] > timings["endpoint_silence"] > 0
    assert memory["tree_peak"] > memory["main"] > 0
    assert energy["kind"] == "modelled" and energy["total"] > 0
    events = report["bricks"]
    assert isinstance(events, list)
    used = [e["event"] for e in events if e["brick"] == "reflex"]
    assert used == ["load", "execute", "execute", "release"], "what the picture shows, and the question"
    taken_in = [e["event"] for e in events if e["brick"] == "llm"].count("execute")
    answers = report["answered_by"] == "language model"
    assert taken_in <= 1 + answers, "it may have read the picture ahead"
    with wave.open(str(report["audio_out"])) as file:
        assert file.getnframes() / file.getframerate() > 0.5
    assert json.loads(trace.read_text())["traceEvents"]


def test_without_a_picture_the_answer_and_the_summary_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "answer.wav")
    assert main(["ask", "--audio", QUESTION, "--mode", "cascade", "--out", out]) == 0
    said = capsys.readouterr().out
    assert "I cannot see anything, because there is no camera." in said
    assert said.endswith("sight    none: no picture was given with --image\n")


def test_other_sound_formats_are_converted(tmp_path: Path) -> None:
    question = str(DEMO / DEVICE[0])
    samples, rate = soundfile.read(question, dtype="float32")
    studio = soxr.resample(samples, rate, 48_000)
    stereo = tmp_path / "stereo.wav"
    soundfile.write(stereo, np.stack([studio, studio], axis=1), 48_000, subtype="PCM_24")
    eight_bit = tmp_path / "eight.wav"
    soundfile.write(eight_bit, samples, rate, subtype="PCM_U8")

    async def asked() -> list[str]:
        async with bench(Mode.CASCADE) as b:
            return [(await b.ask(read_wav(path))).transcript for path in (question, stereo, eight_bit)]

    heard = set(asyncio.run(asked()))
    assert len(heard) == 1 and heard != {""}


def test_a_recording_may_begin_with_silence_and_speech_that_was_not_heard_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question, rate = soundfile.read(str(DEMO / DEVICE[0]), dtype="int16")
    silence = np.zeros(8 * rate, np.int16)
    late, twice = tmp_path / "late.wav", tmp_path / "twice.wav"
    soundfile.write(late, np.concatenate([silence, question]), rate)
    soundfile.write(twice, np.concatenate([question, silence[: 2 * rate], question]), rate)
    report = ask(["--audio", str(late), "--mode", "cascade"], tmp_path, capsys)
    assert report["transcript"] == "how much battery is left" and report["rest"] is None
    out = str(tmp_path / "answer.wav")
    assert main(["ask", "--audio", str(twice), "--mode", "cascade", "--out", out]) == 0
    said = capsys.readouterr().out
    assert re.search(r"rest +the speech from \d\.\d s on was not heard: a pause ended the question\n", said)


def test_what_cannot_be_kept_is_told_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(settings_store, "write_whole", full)
    arguments = asking_to_keep(tmp_path, "set a timer for five minutes")
    assert main(arguments) == 1
    printed = capsys.readouterr()
    assert printed.err == "What the wearer sets cannot be kept: No space left on device.\n"
    assert "Your timer for 5 minutes is running." in printed.out


def asking_to_keep(folder: Path, words: str) -> list[str]:
    """The arguments of an `ask --keep` with a folder of its own."""
    speech = Espeak().say(words, "en-us+adam", 160)
    samples = np.concatenate([np.zeros(8_000), speech / np.abs(speech).max() * 12_000]).astype(np.int16)
    soundfile.write(folder / "asked.wav", samples, 16_000)
    (folder / "headband.toml").write_text(f'[journal]\npath = "{folder}/state/journal.jsonl"\n')
    (folder / "state").mkdir(exist_ok=True)
    files = ["--audio", f"{folder}/asked.wav", "--config", f"{folder}/headband.toml"]
    return ["ask", "--keep", "--mode", "cascade", *files, "--out", f"{folder}/answer.wav"]


def test_a_timer_that_is_due_is_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for as_json in ([], ["--json"]):
        arguments = asking_to_keep(tmp_path, "what time is it")
        now = Now(time.monotonic(), time.time())
        earlier = Now(now.mono_s - 20, now.wall_s - 20)
        timers = Timers().with_timer(10, earlier)
        voice, config = VoiceSettings(80, 1.0), AnswerConfig()
        kept = saved_settings.as_json(timers, voice, config, earlier, boot_id())
        (tmp_path / "state" / "kept.json").write_text(kept)
        assert main([*arguments, *as_json]) == 0
        printed = capsys.readouterr().out
        if as_json:
            assert json.loads(printed)["announcements"] == ["Your 10 second timer is done."]
        else:
            assert "\n  unasked  Your 10 second timer is done.\n" in printed


def test_what_is_in_view_is_remembered_before_it_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = asking_to_keep(tmp_path, "remember what you see")
    assert main([*arguments, "--image", VIEW, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["intent"] == "memory_on" and report["announcements"] == []
    assert main(["memory", "status", "--config", str(tmp_path / "headband.toml"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["memory"]["views"] == 1


def test_status_and_diagram(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--battery", "14", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["mode"] == "cascade" and status["battery"]["percent"] == 14
    assert main(["status", "--diagram"]) == 0
    assert capsys.readouterr().out.startswith("stateDiagram-v2")


def test_a_day_script_runs_and_tells_each_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = DEMO / "demo.toml"
    assert main(["run", "--script", str(script), "--out", str(tmp_path), "--json"]) == 0
    turns = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [turn["mode"] for turn in turns] == ["performance"] * 2 + ["throttled"] * 2 + ["cascade"] * 2
    assert all(turn["failure"] is None and turn["answer"] for turn in turns)
    assert (tmp_path / "spoken.wav").stat().st_size > 10_000


def test_a_day_tells_each_turn_when_it_is_over(tmp_path: Path) -> None:
    script, settings = tmp_path / "day.toml", tmp_path / "headband.toml"
    script.write_text(
        f'[[event]]\nat_s = 0\nbattery = 14\nsay = "{DEMO / DEVICE[0]}"\n'
        f'[[event]]\nat_s = 3600\nsay = "{DEMO / DEVICE[0]}"\n'
    )
    settings.write_text('[journal]\npath = ""\n')
    words = ["run", "--script", str(script), "--json", "--real-time", "--config", str(settings)]
    command = [sys.executable, "-m", "host", *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as day:
        assert day.stdout is not None
        try:
            turn = json.loads(day.stdout.readline())
        finally:
            day.send_signal(signal.SIGINT)
        rest, _ = day.communicate(timeout=60)
    assert turn["transcript"] == "how much battery is left" and turn["answer"]
    assert turn["timings_ms"]["turn"] > 0
    assert (day.returncode, rest) == (130, "")  # Ctrl-C came long before the second question


def test_a_day_whose_battery_runs_empty_ends_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    day = tmp_path / "day.toml"
    day.write_text(
        "end_s = 60\n"
        "[[event]]\nat_s = 0\nbattery = 30\n"
        "[[event]]\nat_s = 1\nbattery = 0\n"
        f'[[event]]\nat_s = 30\nsay = "{QUESTION}"\n'
    )
    assert main(["run", "--script", str(day), "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out.splitlines()
    spoken = [line for line in said if "speaking" in line]
    assert len(spoken) == 1 and LOW_BATTERY in spoken[0]
    assert said[said.index(spoken[0]) + 1].endswith("stopped     the battery is at 0 percent")
    assert "[[event]] 3 of the script did not happen: the headband was off." in said
    assert not any("woken" in line for line in said)


def test_what_is_at_the_side_of_a_wide_picture_is_seen(tmp_path: Path) -> None:
    """By one headband, which looks at one after the other."""

    async def asked() -> list[tuple[str, str | None]]:
        seen = []
        async with bench() as b:
            for number, (size, place, _) in enumerate(WIDE_VIEWS):
                with_a_red_cross(size, place).save(tmp_path / f"{number}.png")
                turn = await b.ask((QUESTION, str(tmp_path / f"{number}.png")))
                seen.append((turn.answer, sight_note(b.headband.recent_views.newest)))
        return seen

    for (answer, sight), (*_, says) in zip(asyncio.run(asked()), WIDE_VIEWS, strict=True):
        assert answer == "The cross is red."
        assert str(sight).startswith(says)
