"""The twin's parameters and days: every number has a source, and unknown keys are errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from power.account.energy_model import DEFAULT_PARAMETERS, EnergyError
from power.twin.day import DAY_S, events, load_day
from power.twin.parameters import TWIN_FILE, TwinError, load_parameters
from power.twin.work import COUNTED_FILE

PARAMETERS = load_parameters()
DAYS = ("light", "normal", "heavy")


def test_every_number_has_a_range_and_a_source() -> None:
    assert len(PARAMETERS.quantities) > 60
    for name, quantity in PARAMETERS.quantities.items():
        assert quantity.low <= quantity.value <= quantity.high, name
        assert len(quantity.source) >= 8, name
    assert PARAMETERS.quantities["sleep.resume_s"].estimate
    assert not PARAMETERS.quantities["board.suspend_mw"].estimate


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("source = ", "from = "), r"\[cell.capacity_mah\] has the unknown key from"),
        (("low = 1700, ", ""), "gives no range for cell.capacity_mah"),
        (("low = 1700", "low = nan"), r"\[cell.capacity_mah\] low is nan; it must be a number, 0 to 10_000_"),
        (
            ('vision_stage = "vision"', "vision_stage = 1"),
            r"\[pack.micro\] vision_stage is 1; it must be a table, or true or false",
        ),
        (
            ("low = 1700", "low = 2050"),
            r"\[cell.capacity_mah\] cannot be used: the value is outside its own range",
        ),
        (("resume_s = {", "resumed_s = {"), "lacks sleep.resume_s"),
        (("tts_file_mb = {", "voice_file_mb = {"), "lacks pack.micro.tts_file_mb"),
        (('vision_stage = "vision"', 'vision_stage = "sight"'), "unknown stage"),
        (("[cell]", "[cell"), "is not valid TOML"),
        (("low = 1700", "low = 0"), r"cell\.capacity_mah must be above 0, its low end as well"),
        (("value = 100, low = 60", "value = 0, low = 0"), r"cell\.resistance_mohm must be above 0"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    path = tmp_path / "twin.toml"
    path.write_text(TWIN_FILE.read_text(encoding="utf-8").replace(*change, 1), encoding="utf-8")
    with pytest.raises(TwinError, match=says):
        load_parameters(path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("load_tts_s = {", "load_voice_s = {"), "lacks pack.micro.load_tts_s"),
        (("memory = 0.", "memory = 1."), "memory is 1.* must be a number, 0 to 1"),
        (("memory = 0.3471", "memory = 0.999"), "memory and wait are more than the whole"),
        (("low = 0.1054", "low = 0.5"), "the value is outside its own range"),
        (("low = 0.1054, ", ""), "gives no range for pack.micro.stt_s"),
    ],
)
def test_a_bad_file_of_counted_times_is_refused(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    path = tmp_path / "counted.toml"
    path.write_text(COUNTED_FILE.read_text(encoding="utf-8").replace(*change, 1), encoding="utf-8")
    with pytest.raises(TwinError, match=says):
        load_parameters(counted_file=path)


def test_a_board_number_without_range_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text(
        DEFAULT_PARAMETERS.read_text(encoding="utf-8").replace(", low = 450", ""), encoding="utf-8"
    )
    with pytest.raises(TwinError, match=r"gives no range for board\.floor_mw"):
        load_parameters(board_file=path)
    with pytest.raises(EnergyError):
        load_parameters(board_file=tmp_path / "missing.toml")


def test_a_changed_parameter_reaches_the_energy_table() -> None:
    changed = PARAMETERS.changed({"board.floor_mw": 500.0, "parts.camera_mw": 100.0})
    assert changed.energy.floor_mw == 500.0
    assert changed.energy.parts_mw["camera_mw"] == 100.0
    assert PARAMETERS.energy.floor_mw == PARAMETERS.table.floor_mw
    with pytest.raises(TwinError, match="no parameter board"):
        PARAMETERS.changed({"board.ceiling_mw": 1.0})
    with pytest.raises(TwinError, match="knows fast, micro, standard"):
        PARAMETERS.pack("huge")


@pytest.mark.parametrize("name", DAYS)
def test_a_bundled_day_is_whole_and_the_same_every_time(name: str) -> None:
    day = load_day(name)
    assert day.spans[0].start_s == 0 and day.spans[-1].end_s == DAY_S
    happened = events(day, PARAMETERS)
    assert happened == events(day, PARAMETERS)
    assert happened != events(day, PARAMETERS, 1)
    assert [event.at_s for event in happened] == sorted(event.at_s for event in happened)
    asked = sum(len(event.routes) for event in happened)
    stated = sum(rate for kind, rate in day.rates().items() if kind != "conversations")
    assert asked == pytest.approx(stated, rel=0.05)
    assert str(round(stated)) in day.about


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('until = "23:00"', 'until = "20:30"'), "does not follow"),
        (('until = "07:00"', 'until = "06:00"'), "do not fill 24 hours"),
        (("ambient_c = 21", "ambient_c = nan"), "ambient_c is nan; it must be a number, -40 to 80 degrees"),
        (("worn = true", 'worn = "no"'), 'worn is "no"; it must be true or false'),
        (('"07:00"', '"7 o clock"'), 'starts is "7 o clock"; it must be a time such as "07:30"'),
        (
            ("now = 3", "then = 3"),
            r"\[\[span\]\] 1 \[questions_per_hour\] has the key then; a key here must be one of",
        ),
        (("now = 3", "now = -3"), "now is -3; it must be a number, 0 to 3600 an hour"),
        (('"speech"', '"loud"'), r'\[\[span\]\] 6 surroundings is "loud"; it must be one of "quiet", '),
        (("[question_s]\n", "[question_s]\nsong = 3\n"), r"\[question_s\] has the key song"),
    ],
)
def test_a_bad_day_is_refused(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    path = tmp_path / "day.toml"
    text = (TWIN_FILE.parents[1] / "days" / "normal.toml").read_text(encoding="utf-8")
    path.write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(TwinError, match=says):
        load_day(str(path))


def test_an_unknown_day_names_the_known_ones() -> None:
    with pytest.raises(TwinError, match=r"there are heavy, light, normal; .* ends in \.toml or \.csv"):
        load_day("endless")
    with pytest.raises(TwinError, match=r"cannot be read: File name too long\.$"):
        load_day("x" * 300 + ".toml")


_PAGES = {
    "measure.md": r"Of the twin's (?P<all>\d+) numbers (?P<counted>\d+) are counted times \(.*?\) and "
    r"(?P<estimates>\d+) estimates",
    "figures.md": r"(?P<estimates>\d+) of the twin's (?P<all>\d+) numbers are estimates, (?P<counted>\d+) "
    r"are counted times",
}


def test_the_pages_say_how_many_numbers_there_are_and_what_they_are() -> None:
    docs = Path(__file__).parents[3] / "docs"
    told = {name: " ".join((docs / name).read_text(encoding="utf-8").split()) for name in _PAGES}
    found = [re.search(form, told[name]) for name, form in _PAGES.items()]
    estimates = sum(each.estimate for each in PARAMETERS.quantities.values())
    true = {"all": len(PARAMETERS.quantities), "counted": len(PARAMETERS.counted), "estimates": estimates}
    for match in found:
        assert match is not None
        assert {name: int(number) for name, number in match.groupdict().items()} == true


def test_what_a_person_gives_moves_the_range_with_it() -> None:
    small = PARAMETERS.scaled("cell.capacity_mah", 1000.0).quantities["cell.capacity_mah"]
    usual = PARAMETERS.quantities["cell.capacity_mah"]
    assert small.low < small.value == 1000.0 < small.high
    assert small.low / small.value == pytest.approx(usual.low / usual.value)
    sure = PARAMETERS.known({"sleep.quiet_s": 60.0}).quantities["sleep.quiet_s"]
    assert sure.low == sure.value == sure.high == 60.0
