"""The service's user may use every device that the unit allows, and every knob that a plan sets."""

from __future__ import annotations

import re
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from host.ship.release import ROOT
from host.ship.target.device_rules import i2c_rules
from hw.emulated.sysfs import write_tree
from hw.supply import BatteryReading
from power.knobs import Knobs
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from power.policy.policy import Policy
from tests.host.ship.test_unit import UNIT, directives

SERVICE = ROOT / "host/service"
SUBSYSTEM = {"alsa": "sound", "i2c": "i2c-dev", "gpiochip": "gpio"}
"""The subsystem of a class of devices in the unit, where their names differ."""
BY_DEBIAN = {"drm": "render"}
"""Subsystems whose group is set by Debian's rules."""
FOLDER_OF = {"class/devfreq": "devfreq", "devices/system/cpu/cpu": "cpu", "class/rtc": "rtc"}
"""The subsystem of the devices whose files are in a folder."""


def rules() -> dict[str, str]:
    """Subsystem -> the actions of its rules."""
    found: dict[str, str] = {}
    text = (SERVICE / "70-headband.rules").read_text() + i2c_rules(1)
    for line in text.splitlines():
        if match := re.match(r'SUBSYSTEM=="([^"]+)",(.*)', line):
            found[match[1]] = found.get(match[1], "") + match[2]
    return found


def test_every_device_that_the_unit_lets_in_is_of_a_group_of_its_user() -> None:
    d = directives(UNIT)
    groups = {*d["Group"], *d["SupplementaryGroups"][0].split()}
    for allowed in d["DeviceAllow"]:
        name, how = allowed.split()
        assert how == ("r" if name == "char-input" else "rw")
        kind = name.removeprefix("char-").removeprefix("/dev/")
        if kind in BY_DEBIAN:
            assert BY_DEBIAN[kind] in groups
            continue
        rule = rules()[SUBSYSTEM.get(kind, kind) if name.startswith("char-") else "misc"]
        mode = "0640" if how == "r" else "0660"
        group = re.search(rf'GROUP="(\w+)", MODE="{mode}"', rule)
        assert group is not None and group[1] in groups, allowed
        assert name.startswith("char-") or f'KERNEL=="{kind}"' in rule


def test_every_knob_that_a_plan_turns_is_given_to_the_group(tmp_path: Path) -> None:
    root = write_tree(tmp_path)
    full = BatteryReading(90, 4100, -300, 25.0, charging=False, state="good")
    plan, _ = Policy(PowerConfig()).decide(full, 0.0, Mode.CASCADE)
    plan = replace(plan, online_cpus=2)
    turned = [str(knob.path.relative_to(root)) for knob in Knobs(root).apply(plan).written]
    turned += ["power/state", "power/mem_sleep", "class/rtc/rtc0/wakealarm"]
    given = re.findall(r"^z /sys/(\S+) 0664 root headband", (SERVICE / "headband.tmpfiles").read_text(), re.M)
    assert {path.rpartition("/")[2] for path in turned} >= {"online", "max_freq", "scaling_max_freq"}
    for path in turned:
        by_rule = [rules()[kind] for folder, kind in FOLDER_OF.items() if path.startswith(folder)]
        file = re.escape(path.rpartition("/")[2])
        by_rule = [rule for rule in by_rule if re.search(rf"chmod -f g\+w [^;]*{file}", rule)]
        assert by_rule or any(fnmatch(path, pattern) for pattern in given), path


def test_every_file_that_the_light_writes_is_given_to_the_group() -> None:
    """The kernel makes those of the timer as it is chosen, and tells udev."""
    written = {"trigger", "brightness", "delay_on", "delay_off"}
    for does in (r"chgrp -f headband ([^;']*)", r"chmod -f g\+w ([^;']*)"):
        found = re.search(does, rules()["leds"])
        assert found is not None and written <= set(found[1].split())
    assert "ACTION" not in rules()["leds"]
