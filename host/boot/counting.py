"""The rule of boot counting: values in, values out.

A start is charged (`charged`) before the service begins, and judged (`judged`) when the next one begins, by
what the service wrote about it (`Proof`). A release whose last starts failed gives way (`gives_way`) to the
one before. Nothing has to happen at the right moment: what is not proven counts as failed.

| the start ...                      | new, answered      | good               |
| ---------------------------------- | ------------------ | ------------------ |
| failed its self-test               | a strike           |                    |
| ended by a fault within `STEADY_S` | a strike           | a strike           |
| ended with the power, unheard      | a strike           | a failed boot      |
| ended with the power, listening    | a strike           | no strikes         |
| was stopped, or ran `STEADY_S`:    |                    |                    |
| - with its self-test passed        | a step, no strikes |                    |
| - without                          | no strike          | no strikes         |
| - without having listened for it   | a strike           | no strikes         |

A step makes a new release answered, and an answered one good. The strikes of a good release are of one boot;
from boot to boot its failed boots are counted, until a start ends them ("no strikes").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

Standing = Literal["refused", "new", "answered", "good"]
"""Of a release. refused: it gave way; answered: its self-test has passed in one start; good: in two."""
STEADY_S = 300.0
"""A start that runs for so long is no failed one."""
STRIKES = 2
"""Failed starts in succession after which a release gives way; for a good one, failed boots."""
STRIKES_OF_GOOD = 5
"""Failed starts in succession, between two boots, after which a good release gives way."""
_MOST = 99
PASSED = "passed"
_NONE_KNOWN: Mapping[str, Standing] = {}
_NEXT: Mapping[Standing, Standing] = {"new": "answered", "answered": "good"}


@dataclass(frozen=True)
class Proof:
    """What the service wrote about one of its starts."""

    release: str
    start: int
    """The start's number, as in `Count`."""
    listens: bool = False
    """It has listened, or recording is off."""
    self_test: str = ""
    """"passed", or a sentence about what failed; "" while it is not over."""
    steady: bool = False
    """It has run for `STEADY_S`."""
    stopped: bool = False
    """It ended because it was asked to."""
    told: bool = False
    """It has told the wearer that a release was refused."""


@dataclass(frozen=True)
class Count:
    """What is known of the releases on a headband; the current one's last starts."""

    release: str = ""
    """That the strikes and the last start are of."""
    strikes: int = 0
    """Starts in succession that failed; the last one too, until it is judged."""
    start: int = 0
    """Number of the last start, of any release."""
    boot: str = ""
    """The boot of the last start, by the kernel's id; "" before the first start of `release`."""
    why: str = ""
    """Why the last start that failed did."""
    standings: Mapping[str, Standing] = field(default_factory=lambda: _NONE_KNOWN)
    """Release -> standing; one that is not named is new."""
    refused: str = ""
    """The release that gave way to this one; "" for none."""
    refused_why: str = ""
    told: bool = False
    """The wearer knows about `refused`."""
    failed_boots: int = 0
    """Boots in succession that a good release failed; the present one is not among them."""

    def standing(self, release: str) -> Standing:
        """The standing of a release."""
        return self.standings.get(release, "new")


def known_before(current: str, previous: str | None) -> Count:
    """The count on a headband whose releases come from deploys that did not count: they are trusted."""
    return Count(current, standings={name: "good" for name in (current, previous) if name})


def judged(count: Count, proof: Proof | None, boot: str) -> Count:
    """The count with its last start judged, which is over. boot: the present one; "" for any other."""
    if not count.boot:
        return count
    if proof is None or (proof.release, proof.start) != (count.release, count.start):
        proof = Proof(count.release, count.start)
    count = replace(count, told=count.told or proof.told)
    standing = count.standing(count.release)
    if standing in _NEXT and proof.self_test not in ("", PASSED):
        return replace(count, why=proof.self_test.rstrip("."))
    if proof.steady or proof.stopped:
        if standing in _NEXT and proof.self_test == PASSED and proof.listens:
            standings = {**count.standings, count.release: _NEXT[standing]}
            return replace(count, strikes=0, why="", standings=standings)
        if standing in _NEXT and proof.steady and not proof.listens:
            return replace(count, why="it did not listen")
        if standing == "good":
            return replace(count, strikes=0, failed_boots=0)
        return replace(count, strikes=max(0, count.strikes - 1))
    if standing == "good" and boot != count.boot:
        failed_boots = 0 if proof.listens else min(count.failed_boots + 1, _MOST)
        count = replace(count, strikes=0, failed_boots=failed_boots)
        if proof.listens:
            return count
    return replace(count, why=_failure(proof, same_boot=boot == count.boot))


def _failure(proof: Proof, *, same_boot: bool) -> str:
    if not proof.listens:
        return "it ended before it listened"
    how = "ended by a fault" if same_boot else "stopped with the power"
    return f"it {how} within {STEADY_S / 60:.0f} minutes"


def of_release(count: Count, release: str) -> Count:
    """The count for the release that is current, whichever it was kept for."""
    if count.release == release:
        return count
    return replace(count, release=release, strikes=0, failed_boots=0, why="", boot="")


def gives_way(count: Count, *, at_boot: bool) -> bool:
    """Whether the release gives way instead of another start. at_boot: that start would be a boot's first."""
    if count.standing(count.release) == "refused":
        return True  # the power was cut when it had given way and `current` still named it
    if at_boot and count.failed_boots >= STRIKES:
        return True
    return count.strikes >= (STRIKES_OF_GOOD if count.standing(count.release) == "good" else STRIKES)


def may_follow(count: Count, release: str | None) -> bool:
    """Whether the current release may give way to that one."""
    return release is not None and release != count.release and count.standing(release) != "refused"


def charged(count: Count, boot: str) -> Count:
    """The count with one more start, which begins now."""
    return replace(count, strikes=min(count.strikes + 1, _MOST), start=count.start + 1, boot=boot)


def gone_back(count: Count, release: str) -> Count:
    """The count after the current release has given way to another."""
    standings: dict[str, Standing] = {**count.standings, count.release: "refused"}
    why = count.why or count.refused_why
    refused = replace(count, standings=standings, refused=count.release, refused_why=why, told=False)
    return of_release(refused, release)


def adopted(count: Count, release: str, kept: Iterable[str | None]) -> Count:
    """The count after a person has made a release the current one. kept: the other releases that stay."""
    standings = {name: count.standing(name) for name in (release, *kept) if name}
    if standings[release] == "refused":
        standings[release] = "new"
    return replace(
        of_release(count, release), strikes=0, failed_boots=0, boot="", standings=standings,
        refused="", refused_why="", told=False,
    )  # fmt: skip


def worth_keeping(count: Count, before: str | None, older: str | None) -> str | None:
    """Which of two releases is kept as the one to go back to: the later, unless the other is known better."""
    if before is None or older is None:
        return before
    ranks = get_args(Standing)
    return max(before, older, key=lambda release: ranks.index(count.standing(release)))
