"""Aligns a recording with the headband's clock.

With a marker line (a GPIO of the headband on a digital input of the meter) its edges are matched with the
journal's. Without a marker, the recording is aligned with the power that the energy model expects of the
journalled stages, by cross-correlation and then a finer search, near the moment at which the recording says
that it began, else near the repeat's beginning; the clocks differ in rate by what brings both halves of the
recording to one offset. Without a question there is no shape to align, and a fraction of a second does not
matter: the meter's start on this computer's clock is used, which is right where the journal has the same
clock. Clocks whose rates differ too much, or that jump, show as edges (or parts of the recording) with
different offsets.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from power.meters.meter import MeterRecording
from power.rig.activity import Activity
from power.rig.checks.refusal import Refusal
from power.rig.measured_trace import ClockMap, MeasuredTrace
from power.rig.modelled import Steps

MARKER_BIT = 1
MAX_RESIDUAL_S = 0.005
"""Largest distance of an edge from the fitted clock, seconds, plus two samples."""
MAX_DRIFT = 500e-6
"""Largest plausible difference of two crystals' rates."""
MIN_CORRELATION = 0.6
"""Least correlation of recorded and expected power for an alignment."""
MAX_SHIFT_S = 5.0
"""Largest offset of the two clocks that is searched without a marker, seconds."""
_GRID_S = 0.005
_LEAST_EDGES = 4
"""Fewer have no shape."""
_SAME_S = 0.001
"""Two halves whose offsets differ by less, or by a quarter of a sample, have the same."""
_MOST_ROUNDS = 12
_START_S = 0.25
"""Uncertainty of the beginning of a recording, seconds."""


@dataclass(frozen=True)
class Alignment:
    """How the recording was brought onto the headband's clock."""

    method: Literal["marker", "correlation", "start"]
    clock: ClockMap
    residual_s: float
    """Largest remaining difference."""
    allowed_s: float
    quality: float
    """Edges matched, or the correlation of recorded and expected power."""


def align(recording: MeterRecording, done: Activity, expected: Steps) -> Alignment:
    """By the marker where the headband drove one and the meter has inputs, else by the power's shape, and
    without a question by the start.

    Raises `Refusal`.
    """
    if done.marker and recording.marker is not None:
        return _by_marker(recording, done)
    if not done.questions and not recording.start_known:
        raise Refusal(
            "clocks",
            "The recording does not say when it began, and without a question or a marker there is nothing "
            "to find that by: let the file state it, as in '# start_monotonic_s: 1234.5', in seconds of this "
            "computer's monotonic clock.",
        )
    if not done.questions:
        return Alignment("start", ClockMap(recording.start_monotonic_s), 0.0, _START_S, 0.0)
    return _by_shape(recording, expected)


def _by_marker(recording: MeterRecording, done: Activity) -> Alignment:
    assert recording.marker is not None
    bits = recording.marker & MARKER_BIT
    changed = np.flatnonzero(np.diff(bits.astype(np.int8)))
    edges_s = (recording.time_s[changed] + recording.time_s[changed + 1]) / 2
    rising = bits[changed + 1] == 1
    driven_s = np.array([when_s for when_s, _ in done.marker])
    if not len(changed):
        raise Refusal(
            "marker",
            "The recording has no marker: the line from the headband to the meter's first input never moved.",
        )
    if len(changed) != len(driven_s) or not np.array_equal(rising, [level for _, level in done.marker]):
        raise Refusal(
            "marker",
            f"The recording lacks part of the marker: the line moved {len(changed)} times there and "
            f"{len(driven_s)} times in the headband's journal.",
        )
    if len(changed) > 2 and np.ptp(edges_s) > 1.0:
        slope, offset_s = np.polyfit(edges_s, driven_s, 1)
        drift = float(slope) - 1.0
    else:
        drift, offset_s = 0.0, float(np.median(driven_s - edges_s))
    clock = ClockMap(float(offset_s), drift)
    residual_s = float(np.abs(clock.headband_s(edges_s) - driven_s).max())
    allowed_s = MAX_RESIDUAL_S + 2 / recording.sample_rate_hz
    _agree(residual_s, allowed_s, drift, recording, f"{len(changed)} marker edges")
    return Alignment("marker", clock, residual_s, allowed_s, float(len(changed)))


def _by_shape(recording: MeterRecording, expected: Steps) -> Alignment:
    period_s = max(1 / recording.sample_rate_hz, 1e-3)
    starts_s = [recording.start_monotonic_s] if recording.start_known else []
    for start_s in (*starts_s, float(expected.time_s[0]) - recording.time_s[0]):
        offset_s = _coarse(recording, expected, start_s)
        fine_s, quality = _fine(recording, expected, offset_s, 2 * _GRID_S + period_s)
        if quality >= MIN_CORRELATION:
            break
    if quality < MIN_CORRELATION:
        raise Refusal(
            "marker",
            f"There is no marker, and the recorded power looks nothing like what the headband says it did "
            f"(correlation {quality:.2f}, at least {MIN_CORRELATION}): use a meter with a digital input"
            + ("." if recording.start_known else ", or let the file state its start_monotonic_s."),
        )
    clock, quality = _drifting(recording, expected, ClockMap(fine_s), quality)
    parts = _offsets(recording, expected, clock, 4 if clock.drift else 2)
    residual_s = max((abs(offset - clock.offset_s) for offset in parts), default=0.0)
    allowed_s = 4 * MAX_RESIDUAL_S + 2 * period_s
    _agree(residual_s, allowed_s, clock.drift, recording, "parts of the recording")
    return Alignment("correlation", clock, residual_s, allowed_s, quality)


def _drifting(
    recording: MeterRecording, expected: Steps, even: ClockMap, quality: float
) -> tuple[ClockMap, float]:
    """The clock by which both halves of the recording have one offset, and its correlation; `even`, which has
    no drift, where a half has no likeness or nothing fits better.
    """
    clock, period_s = even, 1 / recording.sample_rate_hz
    for _ in range(_MOST_ROUNDS):
        halves = _offsets(recording, expected, clock, 2)
        if len(halves) < 2 or abs(halves[1] - halves[0]) < max(_SAME_S, period_s / 4):
            break
        # The halves lie no farther apart than the recording is long: the drift is never taken for too much.
        drift = clock.drift + (halves[1] - halves[0]) / recording.duration_s
        drift = min(MAX_DRIFT, max(-MAX_DRIFT, drift))
        offset_s = sum(halves) / 2 - (drift - clock.drift) * float(recording.time_s.mean())
        clock = ClockMap(_fine(_at_rate(recording, drift), expected, offset_s, 0.1)[0], drift)
    fits = _fine(_at_rate(recording, clock.drift), expected, clock.offset_s, _GRID_S)[1]
    return (clock, fits) if fits > quality else (even, quality)


def _at_rate(recording: MeterRecording, drift: float) -> MeterRecording:
    """The recording by a clock that goes faster by this share."""
    return replace(recording, time_s=recording.time_s * (1.0 + drift))


def _offsets(recording: MeterRecording, expected: Steps, clock: ClockMap, count: int) -> list[float]:
    """Of so many parts of the recording the offsets by which they fit best near this clock's."""
    in_rate = _at_rate(recording, clock.drift)
    edges = [len(recording.time_s) * part // count for part in range(count + 1)]
    fits = [
        _fine(_part(in_rate, begin, end), expected, clock.offset_s, 0.1)
        for begin, end in itertools.pairwise(edges)
    ]
    return [offset_s for offset_s, quality in fits if quality >= MIN_CORRELATION]


def _agree(residual_s: float, allowed_s: float, drift: float, recording: MeterRecording, what: str) -> None:
    if residual_s > allowed_s or (
        abs(drift) * recording.duration_s > MAX_RESIDUAL_S and abs(drift) > MAX_DRIFT
    ):
        raise Refusal(
            "clocks",
            f"The clocks of meter and headband disagree: {what} differ by up to {residual_s * 1000:.1f} ms "
            f"(at most {allowed_s * 1000:.1f}), and their rates by {drift * 1e6:.0f} ppm "
            f"(at most {MAX_DRIFT * 1e6:.0f}).",
        )


def _coarse(recording: MeterRecording, expected: Steps, start_s: float) -> float:
    """The offset, to the grid, that correlates best within `MAX_SHIFT_S` of `start_s`."""
    trace = MeasuredTrace(recording, ClockMap(0.0))
    count = max(8, int(recording.duration_s / _GRID_S))
    measured = trace.means_mw(recording.time_s[0] + np.arange(count + 1) * _GRID_S)
    shift = int(MAX_SHIFT_S / _GRID_S)
    grid = start_s + recording.time_s[0] + np.arange(-shift, count + shift + 1) * _GRID_S
    model = expected.means_mw(grid)
    size = 1 << (len(model) + count).bit_length()
    product = np.fft.irfft(
        np.fft.rfft(model - model.mean(), size) * np.conj(np.fft.rfft(measured - measured.mean(), size)), size
    )[: 2 * shift + 1]
    sums = np.concatenate([[0.0], np.cumsum(model - model.mean())])
    squares = np.concatenate([[0.0], np.cumsum((model - model.mean()) ** 2)])
    mean = (sums[count:] - sums[:-count]) / count
    spread = np.sqrt(np.maximum((squares[count:] - squares[:-count]) / count - mean**2, 1e-9))
    return start_s + (int(np.argmax(product / spread[: len(product)])) - shift) * _GRID_S


def _fine(recording: MeterRecording, expected: Steps, around_s: float, span_s: float) -> tuple[float, float]:
    """(offset, correlation) of the best fit within `span_s`, to a fiftieth of it and then of that."""
    trace = MeasuredTrace(recording, ClockMap(0.0))
    width_s = max(1 / recording.sample_rate_hz, recording.duration_s / 20_000)
    edges = np.arange(recording.time_s[0], recording.time_s[-1], width_s)
    if len(edges) < _LEAST_EDGES:
        return around_s, 0.0
    measured = trace.means_mw(edges)
    best = (around_s, -1.0)
    for reach_s in (span_s, span_s / 25):
        offsets = best[0] + np.linspace(-reach_s, reach_s, 51)
        scores = [_correlation(measured, expected.means_mw(edges + offset)) for offset in offsets]
        best = (float(offsets[int(np.argmax(scores))]), float(max(scores)))
    return best


def _correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    first, second = first - first.mean(), second - second.mean()
    norm = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum()) / norm if norm > 0 else 0.0


def _part(recording: MeterRecording, begin: int, end: int) -> MeterRecording:
    marker = None if recording.marker is None else recording.marker[begin:end]
    return MeterRecording(
        recording.meter,
        recording.kind,
        recording.sample_rate_hz,
        recording.time_s[begin:end],
        recording.power_mw[begin:end],
        recording.voltage_mv[begin:end],
        recording.voltage_measured,
        marker,
        end - begin,
        0,
        recording.start_monotonic_s,
    )
