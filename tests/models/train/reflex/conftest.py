"""The network for closed questions that several files of tests look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from models.train.reflex.export import Trained


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A network trained for some hundred steps."""
    import torch

    from models.train.reflex.train import finish, train
    from tests.models.train.reflex.tiny_training import SOURCE, examples, run

    torch.set_num_threads(1)
    validation = examples("validation")
    training = run(tmp_path_factory.mktemp("reflex"))
    train(training, examples("train"), validation, check_every=1000)
    return finish(training, SOURCE, validation)
