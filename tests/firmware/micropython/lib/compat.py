"""Builtins as CPython has them, where test files use more of them than MicroPython offers. The firmware does
not see these.
"""

import builtins


def zip(*iterables, strict=False):
    if strict:
        iterables = [list(each) for each in iterables]
        if len({len(each) for each in iterables}) > 1:
            raise ValueError("zip() arguments have unequal lengths")
    return builtins.zip(*iterables)


def vars(thing):
    return thing.__dict__


def listed(*items):
    return list(items)


def tupled(*items):
    return items


def merged(*parts):
    together = {}
    for part in parts:
        together.update(part)
    return together
