"""What a clip costs is a stage of the ledger of its own, and the trace has when the camera went on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from host.app.turn_report import energy_mwh
from host.config import JournalConfig
from host.energy.ledger_store import format_used, ledger_path, used
from host.observe.trace import chrome_trace, picture
from hw.audio.sound_and_picture_files import read_image, read_wav
from power.policy.plan import Mode
from power.rig.scenario import SCENARIOS
from tests.demo_files import DEMO
from tests.host.workbench import COLOUR, QUIET, bench


def test_the_energy_of_a_clip_is_a_stage_of_its_own_and_in_what_was_used(tmp_path: Path) -> None:
    config = replace(QUIET, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))
    frames = [read_image(DEMO / name) for name in ("2-viewa.png", "2-viewb.png")]
    spans: list[Any] = []

    async def scene() -> None:
        async with bench(Mode.PERFORMANCE, config=config) as b:

            async def show() -> None:
                while True:
                    for frame in frames:
                        b.board.camera.show(frame)
                        await b.board.clock.sleep(0.15)

            showing = asyncio.create_task(show())
            about_clip = await b.ask(read_wav(SCENARIOS / "which-way.wav"))
            showing.cancel()
            assert about_clip.answered_by == "motion", about_clip.transcript
            spans.extend(b.headband.timeline.spans)
            other = await b.ask(COLOUR)
            for turn in (about_clip, other):
                stages = energy_mwh(turn)["stages"]
                assert stages["clip"] > 0 and sum(stages.values()) == pytest.approx(
                    energy_mwh(turn)["total"], abs=1e-3
                )
            looks = [each for each in b.headband.timeline.spans if each.track == "camera"]
            assert len(looks) == 2 and all(each.details["sensed_s"] > 0 for each in looks)

    asyncio.run(scene())
    path = ledger_path(config)
    assert path is not None
    told = used(path)
    assert told["looking_on"]["mwh"] > 0 and told["looking_on"]["asked"] == 1
    assert "looking on while questions are spoken" in format_used(told)
    tracks = {each["cat"] for each in chrome_trace(spans)["traceEvents"] if each["ph"] == "X"}
    assert {"camera", "motion", "turn"} <= tracks
    assert "looks on" in picture([("a question about the last seconds", spans)])
