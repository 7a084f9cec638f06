"""Python source without what only a person reads, line for line where it was: the microcontroller compiles
every file anew at each start, and reads comments and docstrings for nothing.
"""

from __future__ import annotations

import ast
import functools
import io
import tokenize


@functools.cache
def slim(source: bytes) -> bytes:
    """The same program with blank lines in place of comments and of strings that stand for themselves.

    A traceback's line numbers still fit the original. Raises `SyntaxError`.
    """
    lines = _without_comments(source.decode())
    rows = [line.encode() for line in lines]
    for body in _bodies(ast.parse("".join(lines))):
        alone = all(_is_text(statement) for statement in body)
        for statement in body:
            if _is_text(statement):
                _blank(rows, statement, b"pass" if alone and statement is body[0] else b"")
    return b"\n".join(row.rstrip() for row in rows) + b"\n"


def _without_comments(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip() + "\n"
    return lines


def _bodies(tree: ast.AST) -> list[list[ast.stmt]]:
    return [
        body
        for node in ast.walk(tree)
        for field in ("body", "orelse", "finalbody")
        if isinstance(body := getattr(node, field, None), list) and body and not isinstance(node, ast.Lambda)
    ]


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _blank(rows: list[bytes], statement: ast.stmt, instead: bytes) -> None:
    assert statement.end_lineno is not None and statement.end_col_offset is not None
    first, last = statement.lineno - 1, statement.end_lineno - 1
    rest = rows[last][statement.end_col_offset :]
    if rest.strip() or rows[first][: statement.col_offset].strip():
        return  # it shares a line with something
    rows[first] = rows[first][: statement.col_offset] + instead + (rest if first == last else b"\n")
    for row in range(first + 1, last + 1):
        rows[row] = rest if row == last else b"\n"
