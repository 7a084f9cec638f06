"""What a person is told about the releases on a headband."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from host.boot.counting import PASSED, STEADY_S, Proof, Standing
from host.boot.records import OPT, PROOF, STATE_FOLDER, linked, present_count, read_proof

_UNDER_WAY = "its self-test is still to come, or under way"


@dataclass(frozen=True)
class ReleaseReport:
    """One release."""

    release: str
    version: str
    """Of the application; "" where the release can't be read."""
    standing: Standing
    says: str
    """What is known of it, after a colon."""

    def __str__(self) -> str:
        name = f"{self.version} ({self.release})" if self.version else self.release
        return f"{name}: {self.says}"


@dataclass(frozen=True)
class Releases:
    """The releases on a headband."""

    current: ReleaseReport
    before: ReleaseReport | None
    """The one to go back to."""
    gave_way: bool
    """The one before failed, and the headband went back from it by itself."""


def releases_on(prefix: Path) -> Releases | None:
    """The releases of the headband's computer whose `/` is `prefix`; None where no release is current."""
    opt = prefix / OPT
    current, previous = linked(opt, "current"), linked(opt, "previous")
    if current is None:
        return None
    count, proof = present_count(prefix), read_proof(prefix / STATE_FOLDER / PROOF)
    if proof is None or (proof.release, proof.start) != (current, count.start):
        proof = Proof(current, count.start)
    standing = count.standing(current)
    now = ReleaseReport(current, _version(opt, current), standing, _says(standing, proof))
    if previous is None or previous == current:
        return Releases(now, None, gave_way=False)
    standing = count.standing(previous)
    gave_way = standing == "refused" and count.refused == previous
    why = f" ({count.refused_why})" if gave_way and count.refused_why else ""
    says = {
        "refused": f"failed{why}; the headband went back by itself",
        "good": "good",
        "answered": "its self-test passed in one start",
        "new": "it ran, but its self-test has not passed",
    }[standing]
    before = ReleaseReport(previous, _version(opt, previous), standing, says)
    return Releases(now, before, gave_way)


def _says(standing: Standing, proof: Proof) -> str:
    if standing == "good":
        return "good"
    if proof.self_test not in ("", PASSED):
        return f"not good: {proof.self_test.rstrip('.')}"
    tested = "its self-test has passed" if proof.self_test else _UNDER_WAY
    if proof.self_test and not proof.steady:
        tested += f", which counts once it has run for {STEADY_S / 60:.0f} minutes or is stopped"
    done = "its self-test has passed in one start of the two" if standing == "answered" else ""
    if standing == "answered" and proof.steady:
        return f"not known to be good yet: {done}, the next one decides"
    return f"not known to be good yet: {'; '.join(filter(None, [done, f'now {tested}' if done else tested]))}"


def _version(opt: Path, release: str) -> str:
    try:
        about = json.loads((opt / "releases" / release / "release.json").read_text())
        return str(about["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
