"""A deploy on the virtual board's own Debians for arm64 and their Pythons, emulated in user mode: there is no
kernel of its own, no sshd and no systemd in this, which `just virtual-board` has.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from host.packages.left_out import FILES, KEPT
from host.ship.release import ROOT
from host.ship.remote import RemoteError, Signed
from host.ship.target.building import USED
from host.ship.unpack import is_left_out, unpack
from host.ship.wheels.wheelhouse import cached_environment
from tests.host.ship.bench import Bench
from tests.virtual import image

_ENTER = """
mount -o loop,ro,noload "$0" /mnt && mount --bind /proc /mnt/proc && mount --bind /dev /mnt/dev &&
mount --bind /tmp /mnt/tmp && exec /usr/sbin/chroot /mnt "$@"
"""
_LOADED = """
import platform
from llama_cpp import llama_cpp
print(platform.machine(), llama_cpp.llama_supports_mmap())
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Seen from inside and from outside."""
    with TemporaryDirectory(prefix="headband-smoke-", dir="/tmp") as name:
        yield Path(name)


@pytest.fixture(params=image.SUITES)
def suite(request: pytest.FixtureRequest) -> str:
    """The name of a Debian."""
    return str(request.param)


@pytest.fixture
def enter(suite: str) -> list[str]:
    """The words that bring a program into that Debian."""
    missing = image.missing_programs()
    if missing is None and not image.built(suite).disk.exists():
        missing = (
            f"The virtual board's {suite} is not here: `just virtual-board --suite {suite}` makes it once."
        )
    if missing is None:
        missing = image.user_mode_lacks()
    if missing is not None:
        pytest.skip(missing)
    return ["unshare", "--mount", "sh", "-c", _ENTER, str(image.built(suite).disk)]


def test_debian_for_arm64_answers_a_deploy(enter: list[str], suite: str, folder: Path) -> None:
    bench = Bench(folder, inside=enter, python="python3")
    looked = bench.remote.run("look", Signed(), [], print)
    assert (looked["machine"], looked["python"], looked["current"]) == (
        "aarch64",
        image.SUITES[suite].python,
        None,
    )


@pytest.mark.slow
def test_the_packages_that_are_sent_are_enough_there(enter: list[str], suite: str, folder: Path) -> None:
    debian = image.SUITES[suite]
    environment = cached_environment(debian=debian)
    if environment is None:
        pytest.skip(f"The packages are not here: `just wheels --debian {debian.number}` makes them once.")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    for wheel in environment.wheels.values():
        unpack(wheel.path, folder / "venv", lambda path: is_left_out(path, FILES, KEPT))
    site = next((folder / "venv").glob("lib/python3*/site-packages"))
    for name in ("firmware", "host", "hw", "models", "power"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "packs"))
    inside = ["env", "PATH=/usr/bin:/bin", f"PYTHONPATH={site}:{folder}", "python3", "-B", "-c"]
    words = [*enter, *inside, f"import {USED}{_LOADED}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["aarch64", "True"], done.stderr


@pytest.mark.slow
def test_a_release_is_deployed_there_and_a_broken_one_gives_way(enter: list[str], folder: Path) -> None:
    bench = Bench(folder, inside=enter, python="python3")
    bench.remote.timeout_s = 120.0
    try:
        good = bench.deploy(bench.checkout("good"))
        assert good.changed and bench.runs and bench.current == good.release
        with pytest.raises(RemoteError, match=f"not healthy .*: back to {good.release}, which runs again"):
            bench.deploy(bench.checkout("broken", begin="raise SystemExit(1)"))
        assert bench.runs and bench.current == good.release
    finally:
        bench.close()
