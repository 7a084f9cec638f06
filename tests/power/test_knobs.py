"""Plans applied to a kernel: the values that are written, restored and stored."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hw.emulated.sysfs import write_tree
from hw.supply import BatteryReading
from power.knobs import Knobs
from power.policy.config import PowerConfig
from power.policy.plan import PowerPlan
from power.policy.policy import Policy

STEPS = PowerConfig(
    ddr_steps_hz=(528_000_000, 780_000_000, 1_056_000_000), npu_steps_hz=(600_000_000, 900_000_000)
)
"""A policy that moves every knob; the default leaves the memory's and the NPU's clocks at their highest."""


def plan(percent: int, config: PowerConfig = STEPS) -> PowerPlan:
    return Policy(config).decide(BatteryReading(percent, 3800, -150, 25.0, False, "good"), 0.0)[0]


def values(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text().strip() for path in root.rglob("*") if path.is_file()
    }


def changes(root: Path, before: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in values(root).items() if before.get(name) != value}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "sys")


CPU = "devices/system/cpu/cpufreq/policy0/scaling_max_freq"
DDR, NPU = "class/devfreq/dmc/max_freq", "class/devfreq/fde40000.npu/max_freq"
GPU = "class/devfreq/fde60000.gpu/max_freq"


@pytest.mark.parametrize(
    ("percent", "golden"),
    [
        (80, {}),
        (50, {GPU: "200000000"}),
        (30, {CPU: "1416000", DDR: "780000000", NPU: "600000000", GPU: "200000000"}),
        (12, {CPU: "1104000", DDR: "528000000", NPU: "600000000", GPU: "200000000"}),
    ],
)
def test_golden_differences_per_mode(root: Path, percent: int, golden: dict[str, str]) -> None:
    before = values(root)
    applied = Knobs(root).apply(plan(percent))
    assert changes(root, before) == golden
    assert {str(knob.path.relative_to(root)) for knob in applied.written} == set(golden)
    assert applied.notes == ()


def test_by_default_memory_and_npu_stay_at_their_highest_clocks(root: Path) -> None:
    before = values(root)
    Knobs(root).apply(plan(12, PowerConfig()))
    assert changes(root, before) == {CPU: "1104000", GPU: "200000000"}


def test_a_load_has_a_clock_of_its_own_and_leaves_the_other_knobs(root: Path) -> None:
    knobs, cascade = Knobs(root), plan(12)
    knobs.apply(cascade)
    usual = values(root)
    knobs.apply_cpu_clock(cascade, loading=True)
    assert changes(root, usual) == {CPU: "1800000"}
    knobs.apply(cascade, loading=True)
    assert changes(root, usual) == {CPU: "1800000"}
    knobs.apply_cpu_clock(cascade, loading=False)
    assert changes(root, usual) == {}
    hot = replace(cascade, load_cpu_max_khz=cascade.cpu_max_khz)
    assert knobs.apply_cpu_clock(hot, loading=True).written == ()
    assert Knobs(root, clocks=None).apply_cpu_clock(cascade, loading=True).written == ()


def test_better_times_put_limits_back(root: Path) -> None:
    before = values(root)
    knobs = Knobs(root)
    knobs.apply(plan(12))
    knobs.apply(plan(80))
    assert changes(root, before) == {}


def test_restoring_is_exact_also_after_an_error(root: Path) -> None:
    (root / CPU).write_text("1608000\n")  # a limit set before
    before = values(root)
    knobs = Knobs(root)

    def crash() -> None:
        with knobs:
            knobs.apply(plan(12))
            knobs.apply(replace(plan(30), online_cpus=2))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        crash()
    assert changes(root, before) == {}
    assert knobs.restore() == ()


def test_cores_are_switched(root: Path) -> None:
    before = values(root)
    Knobs(root).apply(replace(plan(80), online_cpus=2))
    assert changes(root, before) == {
        "devices/system/cpu/cpu2/online": "0",
        "devices/system/cpu/cpu3/online": "0",
    }


def test_an_absent_knob_is_a_note(root: Path) -> None:
    shutil.rmtree(root / "class/devfreq/dmc")
    shutil.rmtree(root / "devices/system/cpu/cpufreq")
    applied = Knobs(root).apply(plan(12))
    assert len(applied.notes) == 2
    assert all(note.endswith(".") for note in applied.notes)
    assert [knob.path.parent.name for knob in applied.written] == ["fde40000.npu", "fde60000.gpu"]


def test_an_empty_root_changes_nothing(tmp_path: Path) -> None:
    with Knobs(tmp_path) as knobs:
        applied = knobs.apply(plan(12))
    assert applied.written == ()
    assert values(tmp_path) == {}


def test_a_knob_that_does_not_take_is_a_note_and_goes_back(root: Path) -> None:
    stuck = root / DDR
    stuck.unlink()
    stuck.symlink_to("/dev/null")  # accepts every write, and is empty when read
    applied = Knobs(root).apply(plan(12))
    assert [note for note in applied.notes if "dmc/max_freq was set to 528000000 and says ." in note]
    assert (root / CPU).read_text() == "1104000"


def test_a_clock_the_kernel_does_not_have_falls_to_the_next_lower(root: Path) -> None:
    steps = root / "devices/system/cpu/cpufreq/policy0/scaling_available_frequencies"
    steps.write_text("600000 1000000 1800000\n")
    Knobs(root).apply(plan(12))
    assert (root / CPU).read_text() == "1000000"


def test_a_killed_program_leaves_no_limits_behind(root: Path, tmp_path: Path) -> None:
    kept = tmp_path / "run/knobs.json"
    (root / CPU).write_text("1608000\n")  # a limit set before
    before = values(root)
    Knobs(root, kept).apply(plan(12))  # and then it is killed
    assert changes(root, before)
    again = Knobs(root, kept)
    assert changes(root, before) == {}
    again.apply(plan(12))
    again.restore()
    assert changes(root, before) == {}
    assert not kept.exists()


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"devices/none": "1"}'])
def test_a_spoilt_file_of_kept_values_does_no_harm(root: Path, tmp_path: Path, text: str) -> None:
    kept = tmp_path / "knobs.json"
    kept.write_text(text)
    before = values(root)
    assert Knobs(root, kept).apply(plan(80)).notes == ()
    assert changes(root, before) == {}


def test_it_tells_which_knobs_there_are(root: Path) -> None:
    assert all(Knobs(root).present().values())
    shutil.rmtree(root / "class/devfreq/fde60000.gpu")
    assert not Knobs(root).present()["GPU clock"]
