"""A pack's table for the memory's own eye: what it needs, and what is told of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from models.pack.abilities import abilities
from models.pack.catalogue import load_pack
from models.pack.manifest import PackError, read_manifest
from models.process.rows_ring import slot_values
from tests.host.memory.two_eyes import write_micro_with_two_eyes


def test_words_find_what_the_memorys_own_eye_placed(tmp_path: Path) -> None:
    folder = write_micro_with_two_eyes(tmp_path)
    able, pack = abilities(read_manifest(folder)), load_pack(folder)
    assert able.recall and able.second_eye and able.exits == tuple(range(1, 13))
    assert "exits after 1 to 12 blocks of the memory's own eye; recall yes" in able.line()
    text, eye = pack.bricks["text"].options, pack.bricks["recall"].options
    assert {key: text[key] for key in ("encoder", "embedding", "depth")} == {
        key: eye[key] for key in ("encoder", "embedding", "depth")
    }
    assert pack.bricks["vision"].options["encoder"] != eye["encoder"]
    assert slot_values(pack) == 64 * 128


@pytest.mark.parametrize(
    ("without", "sentence"),
    [
        (
            r"embedding = .*\n",
            r"'recall': a chain with exits needs embedding in its settings in pack.toml\.$",
        ),
        (
            r"(embedding|exit_\d\d) = .*\n",
            r"'recall': it needs a chain of graphs with an exit in pack.toml\.$",
        ),
        (
            r"\[brick\.text\](.|\n)*?(?=\n\[brick\.llm)",
            r"'recall': it needs a brick 'text', by whose words its pictures are found\.$",
        ),
    ],
)
def test_a_table_that_cannot_be_used_is_one_sentence(tmp_path: Path, without: str, sentence: str) -> None:
    manifest = write_micro_with_two_eyes(tmp_path) / "pack.toml"
    manifest.write_text(re.sub(rf"(?m)^{without}", "", manifest.read_text()))
    with pytest.raises(PackError, match=sentence) as caught:
        load_pack(manifest.parent)
    assert "\n" not in str(caught.value)
