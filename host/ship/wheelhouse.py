"""Fetches the packages of the headband's Python environment: published wheels for its processor, and the two
runtimes, cross-compiled here if possible, else as sources that the headband compiles. Every file is checked
against its lock file when it is fetched, and again at each use.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from host.ship import cross
from host.ship.atomic import begin_folder, finish_folder
from host.ship.release import COMPILE_WITH, ROOT, Environment, ReleaseFile, release_file
from host.ship.remote import RemoteError
from host.ship.whole import is_complete
from models.pack.catalogue import cache_folder

COMPILED_PACKAGES = ("pywhispercpp", "llama-cpp-python")
PYTHON = "3.11"
GLIBC_MINOR = 36
"""Debian 12 has glibc 2.36, which runs wheels for any glibc from 2.17 to 2.36."""
_LOCKS = ("requirements.lock", "requirements-native.lock", "requirements-build.lock")


def wheelhouse(say: Callable[[str], None], machine: str = "aarch64", root: Path = ROOT) -> Environment:
    """The environment for a processor; downloads what is not in the cache. Raises `RemoteError`."""
    texts = _lock_texts(root)
    folder, locks = _folder(machine, texts), _locks(machine, texts)
    if not _all_match(folder, locks):
        say(f"fetching the wheels for {machine}, about 200 MB, once for each version of the locks")
        part = begin_folder(folder)
        for name, lock in locks.items():
            (part / name).mkdir()
            sources = ["--no-binary", ":all:", "--no-build-isolation"]
            _download(lock, part / name, sources if name == "sources" else _wheels_of(machine))
        finish_folder(part, folder)
    made = _environment(folder, root)
    return with_runtimes(made, say) if machine == "aarch64" else made


def cached_environment(root: Path = ROOT) -> Environment | None:
    """The environment for aarch64 if everything is in the cache, fetched and compiled; else None."""
    texts = _lock_texts(root)
    folder = _folder("aarch64", texts)
    if cross.missing_requirement() is not None or not _all_match(folder, _locks("aarch64", texts)):
        return None
    made = _environment(folder, root)
    return (
        with_runtimes(made, print)
        if is_complete(cross.wheels_folder(_paths(made.sources)), read=True)
        else None
    )


def with_runtimes(there: Environment, say: Callable[[str], None]) -> Environment:
    """The environment with its sources cross-compiled here; unchanged where this computer cannot."""
    missing = cross.missing_requirement()
    if missing is not None:
        say(f"the two runtimes are compiled on the headband, because here {missing}")
        return there
    made = cross.cross_wheels(say, _paths(there.sources))
    return Environment(wheels={**there.wheels, **made}, build={}, sources={})


def with_npu(there: Environment, say: Callable[[str], None], root: Path = ROOT) -> Environment:
    """The environment for aarch64 with the bindings of a Rockchip NPU added. Raises `RemoteError`."""
    lock = (root / "requirements-npu.lock").read_text()
    folder = cache_folder() / f"wheelhouse-npu-{hashlib.sha256(lock.encode()).hexdigest()[:16]}"
    lock = applying_to("aarch64", lock)
    if not _matches_lock(folder, lock):
        say("fetching the NPU's bindings, which are under Rockchip's RKNN SDK licence (NOTICE)")
        part = begin_folder(folder)
        _download(lock, part, _wheels_of("aarch64"))
        finish_folder(part, folder)
    return replace(there, wheels={**_files_in(folder), **there.wheels})


def environment_for(say: Callable[[str], None], *, npu: bool = False) -> Callable[[str, str], Environment]:
    """Returns a function from a computer's machine and Python version to its environment; npu: with the
    bindings of a Rockchip NPU. It raises `RemoteError` for a computer that no environment is for.
    """

    def made(machine: str, python: str) -> Environment:
        if machine not in ("aarch64", "x86_64") or python != PYTHON:
            raise RemoteError(
                f"That computer is {machine} with Python {python}; a headband is aarch64 with Python "
                f"{PYTHON}, which is Debian 12."
            )
        if npu and machine != "aarch64":
            raise RemoteError(f"That computer is {machine}: there are no NPU's bindings for it.")
        found = wheelhouse(say, machine)
        return with_npu(found, say) if npu else found

    return made


def entries(lock: str, wanted: Callable[[str], bool]) -> str:
    """The requirements of a lock file whose names are `wanted`, with their hashes."""
    entries = re.split(r"^(?=\S)", lock, flags=re.MULTILINE)
    return "".join(each for each in entries if each.strip() and wanted(each.split("==")[0].strip()))


def applying_to(machine: str, lock: str) -> str:
    """The requirements of a lock file whose environment markers hold on that machine; pip would evaluate them
    for this computer.
    """
    from packaging.markers import Marker

    there = {
        "implementation_name": "cpython", "os_name": "posix", "platform_machine": machine,
        "platform_python_implementation": "CPython", "platform_system": "Linux", "python_version": PYTHON,
        "python_full_version": f"{PYTHON}.2", "sys_platform": "linux",
    }  # fmt: skip
    kept = []
    for entry in re.split(r"^(?=\S)", lock, flags=re.MULTILINE):
        head, newline, hashes = entry.partition("\n")
        requirement, semicolon, rest = head.partition(";")
        condition = rest.rstrip().rstrip("\\").strip()
        if not semicolon:
            kept.append(entry)
        elif Marker(condition).evaluate(there):
            kept.append(f"{requirement.rstrip()} \\{newline}{hashes}")
    return "".join(kept)


def _wheels_of(machine: str) -> list[str]:
    words = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", PYTHON]
    for abi in ("cp311", "abi3", "none"):
        words += ["--abi", abi]
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(17, GLIBC_MINOR + 1)]
    for tag in [*tags, f"manylinux2014_{machine}"]:
        words += ["--platform", tag]
    return words


def _download(lock: str, folder: Path, words: list[str]) -> None:
    listed = folder / "lock.txt"
    listed.write_text(lock)
    python = Path(sys.executable)
    done = subprocess.run(
        [str(python), "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes",
         "--no-deps", "--dest", str(folder), *words, "-r", str(listed)],
        env={**os.environ, "PATH": f"{python.parent}:{os.environ.get('PATH', '')}", "PIP_NO_INPUT": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    listed.unlink()
    if done.returncode:
        last = (done.stderr.strip() or "pip said nothing").splitlines()[-1]
        raise RemoteError(f"The wheels for the headband can't be fetched: {last}")


def _lock_texts(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text() for name in _LOCKS}


def _folder(machine: str, texts: dict[str, str]) -> Path:
    key = hashlib.sha256("".join([machine, *texts.values()]).encode()).hexdigest()[:16]
    return cache_folder() / f"wheelhouse-{key}"


def _locks(machine: str, texts: dict[str, str]) -> dict[str, str]:
    """Lock file of each subfolder of the wheelhouse."""
    native = texts["requirements-native.lock"]
    published = texts["requirements.lock"] + entries(native, lambda name: name not in COMPILED_PACKAGES)
    return {
        "wheels": applying_to(machine, published),
        "build": applying_to(machine, texts["requirements-build.lock"]),
        "sources": entries(native, lambda name: name in COMPILED_PACKAGES),
    }


def _all_match(folder: Path, locks: dict[str, str]) -> bool:
    return all(_matches_lock(folder / name, lock) for name, lock in locks.items())


def _matches_lock(folder: Path, lock: str) -> bool:
    """Whether the folder has a file with an allowed SHA-256 for every requirement of the lock file; reads
    all.
    """
    if not folder.is_dir():
        return False
    there, allowed = _files_in(folder), set(re.findall(r"sha256:([0-9a-f]{64})", lock))
    return len(there) == len(re.findall(r"^\S+==", lock, re.MULTILINE)) and all(
        each.sha256 in allowed for each in there.values()
    )


def _environment(folder: Path, root: Path) -> Environment:
    return Environment(
        wheels=_files_in(folder / "wheels"),
        build=_files_in(folder / "build"),
        sources=_files_in(folder / "sources"),
        compile_with=release_file(root / COMPILE_WITH).sha256,
    )


def _paths(items: dict[str, ReleaseFile]) -> list[Path]:
    return sorted(each.path for each in items.values())


def _files_in(folder: Path) -> dict[str, ReleaseFile]:
    return {path.name: release_file(path) for path in sorted(folder.iterdir())}
