"""Every settings dataclass: each number has a range in its annotation and in its docstring, and a value
outside the range is refused in one sentence that names file and key.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymicro_wakeword import Model

from host.config import Config, WakeWordName
from hw.emulated.scene import Surroundings
from hw.linux.wiring import Wiring
from hw.settings import Range, SettingsError, fill, read_toml, type_hints
from models.pack.brick_settings import BRICK_SETTINGS
from models.pack.brick_table import RUNTIME_MODULES
from models.pack.manifest_tables import PackTable, check_pack
from power.account.energy_model import EnergyTable
from power.rig.budgets import BudgetsTable
from power.rig.scenario import ScenarioTable
from power.twin.day import DayTable
from power.twin.parameters import TwinTable

ROOT = Path(__file__).parents[2]
ROOTS = (
    Config, Surroundings, Wiring, PackTable, *BRICK_SETTINGS.values(), EnergyTable, BudgetsTable,
    ScenarioTable, DayTable, TwinTable,
)  # fmt: skip
SHIPPED = [
    (Wiring, "hw/rk3566/board.toml"), (Wiring, "hw/rk3588/board.toml"), (Wiring, "hw/laptop/board.toml"),
    (EnergyTable, "power/rk3566.toml"), (BudgetsTable, "power/budgets.toml"),
    (TwinTable, "power/twin/parameters.toml"),
    *((ScenarioTable, f"power/scenarios/{path.name}") for path in (ROOT / "power/scenarios").glob("*.toml")),
    *((DayTable, f"power/days/{path.name}") for path in (ROOT / "power/days").glob("*.toml")),
]  # fmt: skip
EXAMPLES: dict[type, Any] = {bool: True, int: 1, float: 1.0, str: "x"}
TEXTS = ("x", "07:30", "{question}", "en", "")
"""Texts of which one has the required form."""
FEW = settings(max_examples=8, deadline=None)


def parts(hint: Any) -> Iterator[Any]:
    """The hint and those inside it; `Annotated` stays whole."""
    yield hint
    if get_origin(hint) not in (Annotated, Literal):
        for part in get_args(hint):
            yield from parts(part)


def kinds() -> list[type]:
    """All settings dataclasses."""
    found: list[type] = []
    pending: list[type] = [*ROOTS]
    while pending:
        kind = pending.pop(0)
        if kind in found:
            continue
        found.append(kind)
        for hint in type_hints(kind).values():
            pending += [part for part in parts(hint) if isinstance(part, type) and is_dataclass(part)]
    return found


def ranges(hint: Any) -> list[tuple[type, Range]]:
    """The ranges of the numbers in a type hint."""
    found = []
    for part in parts(hint):
        if get_origin(part) is Annotated:
            base, *checks = get_args(part)
            found += [(base, check) for check in checks if isinstance(check, Range)]
    return found


def docstrings(kind: type) -> dict[str, str]:
    """Docstrings by field."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for item, after in zip(tree.body, [*tree.body[1:], ast.Pass()], strict=True):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            found[item.target.id] = " ".join(str(after.value.value).split()) if text else ""  # type: ignore[attr-defined]
    return found


NUMBERS = [
    pytest.param(kind, name, id=f"{kind.__name__}.{name}")
    for kind in kinds()
    for name, hint in type_hints(kind).items()
    if ranges(hint)
]


@pytest.mark.parametrize("kind", kinds())
def test_every_number_has_a_range_that_its_docstring_tells(kind: type) -> None:
    words = docstrings(kind)
    for name, hint in type_hints(kind).items():
        assert not {int, float} & set(parts(hint)), f"{kind.__name__}.{name} has a number without a range"
        for base, range_ in ranges(hint):
            assert str(range_).removeprefix("0, or ") in words[name], f"{kind.__name__}.{name}: {range_}"
            assert math.isfinite(range_.low) and math.isfinite(range_.high) and base in (int, float)


def required(kind: Any) -> dict[str, Any]:
    """Values for the keys that a table must have."""
    hints = type_hints(kind)
    return {
        item.name: example(hints[item.name])
        for item in fields(kind)
        if item.default is MISSING and item.default_factory is MISSING
    }


def example(hint: Any) -> Any:
    """A value of that type, for tests of other keys."""
    if get_origin(hint) is Annotated:
        base, *checks = get_args(hint)
        if base is str:
            return next(text for text in TEXTS if all(re.fullmatch(check.pattern, text) for check in checks))
        return base(checks[0].low)
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    if get_origin(hint) in (Union, UnionType):
        return example(get_args(hint)[0])
    if get_origin(hint) is tuple:
        return [] if get_args(hint)[-1] is ... else [example(part) for part in get_args(hint)]
    return required(hint) if is_dataclass(hint) else EXAMPLES.get(hint, {})


def nested(hint: Any, wrong: Any) -> Any:
    """The invalid number, in the place of a number in the type hint."""
    if get_origin(hint) is Annotated:
        return wrong
    if get_origin(hint) in (Union, UnionType):
        return nested(next(part for part in get_args(hint) if ranges(part)), wrong)
    if get_origin(hint) is tuple:
        items = get_args(hint)
        if items[-1] is ...:
            return [nested(items[0], wrong)]
        place = next(n for n, part in enumerate(items) if ranges(part))
        return [nested(part, wrong) if n == place else example(part) for n, part in enumerate(items)]
    key, value = get_args(hint)
    return {example(key): nested(value, wrong)}


def outside(base: type, range_: Range) -> list[Any]:
    """What is no number of that range: the next ones beyond each end, far ones, and what is no number."""
    numbers = [
        range_.low - 1, range_.high + 1, -(10**20), 10**20, -1e300, 1e300, math.nan, math.inf, -math.inf,
        *(math.nextafter(range_.low, -math.inf), math.nextafter(range_.high, math.inf)),
    ]  # fmt: skip
    whole = [range_.low + 0.5] if base is int else []
    return [each for each in numbers if each not in range_] + whole + [True, False, "7", {}, []]


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
def test_a_number_that_is_not_allowed_is_one_sentence(kind: type, name: str) -> None:
    hint = type_hints(kind)[name]
    for wrong in outside(*ranges(hint)[0]):
        with pytest.raises(SettingsError) as caught:
            fill(kind, required(kind) | {name: nested(hint, wrong)}, "it.toml")
        said = str(caught.value)
        assert said.startswith("In it.toml, ") and name in said and " must be " in said
        assert said.endswith(".") and "\n" not in said and len(said) < 400


@pytest.mark.parametrize("kind", kinds())
@FEW
@given(value=st.one_of(st.integers(), st.text(), st.booleans(), st.lists(st.none())), data=st.data())
def test_no_value_of_any_key_ends_in_anything_but_a_sentence(
    kind: type, value: Any, data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from([item.name for item in fields(kind)]))
    said = "."
    try:
        fill(kind, required(kind) | {key: value}, "it.toml")
    except SettingsError as error:
        said = str(error)
    assert said.endswith(".") and "\n" not in said
    with pytest.raises(SettingsError, match="unknown key nonsense; known: "):
        fill(kind, required(kind) | {"nonsense": value}, "it.toml")


@pytest.mark.parametrize("kind", [kind for kind in kinds() if not required(kind)])
def test_the_defaults_are_allowed(kind: type) -> None:
    for item in fields(kind) if kind is not ScenarioTable else ():
        default = getattr(kind(), item.name)
        if default is not None and not is_dataclass(default) and not isinstance(default, Mapping):
            table = {item.name: list(default) if isinstance(default, tuple) else default}
            assert getattr(fill(kind, table), item.name) == default


@pytest.mark.parametrize(("kind", "path"), SHIPPED)
def test_what_is_shipped_is_allowed(kind: type, path: str) -> None:
    fill(kind, read_toml(ROOT / path), path)


@pytest.mark.parametrize("path", sorted((ROOT / "models/packs").glob("*/pack.toml")))
def test_the_shipped_packs_are_allowed(path: Path) -> None:
    assert check_pack(read_toml(path), path).brick


def test_the_wake_words_are_those_of_the_library() -> None:
    assert set(get_args(WakeWordName)) == {model.value for model in Model}


def test_each_runtime_has_its_settings() -> None:
    assert set(BRICK_SETTINGS) == set(RUNTIME_MODULES)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[listen]\nspeech_threshold = 7", "[listen] speech_threshold is 7; it must be a number, 0 to 1."),
        ("[listen]\nmax_utterance_s = -1", "[listen] max_utterance_s is -1; it must be a number, 2 to 30"),
        ("[listen]\npause_s = nan", "[listen] pause_s is nan; it must be a number, 0.05 to 5 seconds."),
        (
            "[answer]\nvolume_percent = 400",
            "[answer] volume_percent is 400; it must be a whole number, 0 to 100",
        ),
        ("[answer]\nlength_scale = 0", "[answer] length_scale is 0; it must be a number, 0.25 to 4."),
        (
            '[answer]\nfixed_route = "nowhere"',
            'fixed_route is "nowhere"; it must be one of "", "now", "frames"',
        ),
        ("[listen]\nsilence_threshold = 0.9", "silence_threshold must be at most speech_threshold"),
        (
            "[listen]\nend_silence_s = 2",
            "complete_silence_s <= end_silence_s <= incomplete_silence_s must hold",
        ),
        ("[power]\nfast_poll_s = 60", "[power] cannot be used: fast_poll_s must be at most slow_poll_s"),
        ("[power]\nlow_percent = 60", "[power] cannot be used: power thresholds must satisfy"),
        ("[power]\ncpu_steps_khz = [1800000, 1416000]", "cpu_steps_khz must be one clock or several, rising"),
    ],
)
def test_what_strangers_wrote_is_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "headband.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        fill(Config, read_toml(path), path)
    assert str(caught.value).startswith(f"In {path}, ") and says in str(caught.value)
