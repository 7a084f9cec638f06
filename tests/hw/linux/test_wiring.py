"""`board.toml`: the differences between two headbands, and the errors for invalid values."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hw
from hw.board import Clocks
from hw.linux.wiring import Wiring, read_wiring
from hw.settings import SettingsError, fill

HW = Path(hw.__file__).parent


def flat(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        found |= flat(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return found


def test_the_headbands_differ_only_in_what_their_chips_differ_in() -> None:
    first, second = (flat(asdict(read_wiring(HW / kind / "board.toml"))) for kind in ("rk3566", "rk3588"))
    assert {name for name in first if first[name] != second[name]} == {
        "compatible", "thermal_zones", "clocks.npu", "clocks.gpu",
    }  # fmt: skip


def test_the_file_to_copy_names_every_setting() -> None:
    written = flat(tomllib.loads((HW / "rk3566/board.toml").read_text()))
    assert set(written) == set(flat(asdict(Wiring())))


def test_a_laptop_names_what_it_uses() -> None:
    wiring = read_wiring(HW / "laptop/board.toml")
    assert wiring.compatible == ""
    assert (wiring.sound, wiring.camera) == (Wiring().sound, Wiring().camera)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("i2c_bos = 1", "the unknown key i2c_bos; known: compatible, i2c_bus"),
        (
            "[lines]\nwhistle = 'gpio0 3'",
            r"\[lines\] has the unknown key whistle; known: wake, alert, button, rec",
        ),
        ("i2c_bus = 'one'", 'i2c_bus is "one"; it must be a whole number, 0 to 255'),
        ("lines = 3", "lines is 3; it must be a table"),
        (
            "[lines]\nwake = 'gpio0 three'",
            r'\[lines\] wake is "gpio0 three"; it must be a line such as "gpio0 3"',
        ),
        ("gauge = 'lamp'", r'gauge is "lamp"; it must be one of "auto", "pmu", '),
        ("thermal_zones = [7]", "value 1 of thermal_zones is 7; it must be a text"),
        ("[camera]\ninterval_s = -1", r"\[camera\] interval_s is -1; it must be a number, 0 to 60 seconds"),
        ("i2c_bus =", "not valid TOML"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "board.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=says) as raised:
        read_wiring(path)
    said = str(raised.value)
    assert "board.toml" in said and said.endswith(".") and "\n" not in said


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml cannot be read: No such file"):
        read_wiring(tmp_path / "none.toml")


@given(
    st.dictionaries(
        st.sampled_from(("memory", "npu", "gpu", "cpu", "")),
        st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.none(), st.lists(st.text())),
    )
)
def test_settings_are_taken_whole_or_refused(table: dict[str, Any]) -> None:
    try:
        filled = fill(Clocks, table)
    except SettingsError:
        usable = {key for key, value in table.items() if type(value) is str and "\0" not in value}
        assert set(table) - usable or set(table) - {"memory", "npu", "gpu"}
    else:
        assert asdict(filled) == asdict(Clocks()) | table
