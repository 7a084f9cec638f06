"""The doctor for a user without a home folder."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest

from host.cli.main import main


def test_without_a_journal_nobody_needs_a_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "headband.toml"
    settings.write_text('[journal]\npath = ""\n')
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", Mock(side_effect=KeyError))
    monkeypatch.setattr("host.doctor.checks.examine", AsyncMock(return_value=[]))
    assert main(["doctor", "--config", str(settings)]) == 0
    assert f"settings    {settings}" in capsys.readouterr().out
