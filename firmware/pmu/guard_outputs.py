"""Drives the board's outputs when their values change. A board may lack any of them."""


class Outputs:
    """The outputs of a board; each is a method of the board that takes the new value."""

    def __init__(self, board):
        self._board = board
        self._values: dict = {}

    def set(self, line: str, *value) -> None:
        """Drive the output, unless it has that value already."""
        if self._values.get(line) == value:
            return
        self._values[line] = value
        method = getattr(self._board, line, None)
        if method is not None:
            method(*value)
