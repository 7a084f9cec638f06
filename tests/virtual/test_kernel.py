"""What is taken out of a package of the kernel's sources."""

from __future__ import annotations

import io
import lzma
import tarfile
from pathlib import Path

import pytest

from tests.virtual.kernel import members
from tests.virtual.machine import VirtualBoardError


def archive(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return lzma.compress(made.getvalue())


def package(path: Path, members_of_ar: dict[str, bytes]) -> Path:
    """As deb(5) says: each member has an even length."""
    with open(path, "wb") as file:
        file.write(b"!<arch>\n")
        for name, content in members_of_ar.items():
            file.write(f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode())
            file.write(content + b"\n" * (len(content) % 2))
    return path


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    tree = {"linux/kernel/a.c": b"int a;", "linux/drivers/b.h": b"int b;", "linux/c.c": b""}
    files = {"./usr/share/doc/changelog": b"new", "./usr/src/linux.tar.xz": archive(tree)}
    odd = b"odd"  # the next header begins one byte later
    return package(
        tmp_path / "linux-source.deb",
        {"debian-binary": b"2.0\n", "control.tar.xz": odd, "data.tar.xz": archive(files)},
    )


def test_only_what_is_asked_for_is_taken_out_of_a_package_of_sources(sources: Path) -> None:
    assert members(sources, ["kernel/a.c", "drivers/b.h"]) == {
        "kernel/a.c": b"int a;",
        "drivers/b.h": b"int b;",
    }


def test_a_file_that_the_sources_lack_is_named(sources: Path) -> None:
    with pytest.raises(VirtualBoardError, match=r"linux-source\.deb lacks kernel/z\.c\."):
        members(sources, ["kernel/a.c", "kernel/z.c"])


def test_a_package_without_sources_is_named(tmp_path: Path) -> None:
    empty = package(tmp_path / "other.deb", {"data.tar.xz": archive({"./usr/share/doc/changelog": b"new"})})
    with pytest.raises(VirtualBoardError, match=r"other\.deb holds no archive of sources\."):
        members(empty, ["kernel/a.c"])
    with pytest.raises(VirtualBoardError, match=r"none\.deb is not a Debian package"):
        members(package(tmp_path / "none.deb", {"debian-binary": b"2.0\n"}), ["kernel/a.c"])
