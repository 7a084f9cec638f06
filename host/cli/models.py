"""`headband models`: lists, fetches, imports, verifies and chooses model packs.

Only `fetch` opens a network connection; a running headband never does.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from host.cli.models_listed import by_folder, list_packs, without_hash
from host.ship.pack_signature import UnsignedPack, sign_pack, verify_pack
from host.ship.remote import RemoteError
from host.ship.target.receive import NotTrusted
from host.terminal.progress import bars
from host.terminal.settings_file import chosen_settings, settings_in_words
from host.terminal.usage import UsageError, one_line, os_error_sentence, print_json
from models.install.fetch import InstallResult, bytes_to_fetch, fetch
from models.install.import_folder import import_pack_files, offers
from models.install.staging import Store, StoreError
from models.install.unusable_files import unusable_files
from models.pack.abilities import abilities, require_live
from models.pack.brick_table import brick_specs
from models.pack.cache import cache_folder
from models.pack.catalogue import (
    PACKS_FOLDER,
    choose_pack,
    chosen_pack,
    faults,
    find_pack,
    known_packs,
    load_pack,
    missing_files,
    remedy,
)
from models.pack.manifest import Manifest, PackError, PackFile, read_manifest
from models.place import from_checkout

MANIFEST = "pack.toml"
TRUSTED_IN = Path("/")
"""Where the keys are that this computer trusts; see `headband signers`."""


def models(options: argparse.Namespace) -> int:
    """Runs one action; returns the exit code, 1 for a fault (network, disk, damaged file)."""
    actions = {
        "list": lambda options: list_packs(as_json=options.json),
        "fetch": _fetch,
        "import": _import,
        "verify": _verify,
        "use": _use,
        "sign": _sign,
    }
    try:
        return actions[options.action](options)
    except StoreError as error:
        print(one_line(error), file=sys.stderr)
        return 1
    except OSError as error:
        _warn(f"{error.filename or 'The folder of the packs'} can't be used ({error.strerror}).")
        return 1


def _fetch(options: argparse.Namespace) -> int:
    manifest = _fetchable(options.pack)
    store = Store(manifest)
    if not store.wanted() and not store.lacking() and store.is_current():
        return _print_result(options, manifest, InstallResult((), (), (), None))
    if store.wanted():
        _announce(options, store)
        _accept_licences(options, [manifest])
    with bars(partial(_say, options)) as context_for:
        brought = fetch(store, context_for, options.hub)
    return _print_result(options, manifest, brought)


def _announce(options: argparse.Namespace, store: Store) -> None:
    """Prints the size of the download, its purpose, and the files without a known SHA-256."""
    manifest, size_mb = store.manifest, bytes_to_fetch(store) / 1e6
    wanted = store.wanted()
    count = f"{len(wanted)} files" if len(wanted) > 1 else "one file"
    _say(options, f"pack '{manifest.name}': {count} to fetch, {size_mb:.0f} MB or more")
    sources = [file for file in manifest.sources if file in wanted]
    if sources:
        sources_mb = sum(file.size_bytes for file in sources) / 1e6
        made = ", ".join(file.path for file in manifest.needed if file.made_from)
        _say(options, f"  {sources_mb:.0f} MB or more of it only to convert {made} from")
    if unknown := without_hash(store):
        _say(options, f"  SHA-256 not known, trusted at first use: {', '.join(unknown)}")


def _fetchable(name: str) -> Manifest:
    """The manifest to fetch by: the program's own, else that of an installed pack. Of one in another folder
    nobody has verified whose it is, as an import does.
    """
    name = name or chosen_pack()
    known = known_packs().get(name)
    if known is None:
        folder = shlex.quote(str(find_pack(name)))
        raise UsageError(
            f"{folder} is not a pack by name, so nothing is fetched for it: `headband models import "
            f"{folder}` takes a pack from a folder."
        )
    shipped = PACKS_FOLDER / name
    manifest = read_manifest(shipped if os.path.isfile(shipped / MANIFEST) else known)
    if not any(file.source for file in manifest.files):
        raise UsageError(f"Pack '{manifest.name}' is not published anywhere; there is nothing to fetch.")
    return manifest


def _import(options: argparse.Namespace) -> int:
    found = offers(options.folder, options.pack, _warn)
    for offer in found:
        if offer.stated:
            _accept_origin(options, offer.stated)
    _accept_licences(options, [offer.manifest for offer in found])
    results = []
    try:
        with bars(partial(_say, options)) as context_for:
            for offer in found:
                context = context_for(PackFile(offer.manifest.name, 0, "", ""))
                results.append((offer.manifest, import_pack_files(offer, options.folder, context)))
    except (StoreError, PackError, OSError):  # of the packs before it is told what came
        _print_changed(options, results)
        raise
    if not _print_changed(options, results):
        raise UsageError(f"{options.folder} holds no file that a pack lacks.")
    return 0


def _print_changed(options: argparse.Namespace, results: Sequence[tuple[Manifest, InstallResult]]) -> bool:
    """Prints the results of the packs to which an import brought something; returns whether there are any."""
    changed = [(manifest, brought) for manifest, brought in results if brought.files or brought.pack]
    for manifest, brought in changed:
        _print_result(options, manifest, brought)
    return bool(changed)


def _print_result(options: argparse.Namespace, manifest: Manifest, brought: InstallResult) -> int:
    """Prints the result and what is still missing; returns exit code 0."""
    store = Store(manifest)
    if options.json:
        print_json(
            {
                "pack": manifest.name,
                "complete": not brought.lacking,
                "folder": "" if brought.lacking else str(find_pack(manifest.name)),
                "brought": [file.path for file in brought.files],
                "recorded": [file.path for file in brought.recorded],
                "lacking": [file.path for file in brought.lacking],
                "parts": str(store.parts),
            },
            indent=None,
        )
        return 0
    if brought.recorded:
        print(
            "Trusted at first use, because the pack's author doesn't know their SHA-256: "
            f"{', '.join(file.path for file in brought.recorded)}; from now on nothing else is accepted."
        )
    if brought.lacking:
        _print_lacking(store, brought.lacking)
        return 0
    here = "is here now" if brought.pack else "was here already, whole"
    use = f"; `headband models use {manifest.name}` makes it the one that is used"
    print(f"pack '{manifest.name}' {here}{use if abilities(manifest).live else ''}")
    return 0


def _print_lacking(store: Store, lacking: Sequence[PackFile]) -> None:
    """Prints what a pack still lacks, and for each file what brings it."""
    manifest = store.manifest
    absent = {file.path for file in manifest.files if file.optional and not store.located(file)}
    made: dict[tuple[str, ...], list[str]] = {}
    for file in lacking:
        if file.made_from:
            origins = tuple(origin for origin in file.made_from if origin not in absent)
            made.setdefault(origins, []).append(file.path)
    for origins, paths in made.items():
        has = "has" if len(paths) == 1 else "have"
        print(
            f"{', '.join(by_folder(paths))} {has} to be converted from {', '.join(origins)} in {store.parts}."
        )
        folder = os.path.commonpath([os.path.dirname(origin) for origin in origins])
        if folder and (PACKS_FOLDER / manifest.name).is_dir():
            checkpoint = shlex.quote(str(store.parts / folder))
            print(f"  {from_checkout(f'convert {checkpoint} FOLDER --name {manifest.name}')}")
    # Of a pack that only the folder knows so far, nothing says here where the rest is published.
    fetched = manifest.name in known_packs()
    published = [file.path for file in lacking if file.source and fetched]
    if published:
        print(f"Still missing: {', '.join(published)}; `headband models fetch {manifest.name}` brings them.")
    others = [file.path for file in lacking if not ((file.source and fetched) or file.made_from)]
    if others:
        print(f"Still missing: {', '.join(others)}; put them into the folder as well, and import it again.")
    if made:
        print(f"Then: headband models import FOLDER --pack {manifest.name}")


def _accept_origin(options: argparse.Namespace, stated: Manifest) -> None:
    """Verifies the signature of a pack.toml that lies in a folder; asks where it has none of a trusted key.
    Raises UsageError where it is forged, or the person does not want it.
    """
    if options.unsigned:
        return
    try:
        verify_pack(stated, TRUSTED_IN)
        return
    except UnsignedPack as problem:
        why = str(problem)
    except NotTrusted as problem:
        raise UsageError(str(problem)) from None
    if not _somebody_is_there():
        raise UsageError(f"{why} Nobody is there to be asked: --unsigned takes it nevertheless.")
    _say(options, why)
    if not _agreed(options, "Take it nevertheless? [y/N] "):
        raise UsageError("Nothing was brought.")


def _sign(options: argparse.Namespace) -> int:
    try:
        print(f"{sign_pack(options.folder, options.key)} is written")
    except RemoteError as error:
        print(one_line(error), file=sys.stderr)
        return error.code
    return 0


def _accept_licences(options: argparse.Namespace, manifests: list[Manifest]) -> None:
    """Prints the licences and asks for consent. Raises UsageError without it."""
    for manifest in manifests:
        for licence, paths in manifest.licences().items():
            _say(options, f"  {manifest.name}: {licence}: {', '.join(paths)}")
    if options.accept_licence or not manifests:
        return
    if not _somebody_is_there():
        raise UsageError("Nobody is there to agree to the licences: --accept-licence does.")
    if not _agreed(options, "Do you accept these licences? [y/N] "):
        raise UsageError("Nothing was brought, because the licences were not accepted.")


def _somebody_is_there() -> bool:
    """Whether somebody can be asked; a standard input that is closed is None."""
    return sys.stdin is not None and sys.stdin.isatty()


def _agreed(options: argparse.Namespace, question: str) -> bool:
    """The answer; the question is no part of what `--json` prints. Ctrl-D is a no."""
    _say(options, question, end="")
    try:
        return input("").strip().lower() in ("y", "yes")
    except (EOFError, UnicodeDecodeError):
        _say(options, "")
        return False


def _say(options: argparse.Namespace, sentence: str, end: str = "\n") -> None:
    print(one_line(sentence), end=end, file=sys.stderr if options.json else sys.stdout, flush=True)


def _warn(sentence: str) -> None:
    print(one_line(sentence), file=sys.stderr)


def _verify(options: argparse.Namespace) -> int:
    result: dict[str, Any] = {}
    for name, root in _to_verify(options.pack).items():
        try:
            manifest = read_manifest(root)
            found = _faults_of(manifest)
        except (PackError, OSError) as error:  # the other packs are still read
            if options.pack:
                raise
            fault = os_error_sentence(error) if isinstance(error, OSError) else str(error)
            result[name] = {"files": 0, "faults": {MANIFEST: fault}}
            if not options.json:
                print(one_line(f"pack '{name}': {fault}"))
            continue
        result[manifest.name] = {"files": len(manifest.needed), "faults": found}
        if options.json:
            continue
        if not found:
            print(f"pack '{manifest.name}': {len(manifest.needed)} files, all as listed")
        for path, fault in found.items():
            helps = "" if path == MANIFEST else f"; {remedy(manifest, path)}"
            said = fault if path == MANIFEST else fault.removesuffix(".")
            print(one_line(f"pack '{manifest.name}': {said}{helps}"))
    if options.json:
        print_json(result)
    return 1 if any(row["faults"] for row in result.values()) else 0


def _faults_of(manifest: Manifest) -> dict[str, str]:
    """What keeps a pack from being used, by file; every byte is read."""
    found = {**unusable_files(manifest), **faults(manifest)}
    found |= {file.path: f"{file.path} is missing" for file in missing_files(manifest)}
    try:
        brick_specs(manifest)
    except PackError as problem:
        found[MANIFEST] = str(problem)
    return found


def _to_verify(name: str) -> dict[str, Path]:
    """The folder of the pack of that name; without one those of every pack here, also where files of it are
    missing: all but the published ones of which nothing was brought.
    """
    if name:
        return {name: find_pack(name)}
    return {name: root for name, root in known_packs().items() if not _only_published(root)}


def _only_published(root: Path) -> bool:
    """Whether this is the program's manifest of a published pack, and none of the pack's files is there."""
    if root.parent != PACKS_FOLDER:
        return False
    try:
        manifest = read_manifest(root)
    except PackError:
        return False
    published = any(file.source for file in manifest.files)
    return published and len(missing_files(manifest)) == len(manifest.needed)


def _use(options: argparse.Namespace) -> int:
    if not options.pack:
        raise UsageError("Name the pack to use; `headband models list` shows them.")
    pack = load_pack(options.pack)
    require_live(pack.name, pack.bricks)
    known = known_packs().get(pack.name)
    if known is None or known.resolve() != pack.root:
        folder = shlex.quote(str(pack.root))
        raise UsageError(
            f"{folder} is not a pack by name: `headband models import {folder}` makes it one, and a "
            "settings file may name a folder: pack = ..."
        )
    named = chosen_settings(options.config).pack  # before anything is chosen: they may be unusable
    try:
        choose_pack(pack.name)
    except OSError as error:
        raise StoreError(
            f"The choice can't be written into {cache_folder()} ({error.strerror}); it is what it was."
        ) from error
    if options.json:
        print_json({"chosen": pack.name, "settings": named})
        return 0
    print(
        f"pack '{pack.name}' is used from the next start on, where neither settings nor --pack name another"
    )
    if named and named != pack.name:
        print(f"note: {settings_in_words(options.config)} names pack '{named}', and that wins")
    return 0
