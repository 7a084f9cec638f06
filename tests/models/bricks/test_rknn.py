"""VisionBrick on the NPU, with a double of rknn-toolkit-lite2: the same rows, faults in one sentence, and a
new process when the runtime's leak has grown.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.brick import Frame, Placement
from models.pack.brick_table import NPU_MODULE
from models.pack.catalogue import Pack, load_pack
from models.process.bricks import Bricks
from models.process.residency import BrickFailed
from models.process.rss import tree
from tests.models.bricks.bricks_bench import answer, files_of, micro, run_bricks
from tests.models.bricks.chain_graphs import ChainShape, write_pack
from tests.models.rknn_double.rknnlite.api.rknn_lite import LOST_IN_A_RUN, compiled

DOUBLE = Path(__file__).parents[1] / "rknn_double"
BOARD = {"chip": "rk3566", "api": "2.5.0", "driver": "0.9.8"}
PICTURES = [Frame(np.random.default_rng(seed).integers(0, 256, (96, 128, 3), np.uint8)) for seed in range(3)]


def one_graph(folder: Path) -> Pack:
    """The micro pack with an eye of random weights as one graph, which gives 64 rows of 128."""
    shape = ChainShape(64, (2, 2, 2), row_width=128)
    vision = load_pack(write_pack(folder / "eye", shape)).bricks["vision"]
    model = str(Path(vision.options["stem"]).parent / "whole.onnx")
    options = {"model": model, "tokens": shape.tokens, "width": shape.row_width}
    spec = replace(vision, options=options)
    return replace(micro(), bricks={**micro().bricks, "vision": spec})


def on_npu(folder: Path, **changed: Any) -> Pack:
    """`one_graph`, compiled by version 2.5.0 for an rk3566. `changed`: options."""
    pack = one_graph(folder)
    vision = pack.bricks["vision"]
    model = folder / "vision.rknn"
    model.write_bytes(compiled(Path(vision.options["model"]).read_bytes(), "rk3566", "2.5.0"))
    options = {**vision.options, "model": str(model), "librknnrt": "2.5.0", "side_px": 64, **changed}
    spec = replace(vision, placement=Placement.NPU, module=NPU_MODULE, options=options)
    return replace(pack, bricks={**pack.bricks, "vision": spec})


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes this computer a board with an NPU; `changed`: its properties, where they differ."""

    def made(**changed: str) -> None:
        monkeypatch.setenv("PYTHONPATH", str(DOUBLE))
        monkeypatch.setenv("RKNN_DOUBLE", json.dumps({**BOARD, **changed}))

    return made


def test_the_npus_rows_are_those_of_onnx_runtime_and_lie_in_the_ring(tmp_path: Path, board: Any) -> None:
    board()
    seen: list[list[np.ndarray]] = []

    async def scenario(bricks: Bricks) -> None:
        seen.append([])
        for picture in PICTURES:
            (embedding,) = await answer(bricks, "vision", picture)
            assert embedding.slot is not None
            seen[-1].append(bricks.rows(embedding).copy())
            bricks.discard(embedding)

    run_bricks(scenario, pack=one_graph(tmp_path))
    run_bricks(scenario, pack=on_npu(tmp_path))
    for cores, npu in zip(*seen, strict=True):
        assert np.allclose(cores, npu, rtol=1e-5, atol=1e-5)
    assert not np.allclose(seen[1][0], seen[1][1])


def test_only_the_eyes_process_has_the_npus_library_and_not_with_code_under_the_gpl(
    tmp_path: Path, board: Any
) -> None:
    library = tmp_path / "librknnrt.so"
    library.write_bytes(b"Rockchip's" * 1000)
    board(library=str(library))
    # The tests' own process may have spoken for another test.
    before = {"main"} if "piper" in Path("/proc/self/maps").read_text() else set[str]()

    async def scenario(bricks: Bricks) -> None:
        (embedding,) = await answer(bricks, "vision", PICTURES[0])
        bricks.discard(embedding)
        for name in ("stt", "llm", "tts"):
            await answer(bricks, name)
        mapped = files_of({**bricks.pids(), "main": os.getpid()})
        assert {name for name, files in mapped.items() if str(library) in files} == {"vision"}
        assert {name for name, files in mapped.items() if "piper" in files} == {"tts"} | before
        assert {"stt", "llm", "server", "main"} <= set(mapped)

    run_bricks(scenario, pack=on_npu(tmp_path))


FAULTS = {
    "no such file": ({}, {"model": "/nowhere/vision.rknn"}, "model file /nowhere/vision.rknn can't be read"),
    "unreadable": ({"fails": "load_rknn"}, {}, "vision.rknn can't be read"),
    "another chip": (
        {"chip": "rk3588"}, {},
        "does not take vision.rknn, .*this chip and for librknnrt 2.5.0 .*RKNN_ERR_MODEL_INVALID",
    ),
    "no runtime": ({"fails": "init_runtime"}, {}, "does not take vision.rknn.*init runtime"),
    "an old runtime": ({"fails": "symbol"}, {}, "does not take vision.rknn.*undefined symbol"),
    "another runtime": ({"api": "2.3.2"}, {}, "runtime is 2.3.2, and vision.rknn needs 2.5.0"),
    "an older driver": ({"driver": "0.8.2"}, {"driver": "0.9.6"}, "driver is 0.8.2, and .* needs 0.9.6"),
    "no version": ({"fails": "get_sdk_version"}, {}, "does not tell its version"),
    "a runtime that ends the process": ({"fails": "crash"}, {}, "SIGSEGV|signal 11|ended"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_the_npu_is_one_sentence(tmp_path: Path, board: Any, fault: str) -> None:
    has, options, sentence = FAULTS[fault]
    board(**has)

    async def scenario(bricks: Bricks) -> None:
        with pytest.raises(BrickFailed, match=sentence) as caught:
            await answer(bricks, "vision", PICTURES[0])
        assert "\n" not in str(caught.value)

    run_bricks(scenario, pack=on_npu(tmp_path, **options))


@pytest.mark.parametrize("fails", ["init_runtime", "crash", "inference", "numbers"])
def test_a_picture_whose_npu_fails_is_encoded_on_the_cores_in_the_same_request(
    tmp_path: Path, board: Any, fails: str
) -> None:
    board(fails=fails)
    npu, cores = on_npu(tmp_path), one_graph(tmp_path / "cores")
    rows: list[np.ndarray] = []

    async def scenario(bricks: Bricks) -> None:
        (embedding,) = await answer(bricks, "vision", PICTURES[0])
        rows.append(bricks.rows(embedding).copy())
        bricks.discard(embedding)

    run_bricks(scenario, pack=cores)
    run_bricks(scenario, pack=replace(npu, on_cores={"vision": cores.bricks["vision"]}))
    assert np.allclose(rows[0], rows[1], rtol=1e-5, atol=1e-5)


def test_without_the_package_the_sentence_names_it(tmp_path: Path) -> None:
    async def scenario(bricks: Bricks) -> None:
        with pytest.raises(BrickFailed, match="rknn-toolkit-lite2 can't be imported"):
            await answer(bricks, "vision", PICTURES[0])

    run_bricks(scenario, pack=on_npu(tmp_path))


@pytest.mark.parametrize(
    ("fails", "sentence"),
    [("inference", "failed at a picture.*running RKNN model"), ("shape", r"gives \(1, 63, 128\).* 64 rows")],
)
def test_a_run_that_fails_costs_the_process_and_leaves_no_slot(
    tmp_path: Path, board: Any, monkeypatch: pytest.MonkeyPatch, fails: str, sentence: str
) -> None:
    board(fails=fails)

    async def scenario(bricks: Bricks) -> None:
        for _ in range(6):  # more than the ring has slots
            with pytest.raises(BrickFailed, match=sentence):
                await answer(bricks, "vision", PICTURES[0])

    run_bricks(scenario, pack=on_npu(tmp_path))


def anonymous_mib(pid: int) -> float:
    """Anonymous memory of a process, MiB. The share of a library's pages would change when other programs
    that use the library start and end.
    """
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(kib) for kib in re.findall(r"Pss_Anon: +(\d+) kB", text)) / 1024


def test_memory_that_the_runtime_loses_returns_with_the_release(tmp_path: Path, board: Any) -> None:
    board()
    runs = 60

    async def looked(bricks: Bricks, times: int) -> None:
        for _ in range(times):
            (embedding,) = await answer(bricks, "vision", PICTURES[0])
            bricks.discard(embedding)

    async def scenario(bricks: Bricks) -> None:
        await looked(bricks, 20)  # by then they fill what malloc had free
        pid = bricks.pids()["vision"]
        begun_mib = anonymous_mib(pid)
        await looked(bricks, runs)
        assert anonymous_mib(pid) - begun_mib > 0.7 * runs * LOST_IN_A_RUN / 2**20
        await bricks.release("vision")
        assert pid not in tree() and "vision" not in bricks.pids()
        await looked(bricks, 20)
        assert anonymous_mib(bricks.pids()["vision"]) < begun_mib + 0.3 * runs * LOST_IN_A_RUN / 2**20

    run_bricks(scenario, pack=on_npu(tmp_path))
