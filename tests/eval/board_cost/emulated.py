"""Runs a program in an aarch64 Python under QEMU with the counting plugin. What it needs is fetched once into
the cache: Debian's Python and libraries for arm64 by apt, the runtimes as wheels by pip, the plugin by this
computer's compiler.
"""

from __future__ import annotations

import compileall
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from models.pack.cache import cache_folder
from power.board_cost.counts import Counts, CountsError, read_counts

QEMU = "qemu-aarch64"
CORE = "cortex-a76"
"""QEMU 7.2 has no Cortex-A55. This core has the same extensions: dot product and half precision, nothing
newer.
"""
_TESTED = range(6, 9)
"""QEMU's major versions whose plugin interface is the one that count.c declares."""
_PLUGIN = Path(__file__).parents[3] / "power/board_cost/count.c"
PROGRAMS = Path(__file__).parent / "programs"
_SUITE = "bookworm"
"""Debian 12, whose Python is the headband's."""
_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
_PACKAGES = (
    "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libc6", "zlib1g", "libexpat1",
    "libffi8", "libssl3", "libgcc-s1", "libstdc++6", "libgomp1", "libbz2-1.0", "liblzma5",
)  # fmt: skip
_PLATFORMS = ("manylinux_2_17", "manylinux2014", "manylinux_2_24", "manylinux_2_27", "manylinux_2_28")
_CORE_LINES = """\
processor	: {}
Features	: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc asimddp
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x2
CPU part	: 0xd05
CPU revision	: 0

"""
"""What a runtime reads of a Cortex-A55; QEMU would show it this computer's processor."""


class CannotCount(Exception):
    """Nothing can be counted on this computer, or not that program; one sentence."""


def missing() -> str | None:
    """What this computer lacks for counting, as a sentence; None when it has everything."""
    if shutil.which(QEMU) is None:
        return f"There is no {QEMU} here, which loads plugins (Debian: apt install qemu-user)."
    words = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"version (\d+)", words)
    if version is None or int(version[1]) not in _TESTED:
        return f"The counting plugin is for QEMU 6 to 8; here {QEMU} says {words.splitlines()[:1]}."
    if subprocess.run([QEMU, "-h"], capture_output=True, text=True, check=False).stdout.count("-plugin") == 0:
        return (
            f"This {QEMU} was built without plugins (Debian's qemu-user has them, qemu-user-static has not)."
        )
    if shutil.which("cc") is None:
        return "There is no C compiler here for the counting plugin (Debian: apt install gcc)."
    return None


def plugin() -> Path:
    """The counting plugin, compiled once for each version of its source. Raises `CannotCount`."""
    made = cache_folder() / f"board-cost/count-{hashlib.sha256(_PLUGIN.read_bytes()).hexdigest()[:16]}.so"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        part = made.with_suffix(f".{os.getpid()}")
        _run(["cc", "-O3", "-shared", "-fPIC", "-fvisibility=hidden", "-o", str(part), str(_PLUGIN)])
        part.rename(made)
    return made


def python_root() -> Path:
    """A folder with Debian 12's Python for arm64. Raises `CannotCount`."""
    folder = cache_folder() / "board-cost/root"
    if not folder.exists():
        for program in ("apt-get", "dpkg-deb"):
            if shutil.which(program) is None:
                raise CannotCount(f"There is no {program} here to fetch Debian's Python for arm64 with.")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as name:
            work = Path(name)
            _fetch_packages(work)
            for package in sorted(work.glob("*.deb")):
                _run(["dpkg-deb", "-x", str(package), str(work / "root")])
            (work / "root/proc").mkdir()
            (work / "root/proc/cpuinfo").write_text("".join(_CORE_LINES.format(core) for core in range(4)))
            _compile(work / "root/usr/lib/python3.11")
            (work / "root").rename(folder)
    return folder


def _archive() -> str:
    """The line of a sources.list for Debian 12's archive, at the address this computer's apt has for it.
    Raises `CannotCount` where apt knows no such archive.
    """
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    for line in listed.stdout.splitlines():
        suite, component, address = line.split(maxsplit=2)
        if (suite, component) == (_SUITE, "main"):
            return f"deb [signed-by={_KEYS}] {address} {_SUITE} main"
    raise CannotCount("This computer's apt knows no archive of Debian 12 to fetch its Python for arm64 from.")


def _fetch_packages(work: Path) -> None:
    """With lists and state of its own: this computer's apt knows nothing of it."""
    for each in ("state/lists/partial", "cache/archives/partial"):
        (work / each).mkdir(parents=True)
    (work / "status").touch()
    (work / "sources.list").write_text(_archive() + "\n")
    settings = {
        "Dir::State": work / "state", "Dir::Cache": work / "cache", "Dir::State::Status": work / "status",
        "Dir::Etc::SourceList": work / "sources.list", "Dir::Etc::SourceParts": "/dev/null",
        "APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Sandbox::User": "root",
    }  # fmt: skip
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    _run(["apt-get", *options, "update"], folder=work)
    _run(["apt-get", *options, "download", *_PACKAGES], folder=work)


def wheel(requirement: str) -> Path:
    """A published wheel for aarch64 and Python 3.11, unpacked; `requirement` is name==version. Raises
    `CannotCount`."""
    folder = cache_folder() / f"board-cost/{requirement.replace('==', '-')}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as name:
            platforms = [word for each in _PLATFORMS for word in ("--platform", f"{each}_aarch64")]
            try:
                _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                      "--only-binary", ":all:", "--python-version", "3.11", *platforms,
                      "--dest", name, requirement])  # fmt: skip
            except CannotCount as error:
                raise CannotCount(
                    f"No wheel of {requirement} for aarch64 and Python 3.11 could be fetched: {error}"
                ) from None
            unpack(next(Path(name).glob("*.whl")), Path(name, "unpacked"))
            Path(name, "unpacked").rename(folder)
    return folder


def unpack(archive: Path, folder: Path) -> Path:
    """A wheel's files in a folder, its modules compiled."""
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(part)
    _compile(part)
    part.rename(folder)
    return folder


def _compile(folder: Path) -> None:
    """Python under emulation starts many times as fast with modules that are compiled. Only the same Python
    can do that ahead of time; with another it compiles them itself at each start.
    """
    if sys.version_info[:2] == (3, 11):
        compileall.compile_dir(folder, quiet=2, workers=1)


def count(
    program: str,
    arguments: Sequence[str],
    packages: Sequence[Path],
    caches: Mapping[str, str],
    timeout_s: float,
) -> list[Counts]:
    """The regions that a program of `programs/` marks. packages: folders for its imports; caches: the
    plugin's
    arguments for the simulated caches. Raises `CannotCount`.
    """
    problem = missing()
    if problem is not None:
        raise CannotCount(problem)
    root = python_root()
    with tempfile.TemporaryDirectory() as name:
        out = Path(name, "counts.json")
        options = ",".join([str(plugin()), f"out={out}", "wait=1", *(f"{k}={v}" for k, v in caches.items())])
        environment = {
            "LD_LIBRARY_PATH": f"{root}/usr/lib/aarch64-linux-gnu", "OMP_NUM_THREADS": "1",
            "OMP_WAIT_POLICY": "passive", "PYTHONPATH": ":".join(map(str, [PROGRAMS, *packages])),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ORT_DISABLE_TELEMETRY": "1", "HEADBAND_CACHE": name,
        }  # fmt: skip
        _run(
            [*_idle(), *one_processor(), QEMU, "-cpu", CORE, "-L", str(root), "-plugin", options,
             *(word for key, value in environment.items() for word in ("-E", f"{key}={value}")),
             f"{root}/usr/bin/python3.11", "-S", str(PROGRAMS / program), *arguments],
            timeout_s=timeout_s,
        )  # fmt: skip
        try:
            return read_counts(out)
        except CountsError as error:
            raise CannotCount(str(error)) from None


def _idle() -> list[str]:
    """In the idle class where this computer has one: counts do not depend on what else runs."""
    return [*(["chrt", "-i", "0"] if shutil.which("chrt") else []), "nice", "-n", "19"]


def one_processor() -> list[str]:
    """All threads on the last processor that this program may use: the counters are shared by them."""
    if shutil.which("taskset") is None:
        raise CannotCount("There is no taskset here, which keeps a program's threads on one processor.")
    return ["taskset", "-c", str(max(os.sched_getaffinity(0)))]


def _run(words: list[str], folder: Path | None = None, timeout_s: float | None = None) -> None:
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotCount(f"{Path(words[0]).name} took longer than {timeout_s:.0f} s.") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise CannotCount(
            f"{Path(words[0]).name} {words[1]} failed: {last[0][:300] if last else done.returncode}"
        )
