"""A headband's environment follows from the lock files, evaluated for its computer and not for this one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from host.packages.locks import applying_to, entries
from host.ship.release import ROOT, Environment, Release, ReleaseFile, application
from host.ship.remote import RemoteError
from host.ship.wheels.debian import DEBIANS
from host.ship.wheels.wheelhouse import COMPILED_PACKAGES, environment_for

LOCK = """\
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=sha256:aa
hf-xet==1.8.0 ; platform_machine == 'arm64' or platform_machine == 'aarch64' \\
    --hash=sha256:bb \\
    --hash=sha256:cc
numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:dd
numpy==2.5.5 ; python_full_version >= '3.12' \\
    --hash=sha256:ee
pyserial==3.5 \\
    --hash=sha256:ff
"""
ITEM = ReleaseFile(Path("x"), "0" * 64, 1)


def test_conditions_are_those_of_the_headbands_computer() -> None:
    there = applying_to("aarch64", LOCK, "3.11")
    assert re.findall(r"^\S+", there, re.M) == ["hf-xet==1.8.0", "numpy==2.4.6", "pyserial==3.5"]
    assert re.findall(r"sha256:\w+", there) == ["sha256:bb", "sha256:cc", "sha256:dd", "sha256:ff"]
    assert ";" not in there and there.startswith("hf-xet==1.8.0 \\\n    --hash=sha256:bb \\\n")
    assert "hf-xet" not in applying_to("riscv64", LOCK, "3.11")
    assert "numpy==2.5.5" in applying_to("aarch64", LOCK, "3.13")


def test_every_requirement_of_the_locks_is_a_wheel_or_compiled_there() -> None:
    lock = (ROOT / "requirements-native.lock").read_text()
    compiled = entries(lock, lambda name: name in COMPILED_PACKAGES)
    rest = entries(lock, lambda name: name not in COMPILED_PACKAGES)
    assert len(re.findall(r"^\S+==", compiled, re.M)) == len(COMPILED_PACKAGES)
    assert sorted((compiled + rest).splitlines()) == sorted(lock.splitlines())


def test_a_computer_that_is_no_headband_is_refused() -> None:
    for machine, python in (("armv7l", "3.11"), ("aarch64", "3.12")):
        with pytest.raises(RemoteError, match=r"Debian 12 or Python 3\.13, which is Debian 13"):
            environment_for(print)(machine, python)


def test_the_npus_bindings_come_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def download(lock: str, folder: Path, words: list[str]) -> None:
        asked.append(lock)
        for name, version in re.findall(r"^([\w-]+)==(\S+)", lock, re.M):
            (folder / f"{name}-{version}.whl").write_bytes(b"wheel")

    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    monkeypatch.setattr("host.ship.wheels.wheelhouse.download", download)
    monkeypatch.setattr("host.ship.wheels.wheelhouse.with_runtimes", lambda there, say, debian: there)
    plain, newer = (environment_for(print)("aarch64", each.python) for each in DEBIANS)
    numpys = [[name for name in each.wheels if name.startswith("numpy")] for each in (plain, newer)]
    assert numpys == [["numpy-2.4.6.whl"], ["numpy-2.5.5.whl"]] and newer.name != plain.name
    assert not any("rknn" in lock for lock in asked)
    with_npu = environment_for(print, npu=True)("aarch64", "3.11")
    more = {re.sub(r"-[\d.]+whl$", "", name) for name in set(with_npu.wheels) - set(plain.wheels)}
    assert more == {"psutil", "rknn-toolkit-lite2", "ruamel-yaml"} and set(plain.wheels) < set(
        with_npu.wheels
    )
    assert with_npu.name != plain.name
    for machine, python in (("x86_64", "3.11"), ("aarch64", "3.13")):
        with pytest.raises(RemoteError, match="no NPU"):
            environment_for(print, npu=True)(machine, python)


def test_the_environment_is_kept_until_its_locks_change() -> None:
    environment = Environment({"a.whl": ITEM}, {"pip.whl": ITEM}, {"llama.tar.gz": ITEM}, "how")
    again = Environment({"a.whl": ITEM}, {"pip.whl": ITEM}, {"llama.tar.gz": ITEM}, "how")
    other = replace(ITEM, sha256="1" * 64)
    assert environment.name == again.name
    new_wheel = replace(environment, wheels={"a.whl": other})
    assert new_wheel.name != environment.name and new_wheel.compiled == environment.compiled
    new_source = replace(environment, sources={"llama.tar.gz": other})
    assert replace(environment, left_out=("*.a",)).name != environment.name
    for changed in (new_source, replace(environment, compile_with="otherwise")):
        assert changed.compiled != environment.compiled and changed.name != environment.name


def test_a_release_is_the_whole_application_and_nothing_that_is_made_from_it() -> None:
    files = application()
    for path in (
        "host/app/headband.py",
        "hw/rk3566/board.toml",
        "models/packs/micro/pack.toml",
        "host/service/pause",
    ):
        assert path in files
    assert not [path for path in files if "__pycache__" in path or path.startswith(("tests/", "."))]
    release = Release(files, Environment({}, {}, {}), "rk3566")
    assert release.name == Release(dict(files), Environment({}, {}, {}), "rk3566").name
    other = {**files, "host/app/headband.py": ITEM}
    assert release.name != Release(other, Environment({}, {}, {}), "rk3566").name
