"""The service's user gets the I2C bus that the settings name, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from host.app.open_board import wiring_path
from host.config import BoardConfig
from host.ship.release import ROOT
from host.ship.remote import RemoteError
from host.ship.running import DeployRefused
from host.ship.target.device_rules import DEFAULT_BUS, I2C_RULES, SETTINGS, i2c_bus, i2c_rules
from hw.linux.wiring import Wiring, read_wiring
from tests.host.ship.bench import Bench

RULES = ROOT / "host/service/70-headband.rules"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    b = Bench(tmp_path)
    yield b
    b.close()


def settings(prefix: Path, text: str) -> Path:
    path = prefix / SETTINGS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def i2c_lines(rules: str) -> list[str]:
    return [line for line in rules.splitlines() if "i2c-dev" in line and not line.startswith("#")]


def test_the_rules_open_one_bus_or_none() -> None:
    assert i2c_lines(i2c_rules(3)) == ['SUBSYSTEM=="i2c-dev", KERNEL=="i2c-3", GROUP="headband", MODE="0660"']
    assert i2c_lines(i2c_rules(None)) == []
    assert i2c_lines(RULES.read_text()) == [], "what is a link opens no bus"


@pytest.mark.parametrize("kind", ["rk3566", "rk3588"])
def test_without_a_file_of_its_own_it_is_the_bus_that_the_service_opens(tmp_path: Path, kind: str) -> None:
    settings(tmp_path, f'[board]\nkind = "{kind}"\n')
    assert i2c_bus(ROOT, tmp_path) == read_wiring(wiring_path(BoardConfig(kind=kind))).i2c_bus  # type: ignore[arg-type]
    assert Wiring().i2c_bus == DEFAULT_BUS == i2c_bus(tmp_path / "without a board.toml", tmp_path)


@pytest.mark.parametrize(
    ("named", "lies"),
    [
        ("/etc/headband/board.toml", "board/etc/headband/board.toml"),
        ("~/board.toml", "board/var/lib/headband/board.toml"),
        ("own/board.toml", "release/own/board.toml"),
    ],
)
@pytest.mark.parametrize(("text", "bus"), [("i2c_bus = 4\n", 4), ('led = "pmu"\n', DEFAULT_BUS)])
def test_a_board_of_ones_own_names_its_bus(
    tmp_path: Path, named: str, lies: str, text: str, bus: int
) -> None:
    (tmp_path / lies).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / lies).write_text(text)
    settings(tmp_path / "board", f'[board]\nkind = "rk3566"\nfile = "{named}"\n')
    assert i2c_bus(tmp_path / "release", tmp_path / "board") == bus


@pytest.mark.parametrize("text", ['[board]\nkind = "laptop"\n', '[board]\nkind = "emulated"\n', ""])
def test_what_is_no_headband_gets_no_bus(tmp_path: Path, text: str) -> None:
    settings(tmp_path, text)
    assert i2c_bus(ROOT, tmp_path) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("i2c_bus = 256\n", "no number of a bus"),
        ("i2c_bus = true\n", "no number of a bus"),
        ('i2c_bus = "1\\", GROUP=\\"all"\n', "no number of a bus"),
        ("i2c_bus\n", "can't be read"),
        (None, "can't be read"),
    ],
)
def test_a_bus_that_is_none_is_refused(tmp_path: Path, text: str | None, says: str) -> None:
    settings(tmp_path, '[board]\nkind = "rk3566"\nfile = "/etc/b.toml"\n')
    if text is not None:
        (tmp_path / "etc/b.toml").write_text(text)
    with pytest.raises(DeployRefused, match=says):
        i2c_bus(ROOT, tmp_path)


def test_the_next_deploy_follows_a_changed_setting(bench: Bench) -> None:
    root = bench.checkout("one")
    bench.deploy(root)
    link = bench.prefix / "etc/udev/rules.d" / I2C_RULES
    rules = bench.prefix / link.readlink().relative_to("/")
    assert 'KERNEL=="i2c-1"' in i2c_lines(rules.read_text())[0]
    pid = bench.pid
    assert not bench.deploy(root).changed and bench.pid == pid
    (bench.prefix / "etc/b.toml").write_text("i2c_bus = 2\n")
    settings(bench.prefix, '[board]\nkind = "rk3566"\nfile = "/etc/b.toml"\n')
    (bench.prefix / "calls").unlink()
    again = bench.deploy(root)
    assert again.changed and again.sent_bytes == 0 and bench.runs and bench.pid != pid
    assert 'KERNEL=="i2c-2"' in i2c_lines(rules.read_text())[0]
    calls = (bench.prefix / "calls").read_text()
    assert "udevadm trigger" in calls
    assert not bench.deploy(root).changed


def settles(bench: Bench, calls: int) -> None:
    """Waiting for udev's queue succeeds that often, and then no more."""
    count = bench.prefix / "settled"
    (bench.prefix / "bin/udevadm").write_text(
        f'#!/bin/sh\n[ "$1" = settle ] || exit 0\necho >> {count}\n'
        f"[ $(wc -l < {count}) -le {calls} ] || {{ echo Timed out; exit 1; }}\n"
    )


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_a_slow_udev_refuses_a_trial_and_stops_no_release_that_has_passed_it(
    bench: Bench, calls: int
) -> None:
    one, two = bench.checkout("one"), bench.checkout("two")
    rules = two / "host/service/70-headband.rules"
    rules.write_text(f"{rules.read_text()}# others\n")
    first = bench.deploy(one).release
    settles(bench, calls)
    if calls == 0:
        with pytest.raises(RemoteError, match=r"^udevadm failed .*, which is as it was:\n  . Timed"):
            bench.deploy(two)
        assert bench.current == first
    else:
        assert bench.deploy(two).release == bench.current
        assert any(line.startswith("udevadm failed; devices") for line in bench.said) == (calls == 1)
    assert bench.runs and not list((bench.prefix / "run/systemd/system").iterdir())
    assert not list((bench.prefix / "run/udev/rules.d").iterdir()), "they were for the trial"


def test_the_same_release_starts_with_another_bus_though_udev_is_slow(bench: Bench) -> None:
    root = bench.checkout("one")
    bench.deploy(root)
    pid = bench.pid
    settles(bench, 0)
    (bench.prefix / "etc/b.toml").write_text("i2c_bus = 2\n")
    settings(bench.prefix, '[board]\nkind = "rk3566"\nfile = "/etc/b.toml"\n')
    assert bench.deploy(root).changed and bench.runs and bench.pid != pid
