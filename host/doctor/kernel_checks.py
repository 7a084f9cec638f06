"""Checks of `headband doctor` for the kernel's version and features."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from host.doctor.finding import Finding

OLDEST = (5, 10)
"""First Linux with the GPIO interface (character device v2) that `gpiod` uses."""


@dataclass(frozen=True)
class _Feature:
    name: str
    there: bool
    without: str
    fix: str


def kernel_finding(release: str, sysfs_root: Path, *, headband: bool) -> Finding:
    """Checks the kernel. release: of uname. headband: whether this computer is only a headband; on others the
    kernel is only named.
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
