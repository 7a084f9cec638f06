"""What of a pytest file runs on MicroPython: the same text, with the statements that need more left blank.

A statement needs more when it imports a module that MicroPython lacks, takes one of pytest's own fixtures, or
uses a name that such a statement would have bound. Everything else keeps its line, so that tracebacks fit;
displays with stars in them, which MicroPython does not parse, become calls, and `list[int]()` a `list()`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PYTEST_FIXTURES = {"monkeypatch", "tmp_path", "tmp_path_factory", "capsys", "capfd", "caplog", "request"}
PRELUDE = "from compat import *; "
"""Put before the first line: builtins as CPython has them, for test files only."""

_FOR_ANNOTATIONS = ("__future__", "collections.abc")
"""Modules that a test file needs only for annotations, which MicroPython does not evaluate."""
_GENERIC = ("list", "dict", "set", "tuple", "deque")


@dataclass(frozen=True)
class Portable:
    """One file, as MicroPython gets it."""

    text: str
    functions: dict[str, list[str]]
    """Every function at the top of the file -> names of its arguments, which MicroPython can't tell."""
    left_out: dict[str, str]
    """Test -> why it stays with CPython."""

    @property
    def tests(self) -> list[str]:
        """Names of the tests that run on MicroPython."""
        return [name for name in self.functions if name.startswith("test_")]


def portable(source: str, available: Callable[[str], bool]) -> Portable:
    """Prepare a test file's text; `available` says whether a module, or a dotted name in one, is there."""
    tree = ast.parse(source)
    erased = [
        each for each in tree.body if isinstance(each, ast.ImportFrom) and each.module in _FOR_ANNOTATIONS
    ]
    reasons = dict[ast.stmt, str]()
    missing = dict[str, str]()  # name -> why it is not there
    modules = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        if isinstance(node, ast.ImportFrom)
        else alias.name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    changed = True
    while changed:
        changed = False
        for statement in tree.body:
            known = statement in reasons or statement in erased
            reason = None if known else _reason(statement, available, missing, modules)
            if reason:
                changed = True
                reasons[statement] = reason
                missing |= dict.fromkeys(bound(statement), reason)
    lines = _plainer(tree, source).splitlines()
    for statement in (*reasons, *erased):
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        lines[first - 1 : statement.end_lineno] = [""] * ((statement.end_lineno or first) - first + 1)
    functions = [statement for statement in tree.body if isinstance(statement, ast.FunctionDef)]
    return Portable(
        PRELUDE + "\n".join(lines) + "\n",
        {each.name: _arguments(each) for each in functions if each not in reasons},
        {each.name: reasons[each] for each in functions if each in reasons and each.name.startswith("test_")},
    )


def _reason(
    statement: ast.stmt, available: Callable[[str], bool], missing: dict[str, str], modules: dict[str, str]
) -> str | None:
    for node in _evaluated(statement):
        for name in _needed(node, modules):
            if not available(name):
                return f"MicroPython has no {name}"
        if isinstance(node, ast.Name) and node.id in missing:
            return missing[node.id]
        if isinstance(node, ast.AsyncFunctionDef | ast.Match | ast.TryStar) or (
            isinstance(node, ast.arguments) and node.posonlyargs
        ):
            return "MicroPython has no such syntax"
    if isinstance(statement, ast.FunctionDef):
        for argument in _arguments(statement):
            if argument in PYTEST_FIXTURES:
                return f"only pytest has {argument}"
            if argument in missing and statement.name.startswith("test_"):
                return missing[argument]
    return None


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it, without annotations: MicroPython does not evaluate them."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _evaluated(child)


def _needed(node: ast.AST, modules: dict[str, str]) -> list[str]:
    """Dotted names that the node imports, or takes from an imported module."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
        return [f"{modules[node.value.id]}.{node.attr}"]
    return []


def bound(statement: ast.stmt) -> list[str]:
    """Names that the statement binds where it stands."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    return [
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def _arguments(function: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]


def _plainer(tree: ast.Module, source: str) -> str:
    """`[a, *b]` as `listed(a, *b)`, `(a, *b)` as `tupled(a, *b)`, `{k: v, **b}` as `merged({k: v}, b)`,
    `list[int]` as `list`; the names of a dataclass's fields as arguments of its decorator.
    """
    lines = [line.encode() for line in source.splitlines()]  # columns of the syntax tree count bytes
    edits = list[tuple[int, int, int, str]]()  # line, column, length replaced, replacement
    for node in _evaluated(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in _GENERIC:
            start = node.value.end_col_offset or 0
            edits.append((node.lineno, start, (node.end_col_offset or 0) - start, ""))
        elif isinstance(node, ast.ClassDef):
            fields = ", ".join(
                repr(each.target.id)
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            )
            for mark in node.decorator_list:
                if ast.unparse(mark).startswith("dataclass"):
                    length = (mark.end_col_offset or 0) - mark.col_offset
                    edits.append((mark.lineno, mark.col_offset, length, f"dataclass({fields})"))
        elif isinstance(node, ast.Dict) and None in node.keys:
            edits += _bracketed(node, "merged(", 1)
            for key, value in zip(node.keys, node.values, strict=True):
                if key is None:
                    edits.append((value.lineno, value.col_offset - 2, 2, ""))
                else:
                    edits.append((key.lineno, key.col_offset, 0, "{"))
                    edits.append((value.end_lineno or 0, value.end_col_offset or 0, 0, "}"))
        elif (
            isinstance(node, ast.List | ast.Tuple)
            and isinstance(node.ctx, ast.Load)
            and any(isinstance(element, ast.Starred) for element in node.elts)
        ):
            bare = lines[node.lineno - 1][node.col_offset : node.col_offset + 1] not in (b"[", b"(")
            name = "listed(" if isinstance(node, ast.List) else "tupled("
            edits += _bracketed(node, name, 0 if bare else 1)
    for line, column, length, text in sorted(edits, reverse=True):
        before = lines[line - 1]
        lines[line - 1] = before[:column] + text.encode() + before[column + length :]
    return b"\n".join(lines).decode()


def _bracketed(node: ast.expr, opening: str, length: int) -> list[tuple[int, int, int, str]]:
    end = (node.end_lineno or 0, (node.end_col_offset or 0) - length)
    return [(node.lineno, node.col_offset, length, opening), (*end, length, ")")]
