"""The bootstrap's promises, checked without a network: hashed locks, one install at a time, one clear
refusal.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import NOT_OURS

ROOT = Path(__file__).parents[1]
LOCKS = sorted(ROOT.glob("requirements*.lock"))
CONDITION = r"\(?[a-z_]+ [<>=!]+ '[\w.*]+'\)?"
PIN = re.compile(rf"[a-z0-9][a-z0-9-]*==\S+( ; {CONDITION}(( and | or ){CONDITION})*)?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def requirements(lock: Path) -> list[tuple[str, list[str]]]:
    """(requirement, hashes) of every entry of a lock."""
    entries = lock.read_text().replace("\\\n", " ").splitlines()
    return [(entry.split(" --hash=")[0].strip(), HASH.findall(entry)) for entry in entries if entry.strip()]


def pins(name: str) -> dict[str, str]:
    """requirement -> hashes joined, of one lock."""
    return {requirement: " ".join(hashes) for requirement, hashes in requirements(ROOT / name)}


def test_every_list_of_requirements_has_its_lock() -> None:
    inputs = {path.stem for path in ROOT.glob("requirements*.in")} - {"requirements-torch"}
    assert inputs == {path.stem for path in LOCKS}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_requirement_is_pinned_and_hashed(lock: Path) -> None:
    entries = requirements(lock)
    assert entries
    for requirement, hashes in entries:
        assert PIN.fullmatch(requirement), requirement
        assert hashes, requirement


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_lock_names_no_place_to_download_from(lock: Path) -> None:
    text = lock.read_text()
    assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host| @ ", text)


def test_locks_that_share_an_environment_agree() -> None:
    together = [
        "requirements.lock",
        "requirements-native.lock",
        "requirements-build.lock",
        "requirements-dev.lock",
        "requirements-meters.lock",
        "requirements-npu.lock",
    ]
    seen: dict[str, str] = {}
    for name in together:
        for requirement, hashes in pins(name).items():
            key = re.sub("==[^ ]+", "", requirement)
            assert seen.setdefault(key, requirement + hashes) == requirement + hashes, (name, requirement)


def test_the_application_never_installs_torch() -> None:
    for lock in LOCKS:
        assert not any(
            requirement.startswith(("torch==", "torchaudio==")) for requirement, _ in requirements(lock)
        )


def test_the_native_runtimes_are_locked_as_source() -> None:
    native = pins("requirements-native.lock")
    assert {"pywhispercpp", "llama-cpp-python"} <= {requirement.split("==")[0] for requirement in native}
    assert "--no-binary pywhispercpp,llama-cpp-python" in (ROOT / "justw").read_text()


def test_what_a_person_or_a_program_starts_is_executable() -> None:
    assert all(os.access(ROOT / name, os.X_OK) for name in ("justw", ".ci/run"))


@pytest.mark.parametrize("name", NOT_OURS)
def test_no_test_can_take_a_python_of_the_machine(name: str) -> None:
    """Which may lack what .venv has, or be of another version."""
    done = subprocess.run([name, "-c", ""], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (97, f"{name} of this machine: use sys.executable\n")


def ci_run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs what is to hold in a checkout whose `just` says its arguments and variables; `check` fails there
    if `BROKEN` was set when the environment was made. Its package index has nothing for the board.
    """
    (folder / ".ci").mkdir()
    (folder / ".venv/bin").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/run", folder / ".ci")
    says = '#!/bin/sh\necho "just $*"; env | grep -vE "^(_|PWD|OLDPWD|SHLVL)="\n[ ! -e broken ] || exit 3\n'
    for name, text in (
        ("justw", '#!/bin/sh\n[ -z "${BROKEN:-}" ] || touch broken\n'),
        (".venv/bin/just", says),
    ):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return subprocess.run(
        [str(folder / ".ci/run")],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": "/elsewhere", "HOME": str(folder), **environment},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def test_what_must_hold_is_run_as_on_a_bare_machine(tmp_path: Path) -> None:
    bare = sorted(["PATH=/usr/local/bin:/usr/bin:/bin", f"HOME={tmp_path}", "CI=true"])
    done = ci_run(tmp_path, CC="another")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, lines[0], lines[5]) == (0, "", "just check", "just test -q")
    assert sorted(lines[1:4]) == bare == sorted(lines[6:])
    assert lines[4] == "lock-check left out: the package index has nothing for aarch64."


def test_what_does_not_hold_ends_it(tmp_path: Path) -> None:
    done = ci_run(tmp_path, BROKEN="yes")
    assert done.returncode == 3 and "just test" not in done.stdout


PYTHON = """#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
    *os.setpgid* | *fcntl*) exec "$REAL" "$@" ;;
    *"print(*sys.version_info"*) echo "${VERSION:-3.11}" ;;
    "-m venv "*)
        [ -z "${HOLD:-}" ] || cat "$HOLD"
        mkdir -p "$3/bin"
        ln -s "$0" "$3/bin/python"
        ln -s python "$3/bin/python${VERSION:-3.11}"
        echo "#!$3/bin/python" >"$3/bin/pip"
        printf '#!/bin/sh\\necho just "$@"\\n' >"$3/bin/just"
        chmod +x "$3/bin/just"
        ;;
    *requirements-native.lock*) if [ -n "${BROKEN:-}" ]; then echo "no space left"; exit 1; fi ;;
esac
"""
"""Stands in for Python: makes a `.venv` whose `just` only repeats its arguments, and installs nothing. With
`HOLD`, a pipe, it goes on once somebody has written there and closed it.
"""


class Checkout:
    """A copy of what the bootstrap needs, on a machine where Python is the stand-in above, and every pause of
    the script a short one.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a checkout"
        self.root.mkdir()
        for path in [ROOT / "justw", ROOT / "requirements-native.cmake", *LOCKS]:
            shutil.copy(path, self.root)
        self.calls = folder / "calls"
        tools = folder / "bin"
        tools.mkdir()
        short = f"#!/bin/sh\nexec {shutil.which('sleep')} 0.02\n"
        for name, text in (("python3.11", PYTHON), ("sleep", short)):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(folder),
            "CALLS": str(self.calls),
            "REAL": sys.executable,
        }
        self.command = [str(self.root / "justw"), "one", "two words"]

    def justw(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs `justw one "two words"`; what it asked of Python lies in `calls`."""
        self.calls.write_text("")
        return subprocess.run(
            self.command,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def start(self, **environment: str) -> subprocess.Popen[str]:
        """The same, in the background."""
        with self.calls.open("a"):
            return subprocess.Popen(
                self.command, env=self.environment | environment, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True,
            )  # fmt: skip

    @property
    def installs(self) -> int:
        """How many have begun."""
        return len(re.findall("^-m venv ", self.calls.read_text(), re.MULTILINE))

    def waiting(self) -> subprocess.Popen[str]:
        """Another one, which has said that it waits."""
        started = self.start()
        assert started.stderr is not None
        assert "another justw is installing here: waiting for it." in started.stderr.readline()
        return started


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_first_start_installs_and_the_next_adds_less_than_0_3_s(checkout: Checkout) -> None:
    first = checkout.justw()
    assert (first.returncode, first.stdout) == (
        0,
        f"just --justfile {checkout.root}/justfile one two words\n",
    )
    assert "--require-hashes --no-deps" in checkout.calls.read_text()
    times_s = []
    for _ in range(5):
        started = time.monotonic()
        again = checkout.justw()
        times_s.append(time.monotonic() - started)
        assert (again.stdout, again.stderr, checkout.calls.read_text()) == (first.stdout, "", "")
    assert min(times_s) < 0.3


def test_a_failed_install_says_so_and_is_made_anew(checkout: Checkout) -> None:
    failed = checkout.justw(BROKEN="yes")
    assert failed.returncode == 1
    assert "no space left" in failed.stderr
    assert "the next start tries again" in failed.stderr
    assert checkout.justw().returncode == 0
    assert "-m venv" in checkout.calls.read_text()


def test_a_changed_lock_is_installed_into_the_same_environment(checkout: Checkout) -> None:
    checkout.justw()
    with (checkout.root / "requirements-dev.lock").open("a") as lock:
        lock.write("# changed\n")
    assert checkout.justw().returncode == 0
    assert "requirements-dev.lock" in checkout.calls.read_text()
    assert "-m venv" not in checkout.calls.read_text()


def test_after_an_upgrade_of_the_systems_python_the_environment_is_made_anew(checkout: Checkout) -> None:
    tools = checkout.root.parent / "bin"
    (tools / "python3.11").rename(tools / "python3.12")
    (tools / "python3").symlink_to("python3.12")
    assert checkout.justw(VERSION="3.12").returncode == 0
    assert checkout.justw(VERSION="3.12").stderr == ""
    (tools / "python3.12").rename(tools / "python3.13")
    (tools / "python3").unlink()
    (tools / "python3").symlink_to("python3.13")
    assert checkout.justw(VERSION="3.13").returncode == 0
    assert checkout.installs == 1


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "hold")
    return tmp_path / "hold"


def test_of_several_starts_one_installs_and_the_others_wait(checkout: Checkout, pipe: Path) -> None:
    first = checkout.start(HOLD=str(pipe))
    with pipe.open("w"):  # it installs
        others = [checkout.waiting(), checkout.waiting()]
        first.terminate()
        assert first.communicate(timeout=60)[0] == ""
        said = [each.communicate(timeout=60)[0] for each in others]
    assert said == [f"just --justfile {checkout.root}/justfile one two words\n"] * 2
    assert checkout.installs == 2  # the first one's, and one other's


def test_an_install_whose_start_was_killed_is_waited_for_and_no_longer(
    checkout: Checkout, pipe: Path
) -> None:
    first = checkout.start(HOLD=str(pipe))
    with pipe.open("w"):
        first.kill()  # its step goes on
        first.communicate(timeout=60)
        second = checkout.waiting()
        assert checkout.installs == 1
    assert second.communicate(timeout=60)[0].startswith("just ")
    assert checkout.installs == 2


@pytest.mark.parametrize("number", [str(os.getpid()), ""], ids=["of another process", "never written"])
def test_a_process_number_that_was_left_behind_keeps_nobody_waiting(checkout: Checkout, number: str) -> None:
    (checkout.root / ".venv-guard").mkdir()
    (checkout.root / ".venv-guard/pid").write_text(number)
    assert checkout.justw().returncode == 0


def test_where_nothing_can_be_written_it_says_so(checkout: Checkout) -> None:
    (checkout.root / ".venv-install.log").mkdir()
    done = checkout.justw()
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "can't be written" in done.stderr


def test_without_python_there_is_one_clear_sentence(tmp_path: Path) -> None:
    """A checkout of its own, on a machine whose commands include no Python."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "dirname", "cat", "cksum"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for path in [ROOT / "justw", ROOT / "requirements-native.cmake", *LOCKS]:
        shutil.copy(path, checkout)
    result = subprocess.run(
        ["sh", str(checkout / "justw"), "--version"],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.startswith("justw: Python 3.11 or newer is needed")
    assert result.stderr.count("\n") == 1
    assert not list(checkout.glob(".venv*"))
