"""Cross-compiles the two runtimes of a headband for its Cortex-A55 on this computer, which takes minutes here
and much longer there. Needs Debian's cross compiler (g++-aarch64-linux-gnu) and a Python of the headband's
version.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from host.ship.atomic import begin_folder, finish_folder
from host.ship.release import COMPILE_WITH, ROOT, ReleaseFile, release_file
from host.ship.remote import RemoteError
from host.ship.wheels.alone import alone
from host.ship.wheels.debian import DEBIANS, Debian
from host.ship.wheels.interpreter import find_interpreter
from host.ship.whole import is_complete, read_manifest, write_manifest
from models.pack.cache import cache_folder

TRIPLET = "aarch64-linux-gnu"
BOUND = ("pywhispercpp",)
"""Packages whose wheel is for one version of Python. The other's finds its library by ctypes."""
BUILD_LOCK = "requirements-build.lock"
ARCHITECTURE = "armv8.2-a+dotprod+fp16"
"""Extensions that the Cortex-A55 of RK3566 and RK3588 have; quantised weights need the dot products."""
TUNE = "cortex-a55"
_CMAKE = (
    "-DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DGGML_NATIVE=OFF "
    f"-DGGML_CPU_ARM_ARCH={ARCHITECTURE}"
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


def missing_requirement(debian: Debian = DEBIANS[0]) -> str | None:
    """What this computer lacks for cross-compiling, as part of a sentence; None when it has everything."""
    if find_interpreter(debian.python) is None:
        return (
            f"there is no Python {debian.python} with its headers on the PATH, which {debian} has "
            f"(`.venv/bin/uv python install {debian.python}` brings one)"
        )
    if not (shutil.which(f"{TRIPLET}-gcc") and shutil.which(f"{TRIPLET}-g++")):
        return f"there is no cross compiler (Debian: apt install gcc-{TRIPLET} g++-{TRIPLET})"
    return None


def wheel_folder(source: Path, debian: Debian = DEBIANS[0]) -> Path:
    """The cache folder for the wheel of one source."""
    return cache_folder() / f"cross-{_key(source, debian)}"


def are_made(sources: list[Path], debian: Debian = DEBIANS[0]) -> bool:
    """Whether the cache has the wheels of these sources as they were compiled, and no other; reads all."""
    return all(_is_made(wheel_folder(source, debian)) for source in sources)


def cross_wheels(
    say: Callable[[str], None], sources: list[Path], debian: Debian = DEBIANS[0]
) -> dict[str, ReleaseFile]:
    """Compiles the sources into wheels for aarch64, once for each version. Raises `RemoteError`."""
    found = {}
    for source in sources:
        folder = wheel_folder(source, debian)
        if not _is_made(folder):
            with alone(folder, say):
                _make(folder, source, debian, say)
        for wheel in sorted(folder.glob("*.whl")):
            if problem := unfit(wheel, debian):
                raise RemoteError(f"{wheel.name} can't run on a headband with {debian}: {problem}.")
            found[wheel.name] = release_file(wheel)
    return found


def _make(folder: Path, source: Path, debian: Debian, say: Callable[[str], None]) -> None:
    if _is_made(folder):  # by somebody else, in the meantime
        return
    for_python = f" and Python {debian.python}" if _is_bound(source) else ""
    say(f"compiling {source.name} for {TUNE}{for_python}, once for each version")
    part = begin_folder(folder)
    (part / "build").mkdir()
    _compile(source, part / "build", part, debian)
    shutil.rmtree(part / "build")
    write_manifest(part)
    finish_folder(part, folder)


def unfit(wheel: Path, debian: Debian) -> str | None:
    """Why a wheel can't run there, as part of a sentence: it is for another Python, or needs a symbol version
    that this Debian lacks. None when it can.
    """
    python = wheel.stem.split("-")[-3]
    if python not in ("py3", f"cp{debian.python.replace('.', '')}"):
        return f"it is for {python}"
    newest = {b"GLIBC_2": debian.glibc_minor, b"GLIBCXX_3.4": debian.glibcxx_minor}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".so" in name:
                for family, minor in re.findall(rb"\b(GLIBC_2|GLIBCXX_3\.4)\.(\d+)", archive.read(name)):
                    if int(minor) > newest[family]:
                        return f"{name} wants {family.decode()}.{minor.decode()}"
    return None


def _is_made(folder: Path) -> bool:
    listed = read_manifest(folder)
    wheels = {path.name for path in folder.glob("*.whl")}
    return listed is not None and is_complete(folder, read=True) and wheels <= set(listed.files)


def _is_bound(source: Path) -> bool:
    return source.name.startswith(BOUND)


def _compile(source: Path, build: Path, wheels: Path, debian: Debian) -> None:
    python, arguments = Path(sys.executable), _CMAKE
    headers = build / "headers"
    if _is_bound(source):
        python = _headers_and_tools(build, headers, debian)
        arguments += f" {_extension(debian)}"
    toolchain = build / "toolchain.cmake"
    toolchain.write_text(_TOOLCHAIN.format(triplet=TRIPLET, tune=TUNE, headers=headers))
    _run(
        [str(python), "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
         "--no-cache-dir", "--wheel-dir", str(wheels), str(source)],
        PATH=f"{python.parent}:{os.environ.get('PATH', '')}",
        _PYTHON_HOST_PLATFORM="linux-aarch64",
        CMAKE_TOOLCHAIN_FILE=str(toolchain),
        CMAKE_ARGS=arguments,
        SKBUILD_CMAKE_DEFINE="LLAVA_BUILD=OFF;LLAMA_OPENSSL=OFF;"
        f"CMAKE_PROJECT_llama_cpp_INCLUDE={ROOT / COMPILE_WITH}",
    )  # fmt: skip


def _headers_and_tools(build: Path, headers: Path, debian: Debian) -> Path:
    """Writes the header that the target's Python.h includes; returns a Python of its version with the build
    tools: the running one, or a new environment of another.
    """
    found = find_interpreter(debian.python)
    if found is None:
        raise RemoteError(
            f"The runtimes for the headband can't be compiled here: {missing_requirement(debian)}."
        )
    # Debian's Python.h includes the target processor's pyconfig.h; this computer's has the same contents:
    # both processors are little-endian with 64-bit longs and pointers.
    header = headers / f"{TRIPLET}/python{debian.python}/pyconfig.h"
    header.parent.mkdir(parents=True)
    header.write_text(f'#include "{found.config}"\n')
    if found.program == Path(sys.executable):
        return found.program
    venv = build / "venv"
    _run([str(found.program), "-m", "venv", "--without-pip", str(venv)])
    python = venv / "bin/python"
    _run([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--require-hashes",
          "--no-deps", "--only-binary", ":all:", "-r", str(ROOT / BUILD_LOCK)])  # fmt: skip
    return python


def _extension(debian: Debian) -> str:
    return f"-DPYTHON_MODULE_EXTENSION=.cpython-{debian.python.replace('.', '')}-{TRIPLET}.so"


def _run(words: list[str], **environment: str) -> None:
    done = subprocess.run(
        words, env={**os.environ, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        last = "".join(f"\n  | {line[:200]}" for line in done.stdout.splitlines()[-12:])
        raise RemoteError(f"The runtimes for the headband can't be compiled here:{last}")


def _first_line(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()[:1]


def _key(source: Path, debian: Debian) -> str:
    compiler = shutil.which(f"{TRIPLET}-g++")
    version = [] if compiler is None else _first_line(compiler, "--version")
    parts = [_CMAKE, _TOOLCHAIN, TUNE, *version, (ROOT / COMPILE_WITH).read_text()]
    parts += [release_file(source).sha256, _extension(debian) if _is_bound(source) else ""]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
