"""One file from a faulty server, which drops connections and sends damaged or other files: never wrong
bytes.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import random
import tempfile
import urllib.request
from collections.abc import Iterator
from http.client import HTTPMessage
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from models.install import bounded_response as patience
from models.install import http_download as module
from models.install.bounded_response import Refused
from models.install.http_download import WHOLE_TRIES, DownloadRequest, TransferContext, download
from models.install.staging import StoreError
from models.pack.manifest import Seal
from tests.models.install.misbehaving_hub import FAULTS, Hub, running_hub

DATA = random.Random(1).randbytes(700_001)
SHA256 = hashlib.sha256(DATA).hexdigest()
PINNED = Seal(len(DATA), SHA256)
OPEN = Seal()
FINAL = {"loop", "to-a-file", "not-found"}
"""Faults after which there is no retry."""
BEYOND_DETECTION = {"corrupt", "other", "mixed", "cut", "short"}
"""Faults with a consistent response of wrong bytes: undetectable without a SHA-256, known or from the hub."""
HARMLESS = {"redirect", "drop", "ignore-range", "missing-length"}
"""Faults that lead to the right file however often they occur."""


@pytest.fixture(scope="module")
def server() -> Iterator[Hub]:
    with running_hub() as hub:
        hub.add("owner/name", "model.bin", DATA)
        yield hub


@pytest.fixture
def hub(server: Hub) -> Hub:
    return reset(server)


def reset(hub: Hub) -> Hub:
    hub.faults.clear()
    hub.requests.clear()
    hub.served_bytes, hub.drop_at, hub.states_sha256, hub.changed, hub.tag = 0, 100_000, False, False, ""
    return hub


def request(hub: Hub, folder: Path, expected: Seal = PINNED) -> DownloadRequest:
    return DownloadRequest(f"{hub.address}/owner/name/resolve/main/model.bin", folder / "model.bin", expected)


def quick(**others: Any) -> TransferContext:
    """Records the pauses instead of sleeping."""
    return TransferContext(**{"sleep": lambda seconds: None, "timeout_s": 5.0, **others})


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_honest_server_is_read_once(hub: Hub, tmp_path: Path):
    seen: list[tuple[int, int]] = []
    seal = download(request(hub, tmp_path), quick(progress=lambda have, size: seen.append((have, size))))
    assert seal == PINNED and (tmp_path / "model.bin").read_bytes() == DATA
    assert hub.served_bytes == len(DATA) and left(tmp_path) == {"model.bin"}
    assert seen[0] == (0, len(DATA)) and seen[-1] == (len(DATA), len(DATA)) and seen == sorted(seen)


def test_a_dropped_connection_is_continued_where_it_broke(hub: Hub, tmp_path: Path):
    hub.faults += ["drop"] * 6
    pauses: list[float] = []
    assert download(request(hub, tmp_path), quick(sleep=pauses.append)) == PINNED
    assert [range_ for _, range_ in hub.requests[1:]] == [f"bytes={n}00000-" for n in range(1, 7)]
    assert hub.served_bytes == len(DATA), "nothing was read twice"
    assert len(pauses) == 6 and max(pauses) == 1.0


def test_pauses_grow_while_nothing_comes_and_then_it_gives_up(hub: Hub, tmp_path: Path):
    hub.faults += ["busy"] * 50
    pauses: list[float] = []
    with pytest.raises(StoreError, match=r"^model\.bin could not be fetched: the server answers 503 .*\.$"):
        download(request(hub, tmp_path), quick(sleep=pauses.append))
    assert pauses == [2.0, 4.0, 8.0, 16.0] and left(tmp_path) == set()


def test_a_server_that_asks_for_patience_is_given_it(hub: Hub, tmp_path: Path):
    hub.faults += ["later"]
    pauses: list[float] = []
    assert download(request(hub, tmp_path), quick(sleep=pauses.append)) == PINNED
    assert 7.0 in pauses


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("expected", [PINNED, Seal(0, SHA256)], ids=["pinned", "size open"])
def test_each_fault_alone_ends_well_or_in_a_sentence(hub: Hub, tmp_path: Path, fault: str, expected: Seal):
    hub.faults += ["drop", fault]
    if fault in FINAL:
        with pytest.raises(StoreError) as caught:
            download(request(hub, tmp_path, expected), quick())
        assert "\n" not in str(caught.value) and "model.bin" not in left(tmp_path)
        return
    download(request(hub, tmp_path, expected), quick())
    assert (tmp_path / "model.bin").read_bytes() == DATA and left(tmp_path) == {"model.bin"}


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - HARMLESS))
@pytest.mark.parametrize("expected", [PINNED, Seal(0, SHA256)], ids=["pinned", "size open"])
def test_a_server_that_never_stops_lying_gets_nothing_accepted(
    hub: Hub, tmp_path: Path, fault: str, expected: Seal
):
    hub.faults += [fault] * 200
    if fault in ("wrong-range", "gone-range"):
        hub.faults[:] = ["drop", fault] * 100
    with pytest.raises(StoreError):
        download(request(hub, tmp_path, expected), quick())
    assert "model.bin" not in left(tmp_path)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    faults=st.lists(st.sampled_from(FAULTS), max_size=8),
    begun=st.sampled_from([b"", DATA[:300_000], DATA, DATA + b"more", b"rubbish" * 9000]),
    drop_at=st.sampled_from([0, 1, 65_536, 400_000]),
    expected=st.sampled_from([PINNED, Seal(0, SHA256)]),
    states_sha256=st.booleans(),
)
def test_whatever_the_server_does_only_the_right_file_is_accepted(
    server: Hub, faults: list[str], begun: bytes, drop_at: int, expected: Seal, states_sha256: bool
):
    hub = reset(server)
    hub.faults += faults
    hub.drop_at, hub.states_sha256 = drop_at, states_sha256
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if begun:
            (folder / "model.bin.part").write_bytes(begun)
        try:
            seal = download(request(hub, folder, expected), quick())
        except StoreError:
            assert not (folder / "model.bin").exists()
        else:
            assert seal == PINNED and (folder / "model.bin").read_bytes() == DATA
            assert left(folder) == {"model.bin"}


def test_rubbish_in_a_part_costs_one_more_download(hub: Hub, tmp_path: Path):
    (tmp_path / "model.bin.part").write_bytes(b"x" * 300_000)
    assert download(request(hub, tmp_path), quick()) == PINNED
    assert len(hub.requests) == 2


def test_a_file_that_stays_wrong_is_given_up_and_thrown_away(hub: Hub, tmp_path: Path):
    hub.faults += ["corrupt"] * 50
    with pytest.raises(StoreError, match="damaged or another file"):
        download(request(hub, tmp_path), quick())
    assert len(hub.requests) == WHOLE_TRIES and left(tmp_path) == set()


def test_without_a_known_sum_the_hubs_own_word_is_checked(hub: Hub, tmp_path: Path):
    hub.states_sha256 = True
    hub.faults += ["corrupt", "drop", "redirect"]
    assert download(request(hub, tmp_path, OPEN), quick()) == PINNED


def test_without_a_known_sum_a_part_is_continued_only_from_the_same_file(hub: Hub, tmp_path: Path):
    hub.faults += ["drop", "not-found"]
    with pytest.raises(StoreError):
        download(request(hub, tmp_path, OPEN), quick())
    assert (tmp_path / "model.bin.part").stat().st_size == 100_000
    hub.changed = True
    seal = download(request(hub, tmp_path, OPEN), quick())
    assert seal.sha256 != SHA256 and hub.requests[-1][1] == "bytes=100000-"
    assert hashlib.sha256((tmp_path / "model.bin").read_bytes()).hexdigest() == seal.sha256
    assert (tmp_path / "model.bin").read_bytes()[1000:] == DATA[1000:], "all of one file"


def test_a_weak_tag_says_nothing_of_the_bytes_and_continues_no_file(hub: Hub, tmp_path: Path):
    hub.tag = 'W/"alike"'
    hub.faults += ["drop", "not-found"]
    with pytest.raises(StoreError):
        download(request(hub, tmp_path, OPEN), quick())
    hub.changed = True
    download(request(hub, tmp_path, OPEN), quick())
    data = (tmp_path / "model.bin").read_bytes()
    assert data[1000:] == DATA[1000:] and data[:1000] != DATA[:1000], "all of one file"


def test_a_disk_that_takes_a_little_at_a_time_loses_nothing(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def sparing(path: Path, *how: Any, **options: Any) -> Any:
        file = open(path, *how, **options)  # noqa: SIM115 - it is the file
        if how != ("ab",):
            return file
        return contextlib.nullcontext(SimpleNamespace(write=lambda data: file.write(data[:9_999])))

    monkeypatch.setattr(module, "open", sparing, raising=False)
    assert download(request(hub, tmp_path), quick()) == PINNED


@settings(max_examples=40, deadline=None)
@example(faults=["drop", "wrong-range"], begun=b"", drop_at=65_536)
@example(faults=["drop", "mixed"], begun=b"", drop_at=65_536)
@given(
    faults=st.lists(st.sampled_from(sorted({*FAULTS} - FINAL - BEYOND_DETECTION)), max_size=2),
    begun=st.sampled_from([b"", b"rubbish" * 9000, DATA[:300_000], DATA + b"more"]),
    drop_at=st.sampled_from([0, 1, 65_536, 400_000]),
)
def test_without_a_known_sum_whatever_breaks_on_the_way_is_noticed(
    server: Hub, faults: list[str], begun: bytes, drop_at: int
):
    hub = reset(server)
    hub.faults += faults
    hub.drop_at = drop_at
    with tempfile.TemporaryDirectory() as name:
        if begun:
            (Path(name) / "model.bin.part").write_bytes(begun)
        assert download(request(hub, Path(name), OPEN), quick()) == PINNED


@pytest.mark.parametrize(
    ("origin", "target"),
    [("https://a/b", "http://a/b"), ("https://a/b", "ftp://a/b"), ("http://a/b", "file:///etc/passwd")],
)
def test_a_redirection_out_of_encryption_is_not_followed(origin: str, target: str):
    with pytest.raises(Refused, match="isn't safe"):
        patience._Redirect().redirect_request(
            urllib.request.Request(origin), io.BytesIO(), 302, "Found", HTTPMessage(), target
        )


def test_without_size_and_length_nothing_is_accepted(hub: Hub, tmp_path: Path):
    hub.faults += ["missing-length"] * 50
    with pytest.raises(StoreError, match="does not say how long"):
        download(request(hub, tmp_path, OPEN), quick())


def test_a_line_that_is_next_to_dead_is_opened_anew(hub: Hub, tmp_path: Path):
    now_s = [0.0]
    said: list[str] = []

    def crawl(have: int, size: int) -> None:
        """A transfer of 64 KiB in 100 seconds, on the first connection."""
        now_s[0] += 100.0 if len(hub.requests) == 1 else 0.0

    line = TransferContext(crawl, say=said.append, sleep=lambda seconds: None, clock=lambda: now_s[0])
    assert download(request(hub, tmp_path), line) == PINNED
    assert len(hub.requests) == 2 and "next to dead" in said[0]


def test_a_silent_server_is_left_after_a_while_and_asked_for_the_rest(hub: Hub, tmp_path: Path):
    hub.pause_s = 1.0
    try:
        assert download(request(hub, tmp_path), quick(timeout_s=0.2)) == PINNED
    finally:
        hub.pause_s = 0.0
    starts = [int(range_[6:-1]) for _, range_ in hub.requests[1:]]
    assert starts and starts == sorted(starts) and starts[0] > 0


def test_a_full_disk_leaves_nothing_half(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    room = [200_000]

    class Full:
        """A partial file on a disk with so much free space."""

        def __init__(self, path: Path, *how: Any, **options: Any) -> None:
            self._file = open(path, *how, **options)  # noqa: SIM115 - it is the file

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            self._file.close()

        def write(self, data: bytes) -> int:
            count = min(len(data), room[0])
            if not count:
                raise OSError(errno.ENOSPC, "No space left on device")
            room[0] -= count
            return int(self._file.write(data[:count]))

    monkeypatch.setattr(module, "open", Full, raising=False)
    with pytest.raises(StoreError, match="disk became full"):
        download(request(hub, tmp_path), quick())
    assert left(tmp_path) == set()


def test_room_is_asked_for_before_the_bytes_come(hub: Hub, tmp_path: Path):
    asked: list[int] = []

    def refuse(more_bytes: int) -> None:
        asked.append(more_bytes)
        raise StoreError("no room")

    with pytest.raises(StoreError, match="no room"):
        download(request(hub, tmp_path, OPEN), quick(make_room=refuse))
    assert asked == [len(DATA)] and left(tmp_path) == set()
