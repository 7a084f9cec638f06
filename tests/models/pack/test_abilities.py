"""What a pack can do, by its manifest."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.pack.abilities import Abilities, abilities
from models.pack.manifest import PackError, read_manifest


def able(tmp_path: Path, *, exits: tuple[int, ...], text: bool, settings: str = "") -> Abilities:
    """Of a pack with a chain of three groups of two blocks and exits after some of them."""
    keys = ["stem", "group_01", "group_02", "group_03", "rows", *(f"exit_{number:02}" for number in exits)]
    files = ", ".join(f'{key} = "{key}.onnx"' for key in keys)
    listed = "".join(f'[[file]]\npath = "{key}.onnx"\n' for key in keys)
    words = (
        '[brick.text]\nruntime = "onnxruntime-text"\nmemory_mib = 9\n'
        'files = { model = "text.onnx", words = "text.json" }\n'
    )
    (tmp_path / "pack.toml").write_text(
        f'name = "p"\n{listed}[brick.vision]\nruntime = "onnxruntime"\nmemory_mib = 9\n'
        f"files = {{ {files} }}\n[brick.vision.settings]\nside_px = 56\ngroups = [2, 2, 2]\n"
        f"embedding = 64\n{settings}\n{words * text}"
    )
    return abilities(read_manifest(tmp_path))


def test_a_text_tower_beside_exits_finds_what_was_seen_by_words(tmp_path: Path):
    found = able(tmp_path, exits=(1, 2, 3), text=True)
    assert found == Abilities(
        live=False, exits=(2, 4, 6), untrained=(), text=True, reflex=False, motion=False
    )
    assert found.line() == "live no; exits after 2, 4, 6 blocks; recall yes; reflex no; motion no"
    assert found.recall and found.note() == ""


def test_a_pack_without_a_text_tower_says_so_in_one_sentence(tmp_path: Path):
    found = able(tmp_path, exits=(3,), text=False)
    assert not found.recall and found.exits == (6,)
    assert found.note() == "It has no text tower: what was seen is found by a picture like it, not by words."
    found = able(tmp_path, exits=(), text=True)
    assert not found.recall and found.note() == "It has no exits: what was seen can't be found again."


def test_a_pack_without_a_reflex_brick_says_who_answers_instead():
    found = Abilities(True, (2,), (), True, False, False)
    assert (
        found.note() == "It has no reflex brick: the language model answers every question about a picture."
    )
    assert Abilities(True, (2,), (), True, True, False).note() == ""
    assert Abilities(True, (), (), False, False, False).note().count("It has no ") == 2


def test_exits_that_were_not_trained_are_named(tmp_path: Path):
    found = able(tmp_path, exits=(1, 2, 3), text=True, settings="untrained_exits = [2, 4]")
    assert found.untrained == (2, 4)
    assert "exits after 2, 4, 6 blocks (untrained: 2, 4)" in found.line()
    found = able(tmp_path, exits=(1,), text=True, settings="untrained_exits = [2]")
    assert "(untrained: all)" in found.line()


def test_neighbouring_depths_are_a_range():
    found = Abilities(True, tuple(range(1, 13)), (), True, False, False)
    assert found.line().startswith("live yes; exits after 1 to 12 blocks; recall yes")


def test_a_chain_with_holes_is_refused(tmp_path: Path):
    with pytest.raises(PackError, match="exit_04"):
        able(tmp_path, exits=(4,), text=False)
