"""Networks made by hand, for tests."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from models.sensing.accuracy import AccuracyPredictor, inputs
from models.sensing.choice_file import ChoiceFile
from models.sensing.features import VIEW_FEATURES
from models.sensing.latency import StepCosts
from models.sensing.stop_gate import StopGate, gate_inputs
from models.small_network import Layer

FAMILIES, DEPTHS = ("direction", "whether"), (3, 6, 12)
LABELS = ("left", "right", "yes", "no")
COSTS = StepCosts(
    {(3, 1): 0.02, (3, 4): 0.07, (6, 1): 0.04, (6, 4): 0.14, (12, 1): 0.08, (12, 4): 0.28}, 0.002, 0.005
)


def predictor(weights: Mapping[int, float], families: tuple[str, ...] = FAMILIES) -> AccuracyPredictor:
    """One layer with these weights after the families: 0 to 2 intervals, 3 to 5 depths, 6 to 8 units."""
    column = np.zeros((inputs(len(families), len(DEPTHS)), 1), np.float32)
    for at, weight in weights.items():
        column[VIEW_FEATURES + len(families) + at, 0] = weight
    layers = (Layer(column, np.zeros(1, np.float32)),)
    return AccuracyPredictor(families, DEPTHS, layers, np.zeros(VIEW_FEATURES, np.float32))


def gate(logit: float, families: tuple[str, ...] = FAMILIES) -> StopGate:
    """Always the same probability; stops from 0.5 on."""
    column = np.zeros((gate_inputs(len(families), len(LABELS)), 1), np.float32)
    return StopGate(families, LABELS, (Layer(column, np.array([logit], np.float32)),), 0.5)


def choice_file(
    weights: Mapping[int, float], logit: float, families: tuple[str, ...] = FAMILIES
) -> ChoiceFile:
    """Both, for any encoder."""
    return ChoiceFile(predictor(weights, families), gate(logit, families))
