"""Known weaknesses of locked packages are found by the list, and by a database that answers as OSV does."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.packages import audit
from host.packages.advisories import Advisory, BadList, Finding, findings, places, read_list
from host.packages.locks import Locked
from host.packages.osv import MOST_AT_ONCE, NoAnswer, advisories_for, poster

ANY = frozenset[str]()
OLD = Advisory("CVE-1", "a", "<2", "note", accepted=frozenset({"checkout"}), aliases=frozenset({"GHSA-1"}))


def locked(*names: str) -> list[Locked]:
    return [Locked(name, "1.0", ANY) for name in names]


def run(monkeypatch: pytest.MonkeyPatch, address: str = "") -> int:
    monkeypatch.setattr(sys, "argv", ["audit"])
    monkeypatch.setenv(audit.ADDRESS, address)
    return audit.main()


def test_what_is_locked_today_has_nothing_that_is_not_accepted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch) == 0
    said = capsys.readouterr().out
    assert "accepted  diskcache 5.6.3 (checkout): CVE-2025-69872" in said and "no database" in said


def test_a_package_of_both_is_a_headbands() -> None:
    found = places(
        {
            "requirements-dev.lock": locked("a", "b"),
            "requirements.lock": locked("b", "c", "diskcache"),
            "requirements-npu.lock": locked("d"),
            "requirements-train.lock": locked("c"),
        }
    )
    assert {name: place for (name, _), place in found.items()} == {
        "a": "checkout", "b": "headband", "c": "headband", "diskcache": "checkout", "d": "headband",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("version", "place", "told", "expected"),
    [
        ("1.9", "checkout", [], [("CVE-1", True)]),
        ("1.9", "headband", [], [("CVE-1", False)]),
        ("2.0", "headband", [], []),
        ("2.0rc1", "headband", [], []),
        ("1.9rc1", "headband", [], [("CVE-1", False)]),
        ("1.9", "checkout", ["GHSA-1"], [("CVE-1", True)]),
        ("2.0", "checkout", ["GHSA-1"], [("CVE-1", True)]),
        ("2.0", "headband", ["GHSA-2"], [("GHSA-2", False)]),
        ("1.9", "checkout", ["GHSA-2", "GHSA-2", "CVE-1"], [("CVE-1", True), ("GHSA-2", False)]),
    ],
)
def test_list_and_database_agree_on_what_is_one_weakness(
    version: str, place: str, told: list[str], expected: list[tuple[str, bool]]
) -> None:
    found = findings({("a", version): place, ("b", "1"): place}, [OLD], {("a", version): told})
    assert [(each.id, each.accepted) for each in found] == expected
    assert all(isinstance(each, Finding) and each.place == place for each in found)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "reviewed|advisory"),
        ("reviewed = 2026-01-01\n[[advisory]]\nid = 'x'\n", "package"),
        ("advisory = []\nreviewed = 'soon'\n", "no date"),
        ("reviewed = 2026-01-01\n[[advisory]]\nid='x'\npackage='a'\naffected='old'\nnote=''\n", "old"),
        (
            "reviewed = 2026-01-01\n[[advisory]]\nid='x'\npackage='a'\naffected='<1'\nnote=''\nfixed='2'\n",
            "unknown key 'fixed'",
        ),
        (
            "reviewed = 2026-01-01\n[[advisory]]\n"
            "id='x'\npackage='a'\naffected='<1'\nnote=''\naccepted=['all']",
            "headband and checkout only",
        ),
        ("=", "can't be used"),
    ],
)
def test_a_list_that_cannot_be_used_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "advisories.toml").write_text(text)
    with pytest.raises(BadList, match=says) as caught:
        read_list(tmp_path / "advisories.toml")
    assert "\n" not in str(caught.value)


def database(known: dict[str, list[str]], page: int = 1) -> Callable[[bytes], bytes]:
    """Answers as OSV does, `page` ids at a time."""

    def post(body: bytes) -> bytes:
        results = []
        for query in json.loads(body)["queries"]:
            ids = known.get(query["package"]["purl"], [])
            begin = int(query.get("page_token") or 0)
            result: dict[str, object] = {"vulns": [{"id": each} for each in ids[begin : begin + page]]}
            if begin + page < len(ids):
                result["next_page_token"] = str(begin + page)
            results.append(result if ids else {})
        return json.dumps({"results": results}).encode()

    return post


@given(
    st.dictionaries(st.integers(0, 2 * MOST_AT_ONCE), st.lists(st.text("ab1-", min_size=1), max_size=5)),
    st.integers(1, 3),
)
def test_every_package_gets_all_pages_of_its_own_answer(known: dict[int, list[str]], page: int) -> None:
    packages = [(f"p{number}", "1.0") for number in range(MOST_AT_ONCE + 1)]
    table = {f"pkg:pypi/p{number}@1.0": ids for number, ids in known.items()}
    found = advisories_for(packages, database(table, page))
    assert found == {
        (f"p{number}", "1.0"): ids for number, ids in known.items() if ids and number <= MOST_AT_ONCE
    }


@pytest.mark.parametrize(
    "answer",
    [b"", b"<html>", b"[]", b"{}", b'{"results": 3}', b'{"results": []}', b'{"results": [{"vulns": [{}]}]}',
     b'{"results": [{}, {}]}', b"\xff", b'{"results": [null]}'],
)  # fmt: skip
def test_an_answer_in_another_form_is_said(answer: bytes) -> None:
    with pytest.raises(NoAnswer):
        advisories_for([("a", "1")], lambda body: answer)


def test_a_database_without_an_end_is_left() -> None:
    with pytest.raises(NoAnswer, match="without an end"):
        advisories_for([("a", "1")], lambda body: b'{"results": [{"next_page_token": "x"}]}')


@pytest.mark.parametrize(
    "address", ["http://hub.example/v1", "ftp://a", "v1/querybatch", "https://", "http://["]
)
def test_an_address_that_is_not_safe_is_not_asked(address: str) -> None:
    with pytest.raises(NoAnswer, match="https"):
        poster(address)


@pytest.fixture
def served() -> Iterator[str]:
    """Address of a database that knows something of diskcache, and of numpy whatever its version."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            purls = [each["package"]["purl"] for each in json.loads(body)["queries"]]
            known = {each: ["CVE-2025-69872"] for each in purls if "/diskcache@" in each}
            known |= {each: ["GHSA-new"] for each in purls if "/numpy@" in each}
            answer = database(known)(body)
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/querybatch"
        server.shutdown()


def test_what_the_database_knows_and_the_list_does_not_fails_the_audit(
    served: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, served) == 1
    said = capsys.readouterr().out
    assert "AFFECTED  numpy" in said and "(headband): GHSA-new" in said and "and a database" in said
    assert said.count("CVE-2025-69872") == 1 and "accepted  diskcache" in said


def test_a_database_that_cannot_be_asked_is_said_and_the_list_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for address in ("http://127.0.0.1:1/v1/querybatch", "http://127.0.0.1:x/", "nowhere"):
        assert run(monkeypatch, address) == 0
        shown = capsys.readouterr()
        assert (
            "can't be asked" in shown.err
            and shown.err.count("\n") == 1
            and "accepted  diskcache" in shown.out
        )
