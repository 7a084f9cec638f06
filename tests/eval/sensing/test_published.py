"""Replaying published tables: what is read, what is refused, and that luck is told from gain."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.eval.sensing.published import TableProblem, drawn_apart, lines, read_tables, samples_of

SAMPLES = 50


def write(folder: Path, latency: Any, accuracy: Any) -> Path:
    (folder / "latency_table.json").write_text(json.dumps(latency))
    (folder / "accuracy_table.json").write_text(json.dumps(accuracy))
    return folder


def tables(folder: Path, *, alike: bool) -> Path:
    """Three configurations and forty classes, which differ by luck only where `alike`."""
    rng = random.Random(1)
    latency = {"a": {"20": {"x": {"1": 10.0, "2": 20.0, "3": 30.0}}}}
    accuracy: dict[str, dict[str, str]] = {"1": {}, "2": {}, "3": {}}
    for number in range(40):
        for way, shares in accuracy.items():
            chance = 0.7 if alike or number % 3 != int(way) - 1 else 1.0
            hits = sum(rng.random() < chance for _ in range(SAMPLES))
            shares[str(number)] = f"{100 * hits / SAMPLES:.2f}"
    return write(folder, latency, {"a": {"20": {"x": accuracy}}})


def test_luck_is_no_gain(tmp_path: Path) -> None:
    found = read_tables(tables(tmp_path, alike=False))
    assert len(found.ways) == 3 and found.right.shape == (40, 3) and samples_of(found.right) == SAMPLES
    same, apart = drawn_apart(found, SAMPLES, 1.0)
    assert sum(apart) / len(apart) > 5, "a gain that is there is found by two draws too"
    alike = tmp_path / "alike"
    alike.mkdir()
    same, apart = drawn_apart(read_tables(tables(alike, alike=True)), SAMPLES, 1.0)
    assert sum(same) / len(same) > sum(apart) / len(apart) + 2
    assert any("best for all" in line for line in lines(found))


@pytest.mark.parametrize(
    ("latency", "accuracy"),
    [
        ({}, {}),
        ({"a": 3.0}, {"a": {"0": "50"}}),
        ({"a": {"b": {"c": {"d": 3.0}}}}, {"a": {"b": {"c": {"e": {"0": "50"}}}}}),
        ({"a": {"b": {"c": {"d": "fast"}}}}, {"a": {"b": {"c": {"d": {"0": "50"}}}}}),
        ([1, 2], {"a": 1}),
    ],
)
def test_other_tables_are_one_sentence(tmp_path: Path, latency: Any, accuracy: Any) -> None:
    with pytest.raises(TableProblem) as problem:
        read_tables(write(tmp_path, latency, accuracy))
    assert str(problem.value).endswith(".") and "\n" not in str(problem.value)


def test_a_folder_without_tables_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TableProblem, match="cannot be read"):
        read_tables(tmp_path)
