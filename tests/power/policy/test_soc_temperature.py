"""The chip's temperature, found by type."""

from __future__ import annotations

from pathlib import Path

from hw.emulated.sysfs import write_tree
from power.policy.soc_temperature import soc_temperature_c
from tests.hw.sysfs_files import set_soc_temperature


def test_the_chips_zone_is_found_by_its_type(tmp_path: Path) -> None:
    root = write_tree(tmp_path, soc_temperature_c=45)
    assert soc_temperature_c(root) == 45
    set_soc_temperature(root, 71.5)
    assert soc_temperature_c(root) == 71.5


def test_without_a_readable_zone_there_is_no_temperature(tmp_path: Path) -> None:
    assert soc_temperature_c(tmp_path) is None
    root = write_tree(tmp_path)
    for zone in (root / "class/thermal").iterdir():
        (zone / "temp").write_text("broken\n")
    assert soc_temperature_c(root) is None
