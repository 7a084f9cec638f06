"""`headband models list`: the packs, what is here of each, what is missing, and what each can do."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from host.terminal.usage import one_line, os_error_sentence, print_json
from models.install.fetch import bytes_to_fetch
from models.install.staging import Store
from models.pack.abilities import abilities
from models.pack.brick_table import brick_specs
from models.pack.catalogue import PACKS_FOLDER, chosen_pack, known_packs, missing_files, remedy, wrong_sizes
from models.pack.manifest import Manifest, PackError, PackFile, read_manifest


def list_packs(*, as_json: bool) -> int:
    """Prints every pack; returns exit code 0. Where it can't be read which files were trusted at first use,
    that is told, and the list goes on without it.
    """
    rows, unusable = [], {}
    doubts: set[str] = set()
    for name, root in known_packs().items():
        try:
            rows.append(_row(name, root, doubts))
        except (PackError, OSError) as error:  # the other packs are still listed
            unusable[name] = os_error_sentence(error) if isinstance(error, OSError) else str(error)
    for doubt in doubts:
        print(one_line(doubt), file=sys.stderr)
    if as_json:
        print_json({"chosen": chosen_pack(), "packs": rows, "unusable": unusable})
        return 0
    chosen = chosen_pack()
    for name, fault in unusable.items():
        print(one_line(f"{'*' if name == chosen else ' '} {name:<14} can't be used: {fault}"))
    for row in rows:
        mark = "*" if row["chosen"] else " "
        print(one_line(f"{mark} {row['name']:<14} {row['state']}"))
        print(f"    {row['description']}")
        print(f"    {row['abilities']['line']}")
        if row["abilities"]["note"]:
            print(f"    {row['abilities']['note']}")
        print(f"    licence {row['licence']}; {row['trust']}")
    if chosen not in known_packs():
        print(f"  {chosen:<14} is chosen, and not on this computer any more")
    print("* is used where no pack is named; `headband models use NAME` changes that.")
    return 0


def by_folder(paths: Sequence[str]) -> list[str]:
    """Paths, those of one folder together: "recall/ (9 files)"."""
    found: dict[str, int] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        key = f"{folder}/" if folder else path
        found[key] = found.get(key, 0) + 1
    return [f"{key} ({count} files)" if count > 1 else key for key, count in found.items()]


def _row(name: str, root: Path, doubts: set[str]) -> dict[str, Any]:
    """One pack as a row of the list; reads only names and sizes of its files. Raises PackError and OSError
    for one that can't be used.
    """
    manifest = read_manifest(root)
    brick_specs(manifest)
    missing = missing_files(manifest)
    store = Store(manifest, doubts)
    size_mb = sum(file.size_bytes for file in manifest.needed) / 1e6
    published = _published(manifest)
    able = abilities(manifest)
    state = f"here, {len(manifest.needed)} files, {size_mb:.0f} MB"
    cut = wrong_sizes(manifest)
    if missing:
        state = _incomplete(store, missing)
    elif cut:
        path, fault = next(iter(cut.items()))
        state = f"not whole; {fault}: {remedy(manifest, path)}"
    elif published and published.version != manifest.version:
        state += f"; version {published.version} can be fetched"
    return {
        "name": name,
        "version": manifest.version,
        "description": manifest.description,
        "licence": manifest.licence,
        "state": state,
        "chosen": name == chosen_pack(),
        "complete": not missing and not cut,
        "folder": str(root),
        "trust": _hash_sources(store),
        "abilities": {**asdict(able), "recall": able.recall, "line": able.line(), "note": able.note()},
        "files": [
            {
                "path": file.path,
                "size": file.size_bytes,
                "sha256": file.sha256,
                "licence": file.licence,
                "source": str(file.source or ""),
                "made_from": file.made_from,
                "recorded": file.recorded,
                "needed": file in manifest.needed,
                "here": file not in missing and file.path not in cut and file in manifest.needed,
            }
            for file in manifest.files
        ],
    }


def _incomplete(store: Store, missing: Sequence[PackFile]) -> str:
    """What a pack lacks and what brings it."""
    manifest = store.manifest
    if not any(file.source for file in manifest.files):
        lacks = ", ".join(by_folder([file.path for file in missing]))
        return f"not whole; lacks {lacks}: {remedy(manifest, missing[0].path)}"
    fetch = f"`headband models fetch {manifest.name}`"
    steps = [f"{bytes_to_fetch(store) / 1e6:.0f} MB to fetch, {fetch}"] if store.wanted() else []
    if made := [file.path for file in missing if file.made_from and not store.located(file)]:
        told = "" if steps else f", {fetch} says from what"
        steps.append(f"to be converted: {', '.join(by_folder(made))}{told}")
    return f"not here; {'; '.join(steps) or f'all its files are, {fetch} puts it in place'}"


def _hash_sources(store: Store) -> str:
    """Where the SHA-256 of the files come from, as text."""
    files = [file for file in store.manifest.files if not file.made_from]
    recorded = [file.path for file in files if file.recorded]
    unknown = without_hash(store)
    words = [f"{len(files) - len(recorded) - len(unknown)} of {len(files)} files' SHA-256 pinned"]
    if recorded:
        words.append(f"recorded when first brought: {', '.join(recorded)}")
    if unknown:
        words.append(f"to be trusted at first use: {', '.join(unknown)}")
    return "; ".join(words)


def without_hash(store: Store) -> list[str]:
    """Published files without a pinned or recorded SHA-256."""
    return [file.path for file in store.manifest.files if file.source and not store.expected(file).sha256]


def _published(manifest: Manifest) -> Manifest | None:
    """The manifest of that name which comes with the program; None if it has none."""
    root = PACKS_FOLDER / manifest.name
    return read_manifest(root) if (root / "pack.toml").is_file() else None
