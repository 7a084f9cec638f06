"""Names that test files import for annotations, which MicroPython does not evaluate."""

TYPE_CHECKING = False
Any = Callable = Final = Iterator = None


def cast(kind, value):
    return value
