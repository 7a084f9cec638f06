"""A named pack brings what a checkpoint says of itself: how its pictures, texts and prompts are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.install.file_formats import format_fault
from models.install.staging import StoreError
from models.pack.manifest import read_manifest
from tests.models.install.misbehaving_hub import Hub
from tests.models.install.packs_bench import (
    BRICK,
    CHECKPOINT,
    MADE,
    MANIFEST,
    ROOT,
    brought,
    cached,
    write,
)


def test_an_optional_file_that_is_not_published_is_passed_over(shipped: Path, hub: Hub):
    entry = '\n[[file]]\npath = "original/chat_template.jinja"\nrepository = "owner/vlm"\nfile = "t.jinja"\n'
    made = MADE.replace(
        '["original/model.safetensors"]', '["original/model.safetensors", "original/chat_template.jinja"]'
    )
    write(shipped, MANIFEST + entry + made + BRICK)
    with pytest.raises(StoreError, match=r"chat_template\.jinja is not to be had at .*404"):
        brought(shipped, hub)
    write(shipped, MANIFEST + entry + "optional = true\n" + made + BRICK)
    found = brought(shipped, hub)
    assert [file.path for file in found.lacking] == ["vision.onnx"]
    parts = cached(shipped) / "parts/small"
    assert (parts / "original/model.safetensors").read_bytes() == CHECKPOINT
    assert not (parts / "original/chat_template.jinja").exists()
    hub.add("owner/vlm", "t.jinja", b"no template at all")
    with pytest.raises(StoreError, match="what came is no template"):
        brought(shipped, hub)
    hub.add("owner/vlm", "t.jinja", b"{% for message in messages %}{{ message }}{% endfor %}")
    assert [file.path for file in brought(shipped, hub).files] == ["original/chat_template.jinja"]


@pytest.mark.parametrize(
    ("name", "folder"), [("standard", "smolvlm"), ("fast", "smolvlm-256m"), ("paper", "llava-onevision")]
)
def test_a_named_pack_brings_what_its_checkpoint_says_of_itself(name: str, folder: str):
    """The conversion reads from these how pictures, texts and prompts are made."""
    manifest = read_manifest(ROOT / "models" / "packs" / name)
    beside = {
        Path(file.path).name: file for file in manifest.sources if Path(file.path).parent.name == folder
    }
    must = {"model.safetensors", "config.json", "preprocessor_config.json", "tokenizer.json"}
    may = {"tokenizer_config.json", "processor_config.json", "chat_template.json"}
    assert must | may <= set(beside)
    assert {path for path, file in beside.items() if not file.optional} == must
    assert (
        len({(file.source.repository, file.source.revision) for file in beside.values() if file.source}) == 1
    )


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("m/processor_config.json", '{"processor_class": "Idefics3Processor"}', ""),
        ("m/tokenizer_config.json", '{"tokenizer_class": "GPT2Tokenizer"}', ""),
        ("m/chat_template.json", '{"chat_template": "{{ messages }}"}', ""),
        ("m/chat_template.json", '{"error": "Invalid username"}', "an error message in JSON"),
        ("m/processor_config.json", '{"model_type": "x"}', "JSON without 'processor_class'"),
        ("m/chat_template.jinja", "{%- if a %}b{% endif %}", ""),
        ("m/chat_template.jinja", "<!DOCTYPE html>{{ a }}", "a web page"),
    ],
)
def test_what_a_checkpoint_says_of_itself_is_of_its_format(tmp_path: Path, name: str, text: str, fault: str):
    (tmp_path / "file").write_text(text)
    assert format_fault(tmp_path / "file", name) == fault
