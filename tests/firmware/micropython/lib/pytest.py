"""The part of pytest that the firmware's tests use: parametrize, fixture, approx, raises."""

import re


class Skipped(Exception):
    """The case is skipped."""


class Case:
    """A test function with its decorators' data; MicroPython's functions have no attributes."""

    def __init__(self, function):
        self.function = function
        self.parameters = []  # of (names, sets of values)
        self.strategies = ((), {})
        self.examples = []
        self.max_examples = 100

    def __call__(self, *positional, **named):
        return self.function(*positional, **named)


def case(function):
    """The test function as a `Case`."""
    return function if isinstance(function, Case) else Case(function)


class Fixture:
    """A function that prepares an argument of that name."""

    def __init__(self, function):
        self.function = function


def fixture(function=None, **_):
    return Fixture(function) if function else Fixture


class _Mark:
    def parametrize(self, names, values, ids=None):
        if isinstance(names, str):
            names = [name.strip() for name in names.split(",")]
        rows = [
            tuple(row) if isinstance(row, (tuple, list)) and len(names) > 1 else (row,)
            for row in [row.values if isinstance(row, _Parameter) else row for row in values]
        ]

        def mark(function):
            marked = case(function)
            marked.parameters.append((names, rows))
            return marked

        return mark


mark = _Mark()


class _Parameter:
    def __init__(self, values):
        self.values = values if len(values) > 1 else values[0]


def param(*values, id=None):
    return _Parameter(values)


class _Approx:
    def __init__(self, wanted, rel, abs):
        self.wanted, self.rel, self.abs = wanted, rel, abs

    def __eq__(self, got):
        if isinstance(self.wanted, (list, tuple)):
            return len(self.wanted) == len(got) and all(
                _Approx(wanted, self.rel, self.abs) == each for wanted, each in zip(self.wanted, got)
            )
        absolute = 1e-12 if self.abs is None else self.abs
        relative = self.rel if self.rel is not None else 1e-6 if self.abs is None else 0
        return abs(self.wanted - got) <= max(absolute, relative * abs(self.wanted))

    def __repr__(self):
        return "approx(" + repr(self.wanted) + ")"


def approx(wanted, rel=None, abs=None):
    return _Approx(wanted, rel, abs)


class raises:
    """Context that wants an exception of that kind, its text found by `match`."""

    def __init__(self, kind, match=None):
        self.kind, self.match = kind, match
        self.value = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            raise AssertionError("nothing was raised")
        if not issubclass(kind, self.kind):
            return False
        self.value = value
        if self.match is not None and not re.search(self.match, str(value)):
            raise AssertionError("not " + repr(self.match) + ": " + str(value))
        return True


def fail(reason=""):
    raise AssertionError(reason)


def skip(reason=""):
    raise Skipped(reason)
