"""What happened, in order, until the host has read it: a bounded queue behind EVENT_COUNT, EVENT_ACK and
EVENT_1..3.

Events are numbered from 1 in the order in which they come. The host reads up to three at a time and writes
the number of the last one it has read to EVENT_ACK; the next three follow at once. When nobody reads, the two
oldest become one event of kind EVENT_KIND_LOST that says how many it stands for, so the newest are always
there.
"""

from . import registers as r

LIMIT = 16  # events kept for the host
_SHOWN = (r.EVENT_1, r.EVENT_2, r.EVENT_3)


class Events:
    """The queue, and the alert line that is pulled while anything in it is unread.

    `alert(active)` drives the line. `acknowledge` may interrupt any other call between two bytecodes, as
    MicroPython's soft interrupts do.
    """

    def __init__(self, alert):
        self._alert = alert
        self._unread: list = []
        self._acknowledged = 0  # number of the last event read or given up, modulo 65536
        self._new = False  # since the line was last brought up to date
        self._busy = False
        self._waiting_ack = -1

    @property
    def unread(self) -> int:
        """How many events the host has not read yet."""
        return len(self._unread)

    def add(self, kind: int, detail: int = 0) -> None:
        """Queue an event: EVENT_KIND_* and 0..255. The host hears of it with the next publishing."""
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
        """The host has read the events up to that number; a number that is not among the unread ones changes
        nothing.

        Returns the registers that follow from it.
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
        """Bring the alert line up to date; call it after `words` have been published."""
        if self._new:
            self._new = False
            self._alert(False)  # so that an event which joins unread ones is an edge too
            self._alert(bool(self._unread))

    def _take(self, number):
        count = (number - self._acknowledged) & 0xFFFF
        if count <= len(self._unread):
            self._unread = self._unread[count:]
            self._acknowledged = number


def _stands_for(word):
    return word & 0xFF if word >> 8 == r.EVENT_KIND_LOST else 1
