"""What `headband doctor` finds, and the one screen that tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Health = Literal["ok", "note", "broken"]
"""note: something the headband does without."""


@dataclass(frozen=True)
class Finding:
    """One part. `says` is what was found, `fix` what to do where it is broken."""

    part: str
    health: Health
    says: str
    fix: str = ""


def could_not_look(part: str, error: Exception, fix: str = "") -> Finding:
    """A part whose look ended in something that nobody expected, or for want of a package."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        name = error.name.partition(".")[0]
        return Finding(
            part, "broken", f"It needs the Python package {name}, which is missing.", "see runtimes."
        )
    says = " ".join(f"{type(error).__name__}: {error}".split())
    return Finding(part, "broken", f"It could not be looked at ({says}).", fix)


def healthy(findings: list[Finding]) -> bool:
    """Is nothing broken?"""
    return all(finding.health != "broken" for finding in findings)


def screen(findings: list[Finding]) -> str:
    """One line for each part, and the fix under each that is broken."""
    lines = []
    for finding in findings:
        lines.append(f"{finding.health:7}{finding.part:12}{finding.says}")
        if finding.fix:
            lines.append(f"{'':19}-> {finding.fix[:1].upper()}{finding.fix[1:]}")
    broken = [finding.part for finding in findings if finding.health == "broken"]
    lines.append("")
    deaf = any(finding.part == "recording" and finding.health == "note" for finding in findings)
    well = "Healthy, but recording is off." if deaf else "Healthy."
    lines.append(f"Not healthy: {', '.join(broken)}." if broken else well)
    return "\n".join(lines)
