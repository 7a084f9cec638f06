"""Files of a deploy that the kernel compares from then on, with a stand-in for a kernel that has fs-verity;
it has not been tried on one.
"""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path
from typing import IO

import pytest

from host.ship import whole
from host.ship.whole import read_manifest
from tests.host.ship.in_process import assert_whole, checkout, deploy
from tests.host.ship.stand_in import Computer, computer, folder

__all__ = ["computer", "folder"]


class Kernel:
    """What it was asked to seal: inode -> path."""

    def __init__(self, fails: int = 0) -> None:
        """fails: the number of the error that it answers with."""
        self.fails, self.asked, self.sealed = fails, 0, dict[int, str]()

    def ioctl(self, file: IO[bytes], request: int, argument: bytes) -> int:
        self.asked += 1
        assert request == 1 << 30 | len(argument) << 16 | ord("f") << 8 | 133
        assert struct.unpack("=4I", argument[:16]) == (1, 1, 4096, 0) and not any(argument[16:])
        assert "r" in file.mode and "w" not in file.mode and "+" not in file.mode
        inode = os.fstat(file.fileno()).st_ino
        if self.fails or inode in self.sealed:
            raise OSError(self.fails or errno.EEXIST, "stand-in")
        self.sealed[inode] = file.name
        return 0


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel()
    monkeypatch.setattr("host.ship.verity.fcntl.ioctl", made.ioctl)
    return made


def test_every_file_of_store_release_and_environment_is_sealed(
    folder: Path, computer: Computer, kernel: Kernel
) -> None:
    release = checkout(folder, "a", "venv")
    deploy(computer.prefix, release)
    opt = computer.prefix / "opt/headband"
    for place in (opt / "current", opt / "current/venv"):
        listed = read_manifest(place)
        assert listed is not None and len(listed.files) > 2
        for name in (*listed.files, "manifest.json"):
            assert (place / name).stat().st_ino in kernel.sealed, name
    assert all(path.stat().st_ino in kernel.sealed for path in (opt / "store").iterdir())
    rules = opt / "current/host/service/71-headband-i2c.rules"
    assert rules.stat().st_ino not in kernel.sealed, "settings change it"


def test_a_damaged_file_that_the_kernel_does_not_read_is_replaced_by_the_same_deploy(
    folder: Path, computer: Computer, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (checkout(folder, name, f"venv-{name}") for name in ("a", "b"))
    deploy(computer.prefix, one)
    deploy(computer.prefix, two)
    weights = computer.prefix / "opt/headband/current/models/weights.bin"
    damaged, plain = weights.stat().st_ino, whole.sha256_of

    def read(path: Path, **how: bool) -> str:
        if path.stat().st_ino == damaged:
            raise OSError(errno.EIO, "Input/output error")
        return plain(path, **how)

    monkeypatch.setattr(whole, "sha256_of", read)
    kept = os.open(weights, os.O_RDONLY)  # so that its inode's number is not given to another
    assert deploy(computer.prefix, two) and not deploy(computer.prefix, two)
    assert assert_whole(computer.prefix, [two]) is two and weights.stat().st_ino != damaged
    os.close(kept)


@pytest.mark.parametrize("number", [errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL])
def test_without_it_a_deploy_is_as_ever_and_asks_once_for_each_folder(
    folder: Path, computer: Computer, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    kernel = Kernel(fails=number)
    monkeypatch.setattr("host.ship.verity.fcntl.ioctl", kernel.ioctl)
    release = checkout(folder, "a", "venv")
    deploy(computer.prefix, release)
    assert assert_whole(computer.prefix, [release]) is release
    assert 0 < kernel.asked <= len(release.files_by_sha) + 2
