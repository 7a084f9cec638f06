"""Lock files are read as pip reads them."""

from __future__ import annotations

from host.packages.locks import Locked, entries, requirements

LOCK = """\
Py_Serial[extra]==3.5 \\
    --hash=sha256:0a \\
    --hash=sha256:0b
# x==1
zope.x == 1 ; os_name == 'nt' \\
    --hash=sha256:0c
"""


def test_names_are_compared_as_indexes_do() -> None:
    assert requirements(LOCK) == (
        Locked("py-serial", "3.5", frozenset({"0a", "0b"})),
        Locked("zope-x", "1", frozenset({"0c"})),
    )


def test_an_entry_keeps_its_hashes_and_marker() -> None:
    only = entries(LOCK, lambda name: name == "zope-x")
    assert only == "zope.x == 1 ; os_name == 'nt' \\\n    --hash=sha256:0c\n"
    assert requirements(entries(LOCK, lambda name: True)) == requirements(LOCK)
