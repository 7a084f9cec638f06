"""The command that fetches what checkpoints have beside their weights, with a hub on this computer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from models.pack.manifest import Manifest
from tests.models.convert import published
from tests.models.convert.published import beside_weights, main, named_packs
from tests.models.install.misbehaving_hub import Hub, running_hub


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with running_hub() as hub:
        monkeypatch.setenv("HEADBAND_HUB", hub.address)
        yield hub


@pytest.fixture(autouse=True)
def any_content(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the hub of the tests has is not what a manifest's SHA-256 says."""

    def unsealed() -> list[Manifest]:
        return [
            replace(pack, files=tuple(replace(file, size_bytes=0, sha256="") for file in pack.files))
            for pack in named_packs()
        ]

    monkeypatch.setattr(published, "named_packs", unsealed)


def publish(hub: Hub, *, optional: bool) -> list[str]:
    """Publishes the files of every pack's checkpoint; their places in the folder."""
    places = []
    for pack in named_packs():
        for checkpoint, file in beside_weights(pack):
            if file.source and (optional or not file.optional):
                hub.add(file.source.repository, file.source.file, b"{}", file.source.revision)
                places.append(f"{checkpoint}/{file.source.file}")
    return sorted(set(places))


@pytest.mark.parametrize("optional", [True, False])
def test_each_named_checkpoint_gets_a_folder_and_no_weights(tmp_path: Path, hub: Hub, optional: bool) -> None:
    wanted = publish(hub, optional=optional)
    assert main([str(tmp_path)]) == 0
    came = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert came == sorted(wanted) and not [name for name in came if "safetensors" in name]
    checkpoints = {"SmolVLM-500M-Instruct", "SmolVLM-256M-Instruct", "llava-onevision-qwen2-0.5b-si-hf"}
    checkpoints |= {"siglip-base-patch16-224"}
    assert {path.name for path in tmp_path.iterdir()} == checkpoints
    for checkpoint in checkpoints:
        assert (tmp_path / checkpoint / "config.json").is_file()
    asked = len(hub.requests)
    assert main([str(tmp_path)]) == 0 and (not optional or len(hub.requests) == asked)


def test_where_they_cannot_be_reached_it_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEADBAND_HUB", "http://127.0.0.1:9")
    assert main([str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("The checkpoints' files can't be had here: config.json could not be fetched")
    assert error.count("\n") == 1
