"""With room for one model at a time: what is made ready beside the present one, and what that takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hw.supply import BatteryReading
from power.placement.site import modelled_site
from power.policy.config import PowerConfig
from power.policy.plan import PowerPlan
from power.twin.board_power import TwinBoard
from power.twin.governors import OurPolicy
from power.twin.parameters import Parameters, load_parameters
from power.twin.turn.turns import SEEING, TurnTaken, TwinBricks, TwinQuestion, take_turn

PARAMETERS = load_parameters()
PACKS = ("micro", "standard", "fast")
QUESTION = TwinQuestion("now", 2.0, 20, wake_word=True, camera=True)
STRICT = PowerConfig(cascade_memory_mib=1000, cascade_prefetch=False)
LARGEST = PowerConfig(cascade_one_at_a_time=True)
ROOMY = PowerConfig(cascade_memory_mib=1000)


def plan_of(pack: str, config: PowerConfig) -> PowerPlan:
    reading = BatteryReading(15, 3800, -200, 25.0, False, "good")
    plan = OurPolicy(config, modelled_site(pack)).decide(reading, 0.0, True, 35.0)
    assert plan.residency == "one_at_a_time"
    return plan


def taken(
    pack: str, plan: PowerPlan, question: TwinQuestion = QUESTION, parameters: Parameters = PARAMETERS
) -> TurnTaken:
    board = TwinBoard(parameters, parameters.pack(pack))
    return take_turn(question, plan, board, TwinBricks(dict(board.pack.memory_mib)), True)


def energy_j(turn: TurnTaken) -> float:
    return sum(step.seconds * step.power_mw for step in turn.steps) / 1000


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("route", ["now", "frames", "open", "memory", "device", "unclear"])
@pytest.mark.parametrize("camera", [True, False])
def test_what_is_made_ready_ahead_never_makes_an_answer_later(pack: str, route: str, camera: bool) -> None:
    question = replace(QUESTION, route=route, camera=camera)
    strictly, largest, roomy = (
        taken(pack, plan, question)
        for plan in (plan_of(pack, STRICT), plan_of(pack, LARGEST), plan_of(pack, ROOMY))
    )
    assert largest.latency_s <= strictly.latency_s + 1e-9
    if route in SEEING:
        assert roomy.latency_s <= largest.latency_s + 1e-9
    for turn in (strictly, largest, roomy):
        assert sum(turn.waited_for().values()) == pytest.approx(turn.latency_s)
        assert all(step.seconds > 0 and step.power_mw > 0 for step in turn.steps)
        assert turn.given == strictly.given


def test_two_models_in_1000_mib_keep_the_goal_that_one_misses() -> None:
    latency_s = [
        taken("standard", plan).latency_s
        for plan in (
            plan_of("standard", ROOMY), plan_of("standard", LARGEST), plan_of("standard", STRICT)
        )
    ]  # fmt: skip
    assert latency_s == sorted(latency_s)
    assert latency_s[0] < 10.0 < latency_s[1] < latency_s[2] - 2


def test_reading_a_file_ahead_hides_the_reading_and_nothing_else() -> None:
    """Eye, language model and voice of the standard pack are read while the wearer speaks, while the picture
    is encoded, and while the answer is written; alone they have no room.
    """
    ahead, strictly = (
        taken("standard", plan) for plan in (plan_of("standard", LARGEST), plan_of("standard", STRICT))
    )
    read_s = PARAMETERS.pack("standard").read_s
    hidden_s = strictly.latency_s - ahead.latency_s
    late_s = strictly.waited_for()["picture"]  # there the recogniser is loaded after the picture is taken
    assert hidden_s == pytest.approx(read_s["vision"] + read_s["llm"] + read_s["tts"] + late_s)
    faster = PARAMETERS.changed({"flash.read_mb_s": 1e6})
    now, before = (
        taken("standard", plan, parameters=faster)
        for plan in (plan_of("standard", LARGEST), plan_of("standard", STRICT))
    )
    assert now.latency_s == pytest.approx(before.latency_s, abs=0.01)


def test_a_load_alone_takes_less_time_and_energy_at_its_own_clock_than_at_the_modes() -> None:
    plan = plan_of("standard", LARGEST)
    slow = replace(plan, load_cpu_max_khz=plan.cpu_max_khz)
    fast_turn, slow_turn = taken("standard", plan), taken("standard", slow)
    pack = PARAMETERS.pack("standard")
    slower = 1_800_000 / 1_104_000 - 1
    saved_s = slower * (pack.load["llm"].core_s + pack.load["tts"].core_s)
    assert slow_turn.latency_s - fast_turn.latency_s == pytest.approx(saved_s)
    assert energy_j(fast_turn) < energy_j(slow_turn)


def test_a_load_goes_faster_once_nothing_computes_beside_it() -> None:
    """The micro pack's answer is written long before its voice is loaded, the standard pack's long after."""
    micro, standard = (taken(pack, plan_of(pack, ROOMY)).waited_for() for pack in ("micro", "standard"))
    load = PARAMETERS.pack("micro").load["tts"]
    assert load.full_clock_s < micro["load tts"] + 0.1 < load.core_s * 1800 / 1104 + load.fixed_s
    assert "load tts" not in standard


def test_what_overlaps_draws_what_it_draws_apart_but_for_the_board_that_is_awake() -> None:
    """A shorter wait takes less energy; reading for a longer time than before takes some."""
    roomy, strictly = (taken("standard", plan_of("standard", config)) for config in (ROOMY, STRICT))
    saved_s = sum(step.seconds for step in strictly.steps) - sum(step.seconds for step in roomy.steps)
    idle_w = (
        TwinBoard(PARAMETERS, PARAMETERS.pack("standard")).stage_mw("idle", plan_of("standard", ROOMY)) / 1000
    )
    assert 0.5 * idle_w * saved_s < energy_j(strictly) - energy_j(roomy) < 1.5 * idle_w * saved_s


def test_a_picture_that_nobody_asks_about_is_left_off_when_that_is_known() -> None:
    slow = PARAMETERS.changed({"pack.standard.vision_s": 8.0})
    command = replace(QUESTION, route="device")
    usual, slower = (
        taken("standard", plan_of("standard", ROOMY), command, each) for each in (PARAMETERS, slow)
    )
    assert slower.latency_s == pytest.approx(usual.latency_s)
