"""Accuracy by precision of each brick of the micro pack: `just eval --matrix [--cases N]`.

Files of other precisions are converted from the shipped ones in a temporary folder, and run in the packs'
bricks. Scenes, sentences and voices are held out: neither training nor calibration used them. Times are
medians of processor time. Intervals are 95 %: of shares by view or utterance, of differences by bootstrap
over the same cases in both precisions. The scenes are synthetic, so the results say little about photographs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from models.pack.catalogue import load_pack
from models.train.recogniser.word_error import bootstrap
from tests.eval import intervals
from tests.eval.arguments import counted
from tests.eval.matrix.files import decoder_files, recogniser_files, stored_bytes, vision_files, voice_files
from tests.eval.matrix.sight import Cell, ask_all, held_out_views, look
from tests.eval.matrix.sound import Heard, listen, speak
from tests.eval.pictures import side_px


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="just eval --matrix", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=counted, default=400, help="closed questions per pair (default 400)")
    parser.add_argument("--pack", default="micro", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.cases < 8:
        print("--cases has to be at least 8.", file=sys.stderr)
        return 2
    started_s = time.monotonic()
    pack = load_pack(options.pack)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        eyes, decoders = vision_files(pack, folder), decoder_files(pack, folder)
        views = held_out_views(options.cases, side_px(pack))
        seen = look(pack, eyes, views)
        cells = ask_all(pack, decoders, views, {eye: rows for eye, (rows, _) in seen.items()})
        _show_sight(eyes, decoders, {eye: seconds for eye, (_, seconds) in seen.items()}, cells)
        ears = recogniser_files(pack, folder)
        _show_sound("hearing", "words wrong", ears, listen(pack, ears, options.cases // 4))
        voices = voice_files(pack, folder)
        _show_sound("voice, in noise", "words lost", voices, speak(pack, voices, options.cases // 8))
    print(f"\n{time.monotonic() - started_s:.0f} s")
    return 0


def _show_sight(
    eyes: Mapping[str, Mapping[str, Path]],
    decoders: Mapping[str, Path],
    seconds: Mapping[str, Sequence[float]],
    cells: Mapping[tuple[str, str], Cell],
) -> None:
    eye0, decoder0 = next(iter(eyes)), next(iter(decoders))
    whole = cells[eye0, decoder0]
    views, asked = len(whole.groups), sum(map(len, whole.groups))
    print(f"\nclosed questions right, vision by decoder: {asked} questions about {views} held-out views")
    print(f"{'':8}" + "".join(f"{name:>22}" for name in decoders))
    for eye in eyes:
        print(f"{eye:8}" + "".join(f"{_share(cells[eye, decoder]):>22}" for decoder in decoders))
    print(f"\n{'vision':10} {'MB':>6} {'CPU ms each':>13}   right, and against {eye0} (decoder {decoder0})")
    for eye, graphs in eyes.items():
        cell = cells[eye, decoder0]
        size = f"{stored_bytes(graphs, eye) / 1e6:6.2f}"
        print(f"{eye:10} {size} {_ms(seconds[eye]):>13}   {_share(cell)}   {_against(cell, whole)}")
    print("* weights of this precision, computed in float32")
    print(f"\n{'decoder':10} {'MB':>6} {'CPU ms each':>13}   right, and against {decoder0} (vision {eye0})")
    for decoder, path in decoders.items():
        cell = cells[eye0, decoder]
        print(f"{decoder:10} {_mb(path)} {_ms(cell.seconds):>13}   {_share(cell)}   {_against(cell, whole)}")


def _show_sound(title: str, what: str, files: Mapping[str, Path], found: Mapping[str, Heard]) -> None:
    print(f"\n{title:16} {'MB':>6} {'CPU ms':>8}   {what}, and against {next(iter(files))}; sentences right")
    first = next(iter(found.values()))
    for name, path in files.items():
        heard = found[name]
        rate, low, high = (100 * value for value in bootstrap(heard.errors, heard.words))
        more = [a - b for a, b in zip(heard.errors, first.errors, strict=True)]
        change = "" if heard is first else _change(*(100 * value for value in bootstrap(more, first.words)))
        right = intervals.shown([[value] for value in heard.exact])
        print(
            f"{name:16} {_mb(path)} {_ms(heard.seconds):>8}   {rate:.1f} % [{low:.1f}, {high:.1f}]   "
            f"{change:28} {right}   {heard.note}".rstrip()
        )


def _share(cell: Cell) -> str:
    low, high = intervals.share(cell.groups)
    right = sum(map(sum, cell.groups)) / sum(map(len, cell.groups))
    return f"{100 * right:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def _against(cell: Cell, whole: Cell) -> str:
    if cell is whole:
        return ""
    more = [sum(a) - sum(b) for a, b in zip(cell.groups, whole.groups, strict=True)]
    sizes = [len(group) for group in whole.groups]
    return _change(*(100 * value for value in bootstrap(more, sizes)))


def _change(value: float, low: float, high: float) -> str:
    return f"{value:+.1f} points [{low:+.1f}, {high:+.1f}]"


def _mb(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:6.2f}"


def _ms(seconds: Sequence[float]) -> str:
    return f"{1000 * float(np.median(seconds)):.1f}"


if __name__ == "__main__":
    sys.exit(main())
