"""The waits by part: they add up, each time belongs to the right part, and the goals are judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.sensing.recent_views import READY_S
from host.session.power import MOST_IN_VAIN
from host.speaking.voice_pace import LONGEST_S
from host.turn.answer_player import PATIENCE_S
from power.placement.ahead import WOKEN_S
from power.policy.config import PowerConfig
from power.twin.parameters import load_parameters
from power.twin.simulate import SOUNDS_IN_VAIN
from power.twin.waits import SITUATIONS, Situation, Wait, wait
from tests.eval.board_cost.first_piece import first_pieces, mean_and_range

PARAMETERS = load_parameters()
OPEN = next(each for each in SITUATIONS if each.title == "performance, open, about the view")


ASKED = [
    pytest.param(pack, each, id=f"{each.title}-{pack}")
    for each in SITUATIONS
    for pack in ("micro", "standard", "fast")
    if each.asked_of(PARAMETERS, pack)
]


@pytest.mark.parametrize(("pack", "situation"), ASKED)
def test_every_wait_has_its_parts_and_lies_in_its_range(pack: str, situation: Situation) -> None:
    found = wait(PARAMETERS, pack, situation)
    assert found.low_s <= found.seconds <= found.high_s
    assert all(seconds >= 0 for seconds in found.parts.values())
    assert found.parts.get("stt", 0.0) > 0 or "vision" in found.parts  # which hides it
    loads = any(part.startswith("load") for part in found.parts)
    if not situation.title.endswith("two in 1000 MiB"):  # where the eye may be loaded before it is waited for
        assert loads == situation.title.startswith("one model")
    assert ("reflex" in found.parts) == (situation.closed or (pack == "micro" and situation.route == "now"))


@pytest.mark.parametrize(
    ("name", "part"), [("vision_s", "picture"), ("prefill_s", "prompt"), ("token_s", "first words")]
)
def test_a_longer_time_lengthens_its_own_part(name: str, part: str) -> None:
    before = wait(PARAMETERS, "standard", OPEN)
    name = f"pack.standard.{name}"
    after = wait(PARAMETERS.changed({name: 2 * PARAMETERS[name]}), "standard", OPEN)
    longer = {key for key, seconds in after.parts.items() if seconds > before.parts[key] + 1e-6}
    assert longer == {part}
    assert after.seconds > before.seconds


def test_a_slow_writer_speaks_a_piece_and_a_fast_one_the_sentence() -> None:
    """The micro pack writes a sentence within the patience of the player."""
    for pack, number in (("micro", "first_sentence"), ("standard", "first_spoken")):
        before = wait(PARAMETERS, pack, OPEN).parts["tts"]
        name = f"talk.{number}_tokens"
        after = wait(PARAMETERS.changed({name: 1.1 * PARAMETERS[name]}), pack, OPEN).parts["tts"]
        assert after == pytest.approx(1.1 * before)


def test_the_twins_first_words_are_those_of_the_splitter() -> None:
    pieces, sentences = first_pieces(), first_pieces(whole=True)
    for name, values in (
        ("written", [each.written for each in pieces]),
        ("spoken", [each.spoken for each in pieces]),
        ("sentence", [each.spoken for each in sentences]),
    ):
        told = PARAMETERS.quantities[f"talk.first_{name}_tokens"]
        assert (told.value, told.low, told.high) == pytest.approx(mean_and_range(values), abs=0.05)
    assert PARAMETERS["talk.patience_s"] == PATIENCE_S
    assert PARAMETERS["talk.first_piece_s"] == LONGEST_S


def test_the_rules_of_the_sensor_have_the_twins_times() -> None:
    assert PARAMETERS["camera.ready_s"] == READY_S
    assert SOUNDS_IN_VAIN == MOST_IN_VAIN
    woken_s = PARAMETERS["sleep.resume_s"] + PARAMETERS["sleep.hand_over_s"]
    assert woken_s == pytest.approx(WOKEN_S, abs=0.15)
    heard_s = PARAMETERS.quantities["sleep.hand_over_s"].high
    assert heard_s < PARAMETERS["sleep.first_sound_s"] + PARAMETERS["camera.capture_s"] + READY_S


def test_an_eye_on_the_npu_goes_on_beside_the_recogniser_and_holds_up_no_other_question() -> None:
    """4 s for the picture after waking up, hearing what was said until then and a frame of the camera, in
    3.0 s of speech and pause.
    """
    found = wait(PARAMETERS, "standard", OPEN).parts
    before_s = sum(PARAMETERS[name] for name in ("sleep.resume_s", "sleep.hand_over_s", "camera.frame_s"))
    assert found["picture"] == pytest.approx(before_s + 4.0 - 3.0 - found["stt"])
    other = next(each for each in SITUATIONS if each.route == "open")
    assert wait(PARAMETERS, "standard", other).parts["picture"] == pytest.approx(0.0)
    quick = PARAMETERS.changed({"pack.standard.vision_s": 1.0})
    assert wait(quick, "standard", OPEN).parts["picture"] == pytest.approx(0.0)
    slow = PARAMETERS.changed({"pack.standard.stt_s": 2 * PARAMETERS["pack.standard.stt_s"]})
    later = wait(slow, "standard", OPEN)
    assert later.seconds == pytest.approx(wait(PARAMETERS, "standard", OPEN).seconds)


def test_a_sensor_that_the_sound_starts_is_waited_for_as_far_as_it_settles_after_the_wake_word() -> None:
    late = {"camera.capture_s": 0.8}
    before, after = (wait(values, "standard", OPEN) for values in (PARAMETERS, PARAMETERS.changed(late)))
    ahead_s = PARAMETERS["sleep.hand_over_s"] - PARAMETERS["sleep.first_sound_s"]
    assert after.seconds - before.seconds == pytest.approx(0.8 - ahead_s)
    at_wake_word = replace(OPEN, config=PowerConfig(sensor_at_sound=False))
    whole_s = PARAMETERS["camera.capture_s"] - PARAMETERS["camera.frame_s"]
    assert wait(PARAMETERS, "standard", at_wake_word).seconds - before.seconds == pytest.approx(whole_s)
    micro = [wait(PARAMETERS, "micro", each) for each in (OPEN, at_wake_word)]
    assert micro[0] == replace(micro[1], situation=OPEN), "its picture is never late"


def test_a_reflex_on_the_memorys_eye_waits_for_that_eye_and_not_for_the_npu() -> None:
    closed = next(each for each in SITUATIONS if each.closed and not each.memory_eye)
    on_memory = next(each for each in SITUATIONS if each.memory_eye)
    assert [pack for pack in PARAMETERS.packs if on_memory.asked_of(PARAMETERS, pack)] == ["standard", "fast"]
    with pytest.raises(ValueError, match="memory of the pack micro has no eye"):
        wait(PARAMETERS, "micro", on_memory)
    slow = PARAMETERS.changed({"pack.standard.vision_s": 2 * PARAMETERS["pack.standard.vision_s"]})
    before = wait(PARAMETERS, "standard", on_memory).seconds
    assert before == pytest.approx(wait(slow, "standard", on_memory).seconds)
    assert before < wait(PARAMETERS, "standard", closed).seconds < wait(slow, "standard", closed).seconds
    late = PARAMETERS.changed({"pack.standard.recall_s": 4.0})
    assert wait(late, "standard", on_memory).seconds > before + 1


def test_a_goal_is_kept_up_to_itself() -> None:
    parts = {"pause": 0.2, "stt": OPEN.goal_s - 0.2}
    assert Wait(OPEN, parts, 1.0, 9.0).kept
    assert not Wait(OPEN, {**parts, "tts": 0.01}, 1.0, 9.0).kept
