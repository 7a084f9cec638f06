"""Dataclasses whose field names are given, because MicroPython does not keep annotations: `portable` writes
them into the decorator.
"""

_NEEDED = object()


class _Field:
    def __init__(self, default, default_factory):
        self.default, self.default_factory = default, default_factory


def field(default=_NEEDED, default_factory=None, **_):
    return _Field(default, default_factory)


def _default(known):
    if not isinstance(known, _Field):
        return known
    return known.default_factory() if known.default_factory else known.default


def dataclass(*names):
    def finish(cls):
        defaults = {name: getattr(cls, name) for name in names if hasattr(cls, name)}

        def __init__(self, *positional, **named):
            given = dict(zip(names, positional))
            given.update(named)
            for name in names:
                value = given.pop(name) if name in given else _default(defaults.get(name, _NEEDED))
                if value is _NEEDED:
                    raise TypeError("no value for " + name)
                setattr(self, name, value)
            if given:
                raise TypeError("no fields " + str(list(given)))
            if hasattr(self, "__post_init__"):
                self.__post_init__()

        def values(self):
            return tuple(getattr(self, name) for name in names)

        cls.__init__ = __init__
        cls.__eq__ = lambda self, other: isinstance(other, cls) and values(self) == values(other)
        cls.__repr__ = lambda self: cls.__name__ + repr(values(self))
        return cls

    return finish
