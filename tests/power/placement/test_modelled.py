from __future__ import annotations

import json

import pytest

from power.placement.as_json import MODELLED, TableError, from_json, modelled_tables, to_json
from power.placement.site import modelled_site
from power.placement.table import MODES
from power.twin.parameters import load_parameters
from power.twin.placed import text

TABLES = modelled_tables()


def test_the_file_is_what_the_counts_and_estimates_give() -> None:
    assert MODELLED.read_text() == text(), "run: python -m power.twin.placed"


@pytest.mark.parametrize("name", TABLES)
def test_times_of_four_threads_are_those_of_the_counted_file(name: str) -> None:
    found, parameters = TABLES[name], load_parameters()
    prefill = found.find("llm", "picture", "cores", "performance", 4)
    assert prefill is not None and prefill.kind == "modelled"
    assert prefill.seconds == pytest.approx(parameters[f"pack.{name}.prefill_s"], rel=1e-3)
    one = found.find("llm", "picture", "cores", "performance", 1)
    assert one is not None and one.seconds > prefill.seconds
    slow = found.find("llm", "picture", "cores", "cascade", 4)
    assert slow is not None and slow.seconds > prefill.seconds and slow.energy_j < prefill.energy_j


def test_the_npus_times_are_labelled_as_estimates_and_nothing_is_on_the_gpu() -> None:
    on_npu = [cost for table in TABLES.values() for cost in table.costs if cost.place == "npu"]
    assert on_npu and all("estimate" in cost.source for cost in on_npu)
    assert not [cost for table in TABLES.values() for cost in table.costs if cost.place == "gpu"]


def test_the_standard_pack_with_one_brick_at_a_time_waits_for_the_question() -> None:
    """A picture of 4 s on the NPU and a language model of 3.6 s to load are another plan than the micro
    pack's.
    """
    plans = {}
    for name in ("micro", "standard"):
        site = modelled_site(name)
        plans[name] = [
            site.ahead(mode, site.placed(mode, 4), alone=alone).picture
            for mode in MODES
            for alone in (False, True)
        ]
    assert set(plans["micro"]) == {"wake word"}
    assert plans["standard"][-1] == "question"
    site = modelled_site("standard")
    placed = site.placed("cascade", 4)
    rooms = [site.ahead("cascade", placed, alone=True, room_mib=room).picture for room in (None, 379, 380)]
    assert rooms == ["question", "question", "wake word"], "120 MiB of recogniser, 260 of the NPU's eye"


def test_a_table_survives_json_and_a_damaged_one_is_refused() -> None:
    made = TABLES["micro"]
    values = json.loads(json.dumps(to_json(made)))
    assert from_json(values) == made
    changes: list[dict[str, object]] = [
        {"format": 0}, {"costs": [[1, 2]]}, {"columns": []}, {"awake_w": {}}, {"habits": None}, {"pack": 3},
    ]  # fmt: skip
    for change in changes:
        with pytest.raises(TableError):
            from_json({**values, **change})
    row = list(values["costs"][0])
    for at, wrong in (
        (1, "dance"),
        (2, "moon"),
        (4, 0),
        (4, True),
        (5, -1.0),
        (5, "1"),
        (7, 0.0),
        (8, 1e400),
    ):
        with pytest.raises(TableError):
            from_json({**values, "costs": [[*row[:at], wrong, *row[at + 1 :]]]})
    with pytest.raises(TableError):
        from_json([])
