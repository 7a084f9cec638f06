"""Pictures of things that other people have published, as a folder of cutouts.

    python -m models.train.published_cutouts judge --out DIR
    python -m models.train.published_cutouts training --out DIR --from icons=FOLDER --from fonts=FOLDER ...

published_cutouts.tsv names them, by set, thing, source and file. What is in one set comes from other sources,
and from other hands, than what is in the other. `SOURCES` says where each comes from and where Debian has it;
what is not there is told and left out. SVG files need Debian's librsvg2-bin.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from models.train.cutouts import LIST, SIDE_PX

SETS = ("judge", "training")
_TABLE = Path(__file__).with_suffix(".tsv")
_GEMS = "/usr/share/rubygems-integration/all/gems"


@dataclass(frozen=True)
class Source:
    """Where pictures come from. folder: a pattern of where they lie after installation; "" for nowhere."""

    told: str
    folder: str = ""


SOURCES: Mapping[str, Source] = {
    "emojione": Source("EmojiOne (CC BY 4.0), Debian's ruby-gemojione", f"{_GEMS}/gemojione-*/assets/svg"),
    "noto": Source(
        "Noto Emoji (Apache 2.0), Debian's ruby-tanuki-emoji",
        f"{_GEMS}/tanuki_emoji-*/app/assets/images/tanuki_emoji",
    ),
    "stamps": Source("Tux Paint's stamps, Debian's tuxpaint-stamps-default", "/usr/share/tuxpaint/stamps"),
    "openclipart": Source(
        "Open Clip Art (public domain), Debian's openclipart-png", "/usr/share/openclipart/png"
    ),
    "fxemoji": Source("FxEmojis (CC BY 4.0): svgs/FirefoxEmoji of mozilla/fxemoji"),
    "icons": Source(
        "Material Design Icons (Apache 2.0), Font Awesome (CC BY 4.0): .icons of the package mkdocs-material"
    ),
    "fonts": Source("Phosphor (MIT) and Remix Icon (Apache 2.0): fonts of the package QtAwesome"),
}


def folder_of(source: str, given: Mapping[str, Path]) -> Path | None:
    """Where the pictures of a source lie; None where they are not here."""
    if source in given:
        return given[source]
    pattern = SOURCES[source].folder
    return next(iter(sorted(Path("/").glob(pattern.removeprefix("/")))), None) if pattern else None


def picture(path: Path) -> Image.Image:
    """A PNG file, an SVG file, or FONT.ttf:NAME with FONT's charmap beside it. Raises OSError, KeyError, and
    `subprocess.CalledProcessError` for an SVG that cannot be drawn.
    """
    font, colon, name = path.name.partition(":")
    if colon:
        return _glyph(path.with_name(font), name)
    if path.suffix == ".svg":
        drawn = subprocess.run(
            ["rsvg-convert", "-h", str(SIDE_PX), "-a", str(path)], capture_output=True, check=True
        )
        return Image.open(io.BytesIO(drawn.stdout)).convert("RGBA")
    with Image.open(path) as image:
        return image.convert("RGBA")


def _glyph(font: Path, name: str) -> Image.Image:
    family, _, version = font.stem.rpartition("-")
    known = json.loads(font.with_name(f"{family}-charmap-{version}.json").read_text(encoding="utf-8"))
    image = Image.new("RGBA", (SIDE_PX, SIDE_PX))
    ImageDraw.Draw(image).text(
        (SIDE_PX / 2, SIDE_PX / 2), chr(int(known[name], 16)), (0, 0, 0, 255),
        ImageFont.truetype(str(font), round(0.75 * SIDE_PX)), "mm",
    )  # fmt: skip
    return image


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--from", dest="given", action="append", default=[], metavar="SOURCE=FOLDER",
        help=f"where a source lies: {', '.join(SOURCES)}",
    )  # fmt: skip
    options = parser.parse_args()
    pairs = [each.partition("=")[::2] for each in options.given]
    if any(name not in SOURCES for name, _ in pairs):
        parser.error(f"--from is SOURCE=FOLDER, with one of: {', '.join(SOURCES)}.")
    given = {name: Path(folder) for name, folder in pairs}
    with _TABLE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["set"] == options.set]
    options.out.mkdir(parents=True, exist_ok=True)
    lines, left_out = ["file\tthing"], Counter[str]()
    for row in rows:
        folder = folder_of(row["source"], given)
        try:
            if folder is None:
                raise FileNotFoundError
            made = picture(folder / row["file"])
        except (OSError, KeyError, subprocess.CalledProcessError):
            left_out[row["source"]] += 1
            continue
        name = f"{row['source']}_{len(lines):03d}.png"
        made.save(options.out / name)
        lines.append(f"{name}\t{row['thing']}")
    (options.out / LIST).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{options.out}: {len(lines) - 1} pictures")
    for source, number in left_out.items():
        print(f"{number} not found, of {SOURCES[source].told}")


if __name__ == "__main__":
    main()
