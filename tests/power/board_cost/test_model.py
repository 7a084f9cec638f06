"""Counts to milliseconds on a board, and the comparison with published figures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.settings import SettingsError
from power.board_cost.board import Board, Fit, load_boards, parts
from power.board_cost.bricks import Brick, cost, load_bricks, missing_runs
from power.board_cost.counts import Counts, CountsError, read_counts
from power.board_cost.validation import Row, Source, load_counted, load_published, validate

BOARD: Board = load_boards()["rk3566"]
WORK = Counts(
    instructions=1_000_000, scalar=300_000, vector=400_000, dot_product=100_000, loads=150_000, stores=50_000,
    load_bytes=2_400_000, store_bytes=800_000, cycles=1_500_000.0, level1_stream=40_000, level1_random=2_000,
    level1_store=10_000, memory_stream=30_000, memory_random=500, memory_store=8_000,
)  # fmt: skip
SOURCE = Source("somebody's table", "rk3566", "1800 MHz", "zeros")


def test_the_kept_files_are_sound() -> None:
    sources, rows = load_published()
    boards, kept = load_boards(), load_counted()
    assert {each.board for each in sources.values()} <= set(boards)
    found = validate(rows, sources, boards, kept)
    assert len(found.compared) >= 8
    assert all(row.cannot for row in rows if not row.run)
    for brick in load_bricks().values():
        if not missing_runs(brick, kept):
            made = cost(brick, kept, BOARD, found, cores=4)
            assert 0 < made.low_ms <= made.ms <= made.high_ms


def test_the_model_keeps_to_its_aim_on_programs_that_it_was_not_fitted_to() -> None:
    sources, rows = load_published()
    found = validate(rows, sources, load_boards(), load_counted())
    assert found.median_error <= 0.20 and found.worst_error <= 0.45


@given(
    cores=st.integers(1, 4), cpu_mhz=st.floats(408, 2000), ddr_mhz=st.floats(324, 1056), more=st.floats(1, 5)
)
def test_more_cores_and_faster_clocks_never_take_longer(
    cores: int, cpu_mhz: float, ddr_mhz: float, more: float
) -> None:
    now = parts(WORK, BOARD, cpu_mhz, ddr_mhz)
    assert now.total_ms(cores + 1) <= now.total_ms(cores)
    assert parts(WORK, BOARD, cpu_mhz * more, ddr_mhz).total_ms(cores) <= now.total_ms(cores)
    assert parts(WORK, BOARD, cpu_mhz, ddr_mhz * more).total_ms(cores) <= now.total_ms(cores)
    assert parts(WORK.plus(WORK), BOARD, cpu_mhz, ddr_mhz).total_ms() == pytest.approx(2 * now.total_ms())


def test_cores_do_not_speed_up_what_memory_holds_back() -> None:
    streaming = replace(WORK, cycles=0.0, level1_stream=WORK.memory_stream, memory_random=0, level1_random=0)
    own = parts(streaming, BOARD)
    assert own.total_ms(4) == pytest.approx(own.total_ms(1))


@pytest.mark.parametrize("clock", [0.0, -1.0])
def test_a_clock_that_stands_still_is_refused(clock: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        parts(WORK, BOARD, cpu_mhz=clock)


def test_the_fit_finds_the_factors_that_made_the_figures_and_each_program_is_judged_without_its_own() -> None:
    true = Fit(core=0.8, memory=1.5)
    works = {
        f"p{each}": replace(WORK, cycles=each * 1e6, memory_stream=30_000 // each, level1_stream=40_000)
        for each in range(1, 6)
    }
    rows = [
        Row("s", name, parts(work, BOARD).total_ms(cores, true), cores, name)
        for name, work in works.items()
        for cores in (1, 4)
    ]
    found = validate(rows, {"s": SOURCE}, {"rk3566": BOARD}, {name: [work] for name, work in works.items()})
    assert found.fit.core == pytest.approx(0.8, rel=0.01) and found.fit.memory == pytest.approx(1.5, rel=0.01)
    assert found.worst_error < 0.01
    odd = [replace(row, ms=row.ms * 2) if row.run == "p3" else row for row in rows]
    judged = validate(odd, {"s": SOURCE}, {"rk3566": BOARD}, {name: [work] for name, work in works.items()})
    errors = {each.row.run: each.error for each in judged.compared}
    assert errors["p3"] == pytest.approx(-0.5, abs=0.01)
    low, high = judged.spread
    assert high == pytest.approx(2, rel=0.02) and low < 1


def test_a_figure_whose_program_was_not_counted_is_left_out_and_named() -> None:
    row = Row("s", "somewhere else", 10.0, 1, cannot="Its program is not public.")
    found = validate([row, Row("s", "p", 3.0, 1, "p")], {"s": SOURCE}, {"rk3566": BOARD}, {"p": [WORK]})
    assert found.left_out == (row,) and len(found.compared) == 1


def test_layers_are_differences_of_counted_models() -> None:
    kept = {"one": [WORK], "two": [WORK.plus(WORK)]}
    found = validate([Row("s", "p", 3.0, 1, "one")], {"s": SOURCE}, {"rk3566": BOARD}, kept)
    brick = Brick("24 layers", "token", (("two", 0, 23.0), ("one", 0, -22.0)), "differences")
    made = cost(brick, kept, BOARD, found, cores=1)
    assert made.ms == pytest.approx(24 * parts(WORK, BOARD).total_ms(1, found.fit))


def test_work_for_one_core_takes_as_long_on_four() -> None:
    kept = {"one": [WORK]}
    found = validate([Row("s", "p", 3.0, 1, "one")], {"s": SOURCE}, {"rk3566": BOARD}, kept)
    alone = Brick("loading", "load", (("one", 0, 1.0),), "alone", cores=1)
    on_one, on_four = (cost(alone, kept, BOARD, found, cores).ms for cores in (1, 4))
    assert on_one == on_four > cost(replace(alone, cores=8), kept, BOARD, found, cores=4).ms


def test_what_only_one_core_can_do_adds_to_what_all_share() -> None:
    kept = {"one": [WORK]}
    found = validate([Row("s", "p", 3.0, 1, "one")], {"s": SOURCE}, {"rk3566": BOARD}, kept)
    shared = Brick("blocks", "view", (("one", 0, 1.0),), "shared")
    both = replace(shared, alone=(("one", 0, 2.0),))
    on_one, on_four = (cost(both, kept, BOARD, found, cores).ms for cores in (1, 4))
    alone_ms = 2 * parts(WORK, BOARD).total_ms(1, found.fit)
    assert on_four == pytest.approx(cost(shared, kept, BOARD, found, 4).ms + alone_ms)
    assert on_one == pytest.approx(1.5 * alone_ms)
    assert missing_runs(replace(both, alone=(("other", 0, 1.0),)), kept) == ["other"]


REGION = {
    "load_bytes": 0, "store_bytes": 0, "level1_stream": 5, "level1_random": 1, "level1_store": 2,
    "last_stream": 4, "last_random": 1, "last_store": 1,
    "blocks": [[4096, 10, "8b020020f9400020"], [8192, 2, "4e829420"]],
}  # fmt: skip


def test_the_plugins_file_becomes_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(REGION) + "\n" + json.dumps(REGION) + "\n")
    first, second = read_counts(path)
    assert first == second
    assert (first.instructions, first.scalar, first.loads, first.dot_product) == (22, 10, 10, 2)
    assert first.load_bytes == 80 and first.memory_stream == 4


@pytest.mark.parametrize("text", ["{", '{"blocks": []}', '{"blocks": [[1, 2]]}', "[]"])
def test_another_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "counts.json"
    path.write_text(text)
    with pytest.raises(CountsError, match="not what the counting plugin writes"):
        read_counts(path)
    with pytest.raises(CountsError, match="left nothing"):
        read_counts(tmp_path / "none.json")


def test_bad_tables_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text('[[row]]\nsource = "nobody"\nprogram = "p"\nms = 1.0\nrun = "p"\n')
    with pytest.raises(SettingsError, match="which is no source"):
        load_published(path)
    path.write_text("")
    with pytest.raises(SettingsError, match="names no board"):
        load_boards(path)
    path.write_text('[b]\ntitle = "t"\nunit = "u"\nhow = "h"\nterms = [["run", 0]]\n')
    with pytest.raises(SettingsError):
        load_bricks(path)
    path.write_text('[b]\ntitle = "t"\nunit = "u"\nhow = "h"\nterms = [["run", 0, 1.0]]\nalone = [["run"]]\n')
    with pytest.raises(SettingsError, match="needs terms"):
        load_bricks(path)
    path.write_text('{"p": [{"cycles": 1}]}')
    with pytest.raises(SettingsError, match="--count"):
        load_counted(path)
