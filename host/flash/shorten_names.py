"""Gives the firmware's private attributes and its parameters short names, as it is copied onto a board.

MicroPython keeps every name of a program in RAM for ever: its characters, and an entry in an index that
doubles when it is full. Classes in different modules take their short names from the same few, so the board
keeps about 250 names fewer. Renamed are:

* attributes that begin with an underscore, are only ever written as `self._name`, and are no methods. Modules
  whose classes inherit from one another count as one, because their attributes are those of one object;
* parameters, where no call in the package names them.

Functions, classes and modules keep their names, and line numbers do not change, so a traceback from the board
refers to the source.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from host.flash.inline_constants import bound_names

_FUNCTIONS = (ast.FunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

_Edit = tuple[int, int, str, str]
"""Line from 1 on, column in bytes, old name, new name."""


def shorten(sources: dict[str, bytes]) -> dict[str, bytes]:
    """Returns the modules of one package (name -> source) with the names shortened. The behaviour is the
    same. Raises `SyntaxError`.
    """
    nodes = {name: list(ast.walk(ast.parse(text))) for name, text in sources.items()}
    attributes = _attributes(nodes)
    named = {node.arg for each in nodes.values() for node in each if isinstance(node, ast.keyword)}
    shortened = {}
    for name, text in sources.items():
        edits = [*_attribute_edits(nodes[name], attributes[name]), *_parameter_edits(nodes[name], named)]
        shortened[name] = _edited(text, edits)
    return shortened


def _edited(text: bytes, edits: list[_Edit]) -> bytes:
    rows = text.split(b"\n")
    for line, column, old, new in sorted(edits, reverse=True):
        row = rows[line - 1]
        end = column + len(old)
        assert row[column:end] == old.encode()
        rows[line - 1] = row[:column] + new.encode() + row[end:]
    return b"\n".join(rows)


def _attributes(nodes: dict[str, list[ast.AST]]) -> dict[str, dict[str, str]]:
    """Module -> its attributes' names and short names. `nodes`: those of each module."""
    taken = Counter(name for each in nodes.values() for node in each for name in _mentions(node))
    family = _families(nodes)
    found: dict[str, set[str]] = {name: set() for name in family.values()}
    for module, each in nodes.items():
        found[family[module]] |= {node.attr for node in _own_attributes(each) if not taken[node.attr]}
    short = {
        name: {old: f"_{number}" for number, old in enumerate(sorted(names))} for name, names in found.items()
    }
    return {module: short[name] for module, name in family.items()}


def _own_attributes(nodes: list[ast.AST]) -> Iterator[ast.Attribute]:
    """The places that read `self._name` or write it."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and _is_self(node.value) and _is_private(node.attr):
            yield node


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _mentions(node: ast.AST) -> list[str]:
    """Names that this node mentions in another way than `self._name`."""
    match node:
        case ast.Attribute(value=value, attr=name):
            return [] if _is_self(value) else [name]
        case ast.Name(id=name) | ast.arg(arg=name) | ast.Constant(value=str(name)):
            return [name]
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [each.asname or each.name for each in aliases]
    return []


def _families(nodes: dict[str, list[ast.AST]]) -> dict[str, str]:
    """Module -> a name that it shares with the modules from which its classes import their bases, and with
    the modules of those.
    """
    family = {name: name for name in nodes}
    for module, inside in nodes.items():
        origin = {
            each.asname or each.name: node.module or each.name
            for node in inside
            if isinstance(node, ast.ImportFrom) and node.level == 1
            for each in node.names
        }
        for node in inside:
            for base in node.bases if isinstance(node, ast.ClassDef) else ():
                place = base.value if isinstance(base, ast.Attribute) else base
                parent = origin.get(place.id) if isinstance(place, ast.Name) else None
                if parent in family:
                    old, new = family[module], family[parent]
                    family = {name: new if shared == old else shared for name, shared in family.items()}
    return family


def _attribute_edits(nodes: list[ast.AST], short: dict[str, str]) -> Iterator[_Edit]:
    for node in _own_attributes(nodes):
        if node.attr in short:
            assert node.end_lineno is not None and node.end_col_offset is not None
            begin = node.end_col_offset - len(node.attr)
            yield node.end_lineno, begin, node.attr, short[node.attr]


def _parameter_edits(nodes: list[ast.AST], named: set[str | None]) -> Iterator[_Edit]:
    """`nodes`: all of a module, outer ones first. `named`: the names that calls use for arguments, with None
    for a `**`.
    """
    if None in named:
        return
    renamed: dict[int, str] = {}
    """The short name of a place, by the `id` of its node: inner functions come after the outer ones."""
    for function in nodes:
        if not isinstance(function, _FUNCTIONS):
            continue
        body = function.body if isinstance(function.body, list) else [function.body]
        inside = [node for statement in body for node in ast.walk(statement)]
        inner = {id(each) for node in inside if isinstance(node, _SCOPES) for each in ast.walk(node)}
        bound = {name for node in inside for name in _bound(node, id(node) in inner)}
        in_use = {renamed.get(id(node), name) for node in inside for name in _mentions(node)} | bound
        arguments = function.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        in_use |= {each.arg for each in (*parameters, arguments.vararg, arguments.kwarg) if each}
        fresh = (name for name in _letters() if name not in in_use and name not in named)
        for parameter in parameters:
            old = parameter.arg
            if old == "self" or old in named or old in bound or old.startswith("__"):
                continue
            new = next(fresh)
            yield parameter.lineno, parameter.col_offset, old, new
            for node in inside:
                if isinstance(node, ast.Name) and node.id == old:
                    renamed[id(node)] = new
                    yield node.lineno, node.col_offset, old, new


def _bound(node: ast.AST, inner: bool) -> list[str]:
    """Names that this node binds, except for an assignment in the function itself; `inner`: it is in a scope
    within the function.
    """
    return [] if isinstance(node, ast.Name | ast.arg) and not inner else bound_names(node)


def _letters() -> Iterator[str]:
    for number in range(26 * 26):
        first, last = divmod(number, 26)
        yield (chr(ord("a") + first - 1) if first else "") + chr(ord("a") + last)
