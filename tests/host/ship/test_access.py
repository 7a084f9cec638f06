"""Deploys without a login of root: the account lets in the keys that may sign, for one program, which passes
what arrives to the same program as root.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from host.ship.release import ROOT
from host.ship.remote import RECEIVER, Signed
from host.ship.target import access
from host.ship.target.access import DeployAccess
from host.ship.target.receive import COMMANDS, signers
from host.ship.target.trust import ACCOUNT, KEYS, Trust
from tests.host.ship.bench import new_key, signing_key
from tests.host.ship.test_unit import directives

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")
CALLS = """
import sys
from pathlib import Path
m = type(sys)("receive")
sys.modules["receive"] = m
exec(compile(Path(sys.argv[1]).read_text(), "receive", "exec"), m.__dict__)
"""
SERVES = f"{CALLS}\nsys.exit(m.serve(sys.stdin.buffer, Path(sys.argv[2]), sent=False))"
RELAYS = f"{CALLS}\nsys.exit(m.relay(sys.argv[3], sys.argv[2]))"


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    """A socket on which each connection starts the receiver, as systemd does it."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.listen()

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    words = [sys.executable, "-I", "-c", SERVES, str(RECEIVER), str(tmp_path)]
                    subprocess.run(words, stdin=connection.fileno(), stdout=connection.fileno(), check=False)
                    connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield str(tmp_path / "socket")
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        thread.join(5.0)


def relayed(path: str, asked: str, sent: bytes = b"") -> tuple[int, str, str]:
    words = [sys.executable, "-I", "-c", RELAYS, str(RECEIVER), path, asked]
    done = subprocess.run(words, input=sent, capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_deploy_goes_through_to_the_receiver_that_is_root(path: str, tmp_path: Path) -> None:
    asked = "exec /usr/local/sbin/headband-receive"
    code, said, _ = relayed(path, asked, Signed().call("look"))
    assert code == 0 and json.loads(said)["signers"] == []
    large = Signed(b"{}", b"no signature", bytes(300_000)).call("need")
    code, said, _ = relayed(path, asked, large)
    assert code == 2 and json.loads(said)["refused"].endswith("or is forged.")


def test_a_command_is_one_of_three_and_its_exit_status_comes_back(path: str, tmp_path: Path) -> None:
    command = tmp_path / "usr/local/bin/headband"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\necho "does $*"; read line && echo "$line"; echo why >&2; exit 3\n')
    command.chmod(0o755)
    for asked in ("doctor", "headband rollback"):
        assert relayed(path, asked, b"typed\n") == (3, f"does {asked.split()[-1]}\nwhy\n", "")
    for asked in ("", "sh", "doctor; sh", "headband deploy", "status --json"):
        code, said, errors = relayed(path, asked, b"typed\n")
        assert (code, said) == (2, "") and all(name in errors for name in COMMANDS)


def test_without_the_socket_it_says_what_repairs_that(tmp_path: Path) -> None:
    code, said, _ = relayed(str(tmp_path / "none"), "headband-receive", Signed().call("look"))
    assert code == 1 and "one as root repairs that" in json.loads(said)["refused"]


@pytest.mark.parametrize("said", [b"", b"a line\n", b'a line\n{"missing": ["on'])
@pytest.mark.parametrize("reads", [True, False])
def test_no_answer_is_a_failure_in_one_sentence(tmp_path: Path, said: bytes, reads: bool) -> None:
    """The receiver that is root ends before its answer, perhaps before it has read everything."""
    for asked in ("status", "exec /usr/local/sbin/headband-receive"):
        with socket.socket(socket.AF_UNIX) as listening:
            path = str(tmp_path / asked.split("/")[0])
            listening.bind(path)
            listening.listen()

            def accept(listening: socket.socket = listening) -> None:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(1 << 16 if reads else 1)
                    connection.sendall(said)

            thread = threading.Thread(target=accept)
            thread.start()
            code, out, errors = relayed(path, asked, Signed().call("need"))
            thread.join(5.0)
        refused = json.loads(out.splitlines()[-1])["refused"] if "receive" in asked else errors.strip()
        assert code == 1 and refused.startswith("The headband gave no answer: ") and refused.endswith(".")
        assert "Traceback" not in errors and (not reads or out.startswith(said.decode()))


def test_a_command_that_is_not_there_is_no_success(path: str) -> None:
    code, out, errors = relayed(path, "rollback")
    assert (code, out) == (1, "") and errors.startswith("The headband gave no answer: ")


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What is called on the computer."""
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr(access, "_call", lambda *words: calls.append(words))
    return calls


def test_the_account_lets_in_the_keys_that_sign_and_lets_them_do_one_thing(
    tmp_path: Path, called: list[tuple[object, ...]]
) -> None:
    one, two = signing_key().public, new_key().public
    Trust(tmp_path).write_signers([one, two])
    there = DeployAccess(tmp_path)
    assert not there.is_as_in(ROOT)
    there.bring(ROOT)
    assert there.is_as_in(ROOT) and ("systemctl", "restart", access.SOCKET) in called
    keys = tmp_path / KEYS
    may = 'restrict,command="/usr/local/sbin/headband-receive"'
    assert keys.read_text().splitlines() == [f"{may} {one}", f"{may} {two}"]
    for path in (keys, *keys.parents[:2]):  # sshd wants it so, and the account changes nothing there
        assert path.stat().st_mode & 0o022 == 0
    assert (tmp_path / "usr/local/sbin/headband-receive").stat().st_mode & 0o777 == 0o755
    Trust(tmp_path).write_signers([two])
    assert keys.read_text().splitlines() == [f"{may} {two}"] and there.is_as_in(ROOT)


def test_a_changed_socket_listens_anew_and_an_unchanged_one_goes_on(
    tmp_path: Path, called: list[tuple[object, ...]]
) -> None:
    there = DeployAccess(tmp_path)
    there.bring(ROOT)
    called.clear()
    there.bring(ROOT)
    assert [words[1] for words in called if words[-1] == access.SOCKET] == ["start"]
    (tmp_path / access.SYSTEMD / access.SOCKET).write_text("[Socket]\n")
    there.bring(ROOT)
    assert [words[1] for words in called if words[-1] == access.SOCKET] == ["start", "restart"]


@pytest.mark.parametrize(("password", "unlocked"), [("!*", True), ("*", False)])
def test_the_account_is_not_locked_for_a_sshd_without_pam(
    tmp_path: Path, called: list[tuple[object, ...]], password: str, unlocked: bool
) -> None:
    shadow = tmp_path / "etc/shadow"
    shadow.parent.mkdir(parents=True)
    shadow.write_text(f"root:*:1:::::\n{ACCOUNT}:{password}:1:::::\n")
    DeployAccess(tmp_path).bring(ROOT)
    assert (("usermod", "-p", "*", ACCOUNT) in called) == unlocked
    assert any(words[0] == "systemd-sysusers" for words in called), "it is not on this computer"


def test_a_receiver_that_does_not_work_is_not_taken(
    tmp_path: Path,
    called: list[tuple[object, ...]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    there = DeployAccess(tmp_path / "board")
    there.bring(ROOT)
    release = tmp_path / "release"
    shutil.copytree(ROOT / "host/service", release / "host/service")
    (release / access.SOURCE).parent.mkdir(parents=True)
    (release / access.SOURCE).write_text("import nothing\n")
    there.bring(release)
    assert there.is_as_in(ROOT) and "do not work yet" in capsys.readouterr().out


def test_the_socket_is_the_accounts_alone_and_its_units_are_understood(tmp_path: Path) -> None:
    service = ROOT / "host/service"
    found = directives((service / access.SOCKET).read_text())
    assert (found["SocketUser"], found["SocketMode"], found["Accept"]) == ([ACCOUNT], ["0600"], ["yes"])
    assert found["ListenStream"] == ["/run/headband-receive.sock"], "of this computer, not of a network"
    assert f"u {ACCOUNT} " in (service / "headband.sysusers").read_text()
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here")
    for name in access.UNITS:
        text = (service / name).read_text().replace("/usr/local/sbin/headband-receive", "/bin/true")
        (tmp_path / name).write_text(text)
    words = ["systemd-analyze", "verify", *(str(tmp_path / name) for name in access.UNITS)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert [line for line in done.stderr.splitlines() if "headband" in line] == []


def test_who_may_sign_is_read_as_it_is_written(tmp_path: Path) -> None:
    keys = [signing_key().public, "ssh-ed25519 AAAA"]
    Trust(tmp_path).write_signers(keys)
    assert signers(tmp_path) == keys
