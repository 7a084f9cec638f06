"""The resources of a process: memory, open files, threads, children, shared mappings, running tasks."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from models.process.rss import children, rss_mib, trim_heap

_POOL_THREADS = 40
"""More than the number of threads in the event loop's pool."""


@dataclass(frozen=True)
class Census:
    """One count of the resources. The counters are by name."""

    resident_mib: float
    files: Counter[str]
    """The targets of the open descriptors, without the numbers of sockets and pipes."""
    threads: Counter[str]
    processes: Counter[str]
    """The descendants of the main process, by name."""
    shared: Counter[str]
    """Mappings of memory files, and files in /dev/shm."""
    tasks: Counter[str]

    def grown(self, later: Census) -> list[str]:
        """The differences of a later count, except for memory."""
        return [
            f"{kind} {name}: {before[name]} -> {after[name]}"
            for kind, before, after in (
                ("file", self.files, later.files),
                ("thread", self.threads, later.threads),
                ("process", self.processes, later.processes),
                ("shared memory", self.shared, later.shared),
                ("task", self.tasks, later.tasks),
            )
            for name in sorted(before | after)
            if before[name] != after[name]
        ]

    def __str__(self) -> str:
        return (
            f"{self.resident_mib:.1f} MiB, {self.files.total()} open files, {self.threads.total()} threads, "
            f"{self.processes.total()} processes, {self.shared.total()} shared mappings, "
            f"{self.tasks.total()} tasks"
        )


async def settle_threads() -> None:
    """Let the threads of unused objects end, and make the event loop's pool, which starts its threads on
    demand, start all of them.
    """
    gc.collect()
    await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.02) for _ in range(_POOL_THREADS)))


def census() -> Census:
    """Count now; to be called in the event loop. Unused memory is returned to the system first."""
    tasks = Counter(_task_name(task) for task in asyncio.all_tasks())
    found = census_of_process()
    files = Counter(f"/dev/shm/{name}" for name in os.listdir("/dev/shm"))
    return replace(found, shared=found.shared + files, tasks=tasks)


def census_of_process() -> Census:
    """The same for a process without an event loop: no tasks, and none of the files in /dev/shm, which are
    anybody's.
    """
    gc.collect()
    trim_heap()
    return Census(
        rss_mib(os.getpid()),
        Counter(_open_files()),
        Counter(_threads()),
        Counter(_processes(os.getpid())),
        Counter(_shared()),
        Counter(),
    )


def _open_files() -> list[str]:
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            found.append(re.sub(r"\[\d+\]", "", os.readlink(f"/proc/self/fd/{descriptor}")))
        except FileNotFoundError:  # the descriptor of the listing itself
            continue
    return found


def _threads() -> list[str]:
    ours = {str(thread.native_id): thread.name for thread in threading.enumerate()}
    return [re.sub(r"[\d_-]+", "", ours.get(each, "native")) for each in os.listdir("/proc/self/task")]


def _processes(pid: int) -> list[str]:
    names = []
    for child in children(pid):
        with contextlib.suppress(OSError):  # it ended meanwhile
            names.append(Path(f"/proc/{child}/comm").read_text().strip())
        names += _processes(child)
    return names


def _shared() -> list[str]:
    maps = Path("/proc/self/maps").read_text().splitlines()
    return [line.split(maxsplit=5)[5] for line in maps if "memfd:" in line]


def _task_name(task: asyncio.Task[object]) -> str:
    return getattr(task.get_coro(), "__qualname__", "task")
