"""A deploy that is interrupted, that another deploy overtakes, or that finds unusable settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

import pytest

from host.ship.release import Environment, ReleaseFile, application
from host.ship.remote import RemoteError, Signed
from host.ship.running import DeployRefused
from tests.host.ship import in_process
from tests.host.ship.bench import Bench, until


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
