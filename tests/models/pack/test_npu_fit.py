"""Detection of an NPU, the fit of its runtime to a model, and the choice between a pack's two networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.brick import Placement
from models.pack.catalogue import PACKS_FOLDER, PackError, load_pack, seal
from models.pack.manifest import read_manifest
from models.pack.npu_fit import Npu, NpuNeed, find_npu, unfit, unfit_versions

WHOLE = Npu("rk3566", True, "0.9.8", True, "2.5.0", True)
NEED = NpuNeed(("rk3566", "rk3568"), "2.5.0", "0.9.6")
TABLE = """
name = "one-graph"

[[file]]
path = "vit.onnx"

[brick.vision]
runtime = "onnxruntime"
memory_mib = 30
files = { model = "vit.onnx" }

[brick.vision.settings]
tokens = 64
width = 128

[[file]]
path = "vit.rknn"
made_from = ["vit.onnx"]

[brick.vision.npu]
file = "vit.rknn"
chips = ["rk3566", "rk3568"]
librknnrt = "2.5.0"
driver = "0.9.6"
side_px = 128
memory_mib = 40
"""


def computer(folder: Path, compatible: bytes, driver: str = "", library: bytes = b"") -> Npu | None:
    """The NPU that is found on a computer with this device tree, driver and librknnrt.so."""
    tree = folder / "sys/firmware/devicetree/base/compatible"
    tree.parent.mkdir(parents=True)
    tree.write_bytes(compatible)
    if driver:
        (folder / "sys/bus/platform/drivers/RKNPU/fde40000.npu").mkdir(parents=True)
        (folder / "sys/module/rknpu").mkdir(parents=True)
        (folder / "sys/module/rknpu/version").write_text(f"{driver}\n")
    path = folder / "librknnrt.so"
    if library:
        path.write_bytes(b"\x7fELF" + bytes(5000) + library + bytes(5000))
    return find_npu(folder / "sys", path)


def test_a_computer_without_such_a_chip_has_none(tmp_path: Path) -> None:
    assert find_npu(tmp_path) is None
    assert computer(tmp_path, b"raspberrypi,5-model-b\0brcm,bcm2712\0") is None


def test_a_board_tells_its_chip_driver_and_library(tmp_path: Path) -> None:
    says = b"librknnrt version: 2.5.0 (429f97ae6b@2026-04-09T09:09:27)"
    found = computer(tmp_path, b"radxa,zero3\0rockchip,rk3566\0", "0.9.8", says)
    assert found is not None
    assert (found.chip, found.driver, found.driver_version) == ("rk3566", True, "0.9.8")
    assert (found.runtime, found.runtime_version) == (True, "2.5.0")


def test_mainline_has_no_driver_and_a_strange_library_no_version(tmp_path: Path) -> None:
    found = computer(tmp_path, b"radxa,rock-5a\0rockchip,rk3588s\0", library=b"nothing to say")
    assert found is not None and found.chip == "rk3588" and not found.driver
    assert (found.runtime, found.runtime_version) == (True, "")


def without(**changed: Any) -> Npu:
    return Npu(**{**vars(WHOLE), **changed})


@pytest.mark.parametrize(
    ("npu", "says", "fix"),
    [
        (
            without(chip="rk3588"),
            "is for an rk3566 or rk3568, and this is an rk3588",
            "convert it for rk3588",
        ),
        (without(driver=False), "no driver for the NPU", "rknpu"),
        (without(driver_version="0.9.2"), "driver is 0.9.2, and vit.rknn needs 0.9.6", "update the kernel"),
        (without(driver_version="0.10.0"), "", ""),
        (without(driver_version=""), "", ""),
        (
            without(runtime=False),
            "runtime is missing: there is no /usr/lib/librknnrt.so",
            "rknn-toolkit2 2.5.0",
        ),
        (
            without(runtime_version="2.3.2"),
            "runtime is 2.3.2, and vit.rknn needs 2.5.0",
            "rknn-toolkit2 2.5.0",
        ),
        (without(runtime_version=""), "of an unknown version", "rknn-toolkit2 2.5.0"),
        (without(bindings=False), "rknn-toolkit-lite2 is not installed", "./justw npu"),
        (WHOLE, "", ""),
    ],
)
def test_what_does_not_fit_is_one_sentence_with_what_to_do(npu: Npu, says: str, fix: str) -> None:
    problem = unfit(npu, NEED, "vit.rknn")
    if not says:
        assert problem is None
        return
    assert problem is not None and says in problem.says and fix in problem.fix
    assert problem.says.count(".\n") == 0 and problem.says.endswith(".") and problem.fix.endswith(".")


@given(
    api=st.tuples(*[st.integers(0, 30)] * 3), driver=st.tuples(*[st.integers(0, 30)] * 3),
    form=st.sampled_from([
        "RKNN VERSION:\n  API: {0} (c949ad889d@2024-11-07T11:35:33)\n  DRV: {1}\n",
        "API: librknnrt version: {0} (c949@2024), DRV: rknn_server: {1}",
    ]),
)  # fmt: skip
def test_only_the_pinned_runtime_and_a_driver_that_is_new_enough_pass(
    api: tuple[int, ...], driver: tuple[int, ...], form: str
) -> None:
    words = [".".join(map(str, version)) for version in (api, driver)]
    problem = unfit_versions(form.format(*words), NpuNeed((), "2.5.0", "0.9.6"), "vit.rknn")
    assert (problem is None) == (api == (2, 5, 0) and driver >= (0, 9, 6))
    assert problem is None or "vit.rknn" in problem


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pack with a vision network, which is also compiled for an NPU."""
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "pack.toml").write_text(TABLE)
    (folder / "vit.onnx").write_bytes(b"a graph")
    (folder / "vit.rknn").write_bytes(b"compiled")
    seal(folder)
    return folder


def test_the_network_for_the_npu_is_used_where_everything_fits(pack: Path) -> None:
    loaded = load_pack(pack, npu=WHOLE)
    spec = loaded.bricks["vision"]
    assert (spec.module, spec.placement, spec.memory_mib) == (
        "models.bricks.eye.vision_rknn",
        Placement.NPU,
        40,
    )
    assert spec.options["model"] == str(pack / "vit.rknn")
    assert (spec.options["librknnrt"], spec.options["side_px"], spec.options["tokens"]) == ("2.5.0", 128, 64)
    assert loaded.left_out is None and "vit.rknn" in {file.path for file in loaded.files}


@pytest.mark.parametrize("npu", [None, without(runtime_version="2.3.2"), without(chip="rk3588")])
def test_otherwise_the_cores_do_it_and_the_pack_says_why(pack: Path, npu: Npu | None) -> None:
    loaded = load_pack(pack, npu=npu)
    spec = loaded.bricks["vision"]
    assert (spec.module, spec.placement) == ("models.bricks.eye.vision", Placement.CPU)
    assert spec.options["model"] == str(pack / "vit.onnx")
    assert (loaded.left_out is None) == (npu is None)


def test_a_pack_is_whole_without_the_network_for_the_npu(pack: Path) -> None:
    (pack / "vit.rknn").unlink()
    loaded = load_pack(pack, npu=WHOLE)
    assert loaded.bricks["vision"].module == "models.bricks.eye.vision"
    assert loaded.left_out is not None and loaded.left_out.missing and "vit.rknn" in loaded.left_out.says
    assert [file.path for file in read_manifest(pack).extras] == ["vit.rknn"]


def test_a_damaged_network_for_the_npu_is_refused(pack: Path) -> None:
    (pack / "vit.rknn").write_bytes(b"computed")
    with pytest.raises(PackError, match=r"vit.rknn is damaged"):
        load_pack(pack)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("side_px = 128", "side = 128", r"\[brick.vision.npu\] has the unknown key side"),
        ('librknnrt = "2.5.0"', "", "lacks the key librknnrt"),
        ("side_px = 128", "side_px = 128.5", "side_px is 128.5; it must be a whole number, 1 to 4096 pixels"),
        ('file = "vit.rknn"', 'file = "other.rknn"', "other.rknn isn't listed"),
    ],
)
def test_a_bad_table_is_one_sentence_on_every_computer(pack: Path, old: str, new: str, sentence: str) -> None:
    manifest = pack / "pack.toml"
    manifest.write_text(manifest.read_text().replace(old, new))
    with pytest.raises(PackError, match=sentence):
        load_pack(pack)


def test_the_published_packs_name_their_networks_for_the_board() -> None:
    for name in ("standard", "fast", "paper"):
        manifest = read_manifest(PACKS_FOLDER / name)
        (extra,) = manifest.extras
        assert extra.path.endswith("-rk3566.rknn") and extra not in manifest.needed
        assert manifest.bricks["vision"]["npu"]["librknnrt"] == "2.5.0"
        assert manifest.bricks["vision"]["files"]["model"] in extra.made_from
