"""What a person at a terminal is told of a turn as it happens."""

from __future__ import annotations

import pytest

from host.app.narrator import Narrator


def test_what_the_object_detector_makes_of_an_answer_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    narrator = Narrator()
    narrator.observe("checked", {"agrees": 0.958, "share": 0.958})
    assert capsys.readouterr().out.endswith(
        "s  checked     so in 96% of what the object detector holds possible\n"
    )


def test_a_quiet_narrator_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    narrator = Narrator(quiet=True)
    narrator.heading("Performance")
    narrator.observe("checked", {"agrees": 0.2, "share": 0.5})
    assert capsys.readouterr().out == ""
