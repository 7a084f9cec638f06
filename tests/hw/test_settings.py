"""The reader of settings: an invalid value is an error of one sentence with file, key, value and what is
allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from hw.settings import Form, Range, SettingsError, fill, read_settings, read_toml


@dataclass(frozen=True)
class Part:
    share: Annotated[float, Range(0, 1)] = 0.5
    deadline_s: Annotated[int, Range(5, 3600, "seconds", or_zero=True)] = 30
    word: Literal["this", "that"] = "this"
    line: Annotated[str, Form(r"gpio\d", 'a line such as "gpio3"')] = "gpio1"
    steps: tuple[Annotated[int, Range(1, 3)], ...] = ()
    pair: tuple[Annotated[int, Range(0, 9)], str] = (1, "a")
    rates: Mapping[Literal["now", "open"], Annotated[float, Range(0, 9)]] = field(default_factory=dict)
    cores: Annotated[float, Range(0, 8)] | Literal["threads"] = 1.0
    limit: Annotated[int, Range(1, 9)] | None = None
    free: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.share > 0.9 and self.word == "that":
            raise ValueError("share must be at most 0.9 with that word")


@dataclass(frozen=True)
class Whole:
    name: str
    part: Part = field(default_factory=Part)
    step: tuple[Part, ...] = ()


def test_what_is_allowed_comes_as_its_type() -> None:
    table = {
        "name": "n",
        "part": {
            "share": 0, "deadline_s": 0, "word": "that", "line": "gpio2", "steps": [1, 2], "pair": [2, "b"],
            "rates": {"now": 2}, "cores": "threads", "limit": 3, "free": {"x": [1]},
        },
        "step": [{}, {"cores": 4}],
    }  # fmt: skip
    whole = fill(Whole, table)
    assert whole.part == Part(
        0.0, 0, "that", "gpio2", (1, 2), (2, "b"), {"now": 2.0}, "threads", 3, {"x": [1]}
    )
    assert [each.cores for each in whole.step] == [1.0, 4.0]
    assert type(whole.part.share) is type(whole.part.rates["now"]) is float


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({}, "it.toml lacks the key name."),
        ({"name": 3}, "In it.toml, name is 3; it must be a text."),
        ({"name": "n", "part": 3}, "In it.toml, part is 3; it must be a table."),
        ({"name": "n", "sort": 3}, "it.toml has the unknown key sort; known: name, part, step."),
        ({"name": "n", "step": {}}, "In it.toml, step is a table; it must be a list."),
        (
            {"name": "n", "step": [{}, {"share": 2}]},
            "In it.toml, [[step]] 2 share is 2; it must be a number, 0 to 1.",
        ),
        ({"name": "n", "step": [{"x": 2}]}, "In it.toml, [[step]] 1 has the unknown key x; known: share,"),
    ],
)
def test_a_key_at_fault_is_named_with_its_table(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        fill(Whole, table, "it.toml")
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("share", 7, "[part] share is 7; it must be a number, 0 to 1."),
        ("share", float("nan"), "[part] share is nan; it must be a number, 0 to 1."),
        ("share", float("inf"), "[part] share is inf;"),
        ("share", True, "[part] share is true;"),
        ("share", "much", '[part] share is "much";'),
        ("deadline_s", 4, "must be a whole number, 0, or 5 to 3600 seconds."),
        ("deadline_s", True, "[part] deadline_s is true;"),
        ("deadline_s", 30.5, "[part] deadline_s is 30.5;"),
        ("word", "those", '[part] word is "those"; it must be one of "this", "that".'),
        ("line", "gpio\0", '[part] line is "gpio\\u0000"; it must be a line such as "gpio3".'),
        ("line", "gpio33", '[part] line is "gpio33"; it must be a line such as "gpio3".'),
        ("steps", [1, 9], "value 2 of [part] steps is 9; it must be a whole number, 1 to 3."),
        ("steps", 1, "[part] steps is 1; it must be a list."),
        ("pair", [1], "[part] pair is [1]; it must be a list of 2 values."),
        ("pair", ["a", 1], 'value 1 of [part] pair is "a";'),
        ("rates", {"now": -1}, "[part.rates] now is -1; it must be a number, 0 to 9."),
        ("rates", {"then": 1}, '[part.rates] has the key then; a key here must be one of "now", "open".'),
        ("cores", 9, "[part] cores is 9; it must be a number, 0 to 8."),
        ("cores", "all", '[part] cores is "all"; it must be a number, 0 to 8, or "threads".'),
        ("limit", 10, "[part] limit is 10; it must be a whole number, 1 to 9."),
    ],
)
def test_a_value_that_is_not_allowed_is_shown_with_what_is(key: str, value: Any, words: str) -> None:
    with pytest.raises(SettingsError) as caught:
        fill(Whole, {"name": "n", "part": {key: value}}, "it.toml")
    assert words in str(caught.value)
    assert str(caught.value).startswith("In it.toml, ")


def test_what_concerns_several_keys_names_their_table() -> None:
    with pytest.raises(
        SettingsError, match=r"In it.toml, \[part\] cannot be used: share must be at most 0.9"
    ):
        fill(Whole, {"name": "n", "part": {"share": 0.95, "word": "that"}}, "it.toml")


@pytest.mark.parametrize("text", ["a = [", "a = " + "[" * 9000, "a = " + "9" * 5000, "a = 1\na = 2"])
def test_bad_toml_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "it.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=r"The list .*it.toml is not valid TOML: .*\.$"):
        read_toml(path, "list")


def test_text_in_another_encoding_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "it.toml"
    path.write_bytes('name = "n"\nword = "café"\n'.encode("latin-1"))
    with pytest.raises(
        SettingsError, match=r"The list .*it.toml is not text in UTF-8 \(line 2\): save it so\.$"
    ):
        read_toml(path, "list")


def test_the_mark_of_an_editor_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "it.toml"
    path.write_text('name = "n"\r\n', encoding="utf-8-sig")
    assert read_toml(path) == {"name": "n"}


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "it.toml"
    path.write_text('name = "n"\n[part]\nshare = 0.25\n')
    assert read_settings(Whole, path) == Whole("n", Part(0.25))
