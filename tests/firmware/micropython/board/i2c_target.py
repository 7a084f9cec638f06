"""The emulated `I2CTarget`, which behaves as that of MicroPython's rp2 port does (its source, see below)."""

from .rig import RIG

_SDA = 4


class _Irq:
    def __init__(self, target):
        self._target = target

    def flags(self):
        return self._target.event


class I2CTarget:
    """The peripheral as a target. `mem` is served without Python, its address moves on and wraps.

    As seen in the source of the rp2 port: in memory mode the handler also hears READ_REQ and WRITE_REQ,
    before the byte moves; READ_REQ comes once more than bytes are read when that is one byte, which moves the
    memory address on by one too far; END_WRITE is not raised for a write of the address alone, but by a bus
    scan. Without `mem` the clock is stretched until `write` is called, for ever when the handler is dead.
    """

    IRQ_ADDR_MATCH_READ, IRQ_ADDR_MATCH_WRITE, IRQ_READ_REQ, IRQ_WRITE_REQ = 1, 2, 4, 8
    IRQ_END_READ, IRQ_END_WRITE = 16, 32

    def __init__(self, id, addr, *, addrsize=7, mem=None, mem_addrsize=8, scl=None, sda=None):
        if id not in (0, 1):
            raise ValueError("I2CTarget({}) doesn't exist".format(id))
        if mem_addrsize not in (0, 8, 16, 24, 32):
            raise ValueError("invalid mem_addrsize")
        self.address = addr
        self.memaddr = 0
        self.event = 0
        self._memory = mem
        self._address_bytes = mem_addrsize // 8 if mem is not None else 0
        self._handler, self._trigger, self._hard = None, 0, False
        self._answer: object = None
        self._received = b""
        self._held = False
        RIG.target = self

    def deinit(self):
        self._handler = None
        if RIG.target is self:
            RIG.target = None

    def irq(self, handler=None, trigger=16 | 32, hard=False):
        if trigger & 15 and not hard:
            raise ValueError("hard irq required")
        self._handler, self._trigger, self._hard = handler, trigger, hard
        if hard and handler is not None:
            RIG.hard.append("I2CTarget")
        return _Irq(self)

    def write(self, data):
        self._answer = data[0]
        return 1

    def readinto(self, buffer):
        count = min(len(buffer), len(self._received))
        buffer[:count] = self._received[:count]
        self._received = self._received[count:]
        return count

    # The host's side of the bus

    def host_write(self, data):
        """One write transaction; no data at all is what a bus scan does."""
        self._begin(I2CTarget.IRQ_ADDR_MATCH_WRITE)
        address, data = data[: self._address_bytes], data[self._address_bytes :]
        if address:
            self.memaddr = 0
            for byte in address:
                self.memaddr = self.memaddr << 8 | byte
            self.memaddr %= len(self._memory)
        for byte in data:
            if self._memory is None:
                self._received += bytes((byte,))
            self._raise(I2CTarget.IRQ_WRITE_REQ)
            if self._memory is not None:
                self._memory[self.memaddr] = byte
                self.memaddr = (self.memaddr + 1) % len(self._memory)
        if data or not address:
            self._raise(I2CTarget.IRQ_END_WRITE)

    def host_read(self, count):
        """One read transaction from where the memory address stands. OSError if the clock stays stretched."""
        self._begin(I2CTarget.IRQ_ADDR_MATCH_READ)
        data = bytearray()
        for _ in range(count):
            data.append(self._next_byte())
        if count == 1:
            self._next_byte()
        self._raise(I2CTarget.IRQ_END_READ)
        return bytes(data)

    def _begin(self, match):
        if RIG.dozing:
            RIG.edge(_SDA)
            raise OSError(6)  # nobody acknowledges
        if self._held:
            raise OSError(110)
        self._raise(match)

    def _next_byte(self):
        self._answer = None
        self._raise(I2CTarget.IRQ_READ_REQ)
        if self._memory is not None:
            byte = self._memory[self.memaddr]
            self.memaddr = (self.memaddr + 1) % len(self._memory)
            return byte
        return self._answered()

    def _answered(self):
        if self._answer is None:
            self._held = True
            raise OSError(110)
        return self._answer

    def _raise(self, event):
        if self._handler is None or not self._trigger & event:
            return
        self.event = event
        if RIG.interrupt("I2CTarget", self._handler, self._hard, self) is not None:
            self._handler = None
