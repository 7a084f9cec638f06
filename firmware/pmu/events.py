"""The queue of events for the host, bounded, behind the registers EVENT_COUNT, EVENT_ACK and EVENT_1..3.

Events are numbered from 1 in the order in which they come. The host reads up to three at a time and writes
the number of the last one it has read to EVENT_ACK; the registers then hold the next three. When the queue is
full, the two oldest events are merged into one of kind EVENT_KIND_LOST with the number of events it replaces.
"""

from . import registers as r

LIMIT = 16  # events kept for the host
_SHOWN = (r.EVENT_1, r.EVENT_2, r.EVENT_3)


class Events:
    """The queue, and the alert line, which is active while an event is unread.

    `alert(active)` drives the line. `acknowledge` may interrupt any other call between two bytecodes, as
    MicroPython's soft interrupts do.
    """

    def __init__(self, alert):
        self._alert = alert
        self._unread: list = []
        self._acknowledged = 0  # number of the last event that was read or merged, modulo 65536
        self._new = False  # an event was added since the last `signal`
        self._busy = False
        self._waiting_ack = -1

    @property
    def unread(self) -> int:
        """How many events the host has not read yet."""
        return len(self._unread)

    def add(self, kind: int, detail: int = 0) -> None:
        """Queue an event: EVENT_KIND_* and 0..255. The host sees it after `words` are published."""
        self._busy = True
        self._unread.append(kind << 8 | detail & 0xFF)
        if len(self._unread) > LIMIT:
            lost = _stands_for(self._unread[0]) + _stands_for(self._unread[1])
            self._unread[1] = r.EVENT_KIND_LOST << 8 | min(lost, 255)
            self._unread.pop(0)
            self._acknowledged = (self._acknowledged + 1) & 0xFFFF
        self._new = True
        self._busy = False
        if self._waiting_ack >= 0:
            self._take(self._waiting_ack)
            self._waiting_ack = -1

    def acknowledge(self, number: int) -> dict:
        """The host has read the events up to that number. Returns the registers that change with it; the
        number of an event that is not unread changes nothing.
        """
        if self._busy:
            self._waiting_ack = number
            return {}
        self._take(number)
        if not self._unread:
            self._alert(False)
        return self.words()

    def words(self) -> dict:
        """Register code -> value for `Target.publish`."""
        unread = self._unread
        words = {
            r.EVENT_COUNT: (self._acknowledged + len(unread)) & 0xFFFF,
            r.EVENT_ACK: self._acknowledged,
        }
        for index, code in enumerate(_SHOWN):
            words[code] = unread[index] if index < len(unread) else 0
        return words

    def signal(self) -> None:
        """Drive the alert line; call it after `words` have been published."""
        if self._new:
            self._new = False
            self._alert(False)  # so that an event added to unread ones makes an edge, too
            self._alert(bool(self._unread))

    def _take(self, number):
        count = (number - self._acknowledged) & 0xFFFF
        if count <= len(self._unread):
            self._unread = self._unread[count:]
            self._acknowledged = number


def _stands_for(word):
    return word & 0xFF if word >> 8 == r.EVENT_KIND_LOST else 1
