"""Generated pages say what the code says."""

from pathlib import Path

from host.states import diagram

ROOT = Path(__file__).parents[1]


def test_the_page_of_states_is_current() -> None:
    page = (ROOT / "docs" / "states.md").read_text()
    assert diagram() in page, "the transitions have changed: run `just docs`"
