"""Advisories about packages, and which of them hold for what is locked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from host.packages.left_out import is_sent
from host.packages.locks import SENT, Locked, normalised

LIST = Path(__file__).with_name("advisories.toml")
PLACES = ("headband", "checkout")
ALSO_SENT = ("requirements-npu.lock",)
"""Locks of which a headband gets everything, where its owner wants it."""
_KEYS = {"id", "package", "affected", "note", "accepted", "aliases"}


class BadList(Exception):
    """The list of advisories can't be used; one sentence."""


@dataclass(frozen=True)
class Advisory:
    """A known weakness of some versions of a package."""

    id: str
    package: str
    """Normalised name."""
    affected: str
    """Versions, as a specifier of PEP 440."""
    note: str
    accepted: frozenset[str] = frozenset()
    """Places of `PLACES` where an affected version may be."""
    aliases: frozenset[str] = frozenset()

    def holds_for(self, version: str) -> bool:
        """Whether that version of the package is affected."""
        from packaging.specifiers import SpecifierSet

        return SpecifierSet(self.affected).contains(version, prereleases=True)


@dataclass(frozen=True, order=True)
class Finding:
    """An advisory that holds for a locked package."""

    package: str
    version: str
    id: str
    place: str
    """One of `PLACES`."""
    accepted: bool
    note: str


def read_list(path: Path = LIST) -> tuple[date, tuple[Advisory, ...]]:
    """When the list was last gone through, and its advisories. Raises `BadList`."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        found = []
        for entry in table["advisory"]:
            if unknown := set(entry) - _KEYS:
                raise BadList(f"{path.name}: {entry.get('id', '?')} has an unknown key {min(unknown)!r}.")
            each = Advisory(
                str(entry["id"]), normalised(entry["package"]), str(entry["affected"]), str(entry["note"]),
                frozenset(entry.get("accepted", ())), frozenset(entry.get("aliases", ())),
            )  # fmt: skip
            if each.accepted - set(PLACES):
                raise BadList(f"{path.name}: {each.id} can be accepted in {' and '.join(PLACES)} only.")
            SpecifierSet(each.affected)
            found.append(each)
        if not isinstance(table["reviewed"], date):
            raise TypeError("reviewed is no date")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InvalidSpecifier) as problem:
        raise BadList(f"{path.name} can't be used: {problem}.") from None
    return table["reviewed"], tuple(found)


def places(locks: Mapping[str, Iterable[Locked]]) -> dict[tuple[str, str], str]:
    """(name, version) of every package -> its place; one that a headband gets is of the headband.

    locks: the requirements by the name of their lock file.
    """
    found: dict[tuple[str, str], str] = {}
    for name, packages in locks.items():
        for each in packages:
            sent = name in ALSO_SENT or (name in SENT and is_sent(each.name))
            if sent or (each.name, each.version) not in found:
                found[each.name, each.version] = "headband" if sent else "checkout"
    return found


def findings(
    packages: Mapping[tuple[str, str], str],
    advisories: Iterable[Advisory],
    told: Mapping[tuple[str, str], Iterable[str]],
) -> list[Finding]:
    """What holds for the packages. told: ids that a database has for them; one that the list has as well is
    what the list says of it.
    """
    advisories = tuple(advisories)
    found = set()
    for (name, version), place in packages.items():
        listed = [each for each in advisories if each.package == name]
        ids = dict.fromkeys(told.get((name, version), ()), "in the database")
        for each in listed:
            known = {each.id, *each.aliases}
            if each.holds_for(version) or known & set(ids):
                ids = {key: value for key, value in ids.items() if key not in known}
                found.add(Finding(name, version, each.id, place, place in each.accepted, each.note))
        found |= {Finding(name, version, key, place, False, value) for key, value in ids.items()}
    return sorted(found)
