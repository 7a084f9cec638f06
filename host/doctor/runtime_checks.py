"""What `headband doctor` finds of the packages that the program runs on: each is really loaded, in processes
of their own, since a broken one may end the process that loads it, or hang. Imports the standard library
only: the doctor has to start whatever is missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from host.doctor.finding import Finding
from models.place import bring_packages

LIMIT_S = 90.0
"""For all of them together, from a slow card."""


@dataclass(frozen=True)
class Job:
    """What is loaded in one process, one after the other: Python modules, or statements after "exec "."""

    name: str
    loads: tuple[str, ...]
    package: str = ""
    """Whose version is told."""


JOBS = (
    Job("sight", ("onnxruntime", "PIL.Image", "PIL.PngImagePlugin", "PIL.JpegImagePlugin"), "onnxruntime"),
    Job("language", ("llama_cpp",), "llama-cpp-python"),
    Job("speech to text", ("_pywhispercpp",), "pywhispercpp"),
    Job("voice", ("piper",), "piper-tts"),
    Job(
        "wake word",
        ("exec from models.listening.wake_word import WakeWord; WakeWord()",),
        "pymicro-wakeword",
    ),
    Job("the rest", (
        "numpy", "yaml", "hassil.intents", "hassil.recognize", "soundfile", "soxr", "smbus2", "gpiod.line",
        "exec from models.listening.voice_activity import weights_path; weights_path()",
    )),
)  # fmt: skip
NPU = Job("NPU", ("rknnlite.api",))
"""Where its bindings are installed."""
_SHOWN = {
    "exec from models.listening.wake_word": "pymicro_wakeword",
    "exec from models.listening.voice_activity": "silero_vad",
}
_CHILD = """
import os, signal, sys
signal.alarm(int(sys.argv.pop(1)))  # where the doctor itself is gone
told = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a runtime prints is its own
for load in sys.argv[1:]:
    print("begin", load, file=told)
    try:
        if load.startswith("exec "):
            exec(load[5:], {})
        else:
            __import__(load)
    except BaseException as error:
        missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
        says = f"{missing} is missing" if missing else " ".join(f"{type(error).__name__}: {error}".split())
        print("wrong", says, file=told)
print("end", file=told)
"""


async def runtimes_finding(jobs: Sequence[Job] = JOBS, limit_s: float = LIMIT_S) -> Finding:
    """Loads everything at once."""
    found = await asyncio.gather(*(_problems(job, limit_s) for job in jobs))
    by_problem: dict[str, dict[str, None]] = {}
    for job, problems in zip(jobs, found, strict=True):
        for problem in problems:
            by_problem.setdefault(problem, {})[job.name] = None
    if by_problem:
        says = "; ".join(f"{problem} ({', '.join(names)})" for problem, names in by_problem.items())
        return Finding("runtimes", "broken", f"{says}.", f"{bring_packages()}.")
    versions = ", ".join(_version(job.package) for job in jobs if job.package)
    return Finding("runtimes", "ok", versions)


async def _problems(job: Job, limit_s: float) -> list[str]:
    """A few words for each load that failed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", _CHILD, str(int(limit_s) + 5), *job.loads,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True, limit=1 << 20,
    )  # fmt: skip
    assert process.stdout is not None
    lines: list[str] = []
    try:
        async with asyncio.timeout(limit_s):
            async for line in process.stdout:
                lines.append(line.decode(errors="replace").rstrip("\n"))
            await process.wait()
    except TimeoutError:
        return [*_told(lines), f"{_loading(lines, job)} is not loaded after {limit_s:g} seconds"]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    if "end" in lines:
        return _told(lines)
    return [
        *_told(lines),
        f"{_loading(lines, job)} ends the process that loads it, {_how(process.returncode)}",
    ]


def _told(lines: list[str]) -> list[str]:
    """What the process itself says is wrong."""
    problems, load = [], ""
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "begin":
            load = rest
        elif word == "wrong":
            problems.append(rest if rest.endswith(" is missing") else f"{_shown(load)} does not load: {rest}")
    return problems


def _loading(lines: list[str], job: Job) -> str:
    begun = [line.partition(" ")[2] for line in lines if line.startswith("begin ")]
    return _shown(begun[-1] if begun else job.loads[0])


def _shown(load: str) -> str:
    return next((name for begin, name in _SHOWN.items() if load.startswith(begin)), load.partition(".")[0])


def _how(code: int | None) -> str:
    if code is not None and code < 0:
        return f"by signal {signal.Signals(-code).name}"
    return f"with status {code}"


def _version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} of an unknown version"
