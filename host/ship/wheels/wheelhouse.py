"""Fetches the packages of the headband's Python environment: published wheels for its processor, and the two
runtimes, cross-compiled here if possible, else as sources that the headband compiles. Every file is checked
against its lock file when it is fetched, and again at each use.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from host.packages.left_out import FILES, KEPT, is_sent
from host.packages.locks import applying_to, entries, requirements
from host.ship.atomic import begin_folder, finish_folder
from host.ship.release import COMPILE_WITH, ROOT, Environment, ReleaseFile, release_file
from host.ship.remote import RemoteError
from host.ship.unpack import is_left_out
from host.ship.wheels import cross
from host.ship.wheels.alone import alone
from host.ship.wheels.debian import DEBIANS, Debian, by_python
from models.pack.cache import cache_folder

COMPILED_PACKAGES = ("pywhispercpp", "llama-cpp-python")
_LOCKS = ("requirements.lock", "requirements-native.lock", "requirements-build.lock")


def wheelhouse(
    say: Callable[[str], None], machine: str = "aarch64", root: Path = ROOT, debian: Debian = DEBIANS[0]
) -> Environment:
    """The environment for a processor with a Debian; downloads what is not in the cache as its lock says.
    Raises `RemoteError`.
    """
    texts = _lock_texts(root)
    folder, locks = _folder(machine, debian, texts), _locks(machine, debian, texts)
    found = _verified(folder, locks)
    if found is None:
        with alone(folder, say):
            found = _verified(folder, locks) or _fetched(folder, locks, say, machine, debian)
    made = _environment(found, root)
    return with_runtimes(made, say, debian) if machine == "aarch64" else made


def _fetched(
    folder: Path, locks: dict[str, str], say: Callable[[str], None], machine: str, debian: Debian
) -> dict[str, dict[str, ReleaseFile]]:
    say(f"fetching the wheels for {debian}, {machine}, about 120 MB, once for each version of the locks")
    part = begin_folder(folder)
    for name, lock in locks.items():
        (part / name).mkdir()
        sources = ["--no-binary", ":all:", "--no-build-isolation"]
        download(lock, part / name, sources if name == "sources" else wheels_of(machine, debian))
    finish_folder(part, folder)
    return {name: _files_in(folder / name) for name in locks}


def cached_environment(root: Path = ROOT, debian: Debian = DEBIANS[0]) -> Environment | None:
    """The environment for aarch64 if everything is in the cache, fetched and compiled; else None."""
    texts = _lock_texts(root)
    found = _verified(_folder("aarch64", debian, texts), _locks("aarch64", debian, texts))
    if cross.missing_requirement(debian) is not None or found is None:
        return None
    made = _environment(found, root)
    return with_runtimes(made, print, debian) if cross.are_made(_paths(made.sources), debian) else None


def with_runtimes(there: Environment, say: Callable[[str], None], debian: Debian = DEBIANS[0]) -> Environment:
    """The environment with its sources cross-compiled here; unchanged where this computer cannot."""
    missing = cross.missing_requirement(debian)
    if missing is not None:
        say(f"the two runtimes are compiled on the headband, because here {missing}")
        return there
    made = cross.cross_wheels(say, _paths(there.sources), debian)
    return replace(there, wheels={**there.wheels, **made}, build={}, sources={}, compile_with="")


def with_npu(there: Environment, say: Callable[[str], None], root: Path = ROOT) -> Environment:
    """The environment for aarch64 with the bindings of a Rockchip NPU added, for Debian 12, the only one of
    ours whose Python Rockchip publishes them for. Raises `RemoteError`.
    """
    lock = (root / "requirements-npu.lock").read_text()
    folder = cache_folder() / f"wheelhouse-npu-{hashlib.sha256(lock.encode()).hexdigest()[:16]}"
    lock = applying_to("aarch64", lock, DEBIANS[0].python)
    with alone(folder, say):
        found = _verified_files(folder, lock)
        if found is None:
            say("fetching the NPU's bindings, which are under Rockchip's RKNN SDK licence (NOTICE)")
            part = begin_folder(folder)
            download(lock, part, wheels_of("aarch64", DEBIANS[0]))
            finish_folder(part, folder)
            found = _files_in(folder)
    return replace(there, wheels={**found, **there.wheels})


def environment_for(say: Callable[[str], None], *, npu: bool = False) -> Callable[[str, str], Environment]:
    """Returns a function from a computer's machine and Python version to its environment; npu: with the
    bindings of a Rockchip NPU. It raises `RemoteError` for a computer that no environment is for.
    """

    def made(machine: str, python: str) -> Environment:
        debian = by_python(python)
        if machine not in ("aarch64", "x86_64") or debian is None:
            known = " or ".join(f"Python {each.python}, which is {each}" for each in DEBIANS)
            raise RemoteError(
                f"That computer is {machine} with Python {python}; a headband is aarch64 with {known}."
            )
        if npu and (machine != "aarch64" or debian != DEBIANS[0]):
            raise RemoteError(
                f"That computer is {machine} with Python {python}: there are no NPU's bindings for it, only "
                f"for aarch64 with {DEBIANS[0].python}."
            )
        found = wheelhouse(say, machine, debian=debian)
        return with_npu(found, say) if npu else found

    return made


def installed_bytes(environment: Environment) -> tuple[int, int]:
    """Size of the wheels' files that are installed, and of those that are left out."""
    installed = left_out = 0
    for wheel in environment.wheels.values():
        with zipfile.ZipFile(wheel.path) as archive:
            for each in archive.infolist():
                if is_left_out(each.filename, environment.left_out, environment.kept):
                    left_out += each.file_size
                else:
                    installed += each.file_size
    return installed, left_out


def wheels_of(machine: str, debian: Debian) -> list[str]:
    """Options of pip for wheels that a processor runs with a Debian."""
    words = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", debian.python]
    for abi in (f"cp{debian.python.replace('.', '')}", "abi3", "none"):
        words += ["--abi", abi]
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(17, debian.glibc_minor + 1)]
    for tag in [*tags, f"manylinux2014_{machine}"]:
        words += ["--platform", tag]
    return words


def download(lock: str, folder: Path, words: list[str]) -> None:
    """Downloads what a lock has into a folder; words: more options of pip. Raises `RemoteError`."""
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


def _folder(machine: str, debian: Debian, texts: dict[str, str]) -> Path:
    key = hashlib.sha256("".join([machine, debian.python, *texts.values()]).encode()).hexdigest()[:16]
    return cache_folder() / f"wheelhouse-{key}"


def _locks(machine: str, debian: Debian, texts: dict[str, str]) -> dict[str, str]:
    """Lock file of each subfolder of the wheelhouse."""
    native = texts["requirements-native.lock"]
    published = texts["requirements.lock"] + entries(native, lambda name: name not in COMPILED_PACKAGES)
    published = entries(published, is_sent)
    return {
        "wheels": applying_to(machine, published, debian.python),
        "build": applying_to(machine, texts["requirements-build.lock"], debian.python),
        "sources": entries(native, lambda name: name in COMPILED_PACKAGES),
    }


def _verified(folder: Path, locks: dict[str, str]) -> dict[str, dict[str, ReleaseFile]] | None:
    """The files of each subfolder of a wheelhouse, if all are as their locks say; reads all."""
    found = {name: _verified_files(folder / name, lock) for name, lock in locks.items()}
    complete = {name: files for name, files in found.items() if files is not None}
    return complete if len(complete) == len(found) else None


def _verified_files(folder: Path, lock: str) -> dict[str, ReleaseFile] | None:
    """The files of a folder, if there is exactly one for every requirement of the lock file, with one of its
    hashes, and no other; else None. Reads all.
    """
    try:
        files = _files_in(folder)
    except OSError:
        return None
    missing = set(requirements(lock))  # the locks that it is made of have some in common
    for each in files.values():
        filled = next((one for one in missing if each.sha256 in one.hashes), None)
        if filled is None:
            return None
        missing.remove(filled)
    return None if missing else files


def _environment(files: dict[str, dict[str, ReleaseFile]], root: Path) -> Environment:
    return Environment(
        wheels=files["wheels"],
        build=files["build"],
        sources=files["sources"],
        compile_with=release_file(root / COMPILE_WITH).sha256,
        left_out=FILES,
        kept=KEPT,
    )


def _paths(items: dict[str, ReleaseFile]) -> list[Path]:
    return sorted(each.path for each in items.values())


def _files_in(folder: Path) -> dict[str, ReleaseFile]:
    return {path.name: release_file(path) for path in sorted(folder.iterdir())}
