"""A copy of a pack with a healed eye; the pack itself stays as it is."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from models.pack.catalogue import Pack, load_pack, seal
from models.pack.chain import PREDICTOR, Chain, identity
from models.pack.manifest import inside, read_manifest
from models.pack.new_folder import replacing_folder
from models.pack.sha256 import sha256_of
from models.train.recall.heal.eye import Eye, write

READERS = ("motion", "reflex")
"""Bricks that were trained on what the blocks of one eye compute."""


def write_healed(
    pack: Pack, chain: Chain, eye: Eye, out: Path, said: str, *, blocks: bool
) -> tuple[Pack, list[str]]:
    """Writes the copy into `out`, a new or empty folder, and seals it: the pack, and the bricks that it does
    not have any more. said: a sentence for its description. blocks: whether more than the exits has changed;
    then what was trained on the eye's blocks stays out.
    """
    manifest = read_manifest(pack.root)
    left_out = [name for name in READERS if name in manifest.bricks and blocks]
    dropped = {path for name in left_out for path in manifest.bricks[name]["files"].values()}
    vision = manifest.bricks["vision"]["files"]
    dropped |= {vision[PREDICTOR]} if PREDICTOR in vision else set()
    out.parent.mkdir(parents=True, exist_ok=True)
    with replacing_folder(out) as unfinished:
        for file in manifest.present:
            if file.path not in dropped:
                (unfinished / file.path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(inside(pack.root, file.path), unfinished / file.path)
        files = {key: unfinished / vision[key] for key in chain.keys}
        write(eye, files, chain)
        text = _without(manifest.text, left_out, dropped)
        text = _with_description(text, f"{pack.description} {said}")
        new = identity("", "", {key: sha256_of(path) for key, path in files.items()}).strip()
        old = str(pack.bricks["vision"].options["encoder"]).rpartition(" ")[2]
        (unfinished / "pack.toml").write_text(text.replace(f'encoder = "{old}"', f'encoder = "{new}"'))
        seal(unfinished)
    return load_pack(out), left_out


def _without(text: str, bricks: list[str], paths: set[str]) -> str:
    """A manifest's text without these bricks and files, and without what was chosen for the eye before."""
    kept = []
    for block in re.split(r"(?m)^(?=\[)", text):
        table = block.partition("\n")[0]
        if any(re.match(rf"\[brick\.{name}[.\]]", table) for name in bricks):
            continue
        if table == "[[file]]" and any(f'path = "{path}"' in block for path in paths):
            continue
        lines = block.splitlines()
        gone = ("remember_depth = ", "remember_chosen = ", "predictor = ")
        kept += [line for line in lines if not line.startswith(gone)]
    return "\n".join(kept) + "\n"


def _with_description(text: str, description: str) -> str:
    """The same with another description."""
    line = f"description = {json.dumps(description, ensure_ascii=False)}"
    return re.sub(r"(?m)^description = .*$", lambda _: line, text, count=1)
