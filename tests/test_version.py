"""One version, in the package, the command line, the doctor and the changelog."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from host import __version__
from host.cli.main import main
from host.terminal.version import program_version
from models import place

ROOT = Path(__file__).parents[1]


def test_the_command_line_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert (stop.value.code, capsys.readouterr().out) == (0, f"headband {__version__}\n")


def test_the_package_takes_it_from_the_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "host.__version__"}


def test_it_is_the_newest_of_the_changelog() -> None:
    versions = re.findall(r"^## \[([^\]]+)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert versions[0] == __version__ and re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    assert versions == sorted(
        versions, key=lambda text: [int(part) for part in text.split(".")], reverse=True
    )


@pytest.mark.parametrize("written", ['{"id": "0123456789abcdef"}', "", "[]", "{}"])
def test_on_a_headband_the_release_is_named(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "ROOT", tmp_path)
    (tmp_path / "release.json").write_text(written)
    named = ", release 0123456789abcdef" if "0123" in written else ""
    assert program_version() == f"headband {__version__}{named}"


def test_the_doctor_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor"])
    assert f"program     headband {__version__}" in capsys.readouterr().out
