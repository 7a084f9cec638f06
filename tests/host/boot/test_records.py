"""The files of boot counting: what was written is read, damage is seen, and root follows nobody's links."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from host.boot.counting import Count, Proof, Standing
from host.boot.records import COUNT, boot_id, linked, read_count, read_proof, write_count, write_proof

STANDINGS: Mapping[str, Standing] = {"a": "good", "b": "new"}
COUNTED = Count("b", 1, 7, "boot", "it ended", STANDINGS, "c", "it was deaf", told=True, failed_boots=1)
PROVEN = Proof("b", 7, listens=True, self_test="The voice “failed”.", steady=True, stopped=True, told=True)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert read_count(tmp_path) is None and read_proof(tmp_path / "proof") is None
    write_count(tmp_path, COUNTED)
    assert read_count(tmp_path) == COUNTED
    for proof in (PROVEN, Proof("b", 8)):  # the shorter one in the place of the longer
        write_proof(tmp_path / "proof", proof)
        assert read_proof(tmp_path / "proof") == proof
    assert (tmp_path / "proof").stat().st_size == 4096 and (tmp_path / "proof").stat().st_mode & 0o77 == 0
    write_proof(tmp_path / "proof", Proof("b", 9, self_test="\x1b[2Jdeaf\n"))
    found = read_proof(tmp_path / "proof")
    assert found is not None and found.self_test == " [2Jdeaf "
    write_proof(tmp_path / "proof", Proof("b", 9, self_test="“" * 9000))
    found = read_proof(tmp_path / "proof")
    assert found is not None and found.self_test == "“" * 300


def test_a_guard_of_before_reads_the_count_unless_a_good_release_fails_at_boots(tmp_path: Path) -> None:
    write_count(tmp_path, replace(COUNTED, failed_boots=0))
    table = json.loads((tmp_path / COUNT).read_text())
    assert set(table) == {*asdict(COUNTED), "sha256"} - {"failed_boots"}
    assert read_count(tmp_path) == replace(COUNTED, failed_boots=0)


@settings(max_examples=30)
@given(st.integers(0), st.integers(0, 7))
def test_a_flipped_bit_makes_no_other_count_and_no_other_proof(at: int, bit: int) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as name:
        folder = Path(name)
        write_count(folder, COUNTED)
        write_proof(folder / "proof", PROVEN)
        for file in (COUNT, "proof"):
            content = bytearray((folder / file).read_bytes())
            content[at % len(content)] ^= 1 << bit
            (folder / file).write_bytes(content)
        assert read_count(folder) in (COUNTED, Count()) and read_proof(folder / "proof") in (PROVEN, None)


def test_neither_a_link_nor_a_pipe_nor_nonsense_is_read_as_a_proof(tmp_path: Path) -> None:
    write_proof(tmp_path / "proof", PROVEN)
    (tmp_path / "link").symlink_to("proof")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "list").write_text("[1]")
    (tmp_path / "folder").mkdir()
    for name in ("link", "pipe", "list", "folder"):
        assert read_proof(tmp_path / name) is None


def test_links_and_the_boot(tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to("releases/a")
    assert linked(tmp_path, "current") is None and linked(tmp_path, "previous") is None
    (tmp_path / "releases/a").mkdir(parents=True)
    assert linked(tmp_path, "current") == "a"
    assert boot_id(tmp_path) == "unknown" and len(boot_id(Path("/"))) > 30


def test_the_digest_is_a_sha_256_and_loads_no_openssl(tmp_path: Path) -> None:
    """A release from before or after this one reads the same files."""
    write_proof(tmp_path / "proof", PROVEN)
    table = json.loads((tmp_path / "proof").read_bytes())
    plain = json.dumps(asdict(PROVEN), sort_keys=True).encode()
    assert table["sha256"] == hashlib.sha256(plain).hexdigest()
    code = (
        "import sys; from pathlib import Path; from host.boot.records import read_proof; "
        f"print(read_proof(Path({str(tmp_path / 'proof')!r})).start, '_hashlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["7", "False"]
