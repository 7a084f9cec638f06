"""`random.Random` with a seed: another sequence than CPython's, so tests that use it hold for any."""


class Random:
    """Xorshift, 32 bits."""

    def __init__(self, seed=1):
        self._state = (seed * 2654435761 ^ 0x9E3779B9) & 0xFFFFFFFF or 1

    def getrandbits(self, count):
        value = 0
        for _ in range((count + 15) // 16):
            state = self._state
            state ^= state << 13 & 0xFFFFFFFF
            state ^= state >> 17
            self._state = state = state ^ (state << 5 & 0xFFFFFFFF)
            value = value << 16 | state >> 16
        return value & (1 << count) - 1

    def random(self):
        return self.getrandbits(48) / (1 << 48)

    def randrange(self, start, stop=None, step=1):
        if stop is None:
            start, stop = 0, start
        count = (stop - start + step - 1) // step
        if count <= 0:
            raise ValueError("empty range")
        return start + step * (self.getrandbits(64) % count)

    def randint(self, low, high):
        return self.randrange(low, high + 1)

    def randbytes(self, count):
        return bytes(self.getrandbits(8) for _ in range(count))

    def uniform(self, low, high):
        return low + (high - low) * self.random()

    def gauss(self, mean=0.0, deviation=1.0):
        return mean + deviation * (sum(self.random() for _ in range(12)) - 6)

    def choice(self, items):
        return items[self.randrange(len(items))]

    def choices(self, items, k=1):
        return [self.choice(items) for _ in range(k)]

    def sample(self, items, k):
        left = list(items)
        return [left.pop(self.randrange(len(left))) for _ in range(k)]

    def shuffle(self, items):
        items[:] = self.sample(items, len(items))


_shared = Random()
random = _shared.random
randint = _shared.randint
randrange = _shared.randrange
choice = _shared.choice
uniform = _shared.uniform
getrandbits = _shared.getrandbits
