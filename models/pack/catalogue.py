"""Model packs: finds them, reads a pack, checks its files.

python -m models.pack.catalogue verify FOLDER     check every file
python -m models.pack.catalogue seal FOLDER       write the files' present sizes and SHA-256 into pack.toml
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.atomic_file import write_whole
from models.brick import BrickSpec
from models.listening.hearing_again import Hearings
from models.pack.brick_settings import CautionTable, DetectedTable, DetectionTable, ReadingTable
from models.pack.brick_table import READER, brick_specs, on_npu
from models.pack.cache import cache_folder
from models.pack.manifest import Manifest, PackFile, Seal, inside, read_manifest, with_seals
from models.pack.manifest import PackError as PackError
from models.pack.npu_fit import Npu, Unfit
from models.pack.sha256 import sha256_of, sums_apart
from models.place import bring_files
from models.sensing.looking_again import Looks

PACKS_FOLDER = Path(__file__).parents[1] / "packs"
DEFAULT_PACK = "micro"
"""The pack that ships with the program."""
CHOICE = "chosen-pack"
"""File in the cache that holds the name of the pack in use."""


@dataclass(frozen=True)
class Pack:
    """A verified pack. bricks: by name, in the order of the manifest; left_out: why the pack's network for an
    NPU does not run on the NPU of this computer; None where it runs, and without such a network or NPU.
    """

    name: str
    root: Path
    version: str
    description: str
    licence: str
    files: tuple[PackFile, ...]
    bricks: Mapping[str, BrickSpec]
    left_out: Unfit | None = None
    self_test: str = ""
    """As of `Manifest`."""
    on_cores: Mapping[str, BrickSpec] = field(default_factory=dict)
    """Those of the bricks that are placed elsewhere, as they are loaded on the cores."""

    @property
    def caution_levels(self) -> Mapping[str, float] | None:
        """The least probability of a word, or support where it looks again, by caution, from which an answer
        of the language model about pictures is given; None where that was not measured.
        """
        return None if "llm" not in self.bricks else self.bricks["llm"].options.get("caution")

    @property
    def looks(self) -> Looks:
        """How often the language model is asked about one picture."""
        options = self.bricks["llm"].options if "llm" in self.bricks else {}
        return Looks(int(options.get("looks", 1)), float(options.get("certain_from", 0.0)))

    @property
    def hearings(self) -> Hearings:
        """How often the recogniser hears one utterance."""
        return Hearings.of(self.bricks["stt"].options if "stt" in self.bricks else {})

    @property
    def reading(self) -> ReadingTable | None:
        """How far answers about what is written depend on the text reader; None for a pack without one."""
        reflex = self.bricks.get("reflex")
        table = None if reflex is None or READER not in reflex.options else reflex.options.get("reading")
        return None if table is None else ReadingTable(**table)

    @property
    def detection(self) -> DetectionTable | None:
        """How far answers about pictures depend on the object detector; None for a pack without one."""
        reflex = self.bricks.get("reflex")
        table = (
            None if reflex is None or "detector" not in reflex.options else reflex.options.get("detection")
        )
        if table is None:
            return None
        of = {
            about: DetectedTable(**{**table[about], "gives_from": CautionTable(**table[about]["gives_from"])})
            for about in ("shapes", "things")
        }
        return DetectionTable(**{**table, **of})

    @property
    def usual_wording(self) -> bool:
        """Whether the language model was taught a grammar of questions, and is asked in the words of that."""
        return "llm" in self.bricks and bool(self.bricks["llm"].options.get("usual_wording", False))

    @property
    def heeds_caution(self) -> bool:
        """Whether answers depend on how cautious the wearer wants them."""
        motion = self.bricks.get("motion")
        by_caution = motion is not None and bool(motion.options.get("least_high"))
        return "reflex" in self.bricks or by_caution or self.caution_levels is not None


def known_packs() -> dict[str, Path]:
    """The folder of every manifest on this computer by the pack's name, whether its files are there or not.
    Of a fetched or imported pack it is the folder with the files, not the one of the program's manifest.
    """
    folders = (cache_folder() / "packs", PACKS_FOLDER)
    found: dict[str, Path] = {}
    for folder in folders:
        # A switch that is under way, or was killed, has a hidden name.
        for manifest in sorted(folder.glob("[!.]*/pack.toml")):
            found.setdefault(manifest.parent.name, manifest.parent)
    return dict(sorted(found.items()))


def pack_names() -> tuple[str, ...]:
    """Names of the packs whose files are on this machine."""
    names = []
    for name, root in known_packs().items():
        with contextlib.suppress(PackError, OSError):  # one that can't be looked at is none of them
            if not missing_files(read_manifest(root)):
                names.append(name)
    return tuple(names)


def missing_files(manifest: Manifest) -> tuple[PackFile, ...]:
    """Files that the pack needs and that are not in its folder."""
    return tuple(file for file in manifest.needed if not inside(manifest.root, file.path).is_file())


def wrong_sizes(manifest: Manifest) -> dict[str, str]:
    """The error of each file that is there and has another size than the manifest says; none is read."""
    found = {}
    for file in manifest.present:
        path = inside(manifest.root, file.path)
        if file.size_bytes and path.is_file() and (size := path.stat().st_size) != file.size_bytes:
            found[file.path] = _wrong_size(file, size)
    return found


def _wrong_size(file: PackFile, size_bytes: int) -> str:
    return f"{file.path} has {size_bytes} bytes instead of {file.size_bytes}"


def chosen_pack() -> str:
    """The pack chosen by `headband models use`, else the one that ships with the program."""
    try:
        return (cache_folder() / CHOICE).read_text().strip() or DEFAULT_PACK
    except (OSError, UnicodeDecodeError):
        return DEFAULT_PACK


def choose_pack(name: str) -> None:
    """Make this pack the default. Raises `OSError`; then the choice is what it was."""
    write_whole(cache_folder() / CHOICE, f"{name}\n")


def find_pack(name_or_path: str | Path) -> Path:
    """Folder of a pack by name or path; the chosen one for an empty name. A pack of that name is meant before
    a folder of that name where the person stands. Raises PackError.
    """
    text = str(name_or_path) or chosen_pack()
    given = Path(os.path.expanduser(text))
    if given.name == "pack.toml":
        given = given.parent
    candidates = [cache_folder() / "packs" / text, PACKS_FOLDER / text]
    if os.sep in text:
        candidates.insert(0, given)
    elif os.path.isdir(given):  # False, not an error, without access
        candidates.append(given)
    for folder in candidates:
        if os.path.isfile(folder / "pack.toml"):
            return folder.resolve()
    known = ", ".join(known_packs()) or "none"
    chosen = "; it was chosen, headband models use NAME chooses another" if text == chosen_pack() else ""
    raise PackError(f"There is no model pack '{text}'; known packs: {known}{chosen}.")


def load_pack(name_or_path: str | Path, *, verify: bool = True, npu: Npu | None = None) -> Pack:
    """Read a pack and check its files' sizes and SHA-256 (remembered by size and time of change).

    npu: this computer's, for the networks that the pack has for it.

    Raises PackError with one sentence: unknown pack, bad manifest, missing, short or damaged file.
    """
    root = find_pack(name_or_path)
    manifest = read_manifest(root)
    if any("\ud800" <= char <= "\udfff" for char in str(root)):
        raise PackError(
            f"Pack '{manifest.name}' is in a folder whose name is not UTF-8, so no runtime opens its files; "
            f"give it another: {str(root)!r}."
        )
    specs = brick_specs(manifest)
    bricks, left_out = on_npu(manifest, specs, npu)
    on_cores = {name: specs[name] for name, spec in bricks.items() if spec is not specs[name]}
    if verify:
        verify_files(manifest)
    return Pack(
        manifest.name, root, manifest.version, manifest.description, manifest.licence, manifest.present,
        bricks, left_out, manifest.self_test, on_cores,
    )  # fmt: skip


def verify_files(manifest: Manifest) -> None:
    """Compare files with the manifest. Raises PackError naming the file and how to restore it."""
    missing = missing_files(manifest)
    if missing:
        raise PackError(_how_to_get(manifest, missing))
    memo = read_memo()
    fresh = dict(memo)
    present = manifest.present
    unread = [inside(manifest.root, file.path) for file in present if not _known(manifest.root, file, memo)]
    sums = sums_apart(unread) if unread else {}
    for file in present:
        fault = fault_of(manifest.root, file, fresh, sums)
        if fault:
            raise PackError(f"Pack '{manifest.name}': {fault}; {remedy(manifest, file.path)}")
    if fresh != memo:
        write_memo(fresh)


def faults(manifest: Manifest) -> dict[str, str]:
    """The error of each file that is present and damaged; every byte is read."""
    memo = read_memo()
    for file in manifest.present:
        memo.pop(str(inside(manifest.root, file.path)), None)
    missing = set(missing_files(manifest))
    found = {
        file.path: fault_of(manifest.root, file, memo) for file in manifest.present if file not in missing
    }
    write_memo(memo)
    return {path: fault for path, fault in found.items() if fault}


def _seal_of(path: Path, file: PackFile) -> list[Any]:
    """The values by which a file that was verified is recognised; raises OSError."""
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, stat.st_ino, file.sha256]


def _known(root: Path, file: PackFile, memo: dict[str, Any]) -> bool:
    path = inside(root, file.path)
    try:
        return bool(memo.get(str(path)) == _seal_of(path, file))
    except OSError:
        return False


def fault_of(
    root: Path, file: PackFile, memo: dict[str, Any] | None = None, sums: Mapping[Path, str] | None = None
) -> str:
    """The error of a file of a pack, empty for none. memo: by path, the seals of verified files, to which
    this one is added; sums: SHA-256 of files that have just been read.
    """
    path = inside(root, file.path)
    if not file.sha256:
        return f"{file.path} has no SHA-256 in pack.toml to check it by"
    try:
        seal = _seal_of(path, file)
        if file.size_bytes and seal[0] != file.size_bytes:
            return _wrong_size(file, seal[0])
        if memo is not None and memo.get(str(path)) == seal:
            return ""
        if ((sums or {}).get(path) or sha256_of(path)) != file.sha256:
            return f"{file.path} is damaged (its SHA-256 doesn't match pack.toml)"
    except OSError as error:
        return f"{file.path} can't be read ({error.strerror})"
    if memo is not None:
        memo[str(path)] = seal
    return ""


def remedy(manifest: Manifest, path: str) -> str:
    """How to restore a file of the pack in this folder, which is missing or damaged. For a copy of a pack,
    neither the program's repository nor a fetch helps; nor does a fetch bring a converted file.
    """
    root = manifest.root.resolve()
    own = root.parent == PACKS_FOLDER.resolve() or str(root) in manifest.restore
    if own and manifest.restore:
        return bring_files(manifest.restore)
    if _is_fetched(manifest):
        if any(file.made_from for file in manifest.files if file.path == path):
            return f"it has to be converted again, headband models fetch {manifest.name} says from what"
        return f"headband models fetch {manifest.name} brings it again"
    copied = f"copy it into {root} again from where the pack came"
    if not (root / path).is_file():
        return copied
    return (
        f"{copied}, or, where the change is meant, write down its new SHA-256 with: "
        f"python -m models.pack.catalogue seal {root}"
    )


def _is_fetched(manifest: Manifest) -> bool:
    """True for a published pack in the folder to which a fetch writes, and for the program's manifest of
    it.
    """
    places = (PACKS_FOLDER / manifest.name, cache_folder() / "packs" / manifest.name)
    published = any(file.source for file in manifest.files)
    return published and os.path.realpath(manifest.root) in map(os.path.realpath, places)


def _how_to_get(manifest: Manifest, missing: tuple[PackFile, ...]) -> str:
    name, paths = manifest.name, ", ".join(file.path for file in missing)
    published = [file for file in missing if file.source]
    if _is_fetched(manifest) and published:
        size_mb = sum(file.size_bytes for file in published) / 1e6
        what = f"Pack '{name}' lacks {_files(len(published))} of {size_mb:.0f} MB or more"
        if made := len(missing) - len(published):
            return f"{what}, and {_files(made)} to be converted; begin with: headband models fetch {name}"
        return f"{what}; get them with: headband models fetch {name}"
    if all(file.made_from for file in missing):
        origins = ", ".join(dict.fromkeys(origin for file in missing for origin in file.made_from))
        return f"Pack '{name}' lacks {paths}, made from {origins}: headband models import FOLDER takes it in"
    return f"Pack '{name}' lacks {paths} (looked in {manifest.root}); {remedy(manifest, missing[0].path)}"


def _files(count: int) -> str:
    return f"{count} files" if count != 1 else "1 file"


def read_memo() -> dict[str, Any]:
    """Seals of verified files, by path."""
    try:
        memo = json.loads((cache_folder() / "verified.json").read_text())
    except (OSError, ValueError, RecursionError):
        return {}
    return memo if isinstance(memo, dict) else {}


def write_memo(memo: dict[str, Any]) -> None:
    """Store the memo. It only saves time, so a folder that cannot be written to is no error."""
    there = {path: seal for path, seal in memo.items() if os.path.exists(path)}
    with contextlib.suppress(OSError):
        write_whole(cache_folder() / "verified.json", json.dumps(there))


def seal(folder: Path) -> list[str]:
    """Write the files' sizes and SHA-256 into pack.toml, which is otherwise unchanged; returns a line per
    file. Raises PackError, and `OSError` for a disk that fails; then pack.toml is what it was.
    """
    manifest = read_manifest(folder)
    path = (folder / "pack.toml").resolve()
    mode = stat.S_IMODE(path.stat().st_mode)
    seals = {}
    for file in manifest.present:
        each = inside(folder, file.path)
        if not each.is_file():
            raise PackError(f"{each} doesn't exist, so the pack can't be sealed.")
        seals[file.path] = Seal(each.stat().st_size, sha256_of(each))
    write_whole(path, with_seals(manifest.text, seals), mode)
    return [f"{path}: {seal.size_bytes} bytes, {seal.sha256[:12]}..." for path, seal in seals.items()]


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit 2 with one sentence for a pack that can't be used, 1 for a disk that fails."""
    parser = argparse.ArgumentParser(
        prog="python -m models.pack.catalogue", description="Check or seal a model pack."
    )
    parser.add_argument("action", choices=["verify", "seal"])
    parser.add_argument("pack", help="name or folder of the pack")
    options = parser.parse_args(arguments)
    try:
        folder = find_pack(options.pack)
        if options.action == "seal":
            print("\n".join(seal(folder)))
        pack = load_pack(folder)
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or options.pack} can't be used ({error.strerror}).", file=sys.stderr)
        return 1
    total_mib = sum(file.size_bytes for file in pack.files) / 2**20
    print(f"pack '{pack.name}': {len(pack.files)} files, {total_mib:.1f} MiB, all as listed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
