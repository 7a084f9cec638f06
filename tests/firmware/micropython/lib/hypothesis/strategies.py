"""Strategies: each draws from a `random.Random`, the ends of its range more often than chance would."""

from . import Unsatisfied


class Strategy:
    """`draw(random)` makes one value."""

    def __init__(self, draw):
        self.draw = draw

    def map(self, change):
        return Strategy(lambda random: change(self.draw(random)))

    def filter(self, keep):
        def draw(random):
            for _ in range(100):
                value = self.draw(random)
                if keep(value):
                    return value
            raise Unsatisfied

        return Strategy(draw)

    def flatmap(self, follow):
        return Strategy(lambda random: follow(self.draw(random)).draw(random))

    def __or__(self, other):
        return one_of(self, other)


def just(value):
    return Strategy(lambda random: value)


def none():
    return just(None)


def integers(min_value=None, max_value=None):
    low = (-(1 << 40) if max_value is None else max_value - (1 << 40)) if min_value is None else min_value
    high = low + (1 << 40) if max_value is None else max_value

    def draw(random):
        kind = random.randrange(10)
        if kind == 0:
            return low
        if kind == 1:
            return high
        if kind == 2:
            return min(high, max(low, random.randint(-2, 2)))
        return random.randint(low, high)

    return Strategy(draw)


def floats(min_value=None, max_value=None, allow_nan=None, allow_infinity=None, **_):
    low = (-1e6 if max_value is None else max_value - 1e6) if min_value is None else min_value
    high = low + 1e6 if max_value is None else max_value

    def draw(random):
        kind = random.randrange(10)
        return float(low) if kind == 0 else float(high) if kind == 1 else random.uniform(low, high)

    return Strategy(draw)


def booleans():
    return Strategy(lambda random: random.randrange(2) == 1)


def sampled_from(items):
    items = list(items)
    return Strategy(lambda random: random.choice(items))


def one_of(*strategies):
    return Strategy(lambda random: random.choice(strategies).draw(random))


def _size(random, low, high, most=40):
    return random.randint(low, low + most if high is None else min(high, low + most))


def binary(min_size=0, max_size=None):
    return Strategy(lambda random: random.randbytes(_size(random, min_size, max_size)))


def text(alphabet=None, min_size=0, max_size=None, **_):
    letters = alphabet or 'az09AZ {}[]":,\\\n\u00e9\u20ac'
    return Strategy(
        lambda random: "".join(random.choice(letters) for _ in range(_size(random, min_size, max_size)))
    )


def lists(elements, min_size=0, max_size=None, **_):
    return Strategy(
        lambda random: [elements.draw(random) for _ in range(_size(random, min_size, max_size, 12))]
    )


def tuples(*parts):
    return Strategy(lambda random: tuple(part.draw(random) for part in parts))


def dictionaries(keys, values, min_size=0, max_size=None):
    return Strategy(
        lambda random: {
            keys.draw(random): values.draw(random) for _ in range(_size(random, min_size, max_size))
        }
    )


def builds(make, *positional, **named):
    return Strategy(
        lambda random: make(
            *[part.draw(random) for part in positional],
            **{key: part.draw(random) for key, part in named.items()},
        )
    )


def randoms(**_):
    return Strategy(lambda random: random)


class _Data:
    def __init__(self, random):
        self._random = random

    def draw(self, strategy, label=None):
        return strategy.draw(self._random)


def data():
    return Strategy(_Data)


def composite(function):
    def make(*positional, **named):
        return Strategy(lambda random: function(lambda strategy: strategy.draw(random), *positional, **named))

    return make


def recursive(base, extend, max_leaves=100):
    return base | extend(base) | extend(base | extend(base))


def characters(**_):
    return text(min_size=1, max_size=1)


def permutations(items):
    return Strategy(lambda random: random.sample(items, len(items)))
