"""How many threads find a free core, from a folder that stands for /proc."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from models.process.other_work import OtherWork

OWN = 7


class Kernel:
    """What the kernel has counted on a computer of so many cores."""

    def __init__(self, proc: Path, cores: int) -> None:
        self.proc, self.cores = proc, cores
        self.user = self.nice = self.idle = 0
        self.own: dict[int, int] = {OWN: 0}

    def pass_s(self, seconds: float, *, others: float = 0.0, own: float = 0.0, nice: float = 0.0) -> None:
        """Time passes, in which so many cores work for others, for this program, and at a low priority."""
        ticks = round(100 * seconds)
        self.user += round(ticks * (others + own))
        self.nice += round(ticks * nice)
        self.idle += round(ticks * (self.cores - others - own - nice))
        self.own[OWN] = self.own.get(OWN, 0) + round(ticks * own)

    def write(self) -> None:
        lines = [f"cpu  {self.user} {self.nice} 0 {self.idle} 0 0 0 0 0 0"]
        lines += [f"cpu{number} 0 0 0 0 0 0 0 0 0 0" for number in range(self.cores)]
        (self.proc / "stat").write_text("\n".join([*lines, "intr 5 6", "ctxt 3"]))
        for pid in (OWN, OWN + 1):
            path = self.proc / str(pid) / "stat"
            path.unlink(missing_ok=True)
            if pid in self.own:
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"{pid} (brick stt) ) S 1 1 1 0 -1 0 0 0 0 0 {self.own[pid]} 0 0 0 20 0")


def looked(kernel: Kernel, work: OtherWork, threads: int = 4) -> int:
    kernel.write()
    return work.free(threads)


def test_a_core_that_another_program_keeps_busy_gets_no_thread(tmp_path: Path) -> None:
    kernel, work = Kernel(tmp_path, 4), OtherWork(lambda: [OWN], tmp_path)
    assert looked(kernel, work) == 4
    kernel.pass_s(3, own=3.0)
    assert looked(kernel, work) == 4, "what this program does itself is no other's"
    kernel.pass_s(3, others=1.0)
    assert looked(kernel, work) == 3
    assert looked(kernel, work, threads=2) == 2
    kernel.pass_s(3, others=0.7, own=2.0)
    assert looked(kernel, work) == 3
    kernel.pass_s(3, others=4.0)
    assert looked(kernel, work) == 1
    kernel.pass_s(3, others=0.2, nice=2.0)
    assert looked(kernel, work) == 4, "what gives way takes no core"


def test_what_is_too_short_or_not_comparable_leaves_the_last_answer(tmp_path: Path) -> None:
    kernel, work = Kernel(tmp_path, 2), OtherWork(lambda: [OWN, OWN + 1], tmp_path)
    looked(kernel, work)
    kernel.pass_s(3, others=1.0)
    assert looked(kernel, work) == 1
    kernel.pass_s(0.1)
    assert looked(kernel, work) == 1
    kernel.pass_s(3)
    assert looked(kernel, work) == 2
    kernel.own[OWN + 1] = 0
    kernel.pass_s(3)
    looked(kernel, work)
    kernel.pass_s(3, others=1.0)  # the work of a process that has ended meanwhile
    del kernel.own[OWN + 1]
    assert looked(kernel, work) == 2


def test_all_threads_where_the_kernel_does_not_say(tmp_path: Path) -> None:
    work = OtherWork(lambda: [OWN], tmp_path)
    assert work.free(4) == 4
    (tmp_path / "stat").write_text("cpu  no numbers")
    assert work.free(4) == 4
    (tmp_path / "stat").write_text("cpu  1 2 3")
    assert work.free(4) == 4


def test_a_busy_program_is_seen_on_this_computer() -> None:
    cores = os.cpu_count() or 1
    work = OtherWork(lambda: [os.getpid()])
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        work.free(cores)
        time.sleep(1.0)
        assert work.free(cores) < max(2, cores)
    finally:
        for each in busy:
            each.kill()
            each.wait()
