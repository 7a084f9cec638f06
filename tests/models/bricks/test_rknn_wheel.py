"""The double of rknn-toolkit-lite2 compared with the package: methods, arguments and defaults, constants,
return values of failures. The package has no build for x86-64, so its source is read, not imported: from an
installed copy, or from the wheel that $RKNN_WHEEL names.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import zipfile
from pathlib import Path

import pytest

DOUBLE = (Path(__file__).parents[1] / "rknn_double") / "rknnlite/api/rknn_lite.py"
SOURCE = "rknnlite/api/rknn_lite.py"


def package_source() -> str:
    """The source of the package's one Python module. Skips the test where there is none."""
    if wheel := os.environ.get("RKNN_WHEEL"):
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(SOURCE).decode()
    spec = importlib.util.find_spec("rknnlite")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("rknn-toolkit-lite2 is not here; RKNN_WHEEL may name its wheel")
    return (Path(spec.submodule_search_locations[0]).parent / SOURCE).read_text()


def surface(source: str) -> dict[str, object]:
    """The class RKNNLite: its public methods with arguments and defaults, and its constants."""
    (kind,) = [
        node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == "RKNNLite"
    ]
    found: dict[str, object] = {}
    for node in kind.body:
        if isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name == "__init__"):
            defaults = [ast.unparse(default) for default in node.args.defaults]
            found[node.name] = ([argument.arg for argument in node.args.args], defaults)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


def failures(source: str, method: str) -> set[str]:
    """The constants that a method returns, which are its values for failure."""
    (found,) = [
        node for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == method
    ]  # fmt: skip
    returned = {
        ast.unparse(node.value) for node in ast.walk(found) if isinstance(node, ast.Return) and node.value
    }
    return returned & {"-1", "None"}


@pytest.mark.slow
def test_the_double_has_the_surface_of_the_package() -> None:
    source, double = package_source(), DOUBLE.read_text()
    assert surface(double) == surface(source)
    for method in ("load_rknn", "init_runtime", "inference", "get_sdk_version"):
        assert failures(double, method) == failures(source, method) != set(), method


def test_the_double_has_what_the_brick_uses() -> None:
    brick = Path(__file__).parents[3] / "models/bricks/eye/vision_rknn.py"
    used = {
        node.func.attr: {word.arg for word in node.keywords}
        for node in ast.walk(ast.parse(brick.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) == "self._network"
    }  # fmt: skip
    offered = surface(DOUBLE.read_text())
    assert set(used) == {"load_rknn", "init_runtime", "get_sdk_version", "inference", "release"}
    for method, words in used.items():
        signature = offered[method]
        assert isinstance(signature, tuple) and words <= set(signature[0]), method
