"""Runs prepared test files on MicroPython: every parameter set, and drawn examples of every property."""

import gc
import io
import json
import random
import sys
import time

from hypothesis import Unsatisfied
from pytest import Fixture, Skipped, case

MOST_EXAMPLES = 20  # per property; CPython draws the full number
EXAMPLES_MS = 1_000  # no further example is drawn after that long


outcomes = {}


def run(name, function, signatures):
    """Run one test of the module `name`. `signatures`: function -> names of its arguments, for all it has.

    Its outcome is {"error": None or a traceback, "ms": time taken}.
    """
    print(name + "." + function)
    began = time.ticks_ms()
    try:
        module = __import__(name)
    except BaseException as problem:
        error = _told(problem)
    else:
        error = _outcome(module, function, signatures)
    outcomes[name + "." + function] = {"error": error, "ms": time.ticks_ms() - began}
    gc.collect()


def report():
    """All outcomes, as JSON."""
    return json.dumps(outcomes)


def _told(problem):
    text = io.StringIO()
    sys.print_exception(problem, text)
    return text.getvalue()


def _outcome(module, function, signatures):
    test = case(getattr(module, function))
    values = {}
    try:
        for parameters in _products(test.parameters):
            for values in _drawn(test, parameters, signatures[function]):
                _call(module, test, values, signatures[function], signatures)
    except Skipped:
        return None
    except BaseException as problem:
        return _told(problem) + "\nwith " + repr(values)
    return None


def _products(parameters):
    if not parameters:
        yield {}
        return
    names, rows = parameters[0]
    for rest in _products(parameters[1:]):
        for row in rows:
            together = dict(zip(names, row))
            together.update(rest)
            yield together


def _drawn(test, parameters, names):
    positional, named = test.strategies
    free = [name for name in names if name not in parameters]
    if not positional and not named:
        yield parameters
        return
    # Positional strategies belong to the last arguments.
    strategies = dict(zip(free[len(free) - len(positional) :], positional))
    strategies.update(named)
    for values, by_name in test.examples:
        drawn = dict(zip(free[len(free) - len(values) :], values))
        drawn.update(by_name)
        drawn.update(parameters)
        yield drawn
    source = random.Random(len(names) + 7)
    began_ms = time.ticks_ms()
    for count in range(min(MOST_EXAMPLES, test.max_examples)):
        if count and time.ticks_ms() - began_ms > EXAMPLES_MS:
            return
        try:
            drawn = {name: strategy.draw(source) for name, strategy in strategies.items()}
        except Unsatisfied:
            continue
        drawn.update(parameters)
        yield drawn


def _call(module, test, values, names, signatures):
    prepared = []
    try:
        for name in names:
            if name not in values:
                values[name] = _prepare(module, name, signatures, prepared)
        test.function(**values)
    except Unsatisfied:
        pass
    finally:
        for generator in reversed(prepared):
            for _ in generator:
                pass


def _prepare(module, name, signatures, prepared):
    fixture = getattr(module, name, None)
    if not isinstance(fixture, Fixture):
        raise Skipped("no fixture " + name)
    arguments = [_prepare(module, each, signatures, prepared) for each in signatures[name]]
    made = fixture.function(*arguments)
    if hasattr(made, "__next__"):
        prepared.append(made)
        return next(made)
    return made
