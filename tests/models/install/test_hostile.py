"""Malicious servers and USB sticks: an error of one sentence, nothing recorded, no wait without end."""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from host.cli.main import main
from models.install.bounded_response import BoundedResponse
from models.install.fetch import fetch
from models.install.file_formats import format_fault
from models.install.http_download import DownloadRequest, TransferContext, download
from models.install.hub_urls import address
from models.install.import_folder import import_pack_files, offers
from models.install.staging import Store, StoreError
from models.pack.manifest import FileSource, PackError, Seal, read_manifest
from tests.models.install.file_kinds import gguf, onnx, rknn, safetensors
from tests.models.install.misbehaving_hub import Hub
from tests.models.install.packs_bench import BRICK, MANIFEST, STT, VOICE, brought, cached

MICRO = Path(__file__).parents[3] / "models" / "packs" / "micro"
OK = "HTTP/1.1 200 OK\r\n"
CHUNKED = f"{OK}Transfer-Encoding: chunked\r\nX-Linked-Size: 3\r\n\r\n"
PARTLY = "HTTP/1.1 206 P\r\nContent-Length: 3\r\nContent-Range: bytes "
LATIN = "\xb2"
"""A superscript two: `str.isdigit` is true, but `int` raises ValueError."""
DIGITS = "9" * 5000
"""More digits than `int` converts."""
ANSWERS = {
    "length that is no number": f"{OK}Content-Length: {LATIN}\r\n\r\nabc",
    "length of 5000 digits": f"{OK}Content-Length: {DIGITS}\r\n\r\nabc",
    "negative length": f"{OK}Content-Length: -3\r\n\r\nabc",
    "length with an underscore": f"{OK}Content-Length: 1_0\r\n\r\n0123456789",
    "two lengths": f"{OK}Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc",
    "no length": f"{OK}\r\nabc",
    "linked size that is no number": f"{OK}Content-Length: 3\r\nX-Linked-Size: {LATIN}\r\n\r\nabc",
    "linked size of 5000 digits": f"{OK}Content-Length: 3\r\nX-Linked-Size: {DIGITS}\r\n\r\nabc",
    "range that is no number": f"{PARTLY}{LATIN}-2/3\r\n\r\nabc",
    "range of 5000 digits": f"{PARTLY}{DIGITS}-2/{DIGITS}\r\n\r\nabc",
    "range nobody asked for": f"{PARTLY}0-2/3\r\n\r\nabc",
    "patience that is no number": f"HTTP/1.1 503 Busy\r\nRetry-After: {LATIN}\r\nContent-Length: 0\r\n\r\n",
    "patience of 5000 digits": f"HTTP/1.1 429 Busy\r\nRetry-After: {DIGITS}\r\nContent-Length: 0\r\n\r\n",
    "patience without end": "HTTP/1.1 429 Busy\r\nRetry-After: 99999999\r\nContent-Length: 0\r\n\r\n",
    "status that is no number": f"HTTP/1.1 {LATIN}00 OK\r\n\r\n",
    "status of 5000 digits": f"HTTP/1.1 {DIGITS} OK\r\n\r\n",
    "no HTTP": "SSH-2.0-OpenSSH_9.6\r\n",
    "nothing": "",
    "terminal codes in the reason": "HTTP/1.1 404 \x1b[2J\x07gone\r\nContent-Length: 0\r\n\r\n",
    "a reason without end": f"HTTP/1.1 500 {'x' * 60_000}\r\nContent-Length: 0\r\n\r\n",
    "a header line without end": f"{OK}X: {'x' * 70_000}\r\n\r\n",
    "a thousand headers": OK + "X: y\r\n" * 1000 + "\r\n",
    "a chunk size that is no number": f"{CHUNKED}{LATIN}\r\nabc\r\n0\r\n\r\n",
    "a chunk size of 5000 digits": f"{CHUNKED}{DIGITS}\r\nabc\r\n0\r\n\r\n",
    "compressed": f"{OK}Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    "a page": f"{OK}Content-Type: text/html\r\nContent-Length: 3\r\n\r\nabc",
    **{
        f"redirect to {name}": f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n"
        for name, target in {
            "half an IPv6 host": "http://[::1",
            "a port that is none": "http://127.0.0.1:99999999/",
            "a port that is no number": "http://127.0.0.1:port/",
            "a host that is too long": f"http://{'a' * 70}.example/",
            "a host of dots": "http://../",
            "no host": "http:///model.bin",
            "a host with a line end": "http://127.0.0.1%0d%0a/x y",
            "a file": "file:///etc/passwd",
            "a list": "data:text/plain,abc",
            "terminal codes": "gopher://\x1b[2J",
        }.items()
    },
    "redirect to nowhere": "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
}
"""All bytes that a server sends in a connection."""


@contextmanager
def server(answer: bytes, then: bytes = b"") -> Iterator[str]:
    """A server that sends these bytes to each client, then repeats `then` until the client stops reading;
    yields its address.
    """
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(10.0)
                try:
                    asked = b""
                    while b"\r\n\r\n" not in asked and (piece := connection.recv(4096)):
                        asked += piece
                    connection.sendall(answer)
                    while then:
                        connection.sendall(then)
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(4096)
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/model.bin"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.mark.parametrize("expected", [Seal(3, "0" * 64), Seal()], ids=["pinned", "open"])
@pytest.mark.parametrize("name", ANSWERS)
def test_whatever_a_server_answers_is_one_sentence(tmp_path: Path, name: str, expected: Seal):
    pauses: list[float] = []
    line = TransferContext(sleep=pauses.append, timeout_s=5.0)
    with server(ANSWERS[name].encode("latin-1")) as url, pytest.raises(StoreError) as caught:
        download(DownloadRequest(url, tmp_path / "model.bin", expected, lambda path: "a test"), line)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 500
    assert max(pauses, default=0.0) <= 60.0 and not (tmp_path / "model.bin").exists()


@pytest.mark.parametrize(
    ("answer", "then"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Linked-Size: 3\r\n\r\n0\r\n", b"X: y\r\n"),
        (b"HTTP/1.1 302 Found\r\nLocation: /model.bin?again\r\n\r\n", b"x" * 65_536),
    ],
    ids=["header", "trailer", "redirect's body"],
)
def test_an_answer_that_never_ends_is_left(tmp_path: Path, answer: bytes, then: bytes):
    """A clock that advances by a second at every reading, so that no test waits."""
    seconds = iter(range(10**9))
    line = TransferContext(sleep=lambda s: None, clock=lambda: float(next(seconds)), timeout_s=30.0)
    with server(answer, then) as url, pytest.raises(StoreError, match=r"model\.bin"):
        download(DownloadRequest(url, tmp_path / "model.bin", Seal(3, "0" * 64)), line)


class Dripping(io.RawIOBase):
    """One byte a second."""

    def __init__(self, data: bytes) -> None:
        self._data, self.now_s = data, 0.0

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self.now_s += 1.0
        buffer[:1], self._data = self._data[:1], self._data[1:]
        return 1


def test_a_header_byte_by_byte_is_given_up_in_time():
    line = Dripping(OK.encode() + b"X: y\r\n" * 90 + b"\r\n")
    kind = type("Timed", (BoundedResponse,), {"clock": staticmethod(lambda: line.now_s), "timeout_s": 30.0})
    with pytest.raises(TimeoutError, match="too slowly"):
        kind(line).begin()
    assert line.now_s == 31.0


ERROR = json.dumps({"error": "Repository not found"}).encode()
PAGE = b"<!DOCTYPE html>\n<html><body>Sign in</body></html>"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 80000\n"
INSTEAD = {
    "compressed": (gzip.compress(VOICE), "compressed"),
    "a JSON error": (ERROR, "no ONNX network"),
    "a page": (PAGE, "a web page"),
    "a pointer": (POINTER, "a pointer"),
    "another kind": (safetensors(b"abc"), "no ONNX network"),
    "half of it": (VOICE[:-1], "no ONNX network"),
    "more than it": (VOICE + b"more", "no ONNX network"),
    "one byte": (b"\x08", "no ONNX network"),
}


@pytest.mark.parametrize("what", INSTEAD)
def test_what_is_not_of_the_format_is_never_recorded(shipped: Path, hub: Hub, tmp_path: Path, what: str):
    """Neither from a server, whose response is consistent, nor from a USB stick."""
    data, sentence = INSTEAD[what]
    hub.add("owner/voices", "en/voice.onnx", data, "v1")
    with pytest.raises(StoreError, match=f"what came is {sentence}"):
        brought(shipped, hub)
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "voice.onnx").write_bytes(data)
    said: list[str] = []
    for offer in offers(stick):
        assert import_pack_files(offer, stick, TransferContext(say=said.append)).files == ()
    assert sentence in said[-1]
    assert not (cached(shipped) / "known-files.json").exists()
    hub.add("owner/voices", "en/voice.onnx", VOICE, "v1")
    assert brought(shipped, hub).recorded, "the right one is still taken"


def test_the_formats_of_the_packs_are_told(tmp_path: Path):
    kinds = {
        "a.onnx": onnx(b"graph"), "a.safetensors": safetensors(b"abc"), "a.gguf": gguf(b"abc"),
        "a.rknn": rknn(b"abc"), "config.json": b'{"model_type": "idefics3"}',
        "preprocessor_config.json": b'{"image_mean": [0.5], "image_std": [0.5]}',
        "tokenizer.json": b'{"model": {}}', "other.json": b'{"a": 1}',
        **{path.name: path.read_bytes() for path in MICRO.rglob("*.*") if path.suffix != ".toml"},
    }  # fmt: skip
    for name, data in kinds.items():
        path = tmp_path / name
        path.write_bytes(data)
        assert format_fault(path, name) == "", name
        short = (b"", b"\0", data[:3], b"[" * 100_000, b"[1]")
        for wrong in (*short, ERROR, PAGE, POINTER, gzip.compress(data)):
            path.write_bytes(wrong)
            assert format_fault(path, name), (name, wrong[:20])
    assert format_fault(path, "weights.unheard-of") and format_fault(path, "weights")


def test_a_template_is_searched_once_and_has_a_limit(tmp_path: Path):
    """A search that goes on to the end from each beginning of a tag takes minutes."""
    path = tmp_path / "chat_template.jinja"
    path.write_bytes(b"{{" * 500_000)
    began_s = time.monotonic()
    assert format_fault(path, path.name) == "no template"
    assert time.monotonic() - began_s < 5
    path.write_bytes(b"{{ a }}" + b" " * (1 << 20))
    assert format_fault(path, path.name) == "no template"
    path.write_bytes(b"}} {{ a\n" + b" " * 1000 + b"}}")
    assert format_fault(path, path.name) == ""


def test_a_servers_address_that_is_none_is_one_sentence():
    for base in ("http://[::1", "http://host:port", "http://host:99999", f"http://{'a' * 70}", "http://", "x",
                 "file:///etc", "http://a\x1b[2J"):  # fmt: skip
        with pytest.raises(PackError, match="is no address of a server") as caught:
            address(FileSource("owner/name", "file", "main"), base)
        assert str(caught.value).isprintable()


def hostile_stick(stick: Path, what: str, outside: Path) -> None:
    """A USB stick on which `stt.bin` is not a regular file."""
    stick.mkdir()
    target = stick / "stt.bin"
    match what:
        case "link out":
            target.symlink_to(outside)
        case "link by way of a folder":
            (stick / "a").symlink_to(outside.parent)
            target.symlink_to("a/" + outside.name)
        case "pipe":
            os.mkfifo(target)
        case "link to a pipe":
            os.mkfifo(stick / "pipe")
            target.symlink_to("pipe")
        case "device":
            target.symlink_to("/dev/zero")
        case "socket":
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(target))
        case "folder":
            target.mkdir()
        case "link to itself":
            target.symlink_to(target)
        case "link to nowhere":
            target.symlink_to(stick / "nowhere")


STICKS = (
    "link out", "link by way of a folder", "pipe", "link to a pipe", "device", "socket", "folder",
    "link to itself", "link to nowhere",
)  # fmt: skip


@pytest.mark.parametrize("what", STICKS)
def test_nothing_but_a_sticks_own_files_is_read(shipped: Path, tmp_path: Path, what: str):
    """Not even where its bytes are those of the wanted file."""
    outside = tmp_path / "private" / "shadow"
    outside.parent.mkdir()
    outside.write_bytes(STT)
    stick = Path(os.path.relpath(tmp_path / "s"))  # a socket's path has to be short
    hostile_stick(stick, what, outside)
    for offer in offers(stick):
        assert import_pack_files(offer, stick).files == ()
    assert not [path for path in (cached(shipped)).rglob("*") if path.name.startswith("stt.bin")]


@pytest.mark.parametrize("what", ["folder", "file", "pipe"])
def test_a_manifest_is_not_read_through_a_link_either(shipped: Path, tmp_path: Path, what: str):
    secret = tmp_path / "private"
    secret.mkdir()
    (secret / "pack.toml").write_text((MANIFEST + BRICK).replace('"small"', '"secret"'))
    (secret / "stt.bin").write_bytes(STT)
    stick = tmp_path / "stick"
    stick.mkdir()
    if what == "folder":
        (stick / "own").symlink_to(secret)
    elif what == "file":
        (stick / "pack.toml").symlink_to(secret / "pack.toml")
    else:
        os.mkfifo(stick / "pack.toml")
    assert offers(stick) == ()


def test_the_layout_of_the_hubs_cache_is_still_read(shipped: Path, tmp_path: Path):
    """In a cache of Hugging Face every name is a link to a blob beside it."""
    folder = tmp_path / "hub" / "models--owner--voices"
    (folder / "blobs").mkdir(parents=True)
    (folder / "blobs" / "0123").write_bytes(VOICE)
    (folder / "snapshots" / "v1" / "en").mkdir(parents=True)
    (folder / "snapshots" / "v1" / "en" / "voice.onnx").symlink_to("../../../blobs/0123")
    (offer,) = offers(tmp_path / "hub")
    assert [file.path for file in import_pack_files(offer, tmp_path / "hub").files] == ["voice.onnx"]


def test_names_that_cannot_be_printed_are_no_fault(shipped: Path, tmp_path: Path, capsys):
    folder = tmp_path / "stick" / os.fsdecode(b"\xff\x1b[2J")
    folder.mkdir(parents=True)
    (folder / "stt.bin").write_bytes(STT)
    assert main(["models", "import", str(tmp_path / "stick"), "--accept-licence"]) == 0
    assert "\x1b" not in capsys.readouterr().out.replace("\x1b[K", "")


def test_what_was_noted_here_may_be_damaged(shipped: Path, hub: Hub):
    """After a power cut, the notes beside a partial file and the memo can have any contents."""
    parts = cached(shipped) / "parts" / "small"
    parts.mkdir(parents=True)
    (parts / "stt.bin.part").write_bytes(STT[:1000])
    (parts / "stt.bin.part.json").write_text('{"size": [], "etag": 5, "sha256": null}')
    voice = str(read_manifest(shipped / "small").files[1].source)
    (cached(shipped) / "known-files.json").write_text(json.dumps({voice: "x", "y": 5}))
    line = TransferContext(sleep=lambda seconds: None, timeout_s=5.0)
    assert fetch(Store(read_manifest(shipped / "small")), lambda file: line, hub.address).pack


def test_a_pack_from_a_stick_cannot_name_what_is_not_its_own(shipped: Path, tmp_path: Path, capsys):
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "stt.bin").write_bytes(STT)
    (stick / "voice.onnx").write_bytes(VOICE)
    text = (MANIFEST + BRICK).replace('"small"', '"evil"')
    text = text.replace("memory_mib", 'settings = { config = "/etc/passwd" }\nmemory_mib')
    (stick / "pack.toml").write_text(text)
    assert main(["models", "import", str(stick), "--accept-licence"]) == 2
    assert "has the unknown key config" in capsys.readouterr().err
    assert not cached(shipped).exists()
