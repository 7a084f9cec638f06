"""Builds two drivers that Debian's kernel for arm64 lacks: `gpio-sim`, a GPIO chip whose inputs a test sets,
and `i2c-stub`, I2C chips that store what is written to them. They are built from Debian's source of the same
kernel against its headers, with the compiler of a copy of the root, so that source and compiler are not on
the board.
"""

from __future__ import annotations

import lzma
import os
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.virtual.command import APT, run, run_inside
from tests.virtual.machine import VirtualBoardError

SOURCES = {
    "drivers/gpio/gpio-sim.c": "sim.c",  # the module made of it has the name gpio-sim
    "drivers/gpio/gpiolib.h": "gpiolib.h",
    "kernel/irq/irq_sim.c": "irq_sim.c",
    "drivers/i2c/i2c-stub.c": "i2c-stub.c",
}
"""File of the kernel's source -> its name in the build folder."""
_KBUILD = """\
obj-m := gpio-sim.o i2c-stub.o
gpio-sim-y := sim.o irq_sim.o irq_to_desc.o
"""
_IRQ_TO_DESC = """\
/* irq_sim.c is part of the kernel elsewhere, which does not export this one to modules. */
#include <linux/irq.h>

struct irq_desc *irq_to_desc(unsigned int irq)
{
	struct irq_data *data = irq_get_irq_data(irq);

	return data ? irq_data_to_desc(data) : NULL;
}
"""
_BUILT_IN = "var/tmp/modules"
_AR_BEGIN, _AR_HEADER, _AR_SIZE = 8, 60, slice(48, 58)
"""Of an ar archive: length of the magic, length of a member's header, position of the decimal size in it."""


def add_modules(tree: Path, say: Callable[[str], None]) -> None:
    """Installs both in `/lib/modules/<release>/extra` of a Debian with its kernel, where `modprobe` finds
    them. Raises `VirtualBoardError`.
    """
    release = only(tree / "lib/modules").name
    version = run_inside(tree, "dpkg-query", "-W", "-f", "${Version}", f"linux-image-{release}").strip()
    source = f"linux-source-{'.'.join(release.split('.')[:2])}"
    say(f"building gpio-sim and i2c-stub of Debian's {source} {version}")
    copy = tree.with_name("modules")
    shutil.rmtree(copy, ignore_errors=True)
    run("cp", "-a", tree, copy)
    wanted = ("make", f"linux-headers-{release}={version}")
    run_inside(copy, *APT, "install", "-y", "-q", "--no-install-recommends", *wanted)
    where = copy / _BUILT_IN
    where.mkdir()
    run_inside(copy, "sh", "-c", f"cd /{_BUILT_IN} && {' '.join(APT)} download -q {source}={version}")
    for path, text in members(only(where), SOURCES).items():
        (where / SOURCES[path]).write_bytes(text)
    (where / "Kbuild").write_text(_KBUILD)
    (where / "irq_to_desc.c").write_text(_IRQ_TO_DESC)
    jobs = f"-j{len(os.sched_getaffinity(0))}"
    headers = f"/lib/modules/{release}/build"
    # Without debug information there are no BTF types to make, which the headers of Debian 13 would try.
    plain = ("KCFLAGS=-g0", "CONFIG_DEBUG_INFO_BTF_MODULES=")
    run_inside(copy, "make", jobs, "-C", headers, f"M=/{_BUILT_IN}", *plain, "modules")
    extra = tree / "lib/modules" / release / "extra"
    extra.mkdir(exist_ok=True)
    for module in where.glob("*.ko"):
        shutil.copy(module, extra)
    run_inside(tree, "depmod", release)
    shutil.rmtree(copy)


def only(folder: Path) -> Path:
    """The only match. Raises `VirtualBoardError` for none or several."""
    names = sorted(folder.iterdir())
    if len(names) != 1:
        raise VirtualBoardError(f"There should be one thing in {folder}, not {len(names)}.")
    return names[0]


def members(package: Path, wanted: Iterable[str]) -> dict[str, bytes]:
    """Files of the source archive in a Debian package `linux-source-*`, by their paths in the kernel's tree.

    The archive is read as a stream, because it has 1.3 GB unpacked. Raises `VirtualBoardError` for a missing
    file.
    """
    missing = set(wanted)
    found: dict[str, bytes] = {}
    with open(package, "rb") as file, _archive(file) as archive:
        for each in archive:
            path = each.name.partition("/")[2]  # without the top folder's name
            if path in missing and (content := archive.extractfile(each)) is not None:
                found[path] = content.read()
                missing.remove(path)
            if not missing:
                return found
    raise VirtualBoardError(f"{package.name} lacks {', '.join(sorted(missing))}.")


@contextmanager
def _archive(package: IO[bytes]) -> Iterator[tarfile.TarFile]:
    """The archive of the sources, which is the one `.tar.xz` among the package's files."""
    _seek_data(package)
    with lzma.open(package) as data, tarfile.open(fileobj=data, mode="r|") as files:
        held = (files.extractfile(each) for each in files if each.name.endswith(".tar.xz"))
        packed = next(held, None)
        if packed is None:
            raise VirtualBoardError(f"{package.name} holds no archive of sources.")
        with lzma.open(packed) as sources, tarfile.open(fileobj=sources, mode="r|") as archive:
            yield archive


def _seek_data(package: IO[bytes]) -> None:
    """Seeks to the beginning of `data.tar.xz` in a Debian package, which is an ar archive (deb(5))."""
    package.seek(_AR_BEGIN)
    while header := package.read(_AR_HEADER):
        if header.startswith(b"data.tar.xz"):
            return
        size = int(header[_AR_SIZE])
        package.seek(size + size % 2, os.SEEK_CUR)
    raise VirtualBoardError(f"{package.name} is not a Debian package with a data.tar.xz.")
