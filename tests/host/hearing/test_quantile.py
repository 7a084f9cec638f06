"""A quantile is NumPy's, without what NumPy imports for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.hearing.quantile import quantile

POWERS = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=94)


@given(POWERS, st.floats(0.0, 1.0))
def test_it_is_numpys(values: list[float], share: float) -> None:
    assert quantile(values, share) == pytest.approx(float(np.quantile(values, share)), abs=1e-9)


@given(POWERS)
def test_half_is_the_median(values: list[float]) -> None:
    assert quantile(values, 0.5) == pytest.approx(float(np.median(values)), abs=1e-9)


def test_hearing_over_the_own_voice_does_not_import_masked_arrays() -> None:
    code = (
        "import sys, numpy as np\n"
        "from host.hearing.onset import speech_began\n"
        "from host.hearing.own_voice_removed import OwnVoice\n"
        "own, noise = OwnVoice(), np.random.default_rng(0)\n"
        "for _ in range(40): own.follow(*noise.normal(0.0, 0.1, (3, 512)))\n"
        "assert own.measured and own.loud and not own.exceeded(np.full(512, 0.01), True)\n"
        "speech_began(noise.integers(-9, 9, (40, 512)).astype(np.int16), 20)\n"
        "print('numpy.ma' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
