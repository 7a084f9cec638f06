"""Samples that were not measured one by one: a frozen meter, one at its limit, a buffer sent twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from power.meters.meter import MeterRecording
from power.rig.checks.refusal import Check, Refusal
from power.rig.measured_trace import MeasuredTrace
from power.rig.modelled import Steps

MAX_STUCK_S = 0.5
"""Most time in rows of equal samples, for a meter whose samples otherwise all differ."""
_EQUAL_ROW = 8
_ROW_S = 1.0
"""A row of equal samples that lasts longer is looked at by itself, whatever the meter."""
_MOVED_MW, _MOVED_S = 100.0, 0.1
"""By so much, for so long at either level, the headband moves in a row that cannot be right."""
_SAME_MW, _STILL, _ALL_DIFFER = 10.0, 0.01, 0.9
"""Samples at one level of expected power; the share of them in other rows, and the share of different values,
that tell a meter with noise.
"""
_REPEATED_ROW, _MAX_REPEATED_S = 32, 0.1
"""Samples that are compared with all others, and the longest time that may have been there before."""


def moving(trace: MeasuredTrace, expected: Steps, repeat: int) -> Check | None:
    """The samples were measured one by one: no value holds that should not, and nothing comes twice.

    Rows of equal samples are right for a meter with coarse steps (the PMU's: 1 mA) while nothing happens.
    They are wrong while the headband begins or ends something; where its other samples at that level differ
    from one another; and for a meter whose samples all differ.
    """
    recording = trace.recording
    if recording.kind == "modelled":
        return None
    drawn = recording.current_ma if recording.voltage_measured else recording.power_mw
    drawn = np.round(drawn, 6)
    first, count = _equal_rows(drawn)
    lasted_s = recording.time_s[first + count - 1] - recording.time_s[first]
    in_rows = np.zeros(len(drawn) + 1, np.int64)
    np.add.at(in_rows, first, 1)
    np.add.at(in_rows, first + count, -1)
    still = np.cumsum(in_rows[:-1]) > 0
    level_mw = expected.means_mw(_edges(trace.time_s))
    for at, samples in zip(first[lasted_s > _ROW_S].tolist(), count[lasted_s > _ROW_S].tolist(), strict=True):
        row = slice(at, at + samples)
        levels = np.sort(level_mw[row])
        reach = min(samples - 1, round(_MOVED_S / trace.period_s))
        alike = np.abs(level_mw - np.median(levels)) < _SAME_MW
        alike[row] = False
        if levels[-1 - reach] - levels[reach] > _MOVED_MW:
            _frozen(repeat, recording, drawn, at, samples)
        if alike.sum() >= samples and still[alike].mean() < _STILL:
            _frozen(repeat, recording, drawn, at, samples)
    _fresh(recording, drawn, repeat)
    if len(np.unique(drawn[~still])) < _ALL_DIFFER * max((~still).sum(), len(drawn) / 5):
        return None
    stuck_s = float(lasted_s.sum())
    if stuck_s > MAX_STUCK_S:
        longest = int(np.argmax(lasted_s))
        _frozen(repeat, recording, drawn, int(first[longest]), int(count[longest]))
    return Check("equal samples", repeat, stuck_s, MAX_STUCK_S, "s")


def _edges(time_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """The limits of the time that each sample stands for."""
    middle = (time_s[1:] + time_s[:-1]) / 2
    return np.concatenate([[2 * time_s[0] - middle[0]], middle, [2 * time_s[-1] - middle[-1]]])


def _equal_rows(drawn: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(first sample, number of samples) of every row of at least `_EQUAL_ROW` equal ones."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], np.diff(drawn) == 0, [False]])))
    first, count = edges[::2], edges[1::2] - edges[::2] + 1
    return first[count >= _EQUAL_ROW], count[count >= _EQUAL_ROW]


def _frozen(
    repeat: int, recording: MeterRecording, drawn: NDArray[np.float64], at: int, samples: int
) -> None:
    why = "it was frozen"
    if drawn[at] >= drawn.max():
        why = "it was frozen, or the current was beyond its range"
    raise Refusal(
        "frozen",
        f"Repeat {repeat}: the meter gave the same value, {recording.power_mw[at]:.4g} mW, from "
        f"{recording.time_s[at]:.2f} to {recording.time_s[at + samples - 1]:.2f} s of the recording: {why}.",
    )


def _fresh(recording: MeterRecording, drawn: NDArray[np.float64], repeat: int) -> None:
    """No piece of the recording is an earlier one again, as a buffer that was sent twice. Pieces in which
    most neighbours are equal do not count.
    """
    windows = len(drawn) - _REPEATED_ROW + 1
    if windows < 2:
        return
    codes = np.unique(drawn, return_inverse=True)[1].astype(np.uint64)
    digest = np.zeros(windows, np.uint64)
    for place in range(_REPEATED_ROW):
        digest = digest * np.uint64(0x9E3779B97F4A7C15) + codes[place : place + windows]
    changes = np.concatenate([[0], np.cumsum(np.diff(drawn) != 0)])
    rich = np.flatnonzero(changes[_REPEATED_ROW - 1 :] - changes[:windows] >= _REPEATED_ROW * 3 // 4)
    order = rich[np.argsort(digest[rich], kind="stable")]
    same = np.diff(digest[order]) == 0
    earlier, later = order[:-1][same], order[1:][same]
    if len(later) / recording.sample_rate_hz > _MAX_REPEATED_S:
        at = int(np.argmin(later))
        raise Refusal(
            "repeated",
            f"Repeat {repeat}: the meter repeats itself: its samples from "
            f"{recording.time_s[later[at]]:.2f} s of the recording on are those from "
            f"{recording.time_s[earlier[at]]:.2f} s on.",
        )
