"""The ledger of a running headband: the energy of every turn is in the turn, in the journal and on disk."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from host.app.turn_report import energy_mwh
from host.config import JournalConfig
from host.energy.ledger_store import ledger_path, read_ledger
from hw.pmu.gauge import PmuGauge
from models.pack.catalogue import load_pack
from power.policy.plan import Mode
from tests.host.workbench import COLOUR, DEVICE, QUIET, bench

_PACK = load_pack("micro")
_WITHOUT_REFLEX = replace(_PACK, bricks={key: spec for key, spec in _PACK.bricks.items() if key != "reflex"})
"""So that the language model answers."""


def test_a_turn_has_its_energy_and_emulation_is_never_called_measured(tmp_path: Path) -> None:
    config = replace(QUIET, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=config, pack=_WITHOUT_REFLEX) as b:
            assert isinstance(b.board.gauge, PmuGauge)  # it has counters, which count an emulated cell
            turns = [await b.ask(COLOUR), await b.ask(DEVICE)]
            written = (tmp_path / "journal.jsonl").read_text().splitlines()
            lines = [line for line in map(json.loads, written) if line["event"] == "turn"]
            for turn, line in zip(turns, lines, strict=True):
                assert turn.spent is not None and turn.spent.kind == line["energy_kind"] == "modelled"
                assert (
                    line["energy_mwh"] == pytest.approx(turn.spent.total_mwh, abs=1e-3)
                    and line["energy_mwh"] > 0
                )
                report = energy_mwh(turn)
                assert report["kind"] == "modelled" and report["meter"] == "model"
                assert sum(report["stages"].values()) == pytest.approx(report["total"], abs=1e-3)
            assert {"listen", "stt", "vision", "llm", "tts", "speak"} <= set(energy_mwh(turns[0])["stages"])
            assert turns[0].answer_tokens and turns[1].answer_tokens is None
            last = b.headband.dialogue.now.past_answer
            assert last is not None and last.tokens is None and last.plan.mode is Mode.PERFORMANCE
            assert b.headband.energy_meter.outlook().last_turn == turns[1].spent

    asyncio.run(scenario())
    path = ledger_path(config)
    assert path == tmp_path / "energy.json"
    kept = read_ledger(path)
    assert len(kept.turns) == 2
    assert all(a.kind == "modelled" for book in kept.days.values() for a in book)


def test_a_journal_in_memory_keeps_no_ledger_on_disk() -> None:
    assert ledger_path(QUIET) is None
