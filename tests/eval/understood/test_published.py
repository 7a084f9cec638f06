"""The judge of sentences that people wrote for other assistants."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from host.language.router import Decision, Router
from tests.eval.understood.__main__ import main
from tests.eval.understood.published import CLINC, SLURP, Published, as_heard, report, right


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("Set a timer for 25 mins, please!", "set a timer for twenty five mins please"),
        ("wake me at 6:05am", "wake me at six oh five am"),
        ("an alarm for 11pm and 2:30", "an alarm for eleven pm and two thirty"),
        ("volume to 50%", "volume to fifty percent"),
    ],
)
def test_a_sentence_is_written_as_a_recogniser_writes_it(written: str, heard: str) -> None:
    assert as_heard(written) == heard


def test_what_it_does_too_is_to_be_done_and_all_else_left_alone() -> None:
    timer = Decision("device", "timer", {"span": 60})
    assert right(Published("set a timer for a minute", "timer"), timer)
    assert not right(Published("pay my bill in a minute", "pay_bill"), timer)
    assert right(Published("pay my bill", "pay_bill"), Decision("unclear"))
    assert not right(Published("set a timer for a minute", "timer"), Decision("unclear"))


def test_both_collections_are_judged_and_a_folder_without_them_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--published", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    clinc = {"test": [["what time is it", "time"], ["pay my bill", "pay_bill"]], "oos_test": []}
    (tmp_path / CLINC).write_text(json.dumps(clinc))
    (tmp_path / SLURP).write_text(json.dumps({"sentence": "play some jazz", "intent": "play_music"}) + "\n")
    told = report(Router(), tmp_path)
    assert "CLINC150, 2 of 2 sentences" in told and "SLURP, 1 of 1 sentences" in told
