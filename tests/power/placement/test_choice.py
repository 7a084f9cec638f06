from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from power.placement.choice import HARDLY_SLOWER, choose
from power.placement.table import MODES
from tests.power.placement.made import cost, table

EYE = table(
    cost("vision", "picture", 4.0, place="npu", threads=1, extra_w=2.0),
    cost("vision", "picture", 6.0, extra_w=0.8),
)


def test_performance_takes_the_faster_place_and_other_modes_the_one_of_less_energy() -> None:
    fast = choose(EYE, "vision", "performance", ("npu", "cores"))
    lean = choose(EYE, "vision", "throttled", ("npu", "cores"))
    assert (fast.place, lean.place) == ("npu", "cores")
    assert fast.reason == (
        "the NPU takes 4 s and 10.8 J, modelled: the least time; the cores take 6 s and 9 J, modelled"
    )
    assert "the least energy" in lean.reason


def test_an_unplugged_place_is_not_chosen_and_the_reason_is_told() -> None:
    found = choose(EYE, "vision", "performance", ("npu", "cores"), unplugged={"npu": "its driver is gone"})
    assert found.place == "cores" and "the NPU cannot be used: its driver is gone" in found.reason
    assert choose(EYE, "vision", "performance", ("cores",), unplugged={"cores": "no"}).place == "cores"


def test_a_brick_without_a_row_computes_where_its_pack_says_with_all_threads() -> None:
    found = choose(EYE, "text", "performance", ("npu", "cores"), cores=3)
    assert (found.place, found.threads) == ("npu", 3) and "nothing is known" in found.reason


def test_what_is_known_of_one_place_only_is_chosen_and_the_other_named() -> None:
    npu_only = table(cost("vision", "picture", 4.0, place="npu", threads=1))
    found = choose(npu_only, "vision", "cascade", ("npu", "cores"))
    assert found.place == "npu" and "nothing is known of the cores" in found.reason


def test_what_takes_far_longer_than_known_counts_as_stuck() -> None:
    assert choose(EYE, "vision", "performance", ("npu", "cores")).patience_s == 3 * 6.0
    quick, slow = (table(cost("llm", "sentence", seconds)) for seconds in (0.1, 4.0))
    assert choose(quick, "llm", "performance").patience_s == 20.0
    (row,) = slow.rows("llm", "cores", "performance")
    assert choose(slow, "llm", "performance").patience_s == 10 * row.high_s > 20.0
    assert choose(EYE, "text", "performance").patience_s is None


def test_a_core_more_than_memory_can_feed_is_left_to_others() -> None:
    decoder = table(
        cost("llm", "sentence", 1.00, threads=4, extra_w=1.1),
        cost("llm", "sentence", 1.02, threads=3, extra_w=0.9),
        cost("llm", "sentence", 1.30, threads=2, extra_w=0.7),
    )
    assert choose(decoder, "llm", "performance").threads == 3
    assert choose(decoder, "llm", "performance", cores=2).threads == 2


@given(
    st.lists(st.tuples(st.floats(0.01, 60), st.floats(0, 3)), min_size=1, max_size=4),
    st.sampled_from(MODES),
)
def test_the_chosen_threads_are_never_much_slower_than_the_fastest(
    times: list[tuple[float, float]], mode: str
) -> None:
    rows = [cost("stt", "question", s, threads=n, extra_w=w) for n, (s, w) in enumerate(times, 1)]
    made = table(*rows)
    found = choose(made, "stt", mode)
    taken = made.find("stt", "question", "cores", mode, found.threads)
    assert taken is not None and taken.seconds <= HARDLY_SLOWER * min(s for s, _ in times)
