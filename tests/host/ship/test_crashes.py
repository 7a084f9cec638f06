"""Deaths, power cuts and flipped bits in deploys; some here, thousands by
`python -m tests.host.ship.crashes`. Beside them what the walk does not single out: how a release is repaired,
and which release a trial is of.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from host.ship.release import Release, release_file
from host.ship.running import DeployRefused
from host.ship.target.device_rules import I2C_RULES, SETTINGS, i2c_rules
from host.ship.whole import MANIFEST, FileDigests, is_complete
from tests.host.ship.crashes import walk
from tests.host.ship.disk import written
from tests.host.ship.in_process import assert_whole, call, checkout, current, deploy
from tests.host.ship.recorder import recorded
from tests.host.ship.stand_in import BROKEN, Computer, Systemd, computer, folder

__all__ = ["computer", "folder"]


def flip(path: Path) -> None:
    """Changes one bit in place: in every hard link of the file."""
    with path.open("r+b") as file:
        first = file.read(1)
        file.seek(0)
        file.write(bytes([first[0] ^ 1]))


def test_after_every_crash_a_tried_release_boots_and_the_next_deploy_repairs_everything(folder: Path) -> None:
    counted = walk(folder, 40, seed=6)
    assert counted["deaths"] + counted["cuts"] >= 40


@pytest.mark.slow
def test_after_two_thousand_crashes_of_deploys_rollbacks_boots_and_deletions(folder: Path) -> None:
    seed = date.today().toordinal()  # other ones every night
    print(f"python -m tests.host.ship.crashes --crashes 2000 --seed {seed}")
    counted = walk(folder, 2000, seed)
    print(dict(counted))
    assert counted["deaths"] + counted["cuts"] >= 2000
    assert min(counted[f"crashes in {doing}"] for doing in ("deploys", "rollbacks", "boots")) > 50
    assert counted["of them while old files are deleted"] > 50


KINDS = {
    "a file of a release": "current/host/same.py",
    "its weights": "current/models/weights.bin",
    "a compiled file": "current/host/__pycache__/same.cpython-311.pyc",
    "the manifest": "current/manifest.json",
    "what names it": "current/release.json",
    "a file of the environment": "current/venv/lib/python3.11/site-packages/runtime.py",
    "the environment's manifest": "current/venv/manifest.json",
    "the rules for devices": "current/host/service/70-headband.rules",
    "the rule for the I2C bus": "current/host/service/71-headband-i2c.rules",
    "the command": "../../usr/local/bin/headband",
    "the receiver of deploys": "../../usr/local/sbin/headband-receive",
    "its socket": "../../etc/systemd/system/headband-receive.socket",
    "who may deploy": "../../var/lib/headband-deploy/.ssh/authorized_keys",
}


@pytest.mark.parametrize("kind", [*KINDS, "a stored wheel"])
def test_a_flipped_bit_is_repaired_by_the_same_deploy(folder: Path, computer: Computer, kind: str) -> None:
    release = checkout(folder, "a", "venv")
    deploy(computer.prefix, release)
    opt = computer.prefix / "opt/headband"
    wheel = opt / "store" / release.environment.wheels["w.whl"].sha256
    path = wheel if kind == "a stored wheel" else opt / KINDS[kind]
    right = path.read_bytes()
    assert not deploy(computer.prefix, release)
    flip(path)
    assert deploy(computer.prefix, release), "it says that there is nothing to do"
    assert path.read_bytes() == right and assert_whole(computer.prefix, [release]) is release
    assert not deploy(computer.prefix, release)


def test_what_a_damaged_file_is_shared_with_is_repaired_as_well(folder: Path, computer: Computer) -> None:
    one, two = checkout(folder, "a", "venv"), checkout(folder, "b", "venv")
    deploy(computer.prefix, one)
    deploy(computer.prefix, two)
    opt = computer.prefix / "opt/headband"
    shared = opt / "current/host/same.py"
    assert shared.samefile(opt / "previous/host/same.py")
    flip(shared)
    assert deploy(computer.prefix, two)
    assert is_complete(opt / "previous", read=True) and (opt / "previous").resolve().name == one.name
    assert shared.samefile(opt / "previous/host/same.py"), "both have the new file"


def test_a_damaged_manifest_does_not_say_how_the_release_before_is_built_again(
    folder: Path, computer: Computer
) -> None:
    one, two = checkout(folder, "a", "venv"), checkout(folder, "b", "venv")
    deploy(computer.prefix, one)
    deploy(computer.prefix, two)
    manifest = computer.prefix / "opt/headband/previous" / MANIFEST
    manifest.write_text(manifest.read_text().replace("headband.sysusers", "headband.sysuserr"))
    flip(computer.prefix / "opt/headband/current/host/same.py")
    assert deploy(computer.prefix, two)
    with pytest.raises(DeployRefused, match="is damaged"):
        call(computer.prefix, "rollback", {})


def test_a_new_release_does_not_run_on_an_environment_that_is_damaged(
    folder: Path, computer: Computer
) -> None:
    deploy(computer.prefix, checkout(folder, "a", "venv"))
    flip(computer.prefix / "opt/headband/current/venv/lib/python3.11/site-packages/runtime.py")
    two = checkout(folder, "b", "venv")
    deploy(computer.prefix, two)
    assert assert_whole(computer.prefix, [two]) is two


@pytest.mark.parametrize("what", ["host/same.py", "host/app.py"])
def test_the_same_deploy_repairs_the_release_before(folder: Path, computer: Computer, what: str) -> None:
    one, two = checkout(folder, "a", "venv"), checkout(folder, "b", "venv")
    deploy(computer.prefix, one)
    deploy(computer.prefix, two)
    runs = dict(computer.running)
    path = computer.prefix / "opt/headband/previous" / what
    path.unlink()
    assert deploy(computer.prefix, two), "it says that there is nothing to do"
    assert path.read_bytes() == one.files[what].path.read_bytes() and computer.running == runs
    assert not deploy(computer.prefix, two)
    call(computer.prefix, "rollback", {})
    assert assert_whole(computer.prefix, [one]) is one


def test_a_trial_that_was_left_running_is_not_taken_for_that_of_another_release(
    folder: Path, computer: Computer
) -> None:
    old, left, new = (checkout(folder, name, "venv") for name in ("a", "b", "c"))
    deploy(computer.prefix, old)
    with recorded(computer.prefix) as recorder:
        computer.recorder = recorder
        deploy(computer.prefix, left)
        recording = recorder.finish()
    cut = next(
        number
        for number, change in enumerate(recording.changes)
        if change.mark and any(unit != "headband.service" for unit in change.mark[0])
    )
    written(recording.cut(cut + 1, random.Random(1), kept=1.0), folder / "killed")
    units, healthy = recording.marks(cut + 1)[-1]
    assert list(units.values()) == [left.name]
    killed = Systemd.computer = Computer(folder / "killed", dict(units), set(healthy))
    deploy(killed.prefix, new)
    assert killed.healthy >= {new.name} and killed.running == {"headband.service": new.name}
    assert not list((killed.prefix / "run/systemd/system").iterdir()), "no unit of a trial is left"
    again = Systemd.computer = replace(killed, prefix=folder / "again", running=units, healthy=healthy)
    written(recording.cut(cut + 1, random.Random(1), kept=1.0), again.prefix)
    deploy(again.prefix, old)
    assert again.running == {"headband.service": old.name}


RULES = "host/service/70-headband.rules"


def with_rules(folder: Path, name: str) -> Release:
    """A release with rules for devices of its own."""
    made = checkout(folder, name, "venv")
    path = folder / name / RULES
    path.write_text(f"# {name}\n")
    return replace(made, files={**made.files, RULES: release_file(path)})


def obeyed(computer: Computer) -> list[bytes]:
    """The rules that udev reads: those in /etc, then those of a trial."""
    link = (computer.prefix / "etc/udev/rules.d/70-headband.rules").readlink()
    trial = (computer.prefix / "run/udev/rules.d").glob("*.rules")
    return [(computer.prefix / link.relative_to("/")).read_bytes(), *(path.read_bytes() for path in trial)]


def test_a_rollback_brings_program_and_system_files_back_and_forth(folder: Path, computer: Computer) -> None:
    one, two = with_rules(folder, "a"), with_rules(folder, "b")
    deploy(computer.prefix, one)
    with pytest.raises(DeployRefused, match=r"^There is no release before this one here: deploy"):
        call(computer.prefix, "rollback", {})
    deploy(computer.prefix, two)
    for now, before in ((one, two), (two, one)):
        answer = call(computer.prefix, "rollback", {})
        assert (answer["current"], answer["before"]) == (now.name, before.name)
        assert computer.running == {"headband.service": now.name}
        assert obeyed(computer) == [now.files[RULES].path.read_bytes()]


def seen_at_starts(monkeypatch: pytest.MonkeyPatch, look: Callable[[Computer], Any]) -> list[Any]:
    """What `look` sees whenever a unit starts, from now on."""
    seen: list[Any] = []
    start = Computer.start

    def watched(there: Computer, unit: str) -> str:
        seen.append(look(there))
        return start(there, unit)

    monkeypatch.setattr(Computer, "start", watched)
    return seen


def test_system_files_are_those_of_the_release_that_runs_after_a_trial_and_after_a_boot(
    folder: Path, computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, broken = with_rules(folder, "a"), with_rules(folder, "does not start")
    deploy(computer.prefix, one)
    on_trial = seen_at_starts(monkeypatch, obeyed)
    with pytest.raises(DeployRefused, match=r"is not healthy .* back to"):
        deploy(computer.prefix, broken)
    assert on_trial[0] == [b"# a\n", b"# does not start\n" + i2c_rules(1).encode()], (
        "the trial has what it brings"
    )
    assert obeyed(computer) == [b"# a\n"] and not deploy(computer.prefix, one)


def with_bus(folder: Path, name: str, bus: int) -> Release:
    """A release whose board has the PMU on that I2C bus."""
    made = checkout(folder, name, "venv")
    path = folder / name / "board.toml"
    path.write_text(f"i2c_bus = {bus}\n")
    return replace(made, files={**made.files, "hw/rk3566/board.toml": release_file(path)})


def buses(computer: Computer) -> list[int]:
    """The I2C buses that udev's rules give the service's user; a trial's come last."""
    link = (computer.prefix / "etc/udev/rules.d" / I2C_RULES).readlink()
    trial = (computer.prefix / "run/udev/rules.d").glob("*.rules")
    texts = [path.read_text() for path in (computer.prefix / link.relative_to("/"), *trial)]
    return [int(bus) for bus in re.findall(r'KERNEL=="i2c-(\d+)"', "".join(texts))]


def test_the_bus_is_that_of_the_release_that_runs_after_a_trial_and_a_rollback(
    folder: Path, computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, broken = with_bus(folder, "a", 3), with_bus(folder, "b", 4), with_bus(folder, BROKEN, 5)
    deploy(computer.prefix, one)
    deploy(computer.prefix, two)
    assert buses(computer) == [4]
    on_trial = seen_at_starts(monkeypatch, buses)
    with pytest.raises(DeployRefused, match="is not healthy"):
        deploy(computer.prefix, broken)
    assert on_trial[0] == [4, 5] and buses(computer) == [4]
    call(computer.prefix, "rollback", {})
    assert buses(computer) == [3]


def test_settings_that_name_no_bus_are_refused_before_anything_changes(
    folder: Path, computer: Computer
) -> None:
    one, two = with_bus(folder, "a", 3), with_bus(folder, "b", 4)
    deploy(computer.prefix, one)
    (computer.prefix / SETTINGS).write_text('[board]\nkind = "rk3566"\nfile = "/etc/none.toml"\n')
    for release in (one, two):
        with pytest.raises(DeployRefused, match=r"none\.toml can't be read .*; the headband is as it was"):
            deploy(computer.prefix, release)
        assert current(computer.prefix) == one.name and buses(computer) == [3]
        assert computer.running == {"headband.service": one.name}


def test_system_files_of_a_deploy_of_before_become_links(folder: Path, computer: Computer) -> None:
    one = checkout(folder, "a", "venv")
    deploy(computer.prefix, one)
    rules = computer.prefix / "etc/udev/rules.d/70-headband.rules"
    rules.unlink()
    rules.write_text("# a copy\n")
    assert deploy(computer.prefix, one) and rules.is_symlink() and not deploy(computer.prefix, one)


def test_a_damaged_release_is_not_gone_back_to(folder: Path, computer: Computer) -> None:
    one, two = checkout(folder, "a", "venv"), checkout(folder, "b", "venv")
    deploy(computer.prefix, one)
    deploy(computer.prefix, two)
    flip(computer.prefix / "opt/headband/previous/models/weights.bin")
    with pytest.raises(DeployRefused, match=f"{one.name}.* is damaged, so {two.name} stays"):
        call(computer.prefix, "rollback", {})
    assert computer.running == {"headband.service": two.name}
    deploy(computer.prefix, one)
    assert assert_whole(computer.prefix, [one]) is one


def test_each_file_is_read_once_in_a_call_also_under_two_names(tmp_path: Path) -> None:
    digest = FileDigests(from_disk=True)
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"content")
    two.hardlink_to(one)
    assert digest(one) == digest(two) and len(digest._known) == 1
    one.unlink()
    one.write_bytes(b"another")
    assert digest(one) != digest(two)
