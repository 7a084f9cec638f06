"""Holds the locks against known weaknesses of their packages.

    just audit

Looks into host/packages/advisories.toml, and asks a vulnerability database where HEADBAND_ADVISORIES has the
address of one that answers OSV's batch queries, such as HEADBAND_ADVISORIES=https://HOST/v1/querybatch. Of
one that can't be asked it says so, and the list counts alone. Exit status 0: nothing is known but what the
list accepts; 1: something is; 2: the list can't be used.
"""

from __future__ import annotations

import argparse
import os
import sys
import textwrap

from host.packages.advisories import BadList, Finding, findings, places, read_list
from host.packages.locks import ROOT, requirements
from host.packages.osv import NoAnswer, Package, advisories_for, poster

ADDRESS = "HEADBAND_ADVISORIES"


def main() -> int:
    """Command line."""
    argparse.ArgumentParser(
        prog="just audit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    try:
        reviewed, advisories = read_list()
    except BadList as problem:
        print(problem, file=sys.stderr)
        return 2
    locks = {path.name: requirements(path.read_text()) for path in sorted(ROOT.glob("requirements*.lock"))}
    packages = places(locks)
    told, asked = _ask(sorted(packages))
    found = findings(packages, advisories, told)
    for each in found:
        print(_line(each))
    new = sum(not each.accepted for each in found)
    headband = sum(place == "headband" for place in packages.values())
    print(
        f"{len(packages)} packages, {headband} of them a headband's, held against the list of {reviewed}"
        f"{asked}: {new or 'nothing'} to be dealt with"
    )
    return 1 if new else 0


def _ask(packages: list[Package]) -> tuple[dict[Package, list[str]], str]:
    """What the database has, and words that say whether it was asked."""
    address = os.environ.get(ADDRESS, "")
    if not address:
        return {}, f" (no database: {ADDRESS} names none)"
    try:
        return advisories_for(packages, poster(address)), " and a database"
    except NoAnswer as problem:
        print(f"The database in {ADDRESS} can't be asked: {problem}.", file=sys.stderr)
        return {}, ""


def _line(finding: Finding) -> str:
    state = "accepted" if finding.accepted else "AFFECTED"
    first = f"{state}  {finding.package} {finding.version} ({finding.place}): {finding.id}"
    return f"{first}\n{textwrap.indent(textwrap.fill(finding.note, 100), ' ' * 10)}"


if __name__ == "__main__":
    sys.exit(main())
