"""The doctor reads the files of the release that runs, and names those that are damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from host.cli.main import main
from host.doctor.program_checks import program_finding
from host.ship.whole import write_manifest
from models import place
from tests.host.ship.test_whole import altered


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release as a deploy leaves it: a folder with a link to its environment, each with its manifest."""
    venv, root = tmp_path / "venvs/v", tmp_path / "releases/r"
    for folder, names in ((venv, ("lib/a.so", "lib/b.so")), (root, ("host/app.py", "models/weights.bin"))):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name)
    (root / "release.json").write_text(json.dumps({"id": "r"}))
    (root / "venv").symlink_to("../../venvs/v")
    write_manifest(venv)
    write_manifest(root)
    monkeypatch.setattr(place, "ROOT", root)
    return root


def test_a_release_as_it_was_deployed_is_fine(release: Path) -> None:
    found = program_finding()
    assert found.health == "ok" and found.says.endswith("release r, every file as it was deployed")


@pytest.mark.parametrize("name", ["host/app.py", "models/weights.bin", "venv/lib/b.so", "manifest.json"])
def test_a_flipped_bit_is_named_with_what_to_do(release: Path, name: str) -> None:
    altered(release / name)
    found = program_finding()
    assert found.health == "broken" and found.says.endswith(f"damaged on the disk: {name}")
    assert found.fix.startswith("deploy it again, ") and "./justw deploy-app HOST" in found.fix


def test_much_damage_is_one_line(release: Path) -> None:
    for name in ("host/app.py", "models/weights.bin", "venv/lib/a.so"):
        (release / name).unlink()
    (release / "venv/lib/b.so").write_text("longer than before")
    says = program_finding().says
    assert "venv/lib/a.so and more" in says and "b.so" not in says


def test_a_damaged_file_that_breaks_the_doctor_itself_is_named(
    release: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    altered(release / "host/app.py")

    def broken(options: object) -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr("host.doctor.command._all_parts", broken)
    assert main(["doctor", "--json"]) == 1
    listed = json.loads(capsys.readouterr().out)["findings"]
    says = [each["says"] for each in listed if each["part"] == "program"]
    assert len(says) == 2 and "host/app.py" in says[0] and "marshal data too short" in says[1]


def test_a_checkout_has_nothing_to_compare_with() -> None:
    assert "deployed" not in program_finding().says
