"""The micro pack with the real reflex brick, of random weights, which says what a test decides."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from models.pack.catalogue import PACKS_FOLDER, seal
from tests.models.bricks.chain_graphs import MICRO
from tests.models.bricks.reflex_pack import Behaviour, ReflexParts, write_reflex_pack

RED = Behaviour(forms=2, colours=0, scores=(0.1, 0.82, 0.3))
"""Says "It is red."; sure enough after layer 2 for the pack's score of 0.8, and for no higher one."""
UNKNOWN = {"unknown_words": "8"}


def write_micro_with_reflex(folder: Path, behaviour: Behaviour = RED) -> Path:
    """A sealed folder `folder`/micro with the files of the micro pack and this reflex brick in place of its
    own, and so small that it is asked in every mode.
    """
    source = write_reflex_pack(folder / "source", ReflexParts(behaviour, settings=UNKNOWN), MICRO)
    pack = folder / "micro"
    shutil.copytree(PACKS_FOLDER / "micro", pack)
    shutil.rmtree(pack / "reflex")
    shutil.copytree(source / "reflex", pack / "reflex")
    _, mark, table = (source / "pack.toml").read_text().partition("[brick.reflex]")
    listed = [
        part for part in (source / "pack.toml").read_text().split("[[file]]") if 'path = "reflex/' in part
    ]
    text = without_reflex((pack / "pack.toml").read_text()) + "\n" + mark + table
    text += "".join(f"\n[[file]]{part}" for part in listed if part.strip() not in table)
    (pack / "pack.toml").write_text(text.replace("memory_mib = 20\nfiles", "memory_mib = 5\nfiles"))
    seal(pack)
    return pack


def without_reflex(manifest: str) -> str:
    """The text of a `pack.toml` without its reflex brick and that brick's files."""
    tables = re.split(r"(?m)^(?=\[)", manifest)
    kept = [each for each in tables if not each.startswith("[brick.reflex") and 'path = "reflex/' not in each]
    return "".join(kept)
