"""The micro pack with two eyes: one without exits, for the language model, and one for the memory alone."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from models.pack.catalogue import PACKS_FOLDER, Pack, load_pack, seal


def write_micro_with_two_eyes(folder: Path, *, reflex: bool = False) -> Path:
    """A sealed folder `folder`/two-eyes with the files of the micro pack but for motion and reflex,
    which were trained on the rows of another eye. With `reflex` that brick is there too, and reads the
    memory's eye, which is the one that it was trained on.
    """
    pack = folder / "two-eyes"
    shutil.copytree(PACKS_FOLDER / "micro", pack)
    text = (pack / "pack.toml").read_text().replace('name = "micro"', 'name = "two-eyes"', 1)
    tables = re.split(r"(?m)^(?=\[(?!brick\.\w+\.))", text)
    (eye,) = (table for table in tables if table.startswith("[brick.vision]"))
    one = re.sub(r"(?m)^(exit_\d\d|embedding|remember_\w+) = .*\n", "", eye)
    second = eye.replace("[brick.vision", "[brick.recall").replace("remember_depth = 12\n", "")
    kept = [table for table in tables if table != eye]
    for name in ("motion", *(() if reflex else ("reflex",))):
        kept = [table for table in kept if not table.startswith(f"[brick.{name}]")]
        kept = [table for table in kept if f'path = "{name}/' not in table]
        shutil.rmtree(pack / name)
    manifest = "".join([*kept, "\n", one, "\n", second])
    settings = "[brick.reflex.settings]\n"
    (pack / "pack.toml").write_text(manifest.replace(settings, settings + 'eye = "recall"\n'))
    seal(pack)
    return pack


def micro_with_two_eyes(folder: Path) -> Pack:
    """That pack, loaded."""
    return load_pack(write_micro_with_two_eyes(folder))
