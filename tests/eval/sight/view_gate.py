"""The view gate: dark, blurred and repeated pictures found, good and new ones lost, and its cost.

    python -m tests.eval.sight.view_gate [--pictures 500] [--pairs 500] [--day 500] [--stranger 70]

First, how the thresholds follow from training views of the drawn home; then how the gate and simple
baselines, whose thresholds come from the same views, do on held-out days and on a stranger's pictures. What
lies between usable and unusable is shown, but judged by nobody.
"""

from __future__ import annotations

import argparse
import functools
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from host.sensing import view_gate
from host.sensing.kept_views import SURELY_SAME_LEVELS
from host.sensing.recent_views import NOVELTY
from host.sensing.view_gate import GateCounts, Measured, compared, difference, gate, measure, remembered
from models.sensing.picture_quality import BLURRED_SHARPNESS, DARK_LUMA, reduced_luma, sample_of
from tests.eval.arguments import counted
from tests.eval.intervals import shown, wilson_shown
from tests.eval.sight import view_gate_pictures as pictures
from tests.eval.sight.view_gate_pictures import Rgb

LOST = 0.02
"""Share of real changes in training views that may be lost; thresholds of what is the same follow from it."""


@dataclass(frozen=True)
class Baseline:
    """Thresholds of the simple baselines: largest thumbnail difference, variance of the Laplacian."""

    levels: float
    laplacian: float


def laplacian(rgb: Rgb) -> float:
    """Variance of the Laplacian of the luma, the usual measure of blur, on the same reduced picture."""
    grey = reduced_luma(sample_of(rgb))
    edges = 4 * grey[1:-1, 1:-1] - grey[:-2, 1:-1] - grey[2:, 1:-1] - grey[1:-1, :-2] - grey[1:-1, 2:]
    return float(edges.var())


def plain_difference(one: Measured, other: Measured) -> float:
    """Largest thumbnail difference, levels: the baseline for repeated views."""
    return float(np.abs(one.thumb - other.thumb).max()) if one.shape == other.shape else 255.0


def _same(one: Measured, other: Measured) -> bool:
    return not compared(one, [other]).kept


def _bits(one: Measured, other: Measured) -> int:
    return (one.hash_bits ^ other.hash_bits).bit_count()


def choose(count: int, pairs: int) -> Baseline:
    """Prints how the thresholds follow from training views. Returns those of the baselines."""
    found: dict[str, list[tuple[Measured, float]]] = defaultdict(list)
    for seed in (1, 2):
        for quality, rgb in pictures.home_pictures(seed, count, "train"):
            found[quality].append((measure(rgb), laplacian(rgb)))
    walls = [measure(rgb) for rgb in pictures.plain_walls(1, 100)]
    sizes = ", ".join(f"{len(found[name])} {name}" for name in ("clear", "dark", "blurred"))
    print(f"Thresholds from training views ({sizes}), each the geometric middle of the gap:")
    sharp = {name: [(m.quality.sharpness, lap) for m, lap in found[name]] for name in ("clear", "blurred")}
    told = {name: [s for s, _ in values if s is not None] for name, values in sharp.items()}
    laps = {name: [lap for _, lap in values] for name, values in sharp.items()}
    darks = {name: [m.quality.luma_p95 for m, _ in found[name]] for name in ("dark", "clear", "blurred")}
    middle = _middle("luma p95", darks["dark"], darks["clear"] + darks["blurred"])
    print(f"    {middle:.4g}; DARK_LUMA is {DARK_LUMA:g}")
    middle = _middle("sharpness", told["blurred"], told["clear"])
    untold = {name: 1 - len(told[name]) / len(sharp[name]) for name in told}
    print(
        f"    {middle:.4g}; BLURRED_SHARPNESS is {BLURRED_SHARPNESS:g}; "
        f"too little contrast to tell: {untold['clear']:.1%} of clear, {untold['blurred']:.1%} of blurred, "
        f"{np.mean([wall.quality.sharpness is None for wall in walls]):.0%} of plain walls"
    )
    blur = _middle("baseline, Laplacian", laps["blurred"], laps["clear"])
    print(f"    {blur:.4g}")
    return Baseline(_choose_same(pairs), blur)


def _middle(name: str, low: Sequence[float], high: Sequence[float]) -> float:
    """Prints both sides of a threshold. Returns the geometric middle of the 99.5th and 0.5th percentiles."""
    bounds = np.quantile(low, 0.995), np.quantile(high, 0.005)
    print(
        f"  {name}: unusable median {np.median(low):.4g}, 99.5 % {bounds[0]:.4g}, most {max(low):.4g}; "
        f"usable least {min(high):.4g}, 0.5 % {bounds[1]:.4g}, median {np.median(high):.4g}"
    )
    return math.sqrt(bounds[0] * bounds[1])


def _choose_same(count: int) -> float:
    pairs = [
        tuple((measure(one), measure(other)) for one, other in both)
        for both in pictures.home_pairs(1, count, "train")
    ]
    print(f"\n{count} near-duplicates and {count} real changes in training views, losing at most {LOST:.0%}:")
    print("  rejected by                      threshold   duplicates rejected   changes lost")
    measures: dict[str, Callable[[Measured, Measured], float]] = {
        "hash alone, bits": _bits,
        "thumbnail alone, levels": plain_difference,
        "without exposure and shift": difference,
    }
    chosen = {}
    near, changed = [], []
    for name, of in measures.items():
        near, changed = ([of(*pair[side]) for pair in pairs] for side in (0, 1))
        chosen[name] = float(np.quantile(changed, LOST, method="lower")) - 1e-6
        _row(
            name, f"<= {chosen[name]:.1f}", np.array(near) <= chosen[name], np.array(changed) <= chosen[name]
        )
    bits = [np.array([_bits(*pair[side]) for pair in pairs]) for side in (0, 1)]
    levels = np.array(near), np.array(changed)
    best: tuple[float, float, int, float] = (0.0, 0.0, 0, 0.0)
    for first in range(6, 31):
        for most in range(2, 13, 2):
            for second in range(first, 61, 2):
                same = [(a <= first) | (a <= second) & (b <= most) for a, b in zip(levels, bits, strict=True)]
                if same[1].mean() <= LOST:
                    best = max(best, (float(same[0].mean()), float(first), most, float(second)))
    same = [(a <= best[1]) | (a <= best[3]) & (b <= best[2]) for a, b in zip(levels, bits, strict=True)]
    _row("the same, or with the hash", f"<= {best[1]:g}; <= {best[3]:g} and {best[2]} bits", *same)
    ours = [np.array([_same(*pair[side]) for pair in pairs]) for side in (0, 1)]
    given = f"<= {view_gate.SAME_LEVELS:g}; <= {view_gate.SAME_HASH_LEVELS:g} and {view_gate.SAME_BITS} bits"
    _row("the gate", given, *ours)
    return chosen["thumbnail alone, levels"]


def _row(name: str, threshold: str, near: np.ndarray, changed: np.ndarray) -> None:
    print(f"  {name:30} {threshold:>27} {near.mean():8.1%} {changed.mean():8.1%}")


def held_out_days(views: int, pairs: int, baseline: Baseline) -> None:
    """Prints the figures on held-out days and pairs."""
    unusable: dict[str, list[list[bool]]] = defaultdict(list)
    streams = {
        "gate": _Stream(None),
        "thumbnail alone": _Stream(baseline.levels),
        "at 12 levels": _Stream(NOVELTY),
    }
    counts = GateCounts()
    for seed in (11, 12):
        for stream in streams.values():
            stream.forget()
        seen: tuple[Measured, ...] = ()
        before: object = None
        for gaze, quality, rgb in pictures.home_day(seed, views, "held"):
            verdict = gate(rgb, seen)
            seen, counts = remembered(seen, verdict), counts.after(verdict)
            names = ["dark found" if quality == "dark" else "falsely dark"]
            if quality != "dark":
                names += ["blurred found" if quality == "blurred" else "falsely blurred"]
                blurred = {
                    "": verdict.reason == "blurred",
                    ", Laplacian": laplacian(rgb) < baseline.laplacian,
                }
                for name, value in blurred.items():
                    _grouped(unusable, names[1] + name, gaze != before, value)
            _grouped(unusable, names[0], gaze != before, verdict.reason == "dark")
            before = gaze
            if quality == "clear":
                for stream in streams.values():
                    stream.see(gaze, verdict.measured)
    print(f"\nTwo held-out days of {views} views (views of one gaze are alike: intervals by gaze); {counts}:")
    for name in sorted(unusable):
        print(f"  {name:36} {shown(unusable[name])}")
    for name, stream in streams.items():
        kept = wilson_shown(stream.first)
        print(f"  {name}: near-duplicates rejected {shown(stream.again)}, new gazes kept {kept}")
    both = list(pictures.home_pairs(993, pairs, "held"))
    _pairs("held-out near-duplicates, rejected", [one for one, _ in both], baseline, True)
    _pairs("held-out changes of one thing, kept", [one for _, one in both], baseline, False)


def _grouped(groups: dict[str, list[list[bool]]], name: str, fresh: bool, value: bool) -> None:
    if fresh or not groups[name]:
        groups[name].append([])
    groups[name][-1].append(value)


class _Stream:
    """Clear views in order of time, through the gate or, with `levels`, by the thumbnails' difference."""

    def __init__(self, levels: float | None) -> None:
        self._levels = levels
        self.again: list[list[bool]] = []
        self.first: list[bool] = []
        self.forget()

    def forget(self) -> None:
        """Begins another day."""
        self._seen: tuple[Measured, ...] = ()
        self._gaze: object = None

    def see(self, gaze: object, now: Measured) -> None:
        """One more view."""
        if self._levels is None:
            kept = compared(now, self._seen).kept
        else:
            kept = all(plain_difference(now, old) > self._levels for old in self._seen)
        if gaze == self._gaze:
            self.again[-1].append(not kept)
        else:
            self.first.append(kept)
            if not self.again or self.again[-1]:
                self.again.append([])
        self._gaze = gaze
        if kept:
            self._seen = (*self._seen, now)[-view_gate.KEPT_VIEWS :]


def _pairs(name: str, pairs: Sequence[pictures.Pair], baseline: Baseline, wanted: bool) -> None:
    looks = [(measure(one), measure(other)) for one, other in pairs]
    plain = [plain_difference(*pair) for pair in looks]
    print(f"  {name}: {wilson_shown([_same(*pair) == wanted for pair in looks])}")
    surely = [(difference(*pair) <= SURELY_SAME_LEVELS) == wanted for pair in looks]
    print(f"      surely the same, so that a question may use the earlier picture: {wilson_shown(surely)}")
    for label, levels in (("thumbnail alone", baseline.levels), ("thumbnail alone at 12 levels", NOVELTY)):
        print(f"      {label}: {wilson_shown([(each <= levels) == wanted for each in plain])}")


def stranger(count: int, baseline: Baseline) -> None:
    """Prints the figures on a stranger's pictures."""
    found: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for name, rgb in pictures.stranger_pictures(991, count):
        found[name].append((gate(rgb, ()).reason, laplacian(rgb) < baseline.laplacian))
    print(f"\nA stranger's pictures, {count} of each:")
    for name, results in found.items():
        dark, blurred = ([reason == cause for reason, _ in results] for cause in ("dark", "blurred"))
        print(f"  {name}: dark {wilson_shown(dark)}, blurred {wilson_shown(blurred)}")
        print(f"      blurred by the Laplacian: {wilson_shown([simple for _, simple in results])}")
    pairs: dict[str, list[pictures.Pair]] = defaultdict(list)
    for name, pair in pictures.stranger_pairs(992, count):
        pairs[name].append(pair)
    for name, each in pairs.items():
        wanted = name.startswith("the same")
        _pairs(f"{name}, {'rejected' if wanted else 'kept'}", each, baseline, wanted)


def cost() -> None:
    """Prints processor time per picture, with as many seen views as are kept."""
    _, rgb = next(iter(pictures.stranger_pictures(51, 1)))
    print("Processor time per picture, with four views to compare, least mean of ten times 30:")
    for size in ((640, 480), (1280, 720)):
        picture = np.asarray(Image.fromarray(rgb).resize(size))
        other, same = measure(picture[::-1]), measure(picture)
        for name, newest in (("new", other), ("the same as the newest", same)):
            seen = (*(other,) * (view_gate.KEPT_VIEWS - 1), newest)
            least_us = min(_times_us(functools.partial(gate, picture, seen)))
            print(f"  {size[0]} x {size[1]}, {name}: {least_us:.0f} us")


def _times_us(work: Callable[[], object], rounds: int = 10, each: int = 30) -> Iterator[float]:
    for _ in range(rounds):
        start_s = time.process_time()
        for _ in range(each):
            work()
        yield (time.process_time() - start_s) / each * 1e6


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--pictures", type=counted, default=500, help="training views for dark and blurred, twice"
    )
    parser.add_argument("--pairs", type=counted, default=500, help="pairs of views of each kind")
    parser.add_argument("--day", type=counted, default=500, help="views of each of two held-out days")
    parser.add_argument("--stranger", type=counted, default=70, help="a stranger's pictures of each kind")
    options = parser.parse_args()
    cost()
    print()
    baseline = choose(options.pictures, options.pairs)
    held_out_days(options.day, options.pairs, baseline)
    stranger(options.stranger, baseline)


if __name__ == "__main__":
    main()
