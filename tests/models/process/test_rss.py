"""Memory that a process returns to the system."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from models.process.rss import rss_mib, unmap_idle_code


def _code_kib() -> int:
    """Resident executable file pages of this process."""
    total, executable = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        head = re.match(r"[0-9a-f]+-[0-9a-f]+ (\S+) .* (/\S+)$", line)
        if head:
            executable = head[1] == "r-xp"
        elif executable and line.startswith("Rss:"):
            total += int(line.split()[1])
        elif re.match(r"[0-9a-f]+-", line):
            executable = False
    return total


def test_idle_code_is_given_back_and_everything_still_works():
    np.linalg.svd(np.eye(64))
    before_kib, before_mib = _code_kib(), rss_mib(os.getpid())
    unmap_idle_code()
    assert _code_kib() < before_kib
    assert rss_mib(os.getpid()) < before_mib
    assert np.allclose(np.linalg.svd(np.eye(64))[1], 1.0)


def test_pictures_that_are_gone_leave_nothing_between_small_things_that_stay():
    code = (
        "import os, numpy as np\n"
        "from models.process.rss import rss_mib, use_one_heap\n"
        "use_one_heap()\n"
        "np.ones(1 << 20)\n"  # from now on glibc would put pictures into the heap
        "before_mib, stay = rss_mib(os.getpid()), []\n"
        "pictures = [(np.ones(55_000), stay.append(bytes(2000)))[0] for _ in range(60)]\n"
        "held_mib = rss_mib(os.getpid()) - before_mib\n"
        "del pictures\n"
        "print(held_mib, rss_mib(os.getpid()) - before_mib)"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    held_mib, left_mib = map(float, done.stdout.split())
    assert held_mib > 20.0 and left_mib < 3.0
