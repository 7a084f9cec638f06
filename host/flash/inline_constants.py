"""Replaces the firmware's named constants by their numbers, as it is copied onto a board.

The sources name every register, pin and threshold. Each name takes about 30 bytes of the microcontroller's
RAM: the name, its entry in the module's dictionary, and longer bytecode. A constant is a name in capitals
that its module binds once, at the top level, to a number. A whole number with a point is written without it,
because each place with a float takes 16 bytes more. Everything else stays as it is. Line numbers do not
change, so a traceback from the board refers to the lines of the source.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

_SMALL = 1 << 29  # an integer below takes no memory of its own
_FOLDABLE = (ast.Expression, ast.Constant, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator, ast.Load)


@dataclass
class _Module:
    """One source file."""

    tree: ast.Module
    rows: list[bytes]
    bindings: Counter[str] = field(init=False)
    """How often each name is bound, counted over all scopes."""
    constants: dict[str, int | float] = field(default_factory=dict)
    imported_modules: dict[str, str] = field(default_factory=dict)
    """Local name of a module of the package -> its name."""
    imported_constants: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Local name of a constant -> module and name there."""

    def __post_init__(self) -> None:
        self.bindings = Counter(name for node in ast.walk(self.tree) for name in bound_names(node))


def inline(sources: dict[str, bytes]) -> dict[str, bytes]:
    """Returns the modules of one package (name -> source) with constants replaced by numbers; their
    definitions and imports are removed. The behaviour is the same. Raises `SyntaxError`.
    """
    modules = {name: _Module(ast.parse(text), text.split(b"\n")) for name, text in sources.items()}
    for module in modules.values():
        _find_imports(module, modules)
    while any(_find_constants(module, modules) for module in modules.values()):
        pass
    for module in modules.values():
        _rewrite(module, modules)
    return {name: b"\n".join(module.rows) for name, module in modules.items()}


def _find_imports(module: _Module, modules: dict[str, _Module]) -> None:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node in module.tree.body:
            for each in node.names:
                local = each.asname or each.name
                if module.bindings[local] != 1:
                    continue
                if node.module is None and each.name in modules:
                    module.imported_modules[local] = each.name
                elif node.module in modules and each.asname is None and each.name.isupper():
                    module.imported_constants[local] = (node.module, each.name)


def _find_constants(module: _Module, modules: dict[str, _Module]) -> bool:
    """One pass: evaluates constants whose operands are known; returns whether it found new ones."""
    known_before = len(module.constants)
    for statement in module.tree.body:
        for name, value in _bindings(statement):
            if name.isupper() and name not in module.constants and module.bindings[name] == 1:
                number = _number(value, module, modules)
                if number is not None:
                    module.constants[name] = number
    return len(module.constants) > known_before


def _bindings(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    """Names and values that an assignment like `A = 1`, `A, B = 1, 2` or `A, B = range(2)` binds; [] for
    others.
    """
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if not isinstance(target, ast.Tuple) or not all(isinstance(each, ast.Name) for each in target.elts):
        return []
    names = [each.id for each in target.elts if isinstance(each, ast.Name)]
    if isinstance(value, ast.Tuple) and len(value.elts) == len(names):
        return list(zip(names, value.elts, strict=True))
    if ast.unparse(value) == f"range({len(names)})":
        return [(name, ast.Constant(number)) for number, name in enumerate(names)]
    return []


def bound_names(node: ast.AST) -> list[str]:
    """Names that this node itself binds, in any scope."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
    return []


def _value(node: ast.AST, module: _Module, modules: dict[str, _Module]) -> int | float | None:
    """The number that reading `NAME` or `module.NAME` gives; None where that is not a constant."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in module.imported_constants:
            where, name = module.imported_constants[node.id]
            return modules[where].constants.get(name)
        return module.constants.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr.isupper():
        where = module.imported_modules.get(node.value.id, "")
        return modules[where].constants.get(node.attr) if where else None
    return None


def _number(value: ast.expr, module: _Module, modules: dict[str, _Module]) -> int | float | None:
    class ReplaceNames(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            found = _value(node, module, modules)
            return ast.Constant(found) if found is not None else self.generic_visit(node)

    filled = ReplaceNames().visit(ast.parse(ast.unparse(value), mode="eval"))
    assert isinstance(filled, ast.Expression)
    if not all(isinstance(node, _FOLDABLE) for node in ast.walk(filled)):
        return None
    number = eval(compile(ast.fix_missing_locations(filled), "<constant>", "eval"), {"__builtins__": {}})
    return number if type(number) in (int, float) and abs(number) < 1e30 else None


def _rewrite(module: _Module, modules: dict[str, _Module]) -> None:
    edits = list[tuple[ast.expr | ast.stmt, str]]()
    divided = {
        id(operand)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Mod)
        for operand in (node.left, node.right)
    }
    for node in ast.walk(module.tree):
        number = _value(node, module, modules)
        if number is not None and isinstance(node, ast.expr):
            edits.append((node, f"({_spelled(number, id(node) in divided)})"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, float):
            edits.append((node, _spelled(node.value, id(node) in divided)))
    removed = list[ast.stmt]()
    for statement in module.tree.body:
        names = [name for name, _ in _bindings(statement)]
        if names and all(name in module.constants for name in names):
            edits.append((statement, ""))
            removed.append(statement)
        elif isinstance(statement, ast.ImportFrom):
            inlined = {
                name
                for name, (where, there) in module.imported_constants.items()
                if statement.module == where and there in modules[where].constants
            }
            kept = [each for each in statement.names if each.name not in inlined]
            if len(kept) < len(statement.names):
                left = ast.ImportFrom(statement.module, kept, statement.level)
                edits.append((statement, ast.unparse(left) if kept else ""))
    inside = {id(node) for statement in removed for node in ast.walk(statement) if node is not statement}
    for node, text in sorted(
        (edit for edit in edits if id(edit[0]) not in inside),
        key=lambda edit: (edit[0].lineno, edit[0].col_offset),
        reverse=True,
    ):
        _replace(module.rows, node, text.encode())


def _spelled(number: int | float, divided: bool) -> str:
    """The number as source; a whole one without its point, but for an operand of `//` and `%`."""
    whole = not divided and number == number // 1 and abs(number) < _SMALL
    return repr(int(number) if whole else number)


def _replace(rows: list[bytes], node: ast.expr | ast.stmt, text: bytes) -> None:
    assert node.end_lineno is not None and node.end_col_offset is not None
    first, last = node.lineno - 1, node.end_lineno - 1
    rest = rows[last][node.end_col_offset :]
    rows[first] = rows[first][: node.col_offset] + text + rest
    for row in range(first + 1, last + 1):
        rows[row] = b""
