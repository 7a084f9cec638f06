"""The file `choice` of a motion brick: the accuracy predictor and the gate that stops the camera. JSON:

    form            2
    encoder         last part of the identity of the encoder whose units both were trained on
    families        question families, in the order of the networks' inputs
    labels          of answers, in the order of the gate's inputs
    depths          blocks of the encoder that the predictor knows, rising
    usual           features of the first units, the mean over training clips
    predictor       layers, `models.small_network`
    gate            layers
    threshold       of the gate, 0 to 1
    chosen          how both were trained and chosen, as text

`models.train.motion.choosing.train` makes it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models import small_network
from models.sensing.accuracy import AccuracyPredictor, inputs
from models.sensing.features import VIEW_FEATURES
from models.sensing.stop_gate import StopGate, gate_inputs

FORM = 2
_LONGEST_BYTES = 1 << 20


class ChoiceError(Exception):
    """A file that can't be used; the message is one sentence."""


@dataclass(frozen=True, eq=False)
class ChoiceFile:
    """What the file has. encoder, chosen: as there."""

    predictor: AccuracyPredictor
    gate: StopGate
    encoder: str = ""
    chosen: str = ""

    def text(self) -> str:
        """The file's text."""
        told = {
            "form": FORM, "encoder": self.encoder, "families": list(self.predictor.families),
            "labels": list(self.gate.labels), "depths": list(self.predictor.depths),
            "usual": small_network.short(self.predictor.usual),
            "predictor": small_network.as_json(self.predictor.layers),
            "gate": small_network.as_json(self.gate.layers),
            "threshold": self.gate.threshold, "chosen": self.chosen,
        }  # fmt: skip
        return json.dumps(told, indent=1) + "\n"


def read_choice(path: Path, encoder: str) -> ChoiceFile:
    """The file, for the encoder of that identity. Raises ChoiceError for one of another encoder, form or
    shape.
    """
    try:
        with path.open(encoding="utf-8") as stream:
            told = json.loads(stream.read(_LONGEST_BYTES))
        if told["form"] != FORM:
            raise ChoiceError(f"{path.name} has form {told['form']}, and this program knows {FORM}.")
        families = tuple(str(each) for each in told["families"])
        depths = tuple(int(each) for each in told["depths"])
        usual = np.array(told["usual"], np.float32)
        predictor = AccuracyPredictor(families, depths, small_network.from_json(told["predictor"]), usual)
        labels = tuple(str(each) for each in told["labels"])
        gate = StopGate(families, labels, small_network.from_json(told["gate"]), float(told["threshold"]))
        found = ChoiceFile(predictor, gate, str(told["encoder"]), str(told.get("chosen", "")))
    except (
        OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError
    ) as error:  # fmt: skip
        raise ChoiceError(f"The choice of configurations {path.name} can't be read ({error}).") from error
    if found.encoder and found.encoder != encoder.rpartition(" ")[2]:
        raise ChoiceError(f"{path.name} was trained for another encoder than this pack's.")
    fits = (
        usual.shape == (VIEW_FEATURES,)
        and bool(np.isfinite(usual).all())
        and small_network.leads(predictor.layers, inputs(len(families), len(depths)), 1)
        and small_network.leads(gate.layers, gate_inputs(len(families), len(labels)), 1)
        and 0 <= gate.threshold <= 1
    )
    if not fits:
        raise ChoiceError(f"{path.name} does not lead from a clip's features to one probability.")
    return found
