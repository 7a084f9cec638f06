"""What the doctor says about questions about the last seconds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from host.cli.main import main
from host.doctor import motion_checks
from host.doctor.finding import Finding
from power.policy.config import PowerConfig
from power.policy.savings import CLIP_INTERVAL_S, LEAN_CLIP_INTERVAL_S


def told(pack: str | Path = "micro", power: PowerConfig | None = None) -> Finding:
    return asyncio.run(motion_checks.motion_finding(pack, power or PowerConfig()))


def test_it_says_how_often_each_mode_takes_a_picture_and_when_that_is_encoded() -> None:
    found = told()
    assert found.health == "ok"
    assert f"performance every {CLIP_INTERVAL_S:g} s, encoded as it comes" in found.says
    assert f"throttled every {LEAN_CLIP_INTERVAL_S:g} s, encoded when it is asked about" in found.says
    assert "cascade none" in told(power=PowerConfig(cascade_memory_mib=1000)).says


def test_a_setting_and_a_pack_without_motion_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    off = told(power=PowerConfig(clips=False))
    assert off.health == "note" and "[power] clips is off" in off.says
    still = SimpleNamespace(name="still", bricks={"vision": None})
    monkeypatch.setattr(motion_checks, "load_pack", lambda pack, verify: still)
    assert told().health == "note" and "knows no motion" in told().says


def test_a_pack_that_cannot_be_read_is_the_business_of_another_check() -> None:
    assert told("no-such-pack").says == "see pack"


def test_the_command_has_a_line_about_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "headband.toml"
    settings.write_text(f'[journal]\npath = "{tmp_path / "journal.jsonl"}"\n[power]\nclips = false\n')
    main(["doctor", "--config", str(settings)])
    assert "[power] clips is off" in capsys.readouterr().out
