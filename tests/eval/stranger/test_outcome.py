"""What is counted of a stranger's questions, and that the device's own sentences about numbers are right."""

from __future__ import annotations

import json
import random
import time

import pytest

from host.answers.device import DeviceState, answer_device
from host.language.router import Router
from hw.supply import BatteryReading
from power.policy.policy import Policy
from tests.eval.stranger.__main__ import main
from tests.eval.stranger.about_device import NUMBERS
from tests.eval.stranger.all_questions import FAMILIES, GROUPS, one_of, questions
from tests.eval.stranger.by_caution import by_caution
from tests.eval.stranger.by_voice import ODD_VARIANTS, VOICES
from tests.eval.stranger.outcome import Outcome, report, shown, write_json

BATTERY = BatteryReading(82, 4000, -400, 25.0, False, "good")
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "white", "black", "grey", "brown")
NOW_S = time.mktime((2026, 3, 7, 14, 5, 0, 0, 0, -1))


def asked(family: str, said: str) -> Outcome:
    question = one_of(family, random.Random(1))
    return Outcome(question, question.text, said)


@pytest.mark.parametrize("family", NUMBERS)
def test_the_device_knows_every_sentence_about_numbers(family: str) -> None:
    router, plan = Router(), Policy().decide(BATTERY, 0.0)[0]
    for question in questions(60, 9, [family]):
        decision = router.decide(question.text)
        assert decision.route == "device", question.text
        said = answer_device(decision, DeviceState(55), BATTERY, plan, NOW_S).text
        assert question.judge(said), (question.text, said, question.truth)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_family_takes_did_not_catch_that_for_an_answer_but_other_speech(family: str) -> None:
    assert asked(family, "I did not catch that.").right == (family in ("other speech", "no sense"))


def test_a_share_is_shown_with_its_interval() -> None:
    assert shown([]) == "-"
    assert shown([True, True]).startswith("   2/2    100.0 %")


def test_a_good_question_that_is_refused_is_lost_and_a_wrong_answer_is_not() -> None:
    assert asked("colour", "I did not catch that.").lost
    assert asked("colour", "I cannot see a ring.").lost
    assert not asked("colour", "The sign says stop.").lost
    assert not asked("other speech", "I did not catch that.").lost


def test_the_report_has_every_group_and_the_file_every_question(tmp_path) -> None:
    outcomes = [Outcome(question, question.text, "Nothing.") for question in questions(2 * len(FAMILIES), 3)]
    lines = "\n".join(report(outcomes))
    for name in (*GROUPS, *FAMILIES, "refused by saying what is there", "good questions lost by refusal"):
        assert name in lines
    write_json(tmp_path / "all.json", outcomes)
    rows = json.loads((tmp_path / "all.json").read_text())
    assert len(rows) == len(outcomes)
    assert {"family", "question", "said", "truth", "right", "judge"} <= set(rows[0])


def test_a_level_of_caution_stands_beside_the_first_look_with_as_many_right_answers() -> None:
    question = one_of("colour", random.Random(1))
    right = next(said for name in COLOURS if question.judge(said := f"It is {name}."))
    wrong = next(said for name in COLOURS if not question.judge(said := f"It is {name}."))
    decoded = [  # the looks agree about what is right, and not about what is wrong
        Outcome(question, "", right, decoded=right, probability=0.9, at_first=0.7),
        Outcome(question, "", right, decoded=right, probability=0.8, at_first=0.8),
        Outcome(question, "", wrong, decoded=wrong, probability=0.3, at_first=0.9),
    ]
    lines = by_caution(decoded, {"low": 0.1, "normal": 0.5, "high": 0.85})
    normal = next(at for at, line in enumerate(lines) if line.strip().startswith("normal"))
    assert "2/3" in lines[normal] and "0/2" in lines[normal]
    assert "2/3" in lines[normal + 1] and "1/3" in lines[normal + 1]
    assert by_caution(decoded, None) == []


def test_voices_are_not_those_of_training() -> None:
    from models.train.sound.espeak_voices import TRAIN_VARIANTS, TRAIN_VOICES

    assert not {voice for voices in VOICES.values() for voice in voices} & set(TRAIN_VOICES)
    assert not set(ODD_VARIANTS) & set(TRAIN_VARIANTS)


@pytest.mark.parametrize("arguments", [["--families", "colours"], ["--questions", "0"]])
def test_bad_usage_is_one_sentence(arguments: list[str], capsys) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1
