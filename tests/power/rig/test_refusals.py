"""An invalid run is refused with one sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from power.meters.meter import MeterRecording
from power.rig.activity import Activity
from power.rig.budgets import load_budgets
from power.rig.checks.refusal import Refusal
from power.rig.clock_alignment import align
from power.rig.modelled import Steps, expected_power
from power.rig.run import Repeat, evaluate
from power.rig.scenario import Scenario
from tests.power.rig.bench import MODEL, PLANS, done, load, recorded, scenario

STAGES = (("stt", 1.0, 0.4), ("llm", 3.0, 0.8))
POWER = {"stt": 900.0, "llm": 1400.0}


def judged(
    repeats: list[tuple[MeterRecording, Activity]], played: Scenario | None = None
) -> dict[str, object]:
    return evaluate(
        played or scenario(2), [Repeat(*each) for each in repeats], PLANS, MODEL, load_budgets(), {}
    )


def refused(
    check: str, says: str, *repeats: tuple[MeterRecording, Activity], played: Scenario | None = None
) -> None:
    with pytest.raises(Refusal, match=says) as refusal:
        judged(list(repeats), played)
    assert refusal.value.check == check
    assert str(refusal.value).endswith(".") and "\n" not in str(refusal.value)


@pytest.fixture
def did() -> Activity:
    return done(STAGES)


@pytest.fixture
def power(did: Activity) -> Steps:
    return load(did, 700.0, POWER)


def test_a_good_run_is_judged(did: Activity, power: Steps) -> None:
    assert judged([(recorded(power, did, noise_mw=20.0, seed=seed), did) for seed in range(3)])["figures"]


def test_lost_samples(did: Activity, power: Steps) -> None:
    count = len(recorded(power, did).time_s)
    refused("lost samples", r"lost 5\.\d% of its samples", (recorded(power, did, lost=count // 18), did))
    judged([(recorded(power, did, lost=count // 25), did)])


def test_no_samples(did: Activity, power: Steps) -> None:
    whole = recorded(power, did)
    nothing = replace(
        whole, time_s=whole.time_s[:0], power_mw=whole.power_mw[:0], voltage_mv=whole.voltage_mv[:0],
        marker=np.zeros(0, np.uint8), lost=whole.expected,
    )  # fmt: skip
    refused("lost samples", "delivered no samples", (nothing, did))


def test_marker_never_moves(did: Activity, power: Steps) -> None:
    recording = recorded(power, did)
    assert recording.marker is not None
    still = replace(recording, marker=np.zeros_like(recording.marker))
    refused("marker", "has no marker", (still, did))


def test_marker_lacks_an_edge(did: Activity, power: Steps) -> None:
    recording = recorded(power, did)
    assert recording.marker is not None
    marker = recording.marker.copy()
    marker[recording.time_s > 3.5] = 0
    refused(
        "marker",
        "lacks part of the marker: the line moved 4 times there and 8",
        (replace(recording, marker=marker), did),
    )


def test_neither_marker_nor_any_likeness(did: Activity, power: Steps) -> None:
    flat = Steps(power.time_s, np.full_like(power.mw, 700.0), power.end_s)
    refused("marker", "looks nothing like", (recorded(flat, did, marker=False, noise_mw=30.0), did))


def test_clocks_at_different_rates(did: Activity, power: Steps) -> None:
    refused("clocks", "rates by .* ppm", (recorded(power, did, drift=0.002), did))
    judged([(recorded(power, did, drift=100e-6), did)])


def test_a_clock_that_jumps(did: Activity, power: Steps) -> None:
    jumped = replace(
        did, marker=tuple((t + (0.03 if t > did.begin_s + 2.5 else 0.0), on) for t, on in did.marker)
    )
    refused("clocks", "disagree: 8 marker edges differ", (recorded(power, did), jumped))


def test_a_clock_that_jumps_in_a_recording_without_a_marker() -> None:
    stages = [(name, 1.0 + 30.0 * number, 0.5) for number, name in enumerate(("stt", "llm") * 8)]
    did = done(stages, marker=False)
    recording = recorded(load(did, 700.0, {"stt": 800.0, "llm": 1800.0}), did, marker=False)
    later_s = np.where(recording.time_s > 240.0, 0.15, 0.0)
    with pytest.raises(Refusal, match="clocks of meter and headband disagree: parts of the recording differ"):
        align(replace(recording, time_s=recording.time_s + later_s), did, expected_power(did, PLANS, MODEL))


def test_a_recording_that_ends_early(did: Activity, power: Steps) -> None:
    recording = recorded(power, did)
    assert recording.marker is not None
    kept = recording.time_s < recording.time_s[-1] - 0.6
    cut = replace(
        recording, time_s=recording.time_s[kept], power_mw=recording.power_mw[kept],
        voltage_mv=recording.voltage_mv[kept], marker=recording.marker[kept],
    )  # fmt: skip
    shorter = replace(did, marker=tuple(edge for edge in did.marker if edge[0] < did.end_s - 0.15))
    refused("clocks", "not all of the", (cut, replace(shorter)))


@pytest.mark.parametrize(
    ("offset_s", "how"), [(-60.0, "begins 59.5 s after it"), (60.0, "ends 59.5 s before it")]
)
def test_a_recording_of_another_time_says_how_far_it_is_off(offset_s: float, how: str) -> None:
    """It is as long as the repeat; a wrong beginning in a file does that."""
    alone = done((), marker=False)
    elsewhere = recorded(load(alone, 900.0, {}), alone, marker=False, offset_s=offset_s)
    with pytest.raises(Refusal, match=f"the 13.5 s that the repeat took: it {how}"):
        evaluate(scenario(0, expect={}), [Repeat(elsewhere, alone)], PLANS, MODEL, load_budgets(), {})


def test_a_recording_without_a_beginning_and_a_shape() -> None:
    alone = done((), marker=False)
    quiet = Steps(np.array([alone.settle_s]), np.array([938.0]), alone.end_s)
    recording = recorded(quiet, alone, marker=False)
    played = scenario(0, expect={})
    evaluate(played, [Repeat(recording, alone)], PLANS, MODEL, load_budgets(), {})
    unknown = Repeat(replace(recording, start_known=False), alone)
    with pytest.raises(Refusal, match=r"does not say when it began.*# start_monotonic_s"):
        evaluate(played, [unknown], PLANS, MODEL, load_budgets(), {})


def test_a_meter_that_nothing_flows_through() -> None:
    alone = done((), marker=False)
    nothing = Steps(np.array([alone.settle_s]), np.array([0.0]), alone.end_s)
    recording = recorded(nothing, alone, marker=False, noise_mw=0.0)
    with pytest.raises(Refusal, match="drew nothing at all"):
        evaluate(scenario(0, expect={}), [Repeat(recording, alone)], PLANS, MODEL, load_budgets(), {})


def test_not_settled(did: Activity, power: Steps) -> None:
    recording = recorded(power, did)
    warming = replace(recording, power_mw=recording.power_mw * (1 + 0.6 * np.exp(-recording.time_s / 0.8)))
    refused("settling", r"Repeat 1 had not settled: power moved from \d+ to \d+ mW \(-", (warming, did))


def test_warming_up_between_repeats(did: Activity, power: Steps) -> None:
    cold, warm = recorded(power, did), recorded(load(did, 760.0, POWER), did)
    refused("settling", "still warming up", (cold, did), (warm, did))


def test_a_stalled_headband(did: Activity, power: Steps) -> None:
    """Such a headband draws little power, and would pass every budget."""
    asleep = done(STAGES[:1])
    lines = replace(asleep, end_s=did.end_s)
    refused("work", "questions answered should be 2, and there were 1", (recorded(power, did), lines))


def test_too_few_pictures_or_bricks(did: Activity, power: Steps) -> None:
    expects = {"turns": (2.0, 2.0), "frames": (3.0, 9.0)}
    refused(
        "work", "pictures taken should be 3 to 9, and there were 0", (recorded(power, did), did),
        played=scenario(2, expect=expects),
    )  # fmt: skip
    loads = {"turns": (2.0, 2.0), "runs.llm": (2.0, 2.0)}
    refused(
        "work",
        "runs.llm should be 2, and there were 1",
        (recorded(power, did), did),
        played=scenario(2, expect=loads),
    )


def test_a_question_that_took_another_route(power: Steps) -> None:
    astray = done(STAGES, route="device")
    refused("work", "should take the route now .* and took device", (recorded(power, astray), astray))


def test_a_question_that_failed(did: Activity, power: Steps) -> None:
    failed = replace(did, work={**did.work, "turns": 1, "failures": 1})
    expects = {"failures": (0.0, 0.0)}
    refused(
        "work", "questions that failed should be 0", (recorded(power, did), failed),
        played=scenario(2, expect=expects),
    )  # fmt: skip
