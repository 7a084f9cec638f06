"""Deploys whose remote side runs in this process, to a computer in a folder; the programs that it calls are
replaced.
"""

from __future__ import annotations

import io
import py_compile
import sys
import zipfile
from collections.abc import Mapping
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest

from host.ship import onboard
from host.ship.release import ROOT, Environment, Release, ReleaseFile, application, release_file
from host.ship.running import DeployRefused
from host.ship.target import access, boot_guard, building, receive, system_files, trial
from host.ship.target.charge import ReleaseStatus
from host.ship.target.supervise import SERVICE


class Systemd:
    """Stands in for `Systemd`: every unit starts and runs."""

    def __init__(self, *limits: float) -> None:
        pass

    def start(self, unit: str) -> str:
        return ""

    def restart(self, unit: str) -> str:
        return ""

    def stop(self, unit: str) -> None:
        pass

    def reload(self) -> None:
        pass

    def active(self, unit: str) -> bool:
        return True

    def status(self, unit: str) -> str:
        return "listening"


def run(*words: object, **environment: str) -> None:
    """Stands in for `python -m venv`, `python -m compileall`, and the import of the runtimes."""
    if "venv" in words:
        venv = Path(str(words[-1]))
        (venv / "bin").mkdir(parents=True)
        (venv / "bin/python").symlink_to(sys.executable)
        (venv / "lib/python3.11/site-packages").mkdir(parents=True)
        (venv / "pyvenv.cfg").write_text("home = here\n")
    elif "compileall" in words:
        for path in words[words.index("-p") + 2 :]:
            py_compile.compile(str(path), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


def replace_programs(monkeypatch: pytest.MonkeyPatch, systemd: type = Systemd) -> None:
    """Replaces every program that a deploy calls."""
    monkeypatch.setattr(building, "run", run)
    monkeypatch.setattr(system_files, "run", run)
    monkeypatch.setattr(access, "run", run)
    monkeypatch.setattr(receive, "_service_runs", lambda: systemd().active(SERVICE))
    monkeypatch.setattr(onboard, "Systemd", systemd)
    monkeypatch.setattr(onboard, "release_status", lambda release, settings: ReleaseStatus((80, False)))
    for module in (boot_guard, building, onboard, trial):
        monkeypatch.setattr(module, "say", lambda text: None)


def checkout(folder: Path, name: str, venv: str) -> Release:
    root = folder / name
    (root / "host/service").mkdir(parents=True)
    for path in (ROOT / "host/service").iterdir():
        (root / "host/service" / path.name).write_bytes(path.read_bytes())
    (root / "host/app.py").write_text(f"NAME = {name!r}\n")
    (root / "host/same.py").write_text("SAME = 1\n")
    (root / access.SOURCE).parent.mkdir(parents=True)
    (root / access.SOURCE).write_bytes((ROOT / access.SOURCE).read_bytes())
    (root / "models").mkdir()
    (root / "models/weights.bin").write_bytes(name.encode() * 100)
    return Release(application(root), Environment({"w.whl": wheel(folder, venv)}, {}, {}), "rk3566")


def wheel(folder: Path, name: str) -> ReleaseFile:
    path = folder / f"{name}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("runtime.py"), f"NAME = {name!r}\n")
        archive.writestr(zipfile.ZipInfo("runtime.data/scripts/tool"), name)
    return release_file(path)


def call(
    prefix: Path, verb: str, request: Mapping[str, Any], stream: io.BytesIO | None = None
) -> dict[str, Any]:
    """Calls one verb. Raises `DeployRefused`."""
    limits = {"prefix": str(prefix), "healthy_s": 1.0, "settled_s": 0.0}
    answer = onboard.carry_out(verb, {**request, **limits}, stream or io.BytesIO())
    if "refused" in answer:
        raise DeployRefused(answer["refused"])
    return answer


def deploy(prefix: Path, release: Release) -> bool:
    """Calls all verbs as `host.ship.deploying` does; returns whether there was anything to do. What the
    receiver hands over is the same, verified elsewhere.
    """
    there = receive.look(prefix)
    signer = "ssh-ed25519 AAAA one"
    statement = {"sequence": there["sequence"] + 1, "statement": release.name, "version": release.version}
    request = {**release.request(), "accepted": statement, "trust": "" if there["signers"] else signer}
    if there["current"] == release.name and there["runs"] and call(prefix, "check", request)["whole"]:
        return False
    missing = [release.files_by_sha[sha] for sha in call(prefix, "need", request)["missing"]]
    if missing:
        sent = [f"{each.sha256} {each.size_bytes}\n".encode() + each.path.read_bytes() for each in missing]
        call(prefix, "take", request, io.BytesIO(b"".join(sent)))
    assert call(prefix, "install", request)["current"] == release.name
    assert receive.signers(prefix) == [signer]
    accepted = receive.Accepted(statement["sequence"], release.name, release.version)
    assert receive.read_accepted(prefix) == accepted
    return True


def current(prefix: Path) -> str:
    return (prefix / "opt/headband/current").readlink().name


def assert_whole(prefix: Path, releases: list[Release]) -> Release:
    """Checks that `current` is one of the releases, complete with its environment; returns which one."""
    there = prefix / "opt/headband/current"
    release = next(each for each in releases if each.name == current(prefix))
    for path, each in release.files.items():
        assert (there / path).read_bytes() == each.path.read_bytes(), path
        if path.endswith(".py"):
            assert (there / cache_from_source(path)).stat().st_size > 16
    name = release.environment.wheels["w.whl"].path.stem
    assert (there / "venv/lib/python3.11/site-packages/runtime.py").read_text() == f"NAME = {name!r}\n"
    assert (there / "venv/bin/tool").read_text() == name and (there / "venv/pyvenv.cfg").stat().st_size
    assert (there / "venv/bin/python").resolve() == Path(sys.executable).resolve()
    return release
