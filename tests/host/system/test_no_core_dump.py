"""A crash leaves no memory on the disk."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CRASH = "import os; os.kill(os.getpid(), 11)"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CRASH!r}])"
PRIVATE = "from host.system.no_core_dump import disable_core_dumps; disable_core_dumps(); "


def cores(folder: Path, code: str) -> list[str]:
    """What a program that crashes leaves in its folder, on a computer that keeps crashes."""

    def keep() -> None:
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))

    folder.mkdir()
    subprocess.run(
        [sys.executable, "-c", code], cwd=folder, preexec_fn=keep, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return [path.name for path in folder.iterdir()]


@pytest.mark.skipif(
    Path("/proc/sys/kernel/core_pattern").read_text().startswith(("|", "/", "@"))
    or resource.getrlimit(resource.RLIMIT_CORE)[1] == 0,
    reason="this computer keeps crashes elsewhere, or none",
)
def test_neither_a_crash_of_its_own_nor_one_of_a_child_leaves_a_core(tmp_path: Path) -> None:
    assert cores(tmp_path / "kept", CRASH) != []
    assert cores(tmp_path / "own", PRIVATE + CRASH) == []
    assert cores(tmp_path / "child", PRIVATE + CHILD) == []


def test_every_command_and_what_it_starts_is_limited() -> None:
    code = (
        "import resource, subprocess; from host.cli.main import main; main(['status', '--diagram']); "
        "print(resource.getrlimit(resource.RLIMIT_CORE)[0], flush=True); "
        "subprocess.run(['sh', '-c', 'ulimit -c'])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert told[-2] in ("0", "1") and told[-1] == "0"
