"""Heals the exits of a pack's eye from a folder of your own pictures, and writes a new pack:

    ./justw train recall --pictures DIR [--out PACK]

DIR has 40 or more JPEG or PNG pictures, also in folders of its own; nobody has to say what is on them. The
earlier exits learn to place each picture where full depth places it. The latest days of the pictures, a
fifth, are not learned from: they say when to stop, and whether the exits have become better at all; if not,
nothing is written. Two ways are tried: the exits alone, and exit by exit with the blocks before it, where
what is before an exit that is done is not changed any more. The second is taken only where it is clearly
better: then the decoder reads rows that differ a little, and what was trained on the blocks (questions about
the last seconds, closed questions) is left out of the new pack. Views that are remembered already are placed
again from their small pictures, with either.

What improves is that a view is found by a view. The micro pack's exits have learned to stop early already,
and sentences find nothing more there, after block 1 even less (docs/figures.md, Healing of the earlier
exits).

Paths count from the repository. The pack that it begins with stays as it is.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.pack.catalogue import Pack, PackError, load_pack
from models.pack.chain import Chain, chain_of
from models.train.pack import PACK
from models.train.recall.heal import pictures
from models.train.recall.heal.pictures import Picture, Split
from models.train.recall.heal.refusal import CannotHeal
from models.train.recall.heal.stems import Stems, kept, stems
from models.train.recall.views import loaded
from models.train.stopping import stopping

OUT, CACHE = Path(".cache/train/healed"), Path(".cache/train/heal")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 with one sentence where healing is not possible, 1 where it does not help or a disk
    fails; 130 after Ctrl-C and 143 after SIGTERM, with nothing written.
    """
    options = _parser().parse_args(arguments)
    with stopping() as stop:
        status = stop.unless(lambda: _status(options))
    if status is None:
        print("Stopped; no pack is written.", file=sys.stderr)
        return stop.status
    return status


def _status(options: argparse.Namespace) -> int:
    try:
        pack = load_pack(options.pack)
        chain = chain_of(pack.bricks["vision"].options) if "vision" in pack.bricks else None
        if chain is None or len(chain.exits) < 2:
            raise CannotHeal(f"Pack '{pack.name}' has no eye with exits before full depth.")
        found = pictures.split(pictures.pictures_in(options.pictures))
        _require_room(pack, options.out)
        print(_told(found), flush=True)
        return 0 if options.dry_run else _heal(pack, chain, found, options)
    except (CannotHeal, PackError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or options.out} can't be used ({error.strerror or error}).", file=sys.stderr)
        return 1


def _heal(pack: Pack, chain: Chain, found: Split, options: argparse.Namespace) -> int:
    from models.train.recall.heal.healed_pack import write_healed
    from models.train.recall.heal.own_pictures import heal

    parts = encoded(pack, found.training, options.cache), encoded(pack, found.validation, options.cache)
    healed = heal(pack, chain, parts, options.change, options.seed)
    if healed.gain <= 0:
        print("The exits did not become better on the latest pictures, so no pack is written.")
        return 1
    said = f"Its exits learned from {len(found.training)} pictures of a folder."
    made, left_out = write_healed(pack, chain, healed.eye, options.out, said, blocks=healed.blocks)
    what = "the exits and the blocks" if healed.blocks else "the exits alone"
    print(
        f"{options.out}: pack '{made.name}' {made.version} with a healed eye, {what}: {len(made.files)} files"
    )
    if left_out:
        print(f"Left out, as trained on the blocks as they were before: {' and '.join(left_out)}.")
    return 0


def _require_room(pack: Pack, out: Path) -> None:
    """Raises CannotHeal where the new pack would touch something that is there."""
    if out.resolve() == pack.root.resolve():
        raise CannotHeal(f"{out} is the pack itself, which stays as it is; name another folder with --out.")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CannotHeal(f"{out} is there already; name a new folder with --out.")


def encoded(pack: Pack, given: Sequence[Picture], cache: Path) -> Stems:
    """The pictures after the stem, made once for these files and this eye. Raises CannotHeal."""
    marks = [
        f"{each.path.resolve()} {each.path.stat().st_size} {each.path.stat().st_mtime_ns}" for each in given
    ]
    told = "\n".join([str(pack.bricks["vision"].options["encoder"]), *marks])
    file = cache / f"pictures_{hashlib.sha256(told.encode()).hexdigest()[:16]}.npy"
    if not file.is_file():
        with loaded(pack.bricks["vision"]) as eye:
            kept(file, stems(eye, map(pictures.pixels, given)))
    try:
        made: Stems = np.load(file)
    except (ValueError, EOFError) as error:
        raise CannotHeal(f"{file} can't be read ({error}); remove it.") from error
    return made


def _told(found: Split) -> str:
    days = len({each.day for each in (*found.training, *found.validation)})
    of = f"{days} days" if days > 1 else "one day"
    said = f"{len(found.training)} pictures teach, the latest {len(found.validation)} decide, of {of}."
    return said if not found.same_day else f"{said} As all are of one day, the two may resemble each other."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="just train recall", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=Path, required=True, metavar="DIR", help="folder of pictures")
    parser.add_argument(
        "--out", type=Path, default=OUT, metavar="PACK", help=f"folder of the new pack (default {OUT})"
    )
    parser.add_argument(
        "--pack", type=Path, default=PACK, help=f"the pack that it begins with (default {PACK})"
    )
    parser.add_argument(
        "--change", choices=("better", "exits", "blocks"), default="better",
        help="exits: nothing else; blocks: also the blocks before each; default: what turns out better",
    )  # fmt: skip
    parser.add_argument(
        "--cache", type=Path, default=CACHE, help=f"where encoded pictures are kept (default {CACHE})"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dry-run", action="store_true", help="only say which pictures there are")
    return parser


if __name__ == "__main__":
    sys.exit(main())
