"""A headband whose program is damaged, or which cannot write files: the doctor starts, finds the fault, and
says what its user can do.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from host.cli.main import main
from host.doctor.finding import Finding
from host.doctor.folder_checks import state_files, writing_finding
from host.doctor.runtime_checks import JOBS, Job, runtimes_finding
from host.ship.target.building import USED
from models import place
from models.pack.catalogue import PACKS_FOLDER
from tests.host.doctor.test_doctor import findings, troubled

ROOT = Path(__file__).parents[3]
NOT_HERE = "raise ModuleNotFoundError(\"No module named '{0}'\", name='{0}')"
BROKEN = {
    "missing": (NOT_HERE.format("onnxruntime"), "onnxruntime is missing"),
    "aborts": ("import os; os.abort()", "onnxruntime ends the process that loads it, by signal SIGABRT"),
    "segfaults": (
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "onnxruntime ends the process that loads it, by signal SIGSEGV",
    ),
    "exits": ("import os; os._exit(0)", "onnxruntime ends the process that loads it, with status 0"),
    "asks to exit": ("raise SystemExit(3)", "onnxruntime does not load: SystemExit: 3"),
    "other library": (
        "raise ImportError('libgomp.so.1: cannot open shared object file')",
        "onnxruntime does not load: ImportError: libgomp.so.1: cannot open shared object file",
    ),
    "hangs": ("import signal; signal.pause()", "onnxruntime is not loaded after 0.5 seconds"),
    "talks": ("print('wrong hello ' * 20000)", ""),
}


def stand_in(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(text + "\n")


@pytest.mark.parametrize("how", BROKEN)
def test_a_runtime_that_cannot_be_loaded_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    text, says = BROKEN[how]
    stand_in(tmp_path, "onnxruntime", text)
    monkeypatch.syspath_prepend(str(tmp_path))
    job = Job("sight", ("json", "onnxruntime"))
    found = asyncio.run(runtimes_finding([job], 0.5 if how == "hangs" else 30.0))
    if not says:
        assert found.health == "ok"
        return
    assert found.says == f"{says} (sight)." and found.health == "broken" and "./justw" in found.fix


def test_every_runtime_of_this_environment_loads_and_is_told_with_its_version() -> None:
    found = asyncio.run(runtimes_finding())
    assert found.health == "ok", found.says
    for package in ("onnxruntime", "llama-cpp-python", "pywhispercpp", "piper-tts", "pymicro-wakeword"):
        assert f"{package} " in found.says


def test_what_a_new_environment_is_tried_with_is_what_the_doctor_loads() -> None:
    loaded = {load.partition(".")[0] for job in JOBS for load in job.loads} | {
        "pymicro_wakeword",
        "host",
        "hw",
        "models",
    }
    assert {name.strip().partition(".")[0] for name in USED.split(",")} <= loaded


@pytest.mark.parametrize(
    ("package", "parts"),
    [("smbus2", {"PMU", "battery", "light", "runtimes"}), ("numpy", {"program", "runtimes"})],
)
def test_the_doctor_starts_whatever_is_missing(tmp_path: Path, package: str, parts: set[str]) -> None:
    stand_in(tmp_path, package, NOT_HERE.format(package))
    (tmp_path / "headband.toml").write_text(f'[journal]\npath = "{tmp_path}/state/journal.jsonl"\n')
    done = subprocess.run(
        [sys.executable, "-m", "host", "doctor", "--json", "--board", "rk3566", "--config", "headband.toml"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    broken = {
        each["part"]: each for each in json.loads(done.stdout)["findings"] if each["health"] == "broken"
    }
    assert parts <= set(broken) and f"{package} is missing" in broken["runtimes"]["says"]
    assert all(broken[part]["fix"] for part in parts)


@pytest.mark.parametrize("table", ["foo = 1\n", "[brick]\nfoo = 1\n", "[[brick]]\nfoo = 1\n"])
def test_a_pack_whose_manifest_is_not_one_is_one_broken_part(tmp_path: Path, table: str) -> None:
    copy = tmp_path / "pack"
    shutil.copytree(PACKS_FOLDER / "micro", copy)
    text = (copy / "pack.toml").read_text()
    head, brick, rest = text.partition("[brick.vision]\n")
    (copy / "pack.toml").write_text(f"{head}{brick}{table}{rest}" if table == "foo = 1\n" else head + table)
    found = findings(tmp_path, pack=copy)
    assert "pack" in troubled(found) <= {"pack", "NPU"}
    assert found["pack"].says.endswith(".")


def a_folder(path: Path) -> None:
    path.mkdir(parents=True)


def a_file_above(path: Path) -> None:
    path.parent.write_text("in the way")


def a_link_to_nowhere(path: Path) -> None:
    path.parent.symlink_to("/nonexistent/folder")


IN_THE_WAY: dict[str, tuple[Callable[[Path], None], str]] = {
    "journal.jsonl": (a_folder, "The journal cannot be written (Is a directory"),
    "kept.json": (a_folder, "What the wearer has set cannot be written (Is a directory"),
    "energy.json": (a_folder, "The ledger cannot be written (Is a directory"),
    "a file": (a_file_above, "cannot be written (Not a directory"),
    "a link": (a_link_to_nowhere, "cannot be written (Not a directory"),
}


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_what_stands_where_the_headband_writes_is_found(tmp_path: Path, what: str) -> None:
    put, says = IN_THE_WAY[what]
    state = tmp_path / "state"
    put(state / (what if "." in what else "journal.jsonl"))
    found = findings(tmp_path)
    assert "writing" in troubled(found) and says in found["writing"].says
    assert "move" in found["writing"].fix


def test_a_file_system_that_takes_nothing_is_found_for_each_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody, not even root, can create files in /sys."""
    nowhere = Path("/sys/kernel/headband")
    found = writing_finding(state_files(nowhere))
    assert (
        found.health == "broken" and "The journal, what the wearer has set, the ledger cannot" in found.says
    )
    assert "[journal] path" in found.fix
    monkeypatch.setenv("HEADBAND_CACHE", str(nowhere))
    packs = writing_finding(state_files(tmp_path))
    assert packs.says.startswith("Packs cannot be written") and "$HEADBAND_CACHE" in packs.fix
    monkeypatch.delenv("HEADBAND_CACHE")
    monkeypatch.setattr("tempfile.tempdir", str(nowhere.parent))
    temporary = writing_finding({})
    assert temporary.says.startswith("Temporary files cannot be written") and "$TMPDIR" in temporary.fix


def test_looking_at_what_can_be_written_changes_nothing(tmp_path: Path) -> None:
    journal = tmp_path / "state/journal.jsonl"
    assert findings(tmp_path)["writing"].health == "ok" and not list(tmp_path.iterdir())
    journal.parent.mkdir()
    journal.write_text("a line\n")
    before = journal.stat()
    assert "takes the journal" in findings(tmp_path)["writing"].says
    assert list(journal.parent.iterdir()) == [journal] and journal.stat().st_mtime_ns == before.st_mtime_ns


def told(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """All fixes that the doctor proposes for a broken headband with the program in `folder`."""
    stand_in(folder, "onnxruntime", NOT_HERE.format("onnxruntime"))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(place, "ROOT", folder)
    monkeypatch.setattr("models.pack.catalogue.PACKS_FOLDER", folder)
    shutil.copytree(PACKS_FOLDER / "micro", folder / "micro")
    with (folder / "micro/decoder.gguf").open("ab") as file:
        file.write(b"longer")
    (folder / "board.toml").write_text("[lines]\n")
    (folder / "headband.toml").write_text(f'[board]\nkind = "rk3566"\nfile = "{folder}/board.toml"\n')
    words = ["doctor", "--json", "--config", str(folder / "headband.toml"), "--pack", str(folder / "micro")]
    assert main(words) == 1
    listed: list[dict[str, str]] = json.loads(capsys.readouterr().out)["findings"]
    broken = {each["part"]: Finding(**each) for each in listed if each["health"] == "broken"}  # type: ignore[arg-type]
    assert {"PMU", "pack", "runtimes"} <= set(broken)
    return "\n".join(f"{broken[part].says} {broken[part].fix}" for part in ("PMU", "pack", "runtimes"))


def test_advice_in_a_checkout_is_what_a_checkout_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "justw").touch()
    advice = told(tmp_path, monkeypatch, capsys)
    assert "git checkout -- models/packs/micro" in advice and "run ./justw" in advice


def test_advice_on_a_headband_names_the_computer_with_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "release.json").touch()
    advice = told(tmp_path, monkeypatch, capsys)
    assert "git checkout" not in advice
    assert advice.count("./justw") == advice.count("on the computer with the checkout: ./justw") >= 2
