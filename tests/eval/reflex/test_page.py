"""The tables and the page on a small network of random weights: they say what the outputs say."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is not installed")

from host.answers.reflex import ClosedResult
from models.brick import Embedding
from models.bricks.closed_sentence import AnswerTable
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.pack.catalogue import load_pack
from tests.eval.eye.page import Table
from tests.eval.reflex import mechanisms, risk, versus_llm
from tests.eval.reflex.__main__ import main
from tests.eval.reflex.brick import brick_of
from tests.eval.reflex.cases import Case
from tests.eval.reflex.collect import Asked, Outputs, collect
from tests.eval.reflex.html_page import chosen, heat_map, verdict, write_page
from tests.eval.reflex.network import Network, of_folder
from tests.eval.reflex.runs import Run
from tests.eval.reflex.trial import write_random
from tests.eval.reflex.verdicts import Settings, settings_of, verdicts

TABLE = AnswerTable(
    ("", "It is {colour}.", "Yes."),
    {"colour": ("red", "green", "blue")},
    frozenset(),
    ("", "dark", "absent"),
    {"dark": "It is too dark to see, please turn on a light."},
)
WORDS = ("colour", "is", "it", "there", "what")
TEXTS = ("what colour is it", "is it there", "is it red")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    folder = write_random(tmp_path_factory.mktemp("net"), 3, TABLE, WORDS, tokens=64, width=128, layers=3)
    return of_folder(folder, load_pack("micro"))


def _asked(count: int = 24) -> list[Asked]:
    rng, told = np.random.default_rng(1), random.Random(1)
    asked = []
    for at in range(count):
        cause = ("", "", "dark", "absent")[at % 4]
        case = Case(
            ("home", "shapes")[at % 2], f"family {at % 3}", TEXTS[at % 3], lambda said: said == "It is red.",
            cause, "red", lambda: np.zeros((20, 30, 3), np.uint8), told.randrange(count // 2),
        )  # fmt: skip
        asked.append(Asked(case, rng.standard_normal((64, 128)).astype(np.float32)))
    return asked


@pytest.fixture(scope="module")
def runs(network: Network) -> list[Run]:
    outputs = collect(network, _asked(), (0.2, 1.0))
    return [Run(outputs, outputs), Run(outputs, outputs)]


def test_the_outputs_are_those_of_the_brick(network: Network, runs: list[Run]) -> None:
    """The brick, asked one by one, does what the arrays say that it does."""
    outputs = runs[0].test
    found = verdicts(outputs, settings_of(outputs))
    with brick_of(network) as brick:
        for at, one in enumerate(outputs.asked):
            (said,) = brick.execute(ClosedQuestion(one.case.text, Embedding(rows=one.rows)))
            assert (said.cause != "") == found.refused[at]
            assert said.layer == found.layer[at] + 1
            if said.layer:
                if said.guess:
                    assert said.confidence == pytest.approx(found.confidence[at], rel=1e-3)
                assert said.guess == outputs.pruned_texts[at][found.layer[at]]
                assert bool(said.text) == found.answered[at]
            assert said.advice == found.advised[at]
            assert (ClosedResult(said).sentence == "") == found.handed_over[at]


def test_words_that_are_not_known_are_handed_over(network: Network, runs: list[Run]) -> None:
    read = runs[0].test.read
    assert read.tolist() == ["red" not in one.case.text for one in runs[0].test.asked]
    assert verdicts(runs[0].test, settings_of(runs[0].test)).handed_over[~read].all()


def test_what_is_refused_without_advice_is_handed_over_and_not_said(runs: list[Run]) -> None:
    outputs = runs[0].test
    count = len(outputs.asked)
    absent = replace(outputs, answerable=np.zeros(count), causes=np.tile([0.0, 0.0, 1.0], (count, 1)))
    found = verdicts(absent, settings_of(absent))
    assert found.refused[outputs.read].all() and found.handed_over.all()
    (row,) = risk.tempting({"negation": [absent]}).rows
    assert row[3].startswith("0.0 %")


def test_settings_switch_the_mechanisms_off(runs: list[Run]) -> None:
    off = Settings(0.4, 0.1, 0.6, 0.0, first_stage=False, exits=False, pruning=False)
    found = verdicts(runs[0].test, off)
    assert not found.refused.any()
    assert set(found.layer.tolist()) <= {-1, 2}
    assert np.array_equal(found.right, runs[0].test.whole.right[:, -1])


def test_keeping_all_rows_is_not_pruning(runs: list[Run]) -> None:
    outputs = runs[0].test
    for right in outputs.kept_right.values():
        assert np.array_equal(right[:, 1], outputs.whole.right[:, -1])


def test_every_table_is_printed(runs: list[Run]) -> None:
    tables = [
        mechanisms.first_stage(runs), *mechanisms.exits(runs)[:2], mechanisms.pruning(runs, (0.2, 1.0)),
        mechanisms.together(runs), *risk.risk(runs), risk.tempting({"negation": [runs[0].test]}),
    ]  # fmt: skip
    text = "\n".join(table.text() for table in tables)
    assert [each.split() for each in text.splitlines() if "prevalence" in each] == [
        ["prevalence", "0.500", "0.500"]
    ]
    assert len({len(row) for row in tables[0].rows}) == 1
    names = [row[0] for row in tables[1].rows]
    assert names == ["score (V3)", "probability", "entropy", "patience", "fixed layer", "all layers"]
    assert [row[0] for row in tables[3].rows] == ["20 %", "100 %"]
    assert tables[4].rows[0][2] == "+0.0 points [+0.0, +0.0]"
    assert any("- absent: 6 cases" in note for note in tables[0].notes)


def test_exits_are_also_compared_where_later_layers_are_better(
    runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanisms, "LEAST_OF_FAMILY", 4)
    outputs = runs[0].test
    families = np.array([one.case.family for one in outputs.asked])
    deep = families[outputs.truth][0]

    def tables(first_layer: bool) -> list[Table]:
        right = np.ones_like(outputs.whole.right)
        right[families == deep, 0] = first_layer
        learnt = replace(outputs, whole=replace(outputs.whole, right=right))
        return mechanisms.exits([Run(learnt, learnt)])

    *_, table, curves = tables(first_layer=False)
    assert table.title.endswith(f"better: {deep}") and len(curves.rows) == 5
    assert table.rows[-1][:2] == ("all layers", "100.0 % [100.0, 100.0]")
    assert "No family" in tables(first_layer=True)[-1].title


def test_perfect_outputs_give_perfect_figures(runs: list[Run]) -> None:
    outputs: Outputs = runs[0].test
    sure = replace(outputs, answerable=np.where(outputs.truth, 0.9, 0.1))
    table = mechanisms.first_stage([Run(sure, sure)])
    assert table.rows[0][1:] == ("1.000 [1.000, 1.000]", "1.000 [1.000, 1.000]")
    assert table.notes[0].startswith("false refusals (goal at most 3 %): 0.0 %")


def test_the_language_model_is_asked_the_same(network: Network) -> None:
    table = versus_llm.report(load_pack("micro"), network, _asked(4))
    assert table.rows[0][0] == "language model"
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_the_page_has_every_question_with_its_map(network: Network, tmp_path: Path) -> None:
    with brick_of(network) as brick:
        write_page(tmp_path / "page.html", brick, _asked(), "a <trial>")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('class="one ') == 24
    assert page.count("data:image/jpeg;base64,") == 24
    assert "a &lt;trial&gt;" in page and "http" not in page


def test_the_map_shows_the_rows_that_were_kept() -> None:
    saliency = np.array([0.5, 0.0, 0.1, 1.0], np.float32)
    drawn = heat_map(saliency, 2)
    assert drawn.count("<rect") == 4
    assert drawn.count('fill="#f30"') == 2
    assert 'x="96.0" y="96.0" width="96.0" height="96.0" fill="#f30" fill-opacity="0.65"' in drawn
    assert heat_map(np.ones(5, np.float32), 2) == ""


def test_the_page_takes_kinds_in_turn() -> None:
    asked = _asked(24)
    kinds = [(one.case.world, one.case.cause, one.case.family) for one in chosen(asked, 12)]
    assert len(set(kinds)) == len({(a.case.world, a.case.cause, a.case.family) for a in asked}) == 12


def test_verdicts_of_the_page(network: Network) -> None:
    case = _asked(4)[2].case
    assert case.cause == "dark"
    assert verdict(case, ClosedAnswer("", 0.0, 0.1, "dark")) == "right"
    assert verdict(case, ClosedAnswer("", 0.0, 0.1, "absent")) == "wrong"
    assert verdict(case, ClosedAnswer("", 0.2, 0.9)) == "over"
    assert verdict(case, ClosedAnswer("It is red.", 0.9, 0.9)) == "right"


def test_the_command_says_what_a_pack_lacks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    micro = load_pack("micro")
    bricks = {name: brick for name, brick in micro.bricks.items() if name != "reflex"}
    monkeypatch.setattr(
        "tests.eval.reflex.__main__.load_pack", lambda _: replace(micro, name="lean", bricks=bricks)
    )
    assert main(["--section", "risk", "--smoke"]) == 0
    assert "Pack 'lean' has no reflex brick." in capsys.readouterr().out
    monkeypatch.undo()
    assert main(["--section", "risk", "--smoke", "--reflex", str(tmp_path)]) == 0
    assert "brick.toml can't be used" in capsys.readouterr().out
    assert main(["--data", str(tmp_path), "--reflex", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
