"""The gauge's saved state."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.known_charge import set_percent
from firmware.pmu import gauge_saved_state as store
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge
from tests.firmware.fake_flash import FakeFlash
from tests.firmware.gauge_cell import terminal_mv

ROOM_DK = r.ZERO_CELSIUS_DK + 220


def known_gauge(percent: float = 61.5) -> Gauge:
    gauge = Gauge()
    gauge.sample(0, 3870, -150, ROOM_DK, False)
    set_percent(gauge, percent)
    gauge.charge.set_capacity(2000 / 1812, 0.02)
    gauge.charge.state[2] = -0.7
    gauge.charge.curve[10] += 25
    gauge.charge.learned = True
    gauge.resistance.known(143, 8)
    gauge.cycles = 41
    gauge.discharged_uah = 512_000
    return gauge


def restarted(flash: object) -> tuple[Gauge, bool]:
    gauge = Gauge()
    return gauge, store.Store(flash).restore(gauge)


def test_everything_learned_comes_back() -> None:
    flash, gauge = FakeFlash(), known_gauge()
    store.Store(flash).save(gauge)
    again, found = restarted(flash)
    assert found
    assert again.percent == pytest.approx(gauge.percent, abs=0.01)
    assert again.charge.charge_uah == gauge.charge.charge_uah
    assert again.charge.capacity_mah == pytest.approx(1812, abs=0.1)
    assert again.charge.state[2] == pytest.approx(-0.7)
    assert again.charge.learned and again.charge.curve == gauge.charge.curve
    assert again.resistance.total_mohm == pytest.approx(143)
    assert (again.cycles, again.discharged_uah) == (41, 512_000)
    assert again.charge.spread >= gauge.charge.spread  # the charge since then is unknown


def test_nothing_stored_is_no_trouble() -> None:
    assert not restarted(object())[1]
    assert not restarted(FakeFlash())[1]


@pytest.mark.parametrize("cut", range(0, store.RECORD_BYTES, 7))
def test_a_record_torn_at_any_byte_leaves_the_one_before(cut: int) -> None:
    flash, gauge = FakeFlash(), known_gauge(70)
    keeper = store.Store(flash)
    keeper.save(gauge)
    set_percent(gauge, 30)
    keeper.save(gauge)
    for torn in (0, 1):
        kept = flash.slots[torn]
        flash.slots[torn] = kept[:cut]
        again, found = restarted(flash)
        assert found
        assert again.percent == pytest.approx(30 if torn == 0 else 70, abs=0.01)
        flash.slots[torn] = kept


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_garbage_is_no_record(data: bytes) -> None:
    assert store.newest(data) == b""


@settings(deadline=None)
@given(st.integers(0, store.RECORD_BYTES - 1), st.integers(1, 255))
def test_a_changed_byte_is_noticed(place: int, change: int) -> None:
    flash = FakeFlash()
    store.Store(flash).save(known_gauge())
    record = bytearray(flash.load())
    record[place] ^= change
    assert store.newest(bytes(record)) == b""


def test_the_newest_record_wins_across_the_wrap_of_its_number() -> None:
    flash, gauge = FakeFlash(), known_gauge()
    keeper = store.Store(flash)
    for number in (0xFFFE, 0xFFFF, 0):
        keeper._next = number
        set_percent(gauge, number % 100)
        keeper.save(gauge)
    assert restarted(flash)[0].percent == 0


def test_the_cell_that_was_named_comes_back() -> None:
    flash, gauge = FakeFlash(), Gauge()
    gauge.fit(3, 1500)
    store.Store(flash).save(gauge)
    again, _ = restarted(flash)
    assert (again.profile, again.design_mah) == (3, 1500)
    assert (again.full_mv, again.cut_off_mv) == (3600, 2800)
    assert not again.charge.learned


def live(keeper: store.Store, gauge: Gauge, minutes: int, current_ma: int) -> None:
    """Advance time in steps of a second."""
    for _ in range(minutes * 60):
        gauge.current_ma = current_ma
        gauge.shown.percent -= -current_ma / 2000 / 36
        keeper.step(1000, gauge)


def test_flash_is_written_sparingly_and_while_the_host_sleeps() -> None:
    flash, gauge = FakeFlash(), known_gauge(90)
    keeper = store.Store(flash)
    keeper.save(gauge)
    live(keeper, gauge, 3, -300)
    assert flash.saves == 1  # changed, but the host is busy
    live(keeper, gauge, 1, -20)
    assert flash.saves == 2  # now it sleeps
    live(keeper, gauge, 38, -20)
    assert flash.saves == 2  # and nothing much has happened
    live(keeper, gauge, 60, -600)
    assert 30 <= flash.saves <= 42  # the change is large enough in any case


def test_the_last_word_is_written_when_the_host_goes_off_or_the_cell_is_empty() -> None:
    flash, gauge = FakeFlash(), known_gauge(20)
    keeper = store.Store(flash)
    keeper.save(gauge)
    gauge.shown.percent = 19
    keeper.step(1000, gauge, True)
    assert flash.saves == 2
    gauge.shown.cut_off()
    keeper.step(1000, gauge, True)
    keeper.step(1000, gauge, True)
    assert flash.saves == 3
    again, _ = restarted(flash)
    again.sample(0, 3700, -5, ROOM_DK, False)
    assert again.percent == 0


def test_a_full_flash_stops_nothing() -> None:
    flash, gauge = FakeFlash(), known_gauge()
    flash.broken = True
    store.Store(flash).save(gauge)


def test_after_a_watchdog_reset_no_charge_is_missing() -> None:
    flash, gauge = FakeFlash(), known_gauge(60)
    keeper = store.Store(flash)
    keeper.save(gauge)
    for second in range(1, 600):
        gauge.sample(second * 1000, 3863, -70, ROOM_DK, False)
        keeper.step(1000, gauge)
    assert flash.saves == 1
    again, _ = restarted(flash)
    assert again.charge.charge_uah == pytest.approx(gauge.charge.charge_uah, abs=1000)
    assert again.percent == pytest.approx(gauge.percent, abs=0.1)
    assert again.charge.capacity_mah == pytest.approx(1812, abs=0.1)
    flash.lasting = flash.lasting[:-1] + bytes((flash.lasting[-1] ^ 1,))
    again, _ = restarted(flash)
    assert again.percent == pytest.approx(60, abs=0.1)  # the record, then


def after_a_loss_of_power(stored: float, now: float, current_ma: int, seconds: int = 600) -> list[float]:
    """The percentages shown for a cell of that charge, each second."""
    flash = FakeFlash()
    before = Gauge()
    before.sample(0, terminal_mv(stored, -20), -20, ROOM_DK, False)
    set_percent(before, stored)
    before.charge.learned = True
    before.resistance.known(100, 8)
    store.Store(flash).save(before)
    gauge, _ = restarted(flash)
    shown = []
    for second in range(seconds):
        gauge.sample(second * 1000, terminal_mv(now, current_ma), current_ma, ROOM_DK, False)
        shown.append(gauge.percent)
    return shown


@pytest.mark.parametrize("current_ma", [-20, -600])
def test_after_a_loss_of_power_the_shown_value_goes_on_and_does_not_jump(current_ma: int) -> None:
    shown = after_a_loss_of_power(96, 92, current_ma)
    assert shown[0] == pytest.approx(96, abs=0.1)
    assert shown[-1] < 94
    assert max(abs(a - b) for a, b in zip(shown, shown[10:])) <= 1  # noqa: B905 - MicroPython


def test_another_cell_put_in_while_the_power_was_lost_is_shown_at_once() -> None:
    shown = after_a_loss_of_power(95, 8, -20)
    assert shown[0] < 15
    assert after_a_loss_of_power(15, 95, -20)[0] > 85


@settings(deadline=None, max_examples=40)
@given(st.floats(6, 99), st.floats(6, 99), st.integers(-700, -20))
def test_after_a_loss_of_power_what_is_shown_is_what_was_or_what_the_voltage_says(
    stored: float, now: float, current_ma: int
) -> None:
    shown = after_a_loss_of_power(stored, now, current_ma, 40)
    goes_on = abs(shown[0] - stored) <= 0.5
    assert goes_on or abs(shown[0] - now) <= 15
    doubt = 6 if min(stored, now) < 12 else 8.5  # near empty a percent is many millivolts
    assert goes_on or abs(stored - now) > doubt, "a value that may be right stands"
    assert max(abs(a - b) for a, b in zip(shown, shown[10:])) <= 1  # noqa: B905 - MicroPython


def test_lasting_registers_alone_are_enough() -> None:
    flash, gauge = FakeFlash(), known_gauge(44)
    flash.keep(store.kept(gauge))
    again, found = restarted(flash)
    assert found
    assert again.percent == pytest.approx(44, abs=0.01)
    assert 0 < again.charge.spread < 0.05
