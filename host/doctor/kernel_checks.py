"""What a headband needs of its kernel, and what it goes without where that is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from host.doctor.finding import Finding

OLDEST = (5, 10)
"""Of GPIO's present interface, which `gpiod` speaks."""


@dataclass(frozen=True)
class _Feature:
    name: str
    there: bool
    without: str
    fix: str


def kernel_finding(release: str, sysfs_root: Path, *, headband: bool) -> Finding:
    """release: as uname tells it. headband: a computer that is nothing else; another's kernel is its
    owner's matter.
    """
    what = f"Linux {release}"
    if not headband:
        return Finding("kernel", "ok", what)
    number = tuple(int(part) for part in re.findall(r"\d+", release)[:2])
    if number < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return Finding(
            "kernel", "broken", f"{what} knows no GPIO lines as they are asked for: that is {oldest}'s.",
            f"boot Linux {oldest} or newer.",
        )  # fmt: skip
    features = _features(sysfs_root)
    missing = [each for each in features if not each.there]
    if missing:
        says = ", ".join(f"{each.name} ({each.without})" for each in missing)
        return Finding(
            "kernel", "note", f"{what} without {says}", "; ".join(each.fix for each in missing) + "."
        )
    return Finding("kernel", "ok", f"{what} with GPIO lines, {', '.join(each.name for each in features)}")


def _features(sysfs_root: Path) -> tuple[_Feature, ...]:
    sleeps = "mem" in _words(sysfs_root / "power/state")
    depths = [word.strip("[]") for word in _words(sysfs_root / "power/mem_sleep")]
    depth = "deep sleep" if "deep" in depths else "light sleep" if sleeps else "sleep"
    return (
        _Feature(depth, sleeps, "it stays awake", "boot a kernel with CONFIG_SUSPEND"),
        _Feature(
            "I2C", (sysfs_root / "class/i2c-dev").is_dir(), "no microcontroller can be reached",
            "sudo modprobe i2c-dev, or a kernel with it",
        ),
        _Feature(
            "memory limits", "memory" in _words(sysfs_root / "fs/cgroup/cgroup.controllers"),
            "a brick that grows may take the whole computer along",
            "put cgroup_enable=memory on the kernel's command line",
        ),
    )  # fmt: skip


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []
