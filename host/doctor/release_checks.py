"""The doctor's check of the releases on a headband. Standard library only."""

from __future__ import annotations

from pathlib import Path

from host.boot.report import releases_on
from host.doctor.finding import Finding
from host.ship.target.guard_files import GuardFiles
from host.ship.target.system_files import SystemFiles
from models import place


def release_findings(prefix: Path | None = None) -> list[Finding]:
    """Whether the release that runs is known to be good, one gave way to it, the guard is whole, and the
    service starts at a boot; nothing elsewhere than on a headband. prefix: stands for `/` there.
    """
    if prefix is None:
        if place.place() != "headband":
            return []
        prefix = place.ROOT.parents[2]
    found = releases_on(prefix)
    if found is None:
        return []
    fix = f"deploy again, {place.bring_files()}."
    if not GuardFiles(prefix).whole:
        says = "The boot guard, which goes back from a release that fails, is missing or damaged."
        return [Finding("release", "broken", says, fix)]
    if not SystemFiles(prefix).enabled:
        says = "The service does not start at a boot: it is disabled."
        return [Finding("release", "broken", says, fix)]
    if found.gave_way:
        says = f"{found.current.release} runs; {found.before}"
        return [Finding("release", "note", says, f"deploy one that is mended, {place.bring_files()}.")]
    back = f"; before it {found.before.release}" if found.before else ""
    good = found.current.standing == "good"
    return [Finding("release", "ok" if good else "note", f"{found.current}{back}")]
