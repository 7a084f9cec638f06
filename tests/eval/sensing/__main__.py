"""Is a clip looked at in the best way for its time limit, and does its camera stop when it may?

    python -m tests.eval sensing --cache DIR [--trained FOLDER] [--pack micro]

Dense held-out clips of the drawn home, looked at in every way (`models.train.motion.choosing.tried` makes
them in DIR: the splits held and, for the baselines that learn, train; half an hour). --trained: files of
several seeds, with and without the first units' features (`models.train.motion.choosing.train --seeds 5`);
without it the pack's own. Times are measured here by the steps of `headband tune`; those of the board are
modelled from them. Clips are drawn by the project's own code, as those of training are.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from host.placement.clip_steps import StepTimes, step_times
from host.turn.clip.chooser import LONG_S
from hw.supply import BatteryReading
from models.pack.catalogue import Pack, load_pack
from models.pack.motion_files import CHOICE
from models.sensing.choice import choose
from models.sensing.choice_file import ChoiceFile, read_choice
from models.sensing.configuration import Configuration, space
from models.sensing.latency import StepCosts, predicted
from models.train.motion.choosing.rows import view_of
from models.train.motion.choosing.tried import CHECKED_STEPS, Tried, clips_in
from models.train.world.clips.draw import DENSE_GAP_S
from power.account.energy_model import load_energy_model
from power.policy.plan import Mode
from power.policy.policy import Policy
from tests.eval.eye.page import share
from tests.eval.sensing import choosing, predicting, stopping

TIGHTNESS = (0.1, 0.35, 0.9)
"""Time limits: quantiles of the latencies of all configurations."""


def read_all(folder: Path | None, pack: Pack) -> tuple[list[ChoiceFile], list[ChoiceFile]]:
    """The files with and without the first units' features, by seed."""
    encoder = str(pack.bricks["vision"].options["encoder"])
    if folder is None:
        return [read_choice(Path(pack.bricks["motion"].options[CHOICE]), encoder)], []
    return tuple(  # type: ignore[return-value]
        [read_choice(path, encoder) for path in sorted(folder.glob(f"{name}-*.json"))]
        for name in ("choice", "blind")
    )


def predictor_lines(files: Sequence[ChoiceFile], blind: Sequence[ChoiceFile], clips: Sequence[Tried]) -> None:
    """Prints E8."""
    actual = predicting.rights(clips)
    print(f"\nE8, accuracy predicted for {len(actual)} questions, {actual.shape[1]} configurations")
    heads = ("by class (goal 0.79)", "less the common error", "no configuration's mean", "nor a family's")
    print(f"  {'':30} {'  '.join(f'{each:24}' for each in heads)}")
    for name, group in (("with the first units", files), ("configuration and family only", blind)):
        rows = []
        for file in group:
            told = predicting.predictions(file.predictor, clips)
            rows.append((
                *predicting.by_class(clips, actual, told),
                predicting.within(clips, actual, told, lambda family: 0)[0],
                predicting.within(clips, actual, told, lambda family: family)[0],
            ))  # fmt: skip
        if rows:
            cells = [f"{_spread([row[at] for row in rows]):24}" for at in range(4)]
            print(f"  {name:30} {'  '.join(cells)}")


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):+.3f} [{min(values):+.3f}, {max(values):+.3f}]"


def choice_lines(
    files: Sequence[ChoiceFile],
    blind: Sequence[ChoiceFile],
    training: Sequence[Tried],
    clips: Sequence[Tried],
    times: StepTimes,
    slower: float,
    machine: str,
) -> None:
    """Prints E9 for one machine."""
    costs = times.costs.scaled(slower)
    depths = costs.depths
    print(f"\nE9, {machine}: right answers (medians of seeds), and those later than the limit")
    loads = [predicted(each, costs, LONG_S).latency_s for each in space(depths)]
    most, least = Configuration(0.2, depths[-1], 16, 1), Configuration(0.8, depths[0], 4, 1)
    for quantile in TIGHTNESS:
        limit_s = 1.001 * float(np.quantile(loads, quantile))
        inside = sum(each <= limit_s for each in loads)
        print(f"  limit {1000 * limit_s:6.0f} ms, {inside} of {len(loads)} configurations within it")
        best = choosing.static_best(training, costs, limit_s, depths)
        ways: dict[str, list[choosing.Chooser]] = {
            "chosen": [choosing.chosen(f.predictor, costs, limit_s, blind=False) for f in files],
            "by configuration and family": [
                choosing.chosen(f.predictor, costs, limit_s, blind=True) for f in blind
            ],
            f"always {_words(best)}, the best one": [choosing.fixed(best)],
            f"always {_words(most)}, the most": [choosing.fixed(most)],
            f"always {_words(least)}, the least": [choosing.fixed(least)],
        }
        for name, choosers in ways.items():
            if choosers:
                _print_choice(name, choosers, clips, times, slower, depths, limit_s)
        print(f"    {'oracle':48} {100 * choosing.oracle(clips, costs, limit_s, depths):5.1f} %")


def _words(each: Configuration) -> str:
    return f"{each.interval_s:g} s, {each.depth} blocks, {each.units} units, by {each.length}"


def _print_choice(
    name: str,
    choosers: Sequence[choosing.Chooser],
    clips: Sequence[Tried],
    times: StepTimes,
    slower: float,
    depths: Sequence[int],
    limit_s: float,
) -> None:
    right, late, waits = [], [], []
    for seed, chooser in enumerate(choosers):
        found = choosing.outcomes(clips, chooser, choosing.Queue(times, slower, seed), depths)
        right.append(100 * statistics.fmean(each.right for each in found))
        late.append(100 * statistics.fmean(each.latency_s > limit_s for each in found))
        waits.append(1000 * statistics.median(each.latency_s for each in found))
    span = f"[{min(right):.1f}, {max(right):.1f}]" if len(right) > 1 else ""
    print(
        f"    {name:48} {statistics.median(right):5.1f} % {span:14} late {statistics.median(late):5.1f} %  "
        f"median {statistics.median(waits):6.0f} ms"
    )


def decision_line(file: ChoiceFile, costs: StepCosts, clips: Sequence[Tried]) -> None:
    """Prints how long a decision takes, the latencies of all configurations included."""
    ways, took_ms = space(costs.depths), []
    for clip in clips[:200]:
        view = view_of(clip)
        begun_s = time.perf_counter()
        loads = [predicted(each, costs, LONG_S) for each in ways]
        choose(file.predictor, ways, loads, view=view, family=None, limit_s=0.1)
        took_ms.append(1000 * (time.perf_counter() - begun_s))
    p95 = sorted(took_ms)[int(0.95 * len(took_ms))]
    middle = statistics.median(took_ms)
    print(f"  a decision over {len(ways)}: median {middle:.2f} ms, 95 % within {p95:.2f} ms (goal 8)")


def gate_lines(
    files: Sequence[ChoiceFile], training: Sequence[Tried], clips: Sequence[Tried], costs: StepCosts
) -> None:
    """Prints E10 and E11."""
    words = 100 * stopping.without_pictures(training, clips)
    for step in CHECKED_STEPS:
        interval_s = step * DENSE_GAP_S
        print(
            f"\nE10, E11, a picture every {interval_s:g} s: right; pictures looked at; answers; latency where"
        )
        print("  all are encoded when the words are known, with each answer on the way, against all pictures")
        print("  and one answer (goal -28.3 %, at most 1 point lost)")
        whole = stopping.nothing_cut(clips, step)
        _print_stop("all pictures", whole, whole, costs)
        gated = [stopping.stopped_by(stopping.by_gate(f.gate), f.gate.threshold, clips, step) for f in files]
        for number, found in enumerate(gated, 1):
            _print_stop(f"the gate, seed {number}", found, whole, costs)
        middle = statistics.median(stopping.mean_share(each) for each in gated)
        likeliest = stopping.same_share(stopping.by_probability, middle, clips, step)
        _print_stop("the answer's probability, as many pictures", likeliest, whole, costs)
        _print_stop("a fixed cut, as many pictures", stopping.fixed_cut(middle, clips, step), whole, costs)
        print(f"  {'the words alone, commonest answer':44} {words:5.1f} %")
        _print_saved(gated[0], interval_s, costs)


def _latency_s(each: stopping.Stopped, costs: StepCosts) -> float:
    depth = costs.depths[0]
    return each.units * costs.group_s(depth, 1) + each.asked * (costs.answer_s + costs.unit_s)


def _print_stop(
    name: str, found: Sequence[stopping.Stopped], whole: Sequence[stopping.Stopped], costs: StepCosts
) -> None:
    right = share([each.right for each in found])
    takes, all_take = (sum(_latency_s(each, costs) for each in group) for group in (found, whole))
    looked = 100 * stopping.mean_share(found)
    answers = statistics.fmean(each.asked for each in found)
    saved = 100 * (takes / all_take - 1)
    print(f"  {name:44} {right:34} {looked:5.1f} %  {answers:3.1f}  {saved:+5.1f} %")


def _print_saved(found: Sequence[stopping.Stopped], interval_s: float, costs: StepCosts) -> None:
    """The modelled energy of what is not looked at."""
    energy = load_energy_model()
    plan = Policy().decide(BatteryReading(80, 3800, -200, 25.0, False, "good"), 0.0)[0]
    assert plan.mode is Mode.PERFORMANCE
    idle_mw = energy.stage_mw("idle", plan)
    fewer = statistics.fmean(each.expected - each.units for each in found)
    camera_s = fewer * interval_s
    encode_s = energy.stage_seconds("vision", fewer * costs.group_s(costs.depths[0], 1), plan)
    camera_mwh = camera_s * (energy.stage_mw("capture", plan) - idle_mw) / 3600
    encode_mwh = encode_s * (energy.stage_mw("vision", plan) - idle_mw) / 3600
    print(
        f"  {fewer:.1f} pictures of a question fewer: camera {camera_mwh:.3f} mWh where it stops so much "
        f"sooner, encoder {encode_mwh:.3f} mWh (modelled)"
    )


def main() -> None:
    """Command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="just eval sensing", description=__doc__, formatter_class=raw)
    parser.add_argument("--cache", type=Path, default=Path(".cache/tried"), help="folder of the clips")
    parser.add_argument("--trained", type=Path, help="folder with choice-1.json and so on")
    parser.add_argument("--pack", default="models/packs/micro", help="a folder with a pack")
    options = parser.parse_args()
    pack = load_pack(options.pack)
    files, blind = read_all(options.trained, pack)
    try:
        clips, training = (clips_in(options.cache, split) for split in ("held", "train"))
    except FileNotFoundError as error:
        print(f"{error} Make them with: python -m models.train.motion.choosing.tried --out {options.cache}")
        return
    print(f"sensing: pack {pack.name} {pack.version}, {len(clips)} dense held-out clips, {len(files)} seeds")
    predictor_lines(files, blind, clips)
    times = asyncio.run(step_times(pack, lambda line: None))
    assert times is not None
    slower = load_energy_model().longer["vision"]
    choice_lines(files, blind, training, clips, times, 1.0, "this machine")
    choice_lines(
        files, blind, training, clips, times, slower, f"the board, modelled, {slower:g} times as long"
    )
    choice_lines(files, blind, training, clips, times, 2 * slower, "the board at half its clock, modelled")
    decision_line(files[0], times.costs, clips)
    gate_lines(files, training, clips, times.costs)


if __name__ == "__main__":
    main()
