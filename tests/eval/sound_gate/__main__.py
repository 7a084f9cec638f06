"""The PMU's sound gate: hits by speech, false wakes, and sound that is lost in the hand-over.

    python -m tests.eval.sound_gate [--onsets 480] [--minutes 10] [--development] [--plot PATH]

The decisions are those of the firmware's `SoundGate` and `Onset`; numpy computes only the integer sums over
the samples of a block (`loops.measure`), which are compared with the firmware's loop at the start. Speech is
from the held-out espeak-ng voices, each once, and from recordings, if present, each in every noise.
Thresholds were chosen with `--development`, which has other voices, sentences and noises, and on one half of
the recordings; the other half has other speakers. The baseline wakes when the energy of 44 ms is above a
fixed threshold. It is shown at two thresholds, chosen on the measured sound itself, each of which reaches one
of the two goals.
"""

from __future__ import annotations

import argparse
from array import array
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firmware.pmu import sound_loops as loops
from firmware.pmu.sound_adpcm import GROUP_PAGES, NUMBERS, Recorder
from firmware.pmu.sound_gate import HOLD_OFF_MS, SoundGate
from hw.device import MICROPHONE_RATE_HZ
from tests.eval import intervals
from tests.eval.arguments import amount, counted
from tests.eval.sound_gate import onsets, plot
from tests.eval.sound_gate.cost import print_cost
from tests.eval.sound_gate.hand_over import hand_overs
from tests.eval.sound_gate.household import HOUSEHOLD, evening, sound

Pcm = NDArray[np.int16]
BLOCK_S = loops.BLOCK / MICROPHONE_RATE_HZ
MISSES_SHOWN = 6


class _Counting(Recorder):
    """Counts pages and records nothing."""

    def add(self, samples: array[int]) -> None:
        self.pages = (self.pages + GROUP_PAGES) % NUMBERS


class _Silent:
    """Placeholders for events and guard, which are not used here."""

    def add(self, kind: int, detail: int) -> None: ...

    def ask(self, bits: int) -> None: ...

    def answered(self, bits: int) -> None: ...


def measures(pcm: Pcm) -> list[tuple[int, int]]:
    """The sums of `loops.measure` over each block of int16 [n]."""
    count = pcm.size // loops.BLOCK
    parts = pcm[: count * loops.BLOCK].astype(np.int64).reshape(-1, 3)
    sums = np.concatenate([np.zeros(4, np.int64), parts.sum(1)])
    voice = np.abs(sums[4:] + sums[3:-1] - sums[1:-3] - sums[:-4]).reshape(count, -1).sum(1)
    hiss = np.abs(parts[:, 1] - parts[:, 0]).reshape(count, -1).sum(1)
    return list(zip(voice.tolist(), hiss.tolist(), strict=True))


def gate() -> SoundGate:
    """A listening gate; the caller feeds its `onset.judge`."""
    silent = _Silent()
    made = SoundGate(silent, silent, _Counting(), lambda page: None)
    made.control(1)
    made.step(0, lambda samples: False)
    return made


def wakes(pcm: Pcm) -> list[float]:
    """Times at which the gate wakes in int16 [n], seconds; each time the host takes over and sleeps again."""
    listening = gate()
    pending = iter(measures(pcm))
    onset: Any = listening.onset
    onset.feed = lambda samples: onset.judge(*next(pending))
    found = []
    for index in range(pcm.size // loops.BLOCK):
        now_s = (index + 1) * BLOCK_S
        listening.hear(int(now_s * 1000))
        if listening.wake:
            found.append(now_s)
            listening.wake = False
    return found


def loudness(pcm: Pcm) -> NDArray[np.float64]:
    """Level of the last three blocks at each block, dBFS: the input of the baseline."""
    count = pcm.size // loops.BLOCK
    energy = np.mean(pcm[: count * loops.BLOCK].astype(np.float64).reshape(count, -1) ** 2, axis=1)
    smooth = np.convolve(energy, np.ones(3) / 3)[:count]
    return np.asarray(10 * np.log10(smooth / 32768**2 + 1e-10))


def fixed_wakes(levels: NDArray[np.float64], threshold_db: float) -> list[float]:
    """Times at which the baseline wakes, seconds, with the gate's hold-off."""
    loud = np.flatnonzero(levels > threshold_db)
    found: list[float] = []
    at = 0
    while at < loud.size:
        found.append(float(loud[at] + 1) * BLOCK_S)
        at = int(np.searchsorted(loud, loud[at] + HOLD_OFF_MS / 1000 / BLOCK_S))
    return found


def heard_in_every_noise(
    lines: list[onsets.Line], seed: int, babble: list[onsets.Speech]
) -> tuple[dict[str, list[bool]], list[onsets.Onset]]:
    """Hits of each line in each of the noises, by its name, and the onsets that were missed."""
    rng = np.random.default_rng(seed)
    hits: dict[str, list[bool]] = {}
    missed = []
    for line in lines:
        for kind in onsets.NOISES:
            trial = onsets.in_noise(line, kind, rng, babble)
            hits.setdefault(line.name, []).append(onsets.is_hit(wakes(trial.pcm)))
            if not hits[line.name][-1]:
                missed.append(trial)
    return hits, missed


def check_measures() -> None:
    """Checks that the results of the firmware's loop and of numpy are equal."""
    pcm = np.random.default_rng(0).integers(-32768, 32768, 20 * loops.BLOCK).astype(np.int16)
    work = array("i", (0,) * 6)
    for index, expected in enumerate(measures(pcm)):
        loops.measure(array("h", pcm[index * loops.BLOCK : (index + 1) * loops.BLOCK].tolist()), work)
        assert (work[0], work[1]) == expected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--onsets", type=counted, default=480, help="synthetic utterances")
    parser.add_argument("--minutes", type=amount, default=10.0, help="of each kind of household noise")
    parser.add_argument("--development", action="store_true", help="the sound that thresholds are chosen on")
    parser.add_argument("--plot", type=Path, default=Path(".cache/sound_gate.svg"), help="SVG to write")
    options = parser.parse_args()
    split, seed = ("validation", 1000) if options.development else ("test", 7)
    check_measures()
    speech = onsets.synthetic(split, seed, options.onsets)
    talk = [line.pcm for line in onsets.synthetic(split, seed + 1, 60)]

    print(f"Speech onsets at {onsets.SNR_DB:.0f} dB SNR that wake within {onsets.SOON_S} s ({split} voices):")
    trials = list(onsets.in_turn(speech, seed + 2, talk))
    hits = [onsets.is_hit(wakes(trial.pcm)) for trial in trials]
    for kind in onsets.NOISES:
        of_kind = [[hit] for trial, hit in zip(trials, hits, strict=True) if trial.noise == kind]
        print(f"  {kind:8} {intervals.shown(of_kind)}")
    print(f"  all      {intervals.shown([[hit] for hit in hits])} (wanted 98 %)")
    missed = recordings(seed + 3, talk)
    over_babble = [
        [onsets.is_hit(wakes(one.pcm))] for one in onsets.in_turn(speech[:120], seed + 4, talk, ("babble",))
    ]
    print(f"  over babble: {intervals.shown(over_babble)}")

    rng = np.random.default_rng(seed + 5)
    homes = {kind: evening(kind, rng, options.minutes * 60, talk) for kind in (*HOUSEHOLD, "babble")}
    counts = {kind: len(wakes(pcm)) for kind, pcm in homes.items()}
    hours = options.minutes / 60
    print(f"\nWakes per hour, {options.minutes:g} min of each kind, coming and going:")
    for kind in HOUSEHOLD:
        print(f"  {kind:8} {counts[kind] / hours:6.1f}")
    total, time_h = sum(counts[kind] for kind in HOUSEHOLD), hours * len(HOUSEHOLD)
    low, high = (bound / time_h for bound in intervals.count(total))
    print(f"  all      {total / time_h:6.1f}  [{low:.1f}, {high:.1f}] in {time_h:.2f} h (wanted 6)")
    print(f"  babble   {counts['babble'] / hours:6.1f}  (a television's talk is speech: apart)")

    levels = [loudness(trial.pcm) for trial in trials]
    home_levels = [loudness(homes[kind]) for kind in HOUSEHOLD]
    print("\nBaseline, a fixed threshold on energy, same sound:")
    rows = []
    for threshold_db in np.arange(-60.0, -1.0, 1.0):
        share = np.mean([onsets.is_hit(fixed_wakes(level, threshold_db)) for level in levels])
        rate = sum(len(fixed_wakes(level, threshold_db)) for level in home_levels) / time_h
        rows.append((threshold_db, 100 * share, rate))
    best = max(rows, key=lambda row: row[1])
    calm = next((row for row in rows if row[2] <= 6), rows[-1])
    for name, row in (("most onsets", best), ("6 an hour", calm)):
        print(f"  {name:12} at {row[0]:.0f} dBFS: {row[1]:.1f} % of onsets, {row[2]:.1f} wakes per hour")

    for bus_hz in (400_000, 100_000):
        hand_overs([line.pcm for line in speech], seed + 6, bus_hz)
    print_cost(measures(trials[0].pcm))
    options.plot.parent.mkdir(parents=True, exist_ok=True)
    missed += [trial for trial, hit in zip(trials, hits, strict=True) if not hit]
    panels = [_scene(speech[0].pcm, seed + 7), *map(_miss, missed[:MISSES_SHOWN])]
    options.plot.write_text(plot.draw(panels, measures))
    print(f"\nPlot, with {len(panels) - 1} of the {len(missed)} misses: {options.plot}")


def recordings(seed: int, babble: list[onsets.Speech]) -> list[onsets.Onset]:
    """Prints the hits in both halves of the recordings. Returns the misses in the held-out one."""
    missed: list[onsets.Onset] = []
    for held_out in (False, True):
        lines = onsets.recorded(held_out)
        if not lines:
            print("  recorded speech: not here")
            continue
        hits, missed = heard_in_every_noise(lines, seed + held_out, babble)
        name = "held out (wanted 98 %)" if held_out else "thresholds were chosen on these"
        print(
            f"  recorded and neural speech, {len(lines)} onsets in each of the noises, {name}:"
            f"\n           {intervals.shown(list(hits.values()))}"
        )
        for one in missed:
            print(f"    missed: {one.name} in {one.noise}")
    return missed


def _miss(trial: onsets.Onset) -> plot.Panel:
    return plot.Panel(
        f"Missed: {trial.name}, in {trial.noise}", trial.pcm, ((onsets.BEFORE_S, "speech begins"),)
    )


def _scene(line: NDArray[np.float32], seed: int) -> plot.Panel:
    rng = np.random.default_rng(seed)
    pcm = rng.standard_normal(24 * MICROPHONE_RATE_HZ) * 20
    pcm[5 * MICROPHONE_RATE_HZ :] += sound("fan", rng, 19 * MICROPHONE_RATE_HZ, []) * 250
    pcm[11 * MICROPHONE_RATE_HZ : 16 * MICROPHONE_RATE_HZ] += (
        sound("clatter", rng, 5 * MICROPHONE_RATE_HZ, []) * 900
    )
    spoken = line[: 4 * MICROPHONE_RATE_HZ] / np.sqrt(np.mean(line**2)) * 800
    pcm[19 * MICROPHONE_RATE_HZ : 19 * MICROPHONE_RATE_HZ + spoken.size] += spoken
    marks = ((0.0, "quiet room"), (5.0, "fan on"), (11.0, "dishes"), (16.0, "end"), (19.0, "speech begins"))
    return plot.Panel("A room", np.clip(np.round(pcm), -32768, 32767).astype(np.int16), marks)


if __name__ == "__main__":
    main()
