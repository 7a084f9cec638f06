"""Draws one page of the home, to look at it.

python -m models.train.world.home OUT.png [--seed 1] [--split train | --designs | --cutouts FOLDER]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from models.train.world.home.sheet import contact_sheet, cutout_sheet, design_sheet
from models.train.world.home.splits import SPLITS
from models.train.world.variety.designs.from_cutouts import add_argument, use_given


def main() -> None:
    """Writes the contact sheet as a PNG file."""
    parser = argparse.ArgumentParser(prog="python -m models.train.world.home", description=__doc__)
    parser.add_argument("out", type=Path, help="the PNG file to write")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--split", choices=SPLITS, default="train", help="whose layouts and styles the views show"
    )
    parser.add_argument("--designs", action="store_true", help="the designs that only training pictures have")
    add_argument(parser)
    args = parser.parse_args()
    use_given(args)
    if args.cutouts:
        page = cutout_sheet(args.seed)
    else:
        page = design_sheet(args.seed) if args.designs else contact_sheet(args.seed, args.split)
    page.save(args.out)
    print(f"{args.out} written")


if __name__ == "__main__":
    main()
