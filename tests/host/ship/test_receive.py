"""What arrives on a headband is verified before anything of it runs: with OpenSSH's own ssh-keygen and a
program that only notes that it ran.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
import zlib
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import host.ship.onboard
from host.ship.remote import Signed
from host.ship.running import DeployRefused
from host.ship.signing import SigningKey, find_key
from host.ship.target import receive
from host.ship.target.receive import ACCEPTED, RELEASES, SIGNERS
from host.ship.target.store import FileStore
from host.ship.target.trust import Trust
from host.ship.whole import FileDigests
from tests.host.ship.bench import Bench, new_key, signing_key

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")
PROGRAM = zlib.compress(
    json.dumps(
        [
            [
                "host.ship.onboard",
                "ran = []\ndef main(verb, request, stream):\n"
                "    ran.append((verb, request, stream.read()))\n    return 0\n",
            ]
        ]
    ).encode()
)


class Target:
    """A headband's computer in a folder."""

    def __init__(self, prefix: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.prefix, self._capsys = prefix, capsys

    def receive(self, call: bytes, *, sent: bool = False) -> tuple[int, str]:
        """Exit status, and the refusal or ""."""
        code = receive.serve(io.BytesIO(call), self.prefix, sent=sent)
        lines = self._capsys.readouterr().out.splitlines()
        return code, json.loads(lines[-1]).get("refused", "") if lines and code else ""

    @property
    def ran(self) -> list[tuple[str, dict[str, Any], bytes]]:
        """What ran since the last look."""
        there = sys.modules["host.ship.onboard"]
        found: list[Any] = list(getattr(there, "ran", []))
        sys.modules["host.ship.onboard"] = host.ship.onboard
        return found


@pytest.fixture
def target(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Target:
    monkeypatch.setitem(sys.modules, "host.ship.onboard", host.ship.onboard)
    made = Target(tmp_path / "board", capsys)
    Trust(made.prefix).write_signers([signing_key().public])
    return made


def statement(key: SigningKey, namespace: str = RELEASES, **other: Any) -> Signed:
    said = {
        "format": 1, "verbs": ["need", "take"], "sequence": 7, "version": "0.2.0", "downgrade": False,
        "program": sha256(PROGRAM).hexdigest(), "request": {"files": {}}, **other,
    }  # fmt: skip
    content = json.dumps(said).encode()
    return Signed(content, key.sign(content, namespace), PROGRAM)


def test_what_a_trusted_key_signed_runs_with_its_request(target: Target) -> None:
    signed = statement(signing_key())
    assert target.receive(signed.call("take") + b"files") == (0, "")
    (verb, request, rest), = target.ran  # fmt: skip
    assert (verb, rest) == ("take", b"files")
    assert request["files"] == {} and request["prefix"] == str(target.prefix) and request["trust"] == ""
    digest = sha256(signed.statement).hexdigest()
    assert request["accepted"] == {"sequence": 7, "statement": digest, "version": "0.2.0"}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), part=st.sampled_from(["statement", "signature", "program"]),
       bit=st.integers(0, 7))  # fmt: skip
def test_nothing_runs_that_is_not_as_it_was_signed(target: Target, where: float, part: str, bit: int) -> None:
    signed = statement(signing_key())
    content = bytearray(getattr(signed, part))
    content[int(where * len(content))] ^= 1 << bit
    changed: dict[str, Any] = {part: bytes(content)}
    code, refused = target.receive(replace(signed, **changed).call("take"))
    if part == "signature" and code == 0:  # bits of its armour that say nothing
        assert len(target.ran) == 1
        return
    assert (code, target.ran) == (2, []) and refused.count(".") >= 1 and "\n" not in refused


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True))
def test_nothing_of_a_part_of_a_deploy_runs(target: Target, share: float) -> None:
    call = statement(signing_key()).call("take")
    code, refused = target.receive(call[: int(share * len(call))])
    assert code == 2 and refused.startswith(("What arrived is no deploy", "The deploy arrived in part"))
    assert target.ran == []


@pytest.mark.parametrize(
    "call",
    [b"", b"\n", b"[]\n", b"null\n", b"{}\n", b"[" * 9999, b'{"verb": "need"}\n', b"\xff\n"],
)
def test_what_is_no_call_is_refused(target: Target, call: bytes) -> None:
    assert target.receive(call) == (2, "What arrived is no deploy, or a part of one.")


def test_forged_reordered_and_mistaken_deploys_are_one_sentence_each(target: Target) -> None:
    key, other = signing_key(), new_key()
    signed = statement(key)
    before = sorted(target.prefix.rglob("*"))
    forged = {
        "is not trusted here, SHA256": statement(other),
        "is not that of this deploy": replace(signed, statement=signed.signature, signature=signed.statement),
        "it was changed, or is forged": statement(key, namespace="git"),
        "for another purpose": statement(key, verbs=["rollback"]),
        "is not the one that was signed": statement(key, program="0" * 64),
        "What arrived is no deploy": statement(key, sequence=None),
    }
    for says, each in forged.items():
        code, refused = target.receive(each.call("take"))
        assert code == 2 and says in refused and refused.endswith(".") and "\n" not in refused, says
    code, refused = target.receive(replace(statement(other), trust=other.public).call("take"))
    assert code == 2, "a key that comes with the deploy is not trusted by a headband that has one"
    assert target.ran == [] and sorted(target.prefix.rglob("*")) == before


def test_an_old_deploy_that_somebody_kept_is_refused_and_the_last_one_goes_on(target: Target) -> None:
    old, new = statement(signing_key(), sequence=7), statement(signing_key(), sequence=8)
    for each in (old, new):
        assert target.receive(each.call("need"))[0] == 0
        ((_, request, _),) = target.ran
        Trust(target.prefix).accept(request["accepted"])
    assert target.receive(new.call("need"))[0] == 0 and len(target.ran) == 1
    another = statement(signing_key(), sequence=8, commit="of another")
    for each in (old, another):
        code, refused = target.receive(each.call("need"))
        assert code == 2 and refused.startswith("Another deploy was accepted after this one was signed")
    assert target.ran == []


@pytest.mark.parametrize(("version", "lower"), [("0.2.0", False), ("0.10.0", False), ("0.1.9", True)])
def test_a_lower_version_than_the_headband_has_had_has_to_be_said(
    target: Target, version: str, lower: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    Trust(target.prefix).has_run("0.2.0")
    code, refused = target.receive(statement(signing_key(), version=version).call("need"))
    assert code == (2 if lower else 0) and ("--allow-downgrade" in refused) == lower
    assert len(target.ran) == (0 if lower else 1)
    call = statement(signing_key(), version=version, downgrade=True).call("need")
    assert receive.serve(io.BytesIO(call), target.prefix, sent=False) == 0
    assert ("goes below version 0.2.0" in capsys.readouterr().out) == lower
    assert target.receive(statement(signing_key(), version="", verbs=["rollback"]).call("rollback"))[0] == 0


def test_a_damaged_record_of_what_was_accepted_stops_no_deploy(target: Target) -> None:
    Trust(target.prefix).has_run("0.2.0")
    path = target.prefix / ACCEPTED
    path.write_text(path.read_text().replace("0.2.0", "8.2.0"))
    assert receive.read_accepted(target.prefix) is None and receive.look(target.prefix)["version"] == ""
    assert target.receive(statement(signing_key()).call("need"))[0] == 0


def test_a_first_key_is_trusted_only_from_whoever_is_root_there(target: Target) -> None:
    (target.prefix / SIGNERS).unlink()
    signed = replace(statement(signing_key()), trust=signing_key().public)
    assert target.receive(signed.call("need"))[0] == 2 and target.ran == []
    assert target.receive(signed.call("need"), sent=True) == (0, "")
    ((_, request, _),) = target.ran
    assert request["trust"] == signing_key().public
    assert target.receive(replace(signed, trust=new_key().public).call("need"), sent=True)[0] == 2


def test_only_files_that_were_signed_are_stored(tmp_path: Path) -> None:
    store = FileStore(tmp_path, FileDigests(from_disk=False))
    one, two = b"one", b"two"
    sha, other = (sha256(each).hexdigest() for each in (one, two))
    wrong = {
        "not one of those that were signed": f"{other} 3\n".encode() + two,
        "that were signed": f"{sha} 4\n".encode() + one,
        "is not as it was signed": f"{sha} 3\n".encode() + two,
        "ended early": f"{sha} 3\non".encode(),
    }
    for says, stream in wrong.items():
        with pytest.raises(DeployRefused, match=says) as refused:
            store.receive(io.BytesIO(stream), {sha: 3})
        assert refused.value.code == 2
        assert not (tmp_path / sha).exists() and not (tmp_path / other).exists()
    store.receive(io.BytesIO(f"{sha} 3\n".encode() + one), {sha: 3})
    assert store.verified(sha).read_bytes() == one


def test_a_deploy_with_a_key_that_is_not_trusted_sends_nothing(tmp_path: Path) -> None:
    from host.ship.release import Environment
    from host.ship.remote import RemoteError

    bench = Bench(tmp_path)
    Trust(bench.prefix).write_signers([new_key().public])
    before = sorted(bench.prefix.rglob("*"))
    with pytest.raises(RemoteError, match="is signed with a key that is not trusted here") as refused:
        bench.app(print).run({}, lambda machine, python: Environment({}, {}, {}), "rk3566")
    assert refused.value.code == 2 and bench.remote.verbs == ["look", "need"]
    assert sorted(bench.prefix.rglob("*")) == before


def test_the_key_is_one_that_is_known_else_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from host.ship.remote import RemoteError

    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with pytest.raises(RemoteError, match=r"no key to sign .* `ssh-keygen -t ed25519` makes one, or --key"):
        find_key(None, [], tmp_path)
    first, second = new_key(), new_key()
    (tmp_path / ".ssh").mkdir()
    for key, name in ((first, "id_ed25519"), (second, "id_ecdsa")):
        for suffix in ("", ".pub"):
            shutil.copy(f"{key.file}{suffix}", tmp_path / ".ssh" / f"{name}{suffix}")
    assert find_key(None, [], tmp_path).fingerprint == first.fingerprint
    assert find_key(None, [second.public], tmp_path).fingerprint == second.fingerprint
    assert second.file is not None
    assert find_key(second.file.with_suffix(".pub"), []).fingerprint == second.fingerprint
    nothing = tmp_path / "nothing"
    nothing.write_text("nothing\n")
    for file in (nothing, tmp_path):
        with pytest.raises(RemoteError, match="is no key of ssh") as refused:
            find_key(file, [])
        assert refused.value.code == 2
