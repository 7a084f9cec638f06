"""The loops over samples: what each computes, and that both their forms are the same."""

from __future__ import annotations

import ast
from array import array
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import registers as r
from firmware.pmu import sound_adpcm as adpcm
from firmware.pmu import sound_loops as loops

FIRMWARE = Path(loops.__file__).parent


class Bare(ast.NodeTransformer):
    """Removes what only viper has: decorator, types, casts of buffers; and docstrings."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = []
        for argument in node.args.args:
            argument.annotation = None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in ("ptr8", "ptr16", "ptr32"):
            return node.args[0]
        raise AssertionError("a loop calls nothing")


def functions(name: str) -> dict[str, str]:
    tree = ast.parse((FIRMWARE / name).read_text())
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.dump(Bare().visit(node)) for node in found}


def test_the_machine_code_twins_are_the_same_statements():
    plain, viper = functions("sound_loops.py"), functions("sound_loops_viper.py")
    assert set(plain) == {"encode", "measure", "narrow", "pack", "turn"}
    assert plain == viper


def test_every_twin_is_compiled_and_has_at_most_four_arguments():
    tree = ast.parse((FIRMWARE / "sound_loops_viper.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert [ast.unparse(one) for one in node.decorator_list] == ["micropython.viper"]
            assert len(node.args.args) <= 4
            assert all(argument.annotation is not None for argument in node.args.args)


def test_the_numbers_written_out_in_the_loops_are_the_right_ones():
    window = r.PAGE_0 * r.CELL_BYTES
    assert (loops.BLOCK, window, r.PAGE * r.CELL_BYTES) == (234, 192, 224)
    assert (r.PAGE * r.CELL_BYTES + 2, window + adpcm.PAGE_BYTES) == (226, 208)
    assert (r.CRC8[r.ADDRESS << 1], r.ADDRESS << 1 | 1) == (98, 23)
    assert adpcm.GROUP_SAMPLES == adpcm.FIRST_SAMPLES + 7 * adpcm.PAGE_SAMPLES
    assert len(loops.STEPS) == 89


@settings(max_examples=30, deadline=None)
@given(st.binary(min_size=2 * loops.BLOCK, max_size=2 * loops.BLOCK))
def test_measuring_is_the_filter_that_it_says(values):
    work = array("i", (0,) * 6)
    loops.measure(array("h", values), work)
    x = np.frombuffer(values, np.int16).astype(np.int64).reshape(-1, 3)
    sums = np.concatenate([np.zeros(4, np.int64), x.sum(1)])
    band = sums[4:] + sums[3:-1] - sums[1:-3] - sums[:-4]
    assert work[0] == np.abs(band).sum() < 2**30 / 16
    assert work[1] == np.abs(x[:, 1] - x[:, 0]).sum()
    assert list(work[2:]) == list(sums[:-5:-1])


def test_narrowing_keeps_the_upper_bits_and_clips():
    wide = array("i", (0,) * loops.BLOCK)
    wide[0:5] = array("i", [4096 * 7, -4096 * 7, 2**31 - 1, -(2**31), -1])
    out = array("h", (0,) * loops.BLOCK)
    loops.narrow(wide, out, 12)
    assert list(out[:5]) == [7, -7, 32767, -32768, -1]
