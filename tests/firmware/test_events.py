"""The event queue: ordered, bounded, and signalled by the alert line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firmware.pmu import registers as r
from firmware.pmu.app import Pmu
from firmware.pmu.events import LIMIT, Events
from firmware.pmu.gauge_alarms import REST, Alarms

ROOM_DK = r.ZERO_CELSIUS_DK + 220


class Line:
    """The alert line, and the number of times that it became active."""

    def __init__(self) -> None:
        self._active = False
        self.edges = 0

    def __call__(self, active: bool) -> None:
        self.edges += active and not self._active
        self._active = active

    def pulled(self) -> bool:
        return self._active


def shown(words: dict[int, int]) -> list[int]:
    return [words[code] for code in (r.EVENT_1, r.EVENT_2, r.EVENT_3) if words[code]]


def read_all(events: Events) -> list[int]:
    """Reads as the host: three events, acknowledge, until the queue is empty."""
    read: list[int] = []
    while shown(events.words()):
        words = events.words()
        read += shown(words)
        events.acknowledge((words[r.EVENT_ACK] + len(shown(words))) & 0xFFFF)
    return read


def test_events_come_in_order_and_go_when_read() -> None:
    line = Line()
    events = Events(line)
    for press in (1, 2, 3, 1):
        events.add(r.EVENT_KIND_BUTTON, press)
    events.signal()
    assert line.pulled()
    words = events.words()
    assert (words[r.EVENT_COUNT], words[r.EVENT_ACK]) == (4, 0)
    assert shown(words) == [0x0301, 0x0302, 0x0303]
    assert shown(events.acknowledge(3)) == [0x0301]
    assert line.pulled()
    assert shown(events.acknowledge(4)) == []
    assert not line.pulled()
    assert events.words()[r.EVENT_COUNT] == events.words()[r.EVENT_ACK] == 4


def test_each_new_event_is_an_edge_and_an_old_one_is_not() -> None:
    line = Line()
    events = Events(line)
    events.signal()
    assert line.edges == 0
    for _ in range(2):
        events.add(r.EVENT_KIND_SOUND)
        events.signal()
        events.signal()
    assert line.edges == 2


def test_an_acknowledgement_of_what_never_was_changes_nothing() -> None:
    events = Events(Line())
    events.add(r.EVENT_KIND_SOUND)
    for number in (2, 9, 0xFFFF):
        assert events.acknowledge(number)[r.EVENT_ACK] == 0
    assert events.unread == 1


def test_a_host_that_never_reads_learns_how_many_it_missed() -> None:
    events = Events(Line())
    for number in range(LIMIT + 30):
        events.add(r.EVENT_KIND_GUARD, number)
    lost, *kept = read_all(events)
    assert lost == r.EVENT_KIND_LOST << 8 | 31
    assert kept == [r.EVENT_KIND_GUARD << 8 | number for number in range(31, LIMIT + 30)]
    for _ in range(70_000):
        events.add(r.EVENT_KIND_SOUND)
    assert read_all(events)[0] == r.EVENT_KIND_LOST << 8 | 255


def test_an_acknowledgement_in_the_middle_of_adding_waits_for_its_end() -> None:
    events = Events(Line())
    events.add(r.EVENT_KIND_SOUND)

    class Interrupting(list):  # type: ignore[type-arg]
        def append(self, word: int) -> None:
            assert events.acknowledge(1) == {}
            super().append(word)

    events._unread = Interrupting(events._unread)
    events.add(r.EVENT_KIND_BUTTON, 2)
    assert shown(events.words()) == [0x0302]
    assert events.words()[r.EVENT_ACK] == 1


@given(st.lists(st.one_of(st.integers(1, 6), st.none()), max_size=80))
def test_every_event_is_read_once_or_counted_as_lost(day: list[int | None]) -> None:
    line = Line()
    events = Events(line)
    added, read = 0, list[int]()
    for kind in day:
        if kind is None:
            read += read_all(events)
            assert not line.pulled()
        else:
            added += 1
            events.add(kind, 7)
            events.signal()
            assert line.pulled()
            assert events.unread <= LIMIT
    read += read_all(events)
    lost = sum(word & 0xFF for word in read if word >> 8 == r.EVENT_KIND_LOST)
    assert lost + sum(word >> 8 != r.EVENT_KIND_LOST for word in read) == added
    assert events.words()[r.EVENT_COUNT] == added


def test_an_alarm_that_flickers_is_told_once_until_it_was_away_for_long() -> None:
    alarms = Alarms()
    assert alarms.step(0x0200) == 0x0200
    for _ in range(100):
        assert alarms.step(0) == 0
        assert alarms.step(0x0200) == 0
    assert alarms.step(0x1200) == 0x1000
    for _ in range(REST):
        assert alarms.step(0x0200) == 0
    assert alarms.step(0x1200) == 0x1000


class FakePmuBoard:
    def __init__(self) -> None:
        self.now_ms = 0
        self.sensed = (3800, -200, ROOM_DK, False)
        self.alert = Line()

    def ticks_ms(self) -> int:
        return self.now_ms

    def sense(self) -> tuple[int, int, int, bool]:
        return self.sensed


def host_write(pmu: Pmu, code: int, value: int) -> None:
    low, high = value & 0xFF, value >> 8
    pmu.target.memory[4 * code : 4 * code + 3] = bytes((low, high, r.write_pec(4 * code, low, high)))
    pmu.target.accept_writes()


def test_power_that_comes_and_goes_and_new_alarms_are_events() -> None:
    board = FakePmuBoard()
    pmu = Pmu(board)
    pmu.step()
    assert not board.alert.pulled()
    for current_ma, warmer_dk, powered in ((500, 0, True), (500, 500, True), (-200, 0, False)):
        board.sensed = (3900, current_ma, ROOM_DK + warmer_dk, powered)
        for _ in range(10):
            board.now_ms += 250
            pmu.step()
    assert board.alert.pulled()
    words = [pmu.target.value(code) for code in (r.EVENT_1, r.EVENT_2, r.EVENT_3)]
    hot = r.EVENT_KIND_ALARM << 8 | r.STATUS_OVER_TEMPERATURE >> 8
    assert words == [r.EVENT_KIND_POWER << 8 | 1, hot, r.EVENT_KIND_POWER << 8]
    host_write(pmu, r.EVENT_ACK, 2)
    assert pmu.target.value(r.EVENT_1) == r.EVENT_KIND_POWER << 8
    assert board.alert.pulled()
    host_write(pmu, r.EVENT_ACK, 3)
    assert not board.alert.pulled()
    host_write(pmu, r.EVENT_ACK, 9)
    assert pmu.target.value(r.EVENT_ACK) == 3
