"""A finding of `headband doctor`, and the text that shows all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Health = Literal["ok", "note", "broken"]
"""note: missing or unusual, but the headband works without it."""


@dataclass(frozen=True)
class Finding:
    """Result of one check. `says`: what was found; `fix`: what to do about it."""

    part: str
    health: Health
    says: str
    fix: str = ""


def check_failed(part: str, error: Exception, fix: str = "") -> Finding:
    """The finding for a check that raised an unexpected error or lacks a package."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        name = error.name.partition(".")[0]
        return Finding(
            part, "broken", f"It needs the Python package {name}, which is missing.", "see runtimes."
        )
    says = " ".join(f"{type(error).__name__}: {error}".split())
    return Finding(part, "broken", f"It could not be looked at ({says}).", fix)


def healthy(findings: list[Finding]) -> bool:
    """Whether no part is broken."""
    return all(finding.health != "broken" for finding in findings)


def format_findings(findings: list[Finding]) -> str:
    """One line for each part, with its fix below it, and a summary."""
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
