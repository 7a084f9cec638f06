"""What test files use of itertools, which MicroPython lacks."""

import builtins


def chain(*iterables):
    for iterable in iterables:
        yield from iterable


def count(start=0, step=1):
    while True:
        yield start
        start += step


def cycle(iterable):
    items = list(iterable)
    while items:
        yield from items


def islice(iterable, *bounds):
    start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else 1
    for index, item in enumerate(iterable):
        if stop is not None and index >= stop:
            return
        if index >= start and (index - start) % step == 0:
            yield item


def pairwise(iterable):
    items = list(iterable)
    return builtins.zip(items, items[1:])


def combinations(iterable, size):
    items = list(iterable)
    if size == 0:
        yield ()
    for index, item in enumerate(items):
        for rest in combinations(items[index + 1 :], size - 1) if size else ():
            yield (item,) + rest


def product(*iterables, repeat=1):
    rows = [()]
    for items in [list(each) for each in iterables] * repeat:
        rows = [row + (item,) for row in rows for item in items]
    return iter(rows)


def repeat(item, times=None):
    while times is None or times > 0:
        yield item
        times = None if times is None else times - 1


def accumulate(iterable):
    total = None
    for item in iterable:
        total = item if total is None else total + item
        yield total
