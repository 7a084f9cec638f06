"""A release is deployed, runs on trial, and is kept or replaced; on a computer in a folder (see bench.py)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from host import __version__
from host.cli import main as cli
from host.ship.remote import RECEIVER, RemoteError
from host.ship.target import receive
from tests.host.ship.bench import Bench, signing_key, until


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    b = Bench(tmp_path)
    yield b
    b.close()


def test_from_nothing_to_a_healthy_service_that_starts_after_a_boot(bench: Bench) -> None:
    rules = bench.prefix / "run/udev/rules.d/71-headband-trial.rules"
    sysusers = bench.prefix / "bin/systemd-sysusers"
    sysusers.write_text(sysusers.read_text() + f"[ ! -e {rules} ] || exit 1\n")
    done = bench.deploy(bench.checkout("one"))
    assert done.changed and bench.current == done.release and bench.runs
    assert all(f"{__version__} ({done.release})" in bench.said[line] for line in (0, -2, -1))
    receiver = bench.prefix / "usr/local/sbin/headband-receive"
    assert receiver.read_bytes() == RECEIVER.read_bytes() and os.access(receiver, os.X_OK)
    there = receive.look(bench.prefix)
    assert (there["signers"], there["version"]) == ([signing_key().public], __version__)
    release = json.loads((bench.prefix / "opt/headband/current/release.json").read_text())
    assert (release["id"], release["version"]) == (done.release, __version__)
    assert release["commit"] == "c0ffee"
    assert not rules.exists(), "it was for the trial"
    for place in ("etc/udev/rules.d/70-headband.rules", "etc/modules-load.d/headband.conf"):
        in_release = (bench.prefix / place).readlink().relative_to("/")
        assert (bench.prefix / in_release).is_file()
    assert 'kind = "rk3566"' in (bench.prefix / "etc/headband/headband.toml").read_text()
    calls = (bench.prefix / "calls").read_text()
    steps = [calls.index(step) for step in ("systemd-sysusers", "modprobe -q i2c-dev", "udevadm trigger")]
    assert steps == sorted(steps)
    wanted = bench.prefix / "etc/systemd/system/multi-user.target.wants/headband.service"
    assert wanted.readlink() == Path("/opt/headband/current/host/service/headband.service")
    bench.power_cut()
    assert bench.boot()


def test_a_second_deploy_without_a_change_sends_nothing_and_restarts_nothing(bench: Bench) -> None:
    root = bench.checkout("one")
    bench.deploy(root)
    pid = bench.pid
    bench.remote.verbs.clear()
    done = bench.deploy(root)
    assert not done.changed and done.sent_bytes == 0
    assert bench.remote.verbs == ["look", "check"] and bench.pid == pid


def disable(bench: Bench) -> None:
    """What `systemctl disable headband` removes: the unit in /etc is a link itself."""
    for name in ("headband.service", "multi-user.target.wants/headband.service"):
        (bench.prefix / "etc/systemd/system" / name).unlink()


def test_a_disabled_service_starts_again_after_the_same_deploy(bench: Bench) -> None:
    root = bench.checkout("one")
    bench.deploy(root)
    pid = bench.pid
    disable(bench)
    assert bench.deploy(root).changed and bench.pid == pid, "nothing that runs has changed"
    assert not bench.deploy(root).changed
    bench.power_cut()
    assert bench.boot()
    disable(bench)
    bench.power_cut()
    assert not bench.boot()
    assert bench.deploy(root).changed and bench.runs


def test_a_failing_release_gives_way_to_one_that_was_disabled(bench: Bench) -> None:
    one = bench.deploy(bench.checkout("one"))
    disable(bench)
    with pytest.raises(RemoteError, match=f"back to {one.release}, which runs again"):
        bench.deploy(bench.checkout("two", begin="sys.exit(1)"))
    assert bench.runs


def test_only_what_changed_is_sent_and_the_environment_is_kept(bench: Bench) -> None:
    weights = bytes(2_000_000)
    first = bench.deploy(bench.checkout("one", more=weights))
    venvs = list((bench.prefix / "opt/headband/venvs").iterdir())
    made = venvs[0].stat().st_mtime_ns
    second = bench.deploy(bench.checkout("two", more=weights))
    assert first.sent_bytes > 2_000_000 and second.sent_bytes < 2_000
    assert [path.stat().st_mtime_ns for path in venvs] == [made]
    assert (bench.prefix / "opt/headband/previous").readlink().name == first.release
    third = bench.deploy(bench.checkout("three", more=b"smaller"))
    kept = {path.name for path in (bench.prefix / "opt/headband/releases").iterdir()}
    assert kept == {second.release, third.release}


def test_what_did_not_change_is_not_compiled_again(bench: Bench) -> None:
    def compiled() -> dict[str, int]:
        host = bench.prefix / "opt/headband/current/host"
        files = [path for folder in host.rglob("__pycache__") for path in folder.iterdir()]
        return {f"{path.parents[1].name}/{path.name.split('.')[0]}": path.stat().st_ino for path in files}

    bench.deploy(bench.checkout("one"))
    before = compiled()
    bench.deploy(bench.checkout("two"))
    after = compiled()
    same, changed = "system/systemd_notify", "host/__main__"
    others = ("host/__init__", "host/states", "system/__init__", "target/receive")
    assert before[same] == after[same] and before[changed] != after[changed]
    assert set(before) == set(after) == {same, changed, *others}


BROKEN: dict[str, dict[str, Any]] = {
    "does not start": {"begin": "raise SystemExit(1)"},
    "hangs before it is ready": {"begin": "time.sleep(600)"},
    "ends soon after": {"after": "raise SystemExit(1)"},
    "no longer listens": {"status": "deaf: no microphone"},
}


@pytest.mark.slow
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_release_gives_way_to_the_one_before(bench: Bench, how: str) -> None:
    good = bench.deploy(bench.checkout("good"))
    if how.startswith("hangs"):
        bench.remote.timeout_s = 4.0
    with pytest.raises(RemoteError, match=f"not healthy .*: back to {good.release}, which runs again"):
        bench.deploy(bench.checkout("broken", **BROKEN[how]), settled_s=0.2)
    assert bench.current == good.release and bench.runs
    bench.power_cut()
    assert bench.boot()
    assert bench.deploy(bench.checkout("mended")).changed and bench.runs


@pytest.mark.slow
def test_a_release_that_does_not_listen_is_kept_only_where_there_is_none_before_it(bench: Bench) -> None:
    first = bench.deploy(bench.checkout("deaf", status="deaf: no microphone"))
    assert bench.current == first.release and any("`headband doctor` there" in line for line in bench.said)
    with pytest.raises(RemoteError, match=f"does not listen, .*: back to {first.release}, which runs again"):
        bench.deploy(bench.checkout("deaf too", status="deaf: no microphone"))
    assert bench.current == first.release and bench.runs


def test_a_journal_with_bytes_that_are_no_text_keeps_no_unhealthy_release_running(bench: Bench) -> None:
    first = bench.deploy(bench.checkout("good"))
    journal = bench.prefix / "bin/journalctl"
    journal.write_text("#!/bin/sh\nprintf 'the model \\377 is damaged\\n'\n")
    with pytest.raises(RemoteError, match=r"runs again\.\n  \| the model . is damaged"):
        bench.deploy(bench.checkout("deaf", status="deaf: no microphone"))
    assert bench.current == first.release and bench.runs
    assert not list((bench.prefix / "run/systemd/system").glob("headband-trial-*"))


@pytest.mark.slow
def test_the_release_before_comes_back_by_one_command(bench: Bench) -> None:
    one, two = bench.deploy(bench.checkout("one")), bench.deploy(bench.checkout("two"))
    bench.rollback()
    assert bench.current == one.release and bench.runs
    assert bench.said[-1].endswith(
        f"({one.release}) runs again, healthy; {two.release} is the one before now"
    )
    bench.power_cut()
    assert bench.boot()
    bench.rollback()
    assert bench.current == two.release and bench.runs


@pytest.mark.slow
def test_systemd_returns_by_itself_when_nobody_watches_a_broken_release(bench: Bench) -> None:
    bench.deploy(bench.checkout("good"))
    pid = bench.pid
    root = bench.checkout("broken", after="time.sleep(1.5); raise SystemExit(1)")
    with pytest.raises(RemoteError, match="ended early"):
        bench.deploy(root, cut_on_trial=True, settled_s=3.0)
    until(lambda: bench.runs)
    assert bench.pid != pid


def test_below_30_percent_nothing_is_touched(bench: Bench) -> None:
    good = bench.deploy(bench.checkout("good"))
    pid = bench.pid
    bench.set_battery(29)
    new = bench.checkout("new")
    with pytest.raises(RemoteError, match="29 percent"):
        bench.deploy(new)
    assert bench.current == good.release and bench.pid == pid
    bench.set_battery(29, charging=True)
    assert bench.deploy(new).changed


def test_a_first_release_asks_the_battery_before_it_starts(bench: Bench) -> None:
    bench.set_battery(12)
    with pytest.raises(RemoteError, match="12 percent"):
        bench.deploy(bench.checkout("new"))
    assert bench.current is None and not bench.runs


def test_the_kernels_battery_counts_where_no_release_knows_a_better_one(bench: Bench) -> None:
    supply = bench.prefix / "sys/class/power_supply/rk817-battery"
    supply.mkdir(parents=True)
    for name, value in (("type", "Battery"), ("capacity", "15"), ("status", "Discharging")):
        (supply / name).write_text(value + "\n")
    with pytest.raises(RemoteError, match="15 percent"):
        bench.deploy(bench.checkout("new"))
    assert bench.remote.verbs == ["look", "need"]
    for name, value in (("present", "0"), ("scope", "Device")):  # an empty battery slot; a keyboard's battery
        (supply / name).write_text(value + "\n")
        assert bench.deploy(bench.checkout(name)).changed
        (supply / name).unlink()
    assert bench.deploy(bench.checkout("gauge")).changed, "the headband's own gauge knows better"


def test_a_battery_that_cannot_be_read_is_said(bench: Bench) -> None:
    bench.set_battery(None, problem="The battery gauge does not answer.")
    bench.deploy(bench.checkout("new"))
    assert "the battery can't be read: The battery gauge does not answer." in bench.said


def test_a_full_disk_is_one_sentence_and_the_old_release_runs_on(bench: Bench) -> None:
    good = bench.deploy(bench.checkout("good"))
    pid = bench.pid
    bench.remote.most_bytes = 100_000
    big = bench.checkout("big", more=bytes(range(256)) * 4000)
    with pytest.raises(RemoteError, match=r"^The headband can't write \(File too large\)"):
        bench.deploy(big)
    assert bench.current == good.release and bench.pid == pid
    bench.remote.most_bytes = None
    assert bench.deploy(big).changed


def test_a_release_that_cannot_fit_is_refused_before_anything_is_sent(bench: Bench) -> None:
    from host.ship.release import Environment, ReleaseFile, application

    left = [bench.prefix / "opt/headband" / name for name in ("venvs/old.part/lib", "build.part")]
    for folder in left:
        folder.mkdir(parents=True)
    stored = bench.prefix / "opt/headband/store" / ("1" * 64)
    stored.parent.mkdir()
    stored.write_bytes(bytes(1000))
    huge = {"torch.whl": ReleaseFile(Path("torch.whl"), "0" * 64, 10**15)}
    with pytest.raises(RemoteError, match="MB free and this release needs"):
        bench.app(print).run(
            application(bench.checkout("new")), lambda machine, python: Environment(huge, {}, {}), "rk3566"
        )
    assert bench.remote.verbs == ["look", "need"]
    assert not any(path.exists() for path in (*left, stored)), "deploys that were cut short take no room"


def test_two_deploys_at_once_are_one(bench: Bench) -> None:
    import fcntl

    (bench.prefix / "opt/headband").mkdir(parents=True)
    with open(bench.prefix / "opt/headband/lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RemoteError, match="under way"):
            bench.deploy(bench.checkout("new"))


def test_an_unreachable_headband_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["deploy", "headband.invalid"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("headband.invalid can't be reached by ssh: ") and said.err.count("\n") == 1
    with pytest.raises(SystemExit, match="2"):
        cli.main(["deploy", "two words"])
    assert cli.main(["deploy", "--rollback", "--firmware", "headband.invalid"]) == 2
    assert capsys.readouterr().err.endswith("--rollback brings nothing: leave --firmware and --npu out.\n")


def test_the_lines_of_a_log_are_printed_as_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RemoteError("Release a\x1bb is not healthy.\n  | Traceback:\n  | KeyError: '\x07'")

    monkeypatch.setattr("host.ship.command.AppDeploy.rollback", refuse)
    assert cli.main(["deploy", "--rollback", "headband.invalid"]) == 1
    said = "Release a\\x1bb is not healthy.\n  | Traceback:\n  | KeyError: '\\x07'\n"
    assert capsys.readouterr().err == said
