"""A deploy that is interrupted, that another deploy overtakes, or that finds unusable settings."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any
from unittest.mock import Mock

import pytest

from host.ship.release import Environment, ReleaseFile, application
from host.ship.remote import RemoteError, Signed
from host.ship.rollback import main as rollback
from host.ship.running import DeployRefused
from host.ship.target import building
from host.ship.target.supervise import SERVICE
from host.ship.target.trial import ReleaseSwitch
from host.ship.target.trust import Trust
from tests.host.ship import in_process
from tests.host.ship.bench import Bench, until
from tests.host.ship.stand_in import BROKEN, Computer, Systemd, computer, folder

__all__ = ["computer", "folder"]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    b = Bench(tmp_path)
    yield b
    b.close()


def stopped_at(bench: Bench, root: Path, line: int, venv: str) -> bool:
    """A deploy that Ctrl-C interrupts at that line of its output; False if it prints fewer lines."""
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if len(said) > line:
            raise KeyboardInterrupt

    deploy = bench.app(say, settled_s=0.2)
    with suppress(KeyboardInterrupt):
        deploy.run(application(root), lambda machine, python: Environment({}, {}, {}, venv), "rk3566")
    # The remote side goes on until it finds its output closed, or has finished.
    until(lambda: not Path(f"/proc/{bench.remote.pid}").exists() or zombie(bench.remote.pid))
    return len(said) > line


def zombie(pid: int) -> bool:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


def test_a_systemd_that_does_not_answer_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mute(in_process.Systemd):
        def reload(self) -> None:
            raise TimeoutExpired(["systemctl", "daemon-reload"], 60.0)

    in_process.replace_programs(monkeypatch, Mute)
    release = in_process.checkout(tmp_path, "one", "venv")
    with pytest.raises(DeployRefused, match=r"`systemctl daemon-reload`: run the same command again\.$"):
        in_process.deploy(tmp_path / "board", release)


def there(computer: Computer, kind: str) -> set[str]:
    """Names of the releases or environments on the disk."""
    return {path.name for path in (computer.prefix / "opt/headband" / kind).iterdir()}


def test_of_releases_that_failed_their_trials_no_more_than_the_last_takes_room(
    folder: Path, computer: Computer
) -> None:
    good = in_process.checkout(folder, "good", "venv")
    in_process.deploy(computer.prefix, good)
    for number in range(3):
        bad = in_process.checkout(folder, f"{number} {BROKEN}", f"venv {number}")
        with pytest.raises(DeployRefused, match="is not healthy"):
            in_process.deploy(computer.prefix, bad)
        assert there(computer, "releases") == {good.name, bad.name}
        assert len(there(computer, "venvs")) == 2 and computer.running == {SERVICE: good.name}


def full_while(left: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk has no room while that is there."""
    monkeypatch.setattr("shutil.disk_usage", lambda path: Mock(free=0 if left.exists() else 10**12))


def test_where_the_disk_is_full_what_no_deploy_wants_makes_room(
    folder: Path, computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, left, wanted = (in_process.checkout(folder, name, f"venv {name}") for name in ("a", BROKEN, "c"))
    in_process.deploy(computer.prefix, good)
    with pytest.raises(DeployRefused):
        in_process.deploy(computer.prefix, left)
    folders = [computer.prefix / "opt/headband" / kind for kind in ("releases", "venvs")]
    full_while(folders[0] / left.name, monkeypatch)
    with pytest.raises(DeployRefused, match="make room"):
        in_process.call(computer.prefix, "need", left.request())
    assert [len(list(each.iterdir())) for each in folders] == [2, 2], "it is what is wanted"
    assert in_process.call(computer.prefix, "need", wanted.request())["missing"]
    assert [len(list(each.iterdir())) for each in folders] == [1, 1]
    assert in_process.deploy(computer.prefix, wanted) and computer.running == {SERVICE: wanted.name}


@pytest.mark.parametrize("step", ["arrives", "is compiled"])
def test_of_a_deploy_whose_disk_becomes_full_nothing_half_made_takes_the_rest(
    folder: Path, computer: Computer, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, wanted = (in_process.checkout(folder, name, f"venv {name}") for name in "ab")
    in_process.deploy(computer.prefix, good)

    def full(*words: object, **_: object) -> None:
        if step == "arrives" or "compileall" in words:
            raise OSError(errno.ENOSPC, "No space left on device")
        in_process.run(*words)

    opt = computer.prefix / "opt/headband"
    with monkeypatch.context() as patch:
        if step == "arrives":
            patch.setattr(Trust, "accept", Mock())  # which syncs a file too
            patch.setattr("os.fsync", full)
        else:
            patch.setattr(building, "run", full)
        with pytest.raises(DeployRefused, match=r"can't write \(No space left on device\)"):
            in_process.deploy(computer.prefix, wanted)
    assert not [*opt.rglob("*.part"), *opt.rglob("incoming")]
    assert computer.running == {SERVICE: good.name} and in_process.deploy(computer.prefix, wanted)


class Killed(BaseException):
    """Stands in for the end of the process: nothing is done after it."""


def test_a_release_that_runs_on_trial_is_not_deleted(
    folder: Path, computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupted deploy left it running, and only the next trial ends it."""
    good, left, wanted = (in_process.checkout(folder, name, f"venv {name}") for name in "abc")
    in_process.deploy(computer.prefix, good)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ReleaseSwitch, "_make_current", Mock(side_effect=Killed))
        with pytest.raises(Killed):
            in_process.deploy(computer.prefix, left)
    assert list(computer.running.values()) == [left.name]
    full_while(computer.prefix / "opt/headband/releases" / left.name, monkeypatch)
    with pytest.raises(DeployRefused, match="make room"):
        in_process.call(computer.prefix, "need", wanted.request())
    assert there(computer, "releases") == {good.name, left.name} and len(there(computer, "venvs")) == 2


@pytest.mark.parametrize("moved", [False, True])
def test_ctrl_c_in_a_rollback_leaves_the_current_release_running(
    folder: Path, computer: Computer, moved: bool, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """moved: it comes when the trial has passed and the links name the release before."""
    one, two = (in_process.checkout(folder, name, "venv") for name in "ab")
    for release in (one, two):
        in_process.deploy(computer.prefix, release)
    restart = Systemd.restart
    pressed: list[str] = []

    def interrupted(self: Systemd, unit: str) -> str:
        if pressed or moved != (unit == SERVICE):
            return restart(self, unit)
        pressed.append(unit)
        if not moved:
            restart(self, unit)
        raise KeyboardInterrupt

    monkeypatch.setattr(Systemd, "restart", interrupted)
    assert rollback(str(computer.prefix)) == 130
    current = one if moved else two
    assert in_process.current(computer.prefix) == current.name
    assert computer.running == {SERVICE: current.name}
    assert not list((computer.prefix / "run/systemd/system").iterdir()), "no unit of a trial is left"
    said = capsys.readouterr()
    assert said.err == f"The rollback was interrupted: {current.name} is the current release.\n"


@pytest.mark.slow
def test_stopped_at_any_step_a_release_runs_and_the_same_command_goes_on(bench: Bench) -> None:
    bench.deploy(bench.checkout("good"))
    for line in range(20):
        root = bench.checkout(f"stopped-{line}", more=bytes(100_000 + line))
        more = stopped_at(bench, root, line, f"venv {line}")
        until(lambda: bench.runs)
        assert bench.deploy(root, venv=f"venv {line}").release == bench.current and bench.runs
        if not more:
            break
    assert 3 <= line < 20


def test_a_deploy_that_another_overtakes_says_so_and_the_other_one_stays(bench: Bench) -> None:
    bench.deploy(bench.checkout("first"))
    first, second = bench.checkout("overtaken", more=bytes(300_000)), bench.checkout("overtaking")
    run = bench.remote.run
    done: list[str] = []

    def overtaken(verb: str, signed: Signed, files: Iterable[ReleaseFile], say: Any) -> Any:
        if verb == "install" and not done:
            done.append(verb)
            done.append(bench.deploy(second).release)
        return run(verb, signed, files, say)

    bench.remote.run = overtaken  # type: ignore[method-assign]
    with pytest.raises(RemoteError, match=r"^Another deploy .* run the same command again\.$"):
        bench.deploy(first)
    assert bench.current == done[1] and bench.runs
    assert bench.deploy(first).changed


def test_the_wearers_own_settings_stay_as_they_are(bench: Bench) -> None:
    bench.deploy(bench.checkout("one"))
    settings = bench.prefix / "etc/headband/headband.toml"
    mine = '[board]\nkind = "rk3588"  # mine\n'
    settings.write_text(mine)
    bench.deploy(bench.checkout("two"))
    assert settings.read_text() == mine


def test_settings_that_the_new_release_refuses_stop_nothing(bench: Bench) -> None:
    good = bench.deploy(bench.checkout("good"))
    pid = bench.pid
    (bench.prefix / "etc/headband/headband.toml").write_text("[listen]\nold_name = 3\n")
    new = bench.checkout("new", refuses="listen.old_name is unknown (in headband.toml).")
    with pytest.raises(
        RemoteError,
        match=r"listen\.old_name is unknown .*: this release can't run with that; the headband is as it was",
    ):
        bench.deploy(new)
    assert bench.current == good.release and bench.pid == pid and bench.runs
