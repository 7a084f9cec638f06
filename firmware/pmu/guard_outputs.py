"""What the guard and the light decide, carried to the board's lines when it changes.

A board may lack any of the lines: then nothing is there to drive.
"""


class Drive:
    """The outputs of a board, each a method that is called by name with its new value."""

    def __init__(self, board):
        self._board = board
        self._values: dict = {}

    def set(self, line: str, *value) -> None:
        """Give the line its value, unless it has it already."""
        if self._values.get(line) == value:
            return
        self._values[line] = value
        method = getattr(self._board, line, None)
        if method is not None:
            method(*value)
