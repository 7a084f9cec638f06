"""A day with a damaged memory: it is told once, left as it is, and everything else goes on."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile

from host.answers.memory_replies import FORGOTTEN_ALL, NOTHING_THEN
from host.answers.timers import Now, Timers
from host.app.open_board import open_board
from host.cli.main import main
from host.config import AnswerConfig, BoardConfig
from host.memory.brick import DAMAGED
from host.memory.files import files
from host.memory.key import DATABASE, new_or_known_key
from host.wearer.saved_settings import VoiceSettings, as_json
from hw.audio.sound_and_picture_files import read_image
from hw.device import MICROPHONE_RATE_HZ
from models.train.demo_assets import speech
from models.train.sound.espeak import Espeak
from tests.demo_files import COLOUR, DEMO, words
from tests.host.memory.bench import at, store, view
from tests.host.memory.wearing import wearing

DAY = """
end_s = 34
[[event]]
at_s = 0
image = "DEMO/SEEN"
[[event]]
at_s = 12
say = "remember.wav"
[[event]]
at_s = 24
say = "DEMO/ASKED"
"""


def scrambled(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def damaged_memory(folder: Path, damage: Callable[[Path], None]) -> bytes:
    """Makes a memory with five views and damages it; returns what is left."""
    folder.mkdir(exist_ok=True)
    page = open_board(BoardConfig(), key_file=folder / "memory.key").key_page
    assert page is not None
    filled = store(folder, key=new_or_known_key(page, folder))
    for number in range(1, 6):
        filled.add(view(number), at(number))
    filled.close()
    damage(folder / DATABASE)
    return (folder / DATABASE).read_bytes()


@pytest.mark.parametrize("damage", [scrambled, emptied])
def test_the_wearer_hears_it_once_unasked_and_when_asking_and_all_else_works(
    tmp_path: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    left = damaged_memory(state, damage)
    answers = AnswerConfig()
    voice = VoiceSettings(answers.volume_percent, 1.0)
    kept = as_json(Timers(), voice, answers, Now(0.0, 0.0), "an earlier boot", memory=True)
    (state / "kept.json").write_text(kept)
    config, script = tmp_path / "headband.toml", tmp_path / "day.toml"
    config.write_text(f'[journal]\npath = "{state}/journal.jsonl"\n')
    remember = speech(Espeak(), "remember this", "en-us+adam", wake=True)
    soundfile.write(tmp_path / "remember.wav", remember, MICROPHONE_RATE_HZ)
    script.write_text(DAY.replace("DEMO", str(DEMO)).replace("SEEN", COLOUR[1]).replace("ASKED", COLOUR[0]))
    assert main(["run", "--config", str(config), "--script", str(script)]) == 1, "a question had no answer"
    out, err = capsys.readouterr()
    assert err == "" and out.count(f'speaking    "{DAMAGED}"') == 2
    assert f'speaking    "{words(COLOUR[0])[1]}"' in out
    lines = [json.loads(line) for line in (state / "journal.jsonl").read_text().splitlines()]
    told = [line for line in lines if line["event"] == "announcement"]
    assert [(line["kind"], line["sentence"]) for line in told] == [("memory stopped", DAMAGED)]
    assert [line["failure"] for line in lines if line["event"] == "turn"] == [DAMAGED, None]
    assert (state / DATABASE).read_bytes() == left
    assert [each.name for each in files(state / DATABASE)] == [DATABASE]
    assert main(["replay", str(state / "journal.jsonl")]) == 0


def test_forgetting_everything_begins_anew(tmp_path: Path) -> None:
    damaged_memory(tmp_path, scrambled)

    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            assert await wearer.asks("forget everything") == FORGOTTEN_ALL
            wearer.remember()
            assert await wearer.asks("where did i leave my keys") == NOTHING_THEN
            await wearer.sees(read_image(DEMO / COLOUR[1]))

    asyncio.run(scene())
