"""What is noted of the turns of one chain for `latency`, and the table of all chains."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median, quantiles

import numpy as np

from host.hearing.endpointer import RecordedQuestion
from models.process.residency import BrickEvent


@dataclass
class Series:
    """Turns of one chain. Seconds; MiB."""

    silence_s: list[float] = field(default_factory=list)
    work_s: list[float] = field(default_factory=list)
    """From the decision that the question has ended to the first sample."""
    peak_mib: float = 0.0
    bare_s: list[float] = field(default_factory=list)
    """The part of it in which a brick worked."""
    answering_s: list[float] = field(default_factory=list)
    """What the bricks that answer computed, seconds of processors, until the answer was stopped."""
    bar_s: float | None = None
    """The mode's latency target; None for a chain, which has none."""
    lasted_s: float = 0.0
    """Of the work of bricks: time."""
    computed_s: float = 0.0
    """Of the same: time of processors."""
    ahead: str = ""
    """What the plan did ahead, and why."""
    woken_s: list[float] = field(default_factory=list)
    """From the last sample of the wake word to listening."""

    def note(self, event: BrickEvent) -> None:
        """Adds up what a brick computed, and how long that lasted."""
        if event.kind == "execute" and event.processor_s is not None:
            self.lasted_s += event.end_s - event.start_s
            self.computed_s += event.processor_s

    @property
    def latency_s(self) -> list[float]:
        return [silence + work for silence, work in zip(self.silence_s, self.work_s, strict=True)]


def report(pack: str, series: dict[str, Series], heard: RecordedQuestion) -> None:
    """The table of one pack."""
    seconds = heard.speech_end_s - heard.speech_start_s
    print(
        f"pack {pack}: a question of {seconds:.1f} s, {len(series['a'].work_s)} turns each; seconds, "
        "median, p95"
    )
    for name, one in series.items():
        title = {"a": "(a) blocking, resident", "b": "(b) blocking, loading"}.get(name, f"ours, {name}")
        p95 = quantiles(one.latency_s, n=20)[-1] if len(one.latency_s) > 1 else one.latency_s[0]
        print(
            f"  {title:24s} L {median(one.latency_s):6.3f} {p95:6.3f}   of which silence "
            f"{median(one.silence_s):.3f}, work {median(one.work_s):.3f}   peak {one.peak_mib:.0f} MiB"
        )
    if series["a"].computed_s:
        longer = series["a"].lasted_s / series["a"].computed_s
        print(f"  a second of a processor lasts {longer:.1f} s for a brick of (a)")
    bases = {"performance": "a", "throttled": "a", "cascade": "a", "alone": "b", "strict": "b"}
    for name, base in bases.items():
        if name not in series:
            continue
        print(f"  {name}: {verdict(name, series)}")
        print(f"  {name}, ahead: {series[name].ahead}")
        new, old = series[name], series[base]
        for what, ours_s, theirs_s in (("L", new.latency_s, old.latency_s), ("work", new.work_s, old.work_s)):
            print(f"  {what} in {name} against ({base}): {saving(ours_s, theirs_s)}")
        if len(new.woken_s) > 1:
            late_ms = [1000 * late_s for late_s in new.woken_s]
            print(
                f"  {name}: wake word's end to listening {median(late_ms):.0f} ms, "
                f"p95 {quantiles(late_ms, n=20)[-1]:.0f}"
            )
        if new.bare_s:
            extra = [work - bare for work, bare in zip(new.work_s, new.bare_s, strict=True)]
            print(
                f"  {name}: outside the bricks {1000 * median(extra):.1f} ms "
                f"of {1000 * median(new.work_s):.0f}"
            )


def verdict(name: str, series: dict[str, Series]) -> str:
    """Who is faster by the median, with quartiles, against both chains and the bar."""
    one = series[name]
    words = []
    for base in ("a", "b"):
        theirs = series[base]
        better = median(one.latency_s) < median(theirs.latency_s)
        words.append(f"{'wins against' if better else 'LOSES to'} ({base}) {spread(theirs.latency_s)}")
    if one.bar_s is not None:
        kept = "keeps" if median(one.latency_s) <= one.bar_s else "MISSES"
        words.append(f"{kept} the bar of {one.bar_s:g} s")
    return f"L {spread(one.latency_s)} {', '.join(words)}"


def spread(values_s: list[float]) -> str:
    """Median and quartiles."""
    if len(values_s) < 2:
        return f"{values_s[0]:.2f} s"
    low, middle, high = quantiles(values_s, n=4)
    return f"{middle:.2f} s [{low:.2f}, {high:.2f}]"


def saving(ours_s: list[float], theirs_s: list[float]) -> str:
    """Percent by which the headband's median is smaller, with a 95 % bootstrap interval."""
    rng = np.random.default_rng(0)
    drawn = [np.median(rng.choice(values, (4000, len(values))), axis=1) for values in (ours_s, theirs_s)]
    low, high = np.quantile(1 - drawn[0] / drawn[1], (0.025, 0.975))
    return f"{100 * (1 - median(ours_s) / median(theirs_s)):.1f} % less [{100 * low:.1f}, {100 * high:.1f}]"
