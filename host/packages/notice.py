"""The part of NOTICE that lists every installed package with the licence that it names itself.

    python -m host.packages.notice [--write]

Without --write it says what in NOTICE is out of date, with status 1. The list has two parts: what a headband
gets (requirements.lock and requirements-native.lock, less what `host.packages.left_out` names), and what only
this computer needs, to build and to test. Versions are left out: the locks have them.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Mapping
from email.message import Message
from importlib import metadata

from host.packages.left_out import is_sent
from host.packages.locks import ROOT, SENT, normalised, requirements

NOTICE = ROOT / "NOTICE"
BEGIN = (
    "Every package of a headband, with the licence that it names itself (`just notice` writes what follows):"
)
ELSEWHERE = "Only where the headband is built and tested:"
_WIDTH = 118
_SPDX: Mapping[str, str] = {
    "apache": "Apache-2.0", "apache 2.0": "Apache-2.0", "apache software license": "Apache-2.0",
    "mit license": "MIT", "bsd 3-clause license": "BSD-3-Clause", "3-clause bsd license": "BSD-3-Clause",
    "bsd": "BSD", "bsd license": "BSD", "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "cc0 1.0 universal (cc0 1.0) public domain dedication": "CC0-1.0",
}  # fmt: skip
"""SPDX identifiers of wordings in lower case."""
_SAID_ELSEWHERE: Mapping[str, str] = {"espeakng-loader": "MIT"}
"""Packages whose metadata is silent, and the licence in their source archive."""


def on_the_headband() -> set[str]:
    """The normalised names of the packages that a headband gets."""
    texts = ((ROOT / name).read_text(encoding="utf-8") for name in SENT)
    return {each.name for text in texts for each in requirements(text) if is_sent(each.name)}


def licence_of(package: metadata.Distribution) -> str:
    """What an installed package says of its licence; see `licence_from`."""
    return licence_from(package.metadata)


def licence_from(about: metadata.PackageMetadata | Message) -> str:
    """What a package's metadata says of its licence, as an SPDX expression where it can be told; "" for
    nothing.
    """
    said, short = ((about.get_all(field) or [""])[0].strip() for field in ("License-Expression", "License"))
    said = said or ("" if "\n" in short or len(short) > 60 else short)
    classes = [each.split(" :: ")[-1] for each in about.get_all("Classifier") or () if each[:7] == "License"]
    said = said or " AND ".join(dict.fromkeys(_SPDX.get(each.lower(), each) for each in classes))
    return _SPDX.get(said.lower(), said) or _SAID_ELSEWHERE.get(normalised(about["Name"]), "")


def installed() -> dict[str, str]:
    """Every package of this environment by normalised name, with its licence."""
    return dict(sorted((normalised(each.name), licence_of(each)) for each in metadata.distributions()))


def _list(packages: Mapping[str, str]) -> str:
    by_licence: dict[str, list[str]] = {}
    for name, licence in packages.items():
        by_licence.setdefault(licence or "says nothing", []).append(name)
    lines = [
        textwrap.fill(
            f"{licence}: {', '.join(names)}", _WIDTH, initial_indent="    ", subsequent_indent=" " * 8,
            break_on_hyphens=False,
        )
        for licence, names in sorted(by_licence.items())
    ]  # fmt: skip
    return "\n".join(lines)


def listed(packages: Mapping[str, str], sent_names: set[str]) -> str:
    """The generated part of NOTICE."""
    sent = {name: licence for name, licence in packages.items() if name in sent_names}
    other = {name: licence for name, licence in packages.items() if name not in sent_names}
    return f"{BEGIN}\n\n{_list(sent)}\n\n{ELSEWHERE}\n\n{_list(other)}\n"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="just notice", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write it into NOTICE")
    options = parser.parse_args()
    wanted = listed(installed(), on_the_headband())
    text = NOTICE.read_text(encoding="utf-8")
    kept, _, now = text.partition(BEGIN)
    if options.write:
        NOTICE.write_text(f"{kept.rstrip()}\n\n{wanted}", encoding="utf-8")
        return 0
    if BEGIN + now != wanted:
        print("The list of packages in NOTICE is out of date: run `just notice`.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
