"""The service's unit: it has the documented directives, systemd accepts it, and a trial unit is
made from it.
"""

from __future__ import annotations

import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from host.config import GuardConfig
from host.ship.release import ROOT
from host.ship.target.guard_files import DROP_IN
from host.ship.target.guard_files import UNIT as UNIT_OF_GUARD
from host.ship.target.supervise import TRIALS, trial_name, trial_unit
from host.system.systemd_notify import BEATS_PER_DEADLINE
from models.process.bricks import DEFAULT_TIMEOUT_S
from models.process.child_handle import LOAD_GRACE_S

UNIT = (ROOT / "host/service/headband.service").read_text()
PAUSE = ROOT / "host/service/pause"


def directives(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("Type", "notify"),
        ("WatchdogSec", "180"),
        ("KillMode", "mixed"),
        ("Restart", "on-failure"),
        ("MemoryMax", "80%"),
        ("PrivateNetwork", "yes"),
        ("IPAddressDeny", "any"),
        ("RestrictAddressFamilies", "AF_UNIX"),
        ("ProtectSystem", "strict"),
        ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""),
        ("User", "headband"),
        ("StandardOutput", "journal"),
        ("StartLimitIntervalSec", "0"),
        ("StandardError", "journal"),
        ("ExecStartPre", "-/bin/sh /opt/headband/current/host/service/pause"),
        (
            "ExecStopPost",
            "-+/bin/sh -c 'test -e /run/headband/power-off && exec systemctl --no-block poweroff'",
        ),
        ("NotifyAccess", "main"),
        ("MemorySwapMax", "0"),
        ("OOMPolicy", "continue"),
        ("LimitCORE", "1"),
        ("UMask", "0077"),
        ("StateDirectoryMode", "0700"),
        ("PrivateTmp", "yes"),
        ("ProtectHome", "yes"),
        ("DevicePolicy", "closed"),
    ],
)
def test_the_service_is_watched_bounded_and_without_a_network(key: str, value: str) -> None:
    assert directives(UNIT)[key] == [value]


def test_the_watchdog_is_slower_than_the_guard_and_than_whatever_a_turn_may_wait_for() -> None:
    guard, deadline_s = GuardConfig(), float(directives(UNIT)["WatchdogSec"][0])
    assert deadline_s >= guard.deadline_s
    last_beat_s = deadline_s / BEATS_PER_DEADLINE  # progress may be made that long after a heartbeat
    assert deadline_s - last_beat_s > max(LOAD_GRACE_S, DEFAULT_TIMEOUT_S, guard.stall_s)


def test_a_trial_is_named_for_its_release_and_ends_every_other_one() -> None:
    left = trial_name("abc")
    assert trial_name("abd") != left and fnmatch(left, TRIALS)
    d = directives(trial_unit(UNIT, "abd", back=True, others=[left]))
    assert d["Conflicts"] == [f"headband.service {left}"] and d["Conflicts"][0] in d["After"]
    assert d["OnFailure"] == ["headband.service"]


def test_a_trial_runs_the_new_release_once_and_names_its_way_back() -> None:
    text = trial_unit(UNIT, "abc", back=True)
    d = directives(text)
    assert d["Conflicts"] == d["OnFailure"] == ["headband.service"]
    assert d["Restart"] == ["no"] and d["WorkingDirectory"] == ["/opt/headband/releases/abc"]
    assert "/opt/headband/current" not in text and "[Install]" not in text
    first = directives(trial_unit(UNIT, "abc", back=False))
    assert "OnFailure" not in first
    same = set(d) - {"OnFailure", "Conflicts", "After", "Restart", "Documentation"}
    assert {k for k in same if "/opt" not in str(d[k]) and d[k] != directives(UNIT)[k]} == set()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    start = directives(UNIT)["ExecStart"][0].split()[0]
    text = UNIT.replace(start, "/bin/true")  # the program is not installed here
    (tmp_path / "headband.service").write_text(text)
    trial = trial_unit(text, "abc", back=True)
    (tmp_path / trial_name("abc")).write_text(trial)
    for name in (UNIT_OF_GUARD, DROP_IN):
        place = tmp_path / ("headband.service.d/guard.conf" if name == DROP_IN else name)
        place.parent.mkdir(exist_ok=True)
        place.write_text((ROOT / "host/service" / name).read_text())
    for name in ("headband.service", trial_name("abc"), UNIT_OF_GUARD):
        done = subprocess.run(
            ["systemd-analyze", "verify", str(tmp_path / name)], capture_output=True, text=True, timeout=60
        )
        assert [line for line in done.stderr.splitlines() if "headband" in line] == []


def test_starts_that_follow_each_other_are_further_and_further_apart(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    sleep = tmp_path / "bin/sleep"
    sleep.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/slept\n')
    sleep.chmod(0o755)
    environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "RUNTIME_DIRECTORY": str(tmp_path)}
    for _ in range(7):
        subprocess.run(["/bin/sh", str(PAUSE)], env=environment, check=True)
    assert (tmp_path / "slept").read_text().split() == ["0", "2", "4", "8", "16", "30", "30"]
    old = tmp_path / "starts"
    subprocess.run(["touch", "-d", "20 minutes ago", str(old)], check=True)
    subprocess.run(["/bin/sh", str(PAUSE)], env=environment, check=True)
    assert (tmp_path / "slept").read_text().split()[-1] == "0"


def test_the_command_on_the_headband_is_that_of_its_release_as_the_services_user(tmp_path: Path) -> None:
    programs = {
        "id": "echo 0",
        "setpriv": 'case "$*" in *" -c "*) exit 0;; esac; '
        f'printf "%s\\n" "$@" > {tmp_path}/words; echo looks >> {tmp_path}/calls; exit 1',
        "systemctl": f'echo "$*" >> {tmp_path}/calls; [ -e {tmp_path}/active ]',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)

    def words(*arguments: str) -> list[str]:
        call = ["/bin/sh", str(ROOT / "host/service/headband"), *arguments]
        done = subprocess.run(call, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False)
        assert done.returncode == 1
        return (tmp_path / "words").read_text().splitlines()

    settings = ["--config", "/etc/headband/headband.toml"]
    assert words("doctor", "--json")[-4:] == ["doctor", *settings, "--json"]
    listed = words("models", "list")
    assert "HEADBAND_CONFIG=/etc/headband/headband.toml" in listed  # whatever lies in the current folder
    assert listed[-4:] == ["-m", "host", "models", "list"] and "--reuid=headband" in listed
    (tmp_path / "active").touch()
    (tmp_path / "calls").unlink()
    words("status")
    assert (tmp_path / "calls").read_text().split("\n") == ["looks", ""]
    words("doctor")  # which needs the devices that a headband holds that runs
    steps = (tmp_path / "calls").read_text().splitlines()[1:]
    rests, again = "stop headband.service", "start headband.service"
    assert steps == ["--quiet is-active headband.service", rests, "looks", again]
