"""Shortened names make the firmware smaller and do not change its behaviour."""

from __future__ import annotations

import ast

import pytest

from host.flash.drop_unused import prune
from host.flash.image import FIRMWARE
from host.flash.inline_constants import inline
from host.flash.shorten_names import shorten


def shortened(**sources: str) -> dict[str, str]:
    found = shorten({name: text.encode() for name, text in sources.items()})
    return {name: text.decode() for name, text in found.items()}


def test_private_attributes_of_unrelated_classes_share_their_names() -> None:
    found = shortened(
        one="class One:\n    def set(self):\n        self._left = self._right = self.both = 1\n",
        two="class Two:\n    def set(self):\n        self._up = self._set()\n    def _set(self): pass\n",
    )
    assert "self._0 = self._1 = self.both = 1" in found["one"]
    assert "self._0 = self._set()" in found["two"]


@pytest.mark.parametrize("imported", ["from .base import Base", "from . import base as b"])
def test_attributes_of_one_object_keep_apart(imported: str) -> None:
    name = "Base" if "Base" in imported else "b.Base"
    found = shortened(
        base="class Base:\n    def set(self): self._old = 1\n",
        derived=f"{imported}\nclass Derived({name}):\n    def both(self): return self._new, self._old\n",
    )
    assert "self._1 = 1" in found["base"]
    assert "return self._0, self._1" in found["derived"]


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def f(self):\n        self._a = 1\nA()._a\n",  # another object's
        "class A:\n    def f(self):\n        self._a = 1\ngetattr(A(), '_a')\n",
        "class A:\n    _a = 1\n    def f(self):\n        return self._a\n",
        "class A:\n    def _a(self):\n        return self._a()\n",  # a method, which tracebacks show
        "def f(first):\n    return first\nf(first=1)\n",  # a call names it
        "def f(first):\n    return first\nf(**{})\n",
        "def f(first):\n    return [first for first in ()]\n",
        "def f(first):\n    def g():\n        nonlocal first\n",
        "def f(first):\n    try: pass\n    except E as first: pass\n",
    ],
)
def test_what_could_be_meant_elsewhere_stays(source: str) -> None:
    assert shortened(module=source)["module"] == source


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("def f(first: int, second=1): return first + second", "def f(a: int, b=1): return a + b"),
        ("def f(first): return a(first)", "def f(b): return a(b)"),
        ("def f(self, *rest): self.first = rest", "def f(self, *rest): self.first = rest"),
        ("def f(one): return lambda two: one + two", "def f(a): return lambda b: a + b"),
        ("def f(one): return lambda two=one: two", "def f(a): return lambda a=a: a"),
        ("lambda one: lambda two: lambda: (one, two)", "lambda a: lambda b: lambda: (a, b)"),
    ],
)
def test_parameters_are_renamed_wherever_they_are_used(source: str, wanted: str) -> None:
    assert shortened(module=source)["module"] == wanted


def test_the_firmware_keeps_its_lines_functions_and_classes_and_fewer_names() -> None:
    sources = {path.stem: path.read_bytes() for path in sorted((FIRMWARE / "pmu").glob("*.py"))}
    before = prune(inline(sources), ("board", "start"))
    after = shorten(before)
    for name in before:
        assert _places(before[name]) == _places(after[name]), name
    assert len(_names(after)) < len(_names(before)) - 200


def _places(source: bytes) -> list[tuple[str, int, str]]:
    return [
        (type(node).__name__, node.lineno, getattr(node, "name", ""))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt)
    ]


def _names(sources: dict[str, bytes]) -> set[str]:
    nodes = [node for source in sources.values() for node in ast.walk(ast.parse(source))]
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {node.arg for node in nodes if isinstance(node, ast.arg)}
