"""Removes from the firmware what nothing on the board refers to: functions and constants that only the host
uses, and imports that are unused after constants are inlined (`host.flash.inline_constants`). Line numbers do
not change.
"""

from __future__ import annotations

import ast

_UNCHANGED = ("__init__", "build")
"""Modules that are copied as they are, because code outside the package reads their names."""


def prune(sources: dict[str, bytes], entry: tuple[str, str]) -> dict[str, bytes]:
    """Returns the modules of one package (name -> source) without unused top-level functions, imports and
    constants. `entry`: module and function where the program starts. Raises `SyntaxError`.
    """
    trees: dict[str, ast.Module] = {}
    uses: dict[str, set[tuple[str, str]]] = {}
    changed = set(sources)
    while changed:
        trees |= {name: ast.parse(sources[name]) for name in changed}
        uses |= {name: _uses(name, trees[name]) for name in changed}
        used = {entry}.union(*uses.values())
        smaller = {
            name: text if name in _UNCHANGED else _without_unused(text, trees[name], name, used)
            for name, text in sources.items()
        }
        changed = {name for name, text in smaller.items() if text != sources[name]}
        sources = smaller
    return sources


def _uses(module: str, tree: ast.Module) -> set[tuple[str, str]]:
    """(module, name) of everything in the package that this module refers to, in itself or in others."""
    aliases = dict[str, str]()
    used = set[tuple[str, str]]()
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for each in node.names:
                if node.module is None:
                    aliases[each.asname or each.name] = each.name
                    used.add(("__init__", each.name))
                else:
                    used.add((node.module, each.name))
                if node not in tree.body:
                    used.add((module, each.asname or each.name))
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used.add((module, node.id))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used.add((aliases.get(node.value.id, ""), node.attr))
    return used


def _without_unused(text: bytes, tree: ast.Module, module: str, used: set[tuple[str, str]]) -> bytes:
    rows = text.split(b"\n")
    for statement in tree.body:
        replacement = ""
        if isinstance(statement, ast.Import | ast.ImportFrom):
            kept = [each for each in statement.names if (module, _local(each)) in used]
            if len(kept) == len(statement.names):
                continue
            if kept:
                statement.names = kept
                replacement = ast.unparse(statement)
        elif not _is_removable(statement) or any((module, name) in used for name in _names(statement)):
            continue
        assert statement.end_lineno is not None
        begin = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", []))])
        rows[begin - 1 : statement.end_lineno] = [b""] * (statement.end_lineno - begin + 1)
        rows[begin - 1] = replacement.encode()
    return b"\n".join(rows)


def _local(name: ast.alias) -> str:
    return name.asname or name.name.partition(".")[0]


def _names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _is_removable(statement: ast.stmt) -> bool:
    """Whether it is a function, or an assignment whose value contains no call."""
    if isinstance(statement, ast.FunctionDef):
        return not statement.name.startswith("__")
    return (
        isinstance(statement, ast.Assign)
        and len(_names(statement)) == len(statement.targets)
        and not any(isinstance(node, ast.Call) for node in ast.walk(statement))
    )
