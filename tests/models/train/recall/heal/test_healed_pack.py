"""The copy of a pack with a healed eye, without the eye's network, which needs PyTorch."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from models.pack.catalogue import find_pack, load_pack
from models.pack.chain import chain_of

HEALED = "models.train.recall.heal.healed_pack"


def made(out: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError | None = None) -> list[str]:
    """Writes the micro pack with the eye that it has into `out`; the bricks that are left out."""

    def write(*_: object) -> None:
        if fault is not None:
            raise fault

    network = ModuleType("eye")
    network.Eye, network.write = SimpleNamespace, write  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "models.train.recall.heal.eye", network)
    monkeypatch.delitem(sys.modules, HEALED, raising=False)
    healed_pack = importlib.import_module(HEALED)
    del sys.modules[HEALED]  # it has the network of this test
    pack = load_pack(find_pack("micro"))
    chain = chain_of(pack.bricks["vision"].options)
    left_out: list[str]
    _, left_out = healed_pack.write_healed(pack, chain, SimpleNamespace(), out, "Healed.", blocks=True)
    return left_out


def test_what_lies_beside_the_new_pack_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "pack.new" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    assert made(tmp_path / "pack", monkeypatch) == ["motion", "reflex"]
    assert mine.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pack", "pack.new"]
    assert load_pack(tmp_path / "pack").description.endswith(" Healed.")


def test_an_empty_folder_is_filled_and_a_fault_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OSError, match="disk is full"):
        made(tmp_path / "pack", monkeypatch, OSError("the disk is full"))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "pack").mkdir()
    made(tmp_path / "pack", monkeypatch)
    assert load_pack(tmp_path / "pack").name == "micro"
