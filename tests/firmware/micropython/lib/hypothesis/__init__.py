"""The part of Hypothesis that the firmware's tests use: drawn examples from a fixed seed, without shrinking.
CPython searches for the counter-example; here the same properties are to hold on the other interpreter.
"""

from pytest import case


class Unsatisfied(Exception):
    """The example is discarded (`assume`)."""


def assume(condition):
    if not condition:
        raise Unsatisfied
    return True


def given(*positional, **named):
    def mark(function):
        marked = case(function)
        marked.strategies = (positional, named)
        return marked

    return mark


def example(*positional, **named):
    def mark(function):
        marked = case(function)
        marked.examples.append((positional, named))
        return marked

    return mark


def settings(max_examples=100, **_):
    def mark(function):
        marked = case(function)
        marked.max_examples = max_examples
        return marked

    return mark


def note(_):
    pass


class HealthCheck:
    """There are no health checks here."""

    too_slow = data_too_large = filter_too_much = function_scoped_fixture = None
