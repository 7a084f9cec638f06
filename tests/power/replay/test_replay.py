"""The comparison of policies, its page, and the command line around them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from host.cli.main import main
from host.states import StateMachine
from power.meters.csv_file import read_csv
from power.replay.compare import compare
from power.replay.page import page
from power.replay.page_tables import reflex_sheet
from power.report.axes import axis_limit, ticks
from power.twin.day import load_day
from power.twin.parameters import load_parameters


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return compare(load_day("light"), load_parameters(), StateMachine)


def test_the_comparison_holds_every_figure(result: dict[str, Any]) -> None:
    assert result["kind"] == "modelled" and result["meter"] == "twin"
    names = [policy["name"] for policy in result["policies"]]
    assert names == ["always", "paper", "rule", "rule-camera", "rule-soon", "ours"]
    for policy in result["policies"]:
        assert policy["kind"] == "modelled"
        assert policy["questions"] == result["policies"][0]["questions"]
        assert sum(policy["stages_mwh"].values()) == pytest.approx(policy["energy_mwh"])
        assert policy["samples"] and policy["tradeoff"]
        assert policy["end"]["hours"] < policy["charge"]["hours"] == policy["hours"]["simulated_h"]
        assert policy["given"] <= policy["questions"]
    verdict = result["verdict"]
    assert set(verdict["dominates"]) == set(names[:-1]) and "always" not in verdict["front"]
    rule, camera, soon, ours = result["policies"][2:]
    assert ours["energy_mwh"] <= soon["energy_mwh"] < camera["energy_mwh"] < rule["energy_mwh"]
    assert ours["given"] == camera["given"] == rule["given"]
    assert "ours" in verdict["front"] and verdict["longest_end"]
    assert {point["mode"] for point in ours["tradeoff"]} == {"performance", "throttled", "cascade"}
    by_charge = {p["percent"]: p for p in ours["tradeoff"]}
    assert by_charge[8]["mean_mw"] < by_charge[80]["mean_mw"]
    assert by_charge[8]["latency_s"] > by_charge[80]["latency_s"]


class Page(HTMLParser):
    """The references of a page, and whether its elements are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "data")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(result: dict[str, Any]) -> None:
    text = page(result)
    parsed = Page()
    parsed.feed(text)
    assert parsed.open == [] and parsed.loads == []
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text)
    assert parsed.tags.count("svg") >= 7
    assert "modelled" in text.split("</h1>")[1][:200]
    assert (
        "nan" not in re.sub(r'"[^"]*"', lambda m: m.group() if "nan" in m.group()[:5] else "", text).lower()
    )
    embedded = json.loads(text.split('id="figures">')[1].split("</script>")[0])
    assert embedded == json.loads(json.dumps(result))


def test_every_policys_dots_are_seen(result: dict[str, Any]) -> None:
    """Above 50 percent, always performance and the paper's policy are the same: their dots coincide."""
    always, paper, *_ = result["policies"]
    shared = paper["tradeoff"][0]
    assert always["tradeoff"][0]["mean_mw"] == pytest.approx(shared["mean_mw"])
    chart = page(result).split("Energy against latency")[1].split("</svg>")[0]
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)" (fill="none"|fill="#)', chart)
    assert len(dots) == sum(len(policy["tradeoff"]) for policy in result["policies"])
    (below, above_it) = [dot for dot in dots if dot[:2] == dots[0][:2]][:2]
    assert below[3] == 'fill="none"' and float(below[2]) > float(above_it[2]) + 2


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 100, [0, 20, 40, 60, 80, 100]), (15, 50, [20, 30, 40, 50]), (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1])],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high, 5) == pytest.approx(expected)
    assert axis_limit(high) > high


def test_the_command_prints_a_day_and_its_trace_is_a_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "day.csv"
    assert main(["power", "twin", "light", "--json", "--trace", str(trace)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "modelled"
    recording = read_csv(trace)
    whole_mwh = told["energy_mwh"] + told["outside_mwh"]
    assert recording.energy_mwh == pytest.approx(whole_mwh, rel=0.01)


def test_closed_questions_without_the_language_model_save(
    result: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert result["reflex"]["answered_share"] < 1 and "without the language model" in page(result)
    assert not load_parameters().pack("standard").reflex and reflex_sheet(None) == ""
    parameters = replace(load_parameters(), reflex=True)
    reflex = compare(load_day("light"), parameters, StateMachine, pack="standard", tradeoff=False)
    before, after = reflex["reflex"]["without"], reflex["reflex"]["with"]
    assert after["energy_mwh"] < before["energy_mwh"] and after["question_mwh"] < before["question_mwh"]
    assert after["latency_s"]["mean"] < before["latency_s"]["mean"]
    assert 0 < after["stages_mwh"]["reflex"] < before["stages_mwh"]["llm"] - after["stages_mwh"]["llm"]
    assert "Closed questions without the language model" in page(reflex)
    assert main(["power", "twin", "light", "--pack", "standard", "--reflex", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stages_mwh"]["reflex"] > 0


def test_a_policy_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "mine.toml"
    settings.write_text("[power]\nhigh_percent = 95.0\nlow_percent = 94.0\n")
    energies = []
    for extra in ([], ["--policy", str(settings)]):
        assert main(["power", "twin", "light", "--json", *extra]) == 0
        energies.append(json.loads(capsys.readouterr().out)["energy_mwh"])
    assert energies[1] < energies[0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["twin", "endless"], "There is no day 'endless'"),
        (["twin", "light", "--pack", "huge"], "knows no pack 'huge'"),
        (["replay", "light", "--html", "/nowhere/page.html"], "does not exist"),
        (["twin", "mini-day"], "There is no day 'mini-day'"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["power", *arguments]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1
