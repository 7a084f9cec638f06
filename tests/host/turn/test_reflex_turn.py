"""Whole turns with the real reflex brick beside the micro models, and what the commands say of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from host.cli.main import main
from models.pack.catalogue import load_pack
from power.policy.plan import Mode
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import simulate
from tests.host.turn.reflex_micro import RED, write_micro_with_reflex
from tests.host.turn.test_reflex_answer import loads, runs, told
from tests.host.workbench import COLOUR, DEMO, bench
from tests.models.bricks.reflex_pack import ADVICE, Behaviour


@pytest.fixture(scope="module")
def red(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack that answers "It is red."."""
    return write_micro_with_reflex(tmp_path_factory.mktemp("red"))


@pytest.mark.parametrize(("mode", "layer"), [(Mode.PERFORMANCE, 3), (Mode.CASCADE, 2)])
def test_the_plan_says_how_many_layers_an_answer_takes(red: Path, mode: Mode, layer: int) -> None:
    async def scene() -> None:
        async with bench(mode, pack=without_speech_models(load_pack(red))) as b:
            b.headband.brick_events.clear()
            turn = await b.ask(COLOUR)
            assert (turn.answer, turn.answered_by, turn.failure) == ("It is red.", "reflex", None)
            (fields,) = told(b)
            assert fields["layer"] == layer and len(fields["layers_ms"]) == layer + 1
            assert any("the answer is certain" in each for each in fields["reasons"]) == (layer == 2)
            if mode is Mode.CASCADE:
                assert loads(b) == ["vision", "stt", "reflex", "tts"]
            again = await b.ask(COLOUR)
            assert again.answer == turn.answer and again.failure is None
            assert runs(b).count("reflex") == 2

    simulate(scene())


def test_advice_of_the_network_is_spoken(tmp_path: Path) -> None:
    async def scene() -> None:
        pack = write_micro_with_reflex(tmp_path, Behaviour(answerable=0.05, cause=1, scores=RED.scores))
        async with bench(Mode.PERFORMANCE, pack=without_speech_models(load_pack(pack))) as b:
            turn = await b.ask(COLOUR)
            assert (turn.answer, turn.answered_by) == (ADVICE["dark"], "reflex")
            assert told(b)[0]["layer"] == 0 and told(b)[0]["cause"] == "dark"

    simulate(scene())


def test_the_commands_say_who_answered(red: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["ask", "--audio", str(DEMO / COLOUR[0]), "--image", str(DEMO / COLOUR[1]), "--mode", "cascade"]
    trace = tmp_path / "trace.json"
    options = ["--pack", str(red), "--out", str(tmp_path / "a.wav"), "--trace", str(trace)]
    assert main([*asked, *options, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["answer"], report["answered_by"]) == ("It is red.", "reflex")
    assert report["reflex"]["layer"] == 2 and report["reflex"]["handed_over"] is False
    assert "reflex_execute" in report["timings_ms"] and "reflex" in report["energy_mwh"]["stages"]
    spans: list[dict[str, Any]] = json.loads(trace.read_text())["traceEvents"]
    (span,) = (each for each in spans if each["name"] == "reflex" and each["ph"] == "X")
    assert span["args"]["layer"] == 2 and span["args"]["reasons"]
    assert main(["status", "--pack", str(red)]) == 0
    assert "closed questions without the language model, with normal caution" in capsys.readouterr().out
    assert main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["caution"] == "normal", (
        "that of the micro pack, whose decoder was measured"
    )
