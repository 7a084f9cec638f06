"""Recordings and pictures that the system does not let be read."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hw.audio.sound_and_picture_files import MediaError, read_image, read_wav


@pytest.fixture
def no_right() -> Iterator[Path]:
    """A folder whose file `secret` the user of the test may not read."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    (folder / "secret").write_bytes(b"RIFF")
    (folder / "secret").chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65_534)
    yield folder
    if root:
        os.seteuid(0)
    shutil.rmtree(folder)


@pytest.mark.parametrize("read", [read_wav, read_image])
def test_a_file_that_is_somebody_elses_is_one_sentence(
    no_right: Path, read: Callable[[Path], object]
) -> None:
    with pytest.raises(MediaError, match=r"/secret cannot be read: Permission denied\.$"):
        read(no_right / "secret")


@pytest.mark.parametrize("read", [read_wav, read_image])
def test_a_name_that_no_file_has_is_one_sentence(read: Callable[[Path], object]) -> None:
    with pytest.raises(MediaError, match=r"cannot be read: File name too long\.$"):
        read(Path("x" * 300))


@pytest.mark.parametrize("read", [read_wav, read_image])
def test_a_loop_of_links_is_one_sentence(tmp_path: Path, read: Callable[[Path], object]) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(MediaError, match=r"cannot be read: Too many levels of symbolic links\.$"):
        read(tmp_path / "loop")
