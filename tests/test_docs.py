"""Generated pages are up to date."""

from pathlib import Path

from host.states import diagram
from tests import rooms
from tests.firmware import readme

ROOT = Path(__file__).parents[1]


def test_the_page_of_states_is_current() -> None:
    page = (ROOT / "docs" / "states.md").read_text()
    assert diagram() in page, "the transitions have changed: run `just docs`"


def test_the_rooms_and_their_arrows_are_current() -> None:
    page = rooms.PAGE.read_text()
    assert rooms.current(page) == page, "rooms or rules have changed: run `just docs`"


def test_the_firmwares_tables_are_current() -> None:
    page = readme.README.read_text()
    assert readme.current(page) == page, "registers, pins or light have changed: run `just docs`"


def test_every_register_and_pin_is_on_the_firmwares_page() -> None:
    page = readme.README.read_text()
    assert page.count("0x3F") >= 1 and "`PMU_REQUEST`" in page and "`GUARD_GAVE_UP`" in page
    for wire in ("host I2C, SDA", "wake: ", "state light, blue", "I2S microphone, data"):
        assert wire in page


def test_a_register_with_a_long_comment_has_its_own_meaning_on_the_firmwares_page() -> None:
    rows = {row.split(" | ")[2]: row for row in readme.registers().splitlines()}
    assert "the memory's key" in rows["`KEY_1`"]
    assert "as the one above" in rows["`KEY_2`"]
