"""Cross-compiles the two runtimes of a headband for its Cortex-A55 on this computer, which takes minutes here
and much longer there. Needs Debian's cross compiler (g++-aarch64-linux-gnu) and Python 3.11.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

from host.ship.atomic import begin_folder, finish_folder
from host.ship.release import COMPILE_WITH, ROOT, ReleaseFile, release_file
from host.ship.remote import RemoteError
from host.ship.whole import is_complete, read_manifest, write_manifest
from models.pack.catalogue import cache_folder

TRIPLET = "aarch64-linux-gnu"
PYTHON = (3, 11)
ARCHITECTURE = "armv8.2-a+dotprod+fp16"
"""Extensions that the Cortex-A55 of RK3566 and RK3588 have; quantised weights need the dot products."""
TUNE = "cortex-a55"
NEWEST = {"GLIBC_2": 36, "GLIBCXX_3.4": 30}
"""Newest symbol versions of Debian 12: family -> minor version."""
_CMAKE = (
    "-DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DGGML_NATIVE=OFF "
    f"-DGGML_CPU_ARM_ARCH={ARCHITECTURE} -DPYTHON_MODULE_EXTENSION=.cpython-311-{TRIPLET}.so"
)
_TOOLCHAIN = """\
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER {triplet}-gcc)
set(CMAKE_CXX_COMPILER {triplet}-g++)
set(CMAKE_C_FLAGS_INIT "-mtune={tune}")
set(CMAKE_CXX_FLAGS_INIT "-mtune={tune} -isystem {headers}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
"""
_HEADER = f"{TRIPLET}/python3.11/pyconfig.h"


def missing_requirement() -> str | None:
    """What this computer lacks for cross-compiling, as part of a sentence; None when it has everything."""
    if sys.version_info[:2] != PYTHON:
        return f"this checkout's Python is {sys.version_info[0]}.{sys.version_info[1]}, not 3.11"
    if not (shutil.which(f"{TRIPLET}-gcc") and shutil.which(f"{TRIPLET}-g++")):
        return f"there is no cross compiler (Debian: apt install gcc-{TRIPLET} g++-{TRIPLET})"
    return None


def wheels_folder(sources: list[Path]) -> Path:
    """The cache folder for the wheels of these sources."""
    return cache_folder() / f"cross-{_key(sources)}"


def are_made(sources: list[Path]) -> bool:
    """Whether the cache has the wheels of these sources as they were compiled, and no other; reads all."""
    folder = wheels_folder(sources)
    listed = read_manifest(folder)
    return listed is not None and is_complete(folder, read=True) and _wheels_in(folder) <= set(listed.files)


def cross_wheels(say: Callable[[str], None], sources: list[Path]) -> dict[str, ReleaseFile]:
    """Compiles the sources into wheels for aarch64, once for each version. Raises `RemoteError`."""
    made = wheels_folder(sources)
    if not are_made(sources):
        say(f"compiling {' and '.join(path.name for path in sources)} for {TUNE}, once for each version")
        part = begin_folder(made)
        (part / "build").mkdir()
        _compile(sources, part / "build", part)
        shutil.rmtree(part / "build")
        for wheel in part.glob("*.whl"):
            problem = too_new_symbol(wheel)
            if problem:
                raise RemoteError(f"{wheel.name} can't run on a headband: {problem}.")
        write_manifest(part)
        finish_folder(part, made)
    return {name: release_file(made / name) for name in sorted(_wheels_in(made))}


def _wheels_in(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.whl")}


def too_new_symbol(wheel: Path) -> str | None:
    """A symbol version that a wheel needs and Debian 12 lacks, as part of a sentence; None when there is
    none.
    """
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".so" in name:
                for family, minor in re.findall(rb"\b(GLIBC_2|GLIBCXX_3\.4)\.(\d+)", archive.read(name)):
                    if int(minor) > NEWEST[family.decode()]:
                        return f"{name} wants {family.decode()}.{minor.decode()}"
    return None


def _compile(sources: list[Path], build: Path, wheels: Path) -> None:
    # Debian's Python.h includes the target processor's pyconfig.h; this computer's has the same contents:
    # both processors are little-endian with 64-bit longs and pointers.
    header = build / _HEADER
    header.parent.mkdir(parents=True)
    header.write_text(f'#include "{_own_header()}"\n')
    toolchain = build / "toolchain.cmake"
    toolchain.write_text(_TOOLCHAIN.format(triplet=TRIPLET, tune=TUNE, headers=build))
    python = Path(sys.executable)
    done = subprocess.run(
        [str(python), "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
         "--no-cache-dir", "--wheel-dir", str(wheels), *map(str, sources)],
        env={
            **os.environ,
            "PATH": f"{python.parent}:{os.environ.get('PATH', '')}",
            "PIP_NO_INPUT": "1",
            "_PYTHON_HOST_PLATFORM": "linux-aarch64",
            "CMAKE_TOOLCHAIN_FILE": str(toolchain),
            "CMAKE_ARGS": _CMAKE,
            "SKBUILD_CMAKE_DEFINE": "LLAVA_BUILD=OFF;LLAMA_OPENSSL=OFF;"
            f"CMAKE_PROJECT_llama_cpp_INCLUDE={ROOT / COMPILE_WITH}",
        },
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        last = "".join(f"\n  | {line[:200]}" for line in done.stdout.splitlines()[-12:])
        raise RemoteError(f"The runtimes for the headband can't be compiled here:{last}")


def _own_header() -> Path:
    """This Python's pyconfig.h: the processor-specific one, where Debian's only includes that."""
    include = Path(sysconfig.get_config_h_filename())
    specific = include.parents[1] / sysconfig.get_config_var("MULTIARCH") / include.parent.name / include.name
    return specific if specific.exists() else include


def _key(sources: list[Path]) -> str:
    version = subprocess.run(
        [f"{TRIPLET}-g++", "--version"], capture_output=True, text=True, check=False
    ).stdout.splitlines()[:1]
    parts = [_CMAKE, _TOOLCHAIN, TUNE, *version, (ROOT / COMPILE_WITH).read_text()]
    parts += [release_file(path).sha256 for path in sources]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
