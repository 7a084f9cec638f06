"""The power is cut at random moments of deploys: the headband always boots into a release that runs."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from pathlib import Path

import pytest

from host.ship.remote import RemoteError
from tests.host.ship.bench import Bench

CUTS = 20


@pytest.mark.slow
def test_after_a_cut_at_any_moment_the_next_boot_starts_a_release(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    moments = random.Random(6)
    try:
        bench.deploy(bench.checkout("first", more=bytes(200_000)))
        began_s = time.monotonic()
        bench.deploy(bench.checkout("second", more=bytes(200_001)), venv="second")
        whole_s = time.monotonic() - began_s
        assert bench.current is not None
        came: list[str] = []
        for number in range(CUTS):
            before = bench.current
            root = bench.checkout(f"cut-{number}", more=bytes(200_002 + number))
            bench.remote.begun_s = time.monotonic()
            # Stratified: one cut in each twentieth of a deploy, so that every step is cut.
            bench.remote.cut_after_s = whole_s * (number + moments.random()) / CUTS
            with suppress(RemoteError):
                came.append(bench.deploy(root, venv=f"venv {number // 2}").release)
            bench.remote.cut_after_s = None
            bench.power_cut()
            assert bench.boot(), f"cut {number} of {before}, now {bench.current}"
        assert len(came) < CUTS / 2, "most of the cuts came too late to cut anything"
        last = bench.deploy(bench.checkout("last"))
        assert bench.current == last.release and bench.runs
        assert not list((bench.prefix / "opt/headband").glob("*/*.part"))
    finally:
        bench.close()
