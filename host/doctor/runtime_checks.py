"""Checks of `headband doctor` for the Python packages: each is imported in a separate process, because a
broken one may crash or hang the process that loads it. Imports only the standard library, so that the doctor
starts without any package.
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

TIMEOUT_S = 90.0
"""Time limit for loading all packages from a slow card."""


@dataclass(frozen=True)
class Job:
    """What one process loads, in order: Python modules, or statements after "exec "."""

    name: str
    loads: tuple[str, ...]
    package: str = ""
    """Package whose version the finding shows; "" for none."""


JOBS = (
    Job("sight", ("onnxruntime", "PIL.Image", "PIL.PngImagePlugin", "PIL.JpegImagePlugin"), "onnxruntime"),
    Job("language", ("llama_cpp.llama_cpp",), "llama-cpp-python"),
    Job("speech to text", ("_pywhispercpp",), "pywhispercpp"),
    Job("voice", ("piper",), "piper-tts"),
    Job(
        "wake word",
        ("exec from models.listening.wake_word import WakeWord; WakeWord()",),
        "pymicro-wakeword",
    ),
    Job("the rest", (
        "numpy", "yaml", "hassil.intents", "hassil.recognize", "soundfile", "soxr", "smbus2", "gpiod.line",
        "nacl.bindings",
        "exec from models.listening.voice_activity import weights_path; weights_path()",
    )),
)  # fmt: skip
NPU = Job("NPU", ("rknnlite.api",))
"""Loaded only where there is an NPU and its bindings are installed."""
_DISPLAY_NAMES = {
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


async def runtimes_finding(jobs: Sequence[Job] = JOBS, timeout_s: float = TIMEOUT_S) -> Finding:
    """Runs all jobs in parallel; returns one finding for all packages."""
    found = await asyncio.gather(*(_problems(job, timeout_s) for job in jobs))
    by_problem: dict[str, dict[str, None]] = {}
    for job, problems in zip(jobs, found, strict=True):
        for problem in problems:
            by_problem.setdefault(problem, {})[job.name] = None
    if by_problem:
        says = "; ".join(f"{problem} ({', '.join(names)})" for problem, names in by_problem.items())
        return Finding("runtimes", "broken", f"{says}.", f"{bring_packages()}.")
    versions = ", ".join(_version(job.package) for job in jobs if job.package)
    return Finding("runtimes", "ok", versions)


async def _problems(job: Job, timeout_s: float) -> list[str]:
    """A few words for each failed load of a job."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", _CHILD, str(int(timeout_s) + 5), *job.loads,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True, limit=1 << 20,
    )  # fmt: skip
    assert process.stdout is not None
    lines: list[str] = []
    try:
        async with asyncio.timeout(timeout_s):
            async for line in process.stdout:
                lines.append(line.decode(errors="replace").rstrip("\n"))
            await process.wait()
    except TimeoutError:
        return [
            *_reported_problems(lines),
            f"{_loading(lines, job)} is not loaded after {timeout_s:g} seconds",
        ]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    if "end" in lines:
        return _reported_problems(lines)
    return [
        *_reported_problems(lines),
        f"{_loading(lines, job)} ends the process that loads it, {_exit_reason(process.returncode)}",
    ]


def _reported_problems(lines: list[str]) -> list[str]:
    """The failed loads that the process itself reports."""
    problems, load = [], ""
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "begin":
            load = rest
        elif word == "wrong":
            problems.append(
                rest if rest.endswith(" is missing") else f"{_display_name(load)} does not load: {rest}"
            )
    return problems


def _loading(lines: list[str], job: Job) -> str:
    begun = [line.partition(" ")[2] for line in lines if line.startswith("begin ")]
    return _display_name(begun[-1] if begun else job.loads[0])


def _display_name(load: str) -> str:
    return next(
        (name for begin, name in _DISPLAY_NAMES.items() if load.startswith(begin)), load.partition(".")[0]
    )


def _exit_reason(code: int | None) -> str:
    if code is not None and code < 0:
        return f"by signal {signal.Signals(-code).name}"
    return f"with status {code}"


def _version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} of an unknown version"
