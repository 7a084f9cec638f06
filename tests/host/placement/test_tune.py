"""`headband tune` and its file: bad input is one sentence and exit code 2, and the program goes on."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from host.cli import tune
from host.cli.main import main
from host.doctor.placement_checks import placement_finding
from host.placement import clip_steps, measure
from host.placement.clip_steps import StepTimes
from host.placement.site import clip_costs_here, site_here
from host.placement.store import TunedProblem, computer, origin_of, read_tuned, tuned_path, write_tuned
from models.brick import BrickError, Placement
from models.pack.catalogue import load_pack
from models.process.bricks import Bricks
from power.placement.as_json import modelled_tables
from power.placement.table import Place, Table

PACK = load_pack("micro")
ORIGIN = origin_of("emulated", PACK)
MODELLED = modelled_tables()["micro"]
MEASURED = MODELLED.replaced([replace(MODELLED.costs[0], seconds=0.4, kind="measured", source="made up")])

_NUMBERS = [(depth, number) for depth in (3, 6, 12) for number in (1, 4)]
STEPS = StepTimes(
    {each: (0.0075 * each[0] * (1 if each[1] == 4 else 0.3),) for each in _NUMBERS}, (0.001,), (0.002,)
)


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A journal's path, in settings that are the chosen ones."""
    path = tmp_path / "state/journal.jsonl"
    settings = tmp_path / "headband.toml"
    settings.write_text(f'pack = "micro"\n[journal]\npath = "{path}"\n')
    monkeypatch.setenv("HEADBAND_CONFIG", str(settings))
    return str(path)


def kept(journal: str) -> Path:
    path = tuned_path(journal, "emulated", "micro")
    assert path is not None
    return path


def told(journal: str) -> str:
    finding = asyncio.run(placement_finding(journal, "emulated", "micro"))
    return f"{finding.health}: {finding.says} {finding.fix}"


def test_a_board_that_this_computer_is_not_is_not_measured_here(
    journal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", "--board", "rk3566"]) == 2
    assert "This computer is no rk3566" in capsys.readouterr().err
    assert not Path(journal).parent.exists()


def test_what_was_measured_is_kept_and_used(
    journal: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def measured(*_: object) -> object:
        return MEASURED

    assert told(journal).startswith("ok: the modelled times")
    on_a_board = asyncio.run(placement_finding(journal, "rk3566", "micro"))
    assert on_a_board.health == "note" and "was not measured on this board" in on_a_board.says

    async def steps(*_: object) -> StepTimes:
        return STEPS

    monkeypatch.setattr(measure, "measured_table", measured)
    monkeypatch.setattr(clip_steps, "step_times", steps)
    assert main(["tune", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["clip"]["unit_s"] == pytest.approx(STEPS.costs.unit_s)
    assert clip_costs_here("emulated", PACK, journal) == STEPS.costs
    assert said["file"] == str(kept(journal)) and set(said["modes"]) == {
        "performance",
        "throttled",
        "cascade",
    }
    assert read_tuned(kept(journal), ORIGIN) == MEASURED
    assert told(journal).startswith("ok:")
    site, problem = site_here("emulated", PACK, journal)
    assert site.table == MEASURED and problem is None
    assert main(["tune", "--show"]) == 0
    shown = capsys.readouterr().out
    assert "measured" in shown and "4 through 12 blocks: 0.0900 s" in shown


@pytest.mark.parametrize(
    "clip",
    [
        3,
        {},
        {"encode": [], "unit_s": 0.1, "answer_s": 0.1},
        {"encode": [{"depth": 3, "pictures": 1, "seconds": 0.1}], "unit_s": 0.1, "answer_s": 0.1},
        {"encode": [{"depth": float("inf"), "pictures": 1, "seconds": 0.1}], "unit_s": 0.1, "answer_s": 0.1},
        {
            "encode": [{"depth": 3, "pictures": each, "seconds": -1} for each in (1, 4)],
            "unit_s": 0.1,
            "answer_s": 0.1,
        },
    ],
)
def test_damaged_times_of_a_clip_are_one_sentence(journal: str, clip: object) -> None:
    write_tuned(kept(journal), MEASURED, ORIGIN, STEPS.costs)
    values = json.loads(kept(journal).read_text())
    kept(journal).write_text(json.dumps(values | {"clip": clip}))
    with pytest.raises(TunedProblem, match="is damaged; measure again with: headband tune"):
        read_tuned(kept(journal), ORIGIN)
    assert clip_costs_here("emulated", PACK, journal) is None


def test_a_table_without_times_of_a_clip_is_used_all_the_same(journal: str) -> None:
    write_tuned(kept(journal), MEASURED, ORIGIN)
    assert read_tuned(kept(journal), ORIGIN) == MEASURED
    assert clip_costs_here("emulated", PACK, journal) is None


def test_a_clips_steps_are_measured_with_the_packs_own_bricks() -> None:
    told: list[str] = []
    times = asyncio.run(clip_steps.step_times(PACK, told.append, repeats=1))
    assert times is not None and times.costs.depths == (3, 6, 12) and len(told) == 7
    assert min(times.costs.encode_s.values()) > 0 and times.costs.answer_s > 0
    bare = replace(PACK, bricks={name: spec for name, spec in PACK.bricks.items() if name != "motion"})
    assert asyncio.run(clip_steps.step_times(bare, told.append)) is None


@pytest.mark.parametrize(("place", "threads"), [("cores", 1), ("npu", 1), ("cores", 2)])
def test_a_clips_steps_are_measured_where_the_headband_computes_them(
    journal: str, monkeypatch: pytest.MonkeyPatch, place: Place, threads: int
) -> None:
    """On as many threads as the rules of placement choose by the times that were just measured, and at the
    place that they choose.
    """
    found: list[tuple[Placement, int]] = []

    async def measured(*_: object) -> Table:
        eye = [each for each in MODELLED.costs if (each.brick, each.task) == ("vision", "picture")]
        ways = [*eye, *(replace(each, place="npu") for each in eye if each.threads == 1)]
        return MODELLED.replaced(
            replace(each, seconds=0.1 if (each.place, each.threads) == (place, threads) else 1.0)
            for each in ways
        )

    async def steps(bricks: Bricks, *_: object) -> StepTimes:
        found.append((bricks._spec("vision").placement, bricks._pool.threads_of("vision")))
        return STEPS

    on_cores = PACK.bricks["vision"]
    on_npu = {**PACK.bricks, "vision": replace(on_cores, placement=Placement.NPU)}
    pack = replace(PACK, bricks=on_npu, on_cores={"vision": on_cores})
    monkeypatch.setattr(tune, "load_pack", lambda *_, **__: pack)
    monkeypatch.setattr(measure, "measured_table", measured)
    monkeypatch.setattr(clip_steps, "_measured", steps)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert main(["tune"]) == 0
    assert found == [(Placement.NPU if place == "npu" else Placement.CPU, threads)]


def test_without_a_file_the_modelled_table_is_shown(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "--show"]) == 0
    assert "Modelled, not measured here" in capsys.readouterr().out
    assert main(["tune", "--show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] is None


def test_what_is_done_ahead_is_told_as_the_settings_have_it(
    journal: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown(settings: str) -> tuple[list[str], list[dict[str, object]]]:
        (tmp_path / "headband.toml").write_text(
            f'pack = "micro"\n[journal]\npath = "{journal}"\n[power]\n{settings}\n'
        )
        assert main(["tune", "--show"]) == 0
        lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ahead:")]
        assert main(["tune", "--show", "--json"]) == 0
        modes = json.loads(capsys.readouterr().out)["modes"]
        return lines, [way for mode in modes.values() for way in mode["ahead"].values()]

    lines, _ = shown("")
    assert len(lines) == 3 and any("wake word" in line for line in lines)
    lines, ways = shown("work_ahead = false")
    assert all("the settings want nothing done before a question ends" in line for line in lines)
    assert {(way["picture"], way["prefill"], way["sensor"]) for way in ways} == {
        ("question", False, "wake word")
    }
    _, ways = shown("sensor_at_sound = false")
    assert {way["sensor"] for way in ways} == {"wake word"}


BAD = {
    "empty": "", "half": '{"origin": {', "a list": "[1, 2]", "no table": '{"origin": {}}',
    "a deep one": "[" * 100_000, "bytes": "\0\0\0",
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_a_damaged_file_is_one_sentence(journal: str, bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    kept(journal).parent.mkdir(parents=True)
    kept(journal).write_text(BAD[bad])
    assert main(["tune", "--show"]) == 2
    said = capsys.readouterr().err
    assert str(kept(journal)) in said and "headband tune" in said and said.strip().count("\n") <= 1
    site, problem = site_here("emulated", PACK, journal)
    assert site.table == modelled_tables()["micro"] and problem
    assert told(journal).startswith("note:") and "headband tune" in told(journal)


@pytest.mark.parametrize("what", ["board", "computer", "pack"])
def test_a_table_of_another_board_or_pack_is_refused(
    journal: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tuned(kept(journal), MEASURED, replace(ORIGIN, **{what: "another"}))
    assert main(["tune", "--show"]) == 2
    assert f"measured with another {what} (another" in capsys.readouterr().err
    assert f"another {what}" in told(journal)


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_measured(
    journal: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def measured(*_: object) -> object:
        raise AssertionError("measured in vain")

    monkeypatch.setattr(measure, "measured_table", measured)
    Path(journal).parent.mkdir()
    kept(journal).parent.write_text("a file where the folder has to be")
    assert main(["tune"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    with pytest.raises(TunedProblem, match="cannot be written"):
        write_tuned(kept(journal), MEASURED, ORIGIN)


def test_a_brick_that_refuses_what_is_measured_is_told(
    journal: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def measured(*_: object) -> object:
        raise BrickError("I do not know what to say to that.")

    monkeypatch.setattr(measure, "measured_table", measured)
    assert main(["tune"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "Nothing was kept: I do not know what to say to that."
    assert not kept(journal).exists()


def test_a_disk_that_is_read_only_is_told(journal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert main(["tune"]) == 2


def test_nothing_is_kept_where_the_journal_is_in_memory_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "headband.toml"
    settings.write_text('pack = "micro"\n[journal]\npath = ""\n')
    monkeypatch.setenv("HEADBAND_CONFIG", str(settings))
    assert main(["tune"]) == 2
    assert "nowhere to keep" in capsys.readouterr().err


def test_a_computer_is_named_by_its_device_tree_or_its_processor(tmp_path: Path) -> None:
    model, processors = tmp_path / "model", tmp_path / "cpuinfo"
    processors.write_text("processor : 0\nmodel name : A Processor\n")
    assert computer(model, processors).startswith("A Processor, ")
    model.write_bytes(b"Pine64 PineNote\0")
    assert computer(model, processors).startswith("Pine64 PineNote, ")
    assert computer(tmp_path / "none", tmp_path / "none").startswith("unknown, ")
