"""The training of the predictor of exits: labels, gradients, choice, and how it comes into a pack."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

from models.exit_predictor import ExitPredictor
from models.pack.catalogue import load_pack
from models.train.recall import train
from models.train.recall.labels import first_exits, good_enough, ranks
from models.train.recall.network import slopes, trained
from models.train.recall.questions import Asked
from models.train.recall.train import (
    FILE,
    KEPT,
    Day,
    Outcome,
    chosen,
    decided,
    fixed,
    outcome,
    put_into,
    spaced,
)
from models.train.recall.views import Places

EXITS = (1, 2, 3)


def day(seed: int, views: int = 60, embedding: int = 12) -> Day:
    """A day whose views with a positive first value are found from the first exit on, and the others at the
    last only: the exits before place those where others are.
    """
    rng = np.random.default_rng(seed)
    full = rng.standard_normal((views, embedding))
    full[:, 0] *= 3
    easy = full[:, 0] > 0
    strayed = np.where(easy[:, None], full, np.roll(full, 1, axis=0))
    strayed[:, 0] = full[:, 0]
    places = np.stack([strayed, strayed, full]).astype(np.float32)
    places /= np.linalg.norm(places, axis=2, keepdims=True)
    return Day(places, Asked(places[-1].copy(), np.eye(views, dtype=bool)))


def test_a_label_is_the_first_exit_at_which_a_view_is_nearest_to_its_own_full_depth() -> None:
    full = np.eye(3, dtype=np.float32)
    first = full[[1, 0, 2]]
    second = full[[0, 2, 1]]
    places: Places = np.stack([first, second, full])
    assert ranks(places).tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 0]]
    assert first_exits(places, 0).tolist() == [1, 2, 0]
    assert first_exits(places, 1).tolist() == [0, 0, 0]


def test_an_exit_after_a_good_enough_one_is_too_and_the_last_always() -> None:
    for seed in range(5):
        places = np.random.default_rng(seed).standard_normal((4, 20, 6)).astype(np.float32)
        good = good_enough(places, 2)
        assert good[:, -1].all() and (np.diff(good.astype(int), axis=1) >= 0).all()


def test_the_gradients_are_those_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    values = [rng.standard_normal(shape) for shape in ((4, 3), (3,), (3, 2), (2,))]
    places, good = rng.standard_normal((5, 4)), rng.random((5, 2)) < 0.5

    def loss() -> float:
        hidden = np.maximum(places @ values[0] + values[1], 0)
        out = hidden @ values[2] + values[3]
        return float(np.mean(np.logaddexp(0, out) - good * out))

    for value, slope in zip(values, slopes(values, places, good), strict=True):  # type: ignore[arg-type]
        for at in np.ndindex(value.shape):
            before = value[at]
            value[at] = before + 1e-6
            more = loss()
            value[at] = before - 1e-6
            less = loss()
            value[at] = before
            assert (more - less) / 2e-6 == pytest.approx(slope[at], abs=1e-5)


def test_the_network_learns_what_its_input_says() -> None:
    made = day(1, 400)
    good = good_enough(made.places, 0)
    layers = trained(made.places[0], good, 8, 120, seed=1)
    found = ExitPredictor(EXITS, layers, 0.5).depths(made.places[0])
    assert np.mean((np.array(found) == 1) == (made.places[0][:, 0] > 0)) > 0.9


def test_the_cheapest_that_keeps_enough_is_chosen_and_beats_a_fixed_exit() -> None:
    training, validation = [day(seed).places for seed in range(20)], [day(100), day(101)]
    found = chosen(training, validation, EXITS, "0123")
    assert found is not None and found.encoder == "0123" and "20 training days" in found.chosen
    told = outcome(validation, [found.depths(each.places[0]) for each in validation], EXITS)
    fixed = outcome(validation, [[2] * 60 for _ in validation], EXITS)
    assert told.kept >= KEPT > fixed.kept and told.depth < 0.9
    assert outcome(validation, [[3] * 60 for _ in validation], EXITS).kept == 1.0


def test_nothing_is_chosen_where_nothing_keeps_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.train.recall.train.KEPT", 1.01)
    assert chosen([day(1).places], [day(2)], EXITS, "0123") is None


def test_one_exit_for_all_is_the_shallowest_that_keeps_enough() -> None:
    validation = [day(100), day(101)]
    assert fixed(validation, EXITS)[0] == 3
    found_at_once = [Day(each.places[[2, 2, 2]], each.asked) for each in validation]
    assert fixed(found_at_once, EXITS) == (1, Outcome(1.0, 1.0, 1 / 3))


def test_only_what_surely_keeps_enough_goes_into_the_pack() -> None:
    training, validation = [day(seed).places for seed in range(20)], [day(100), day(101)]
    found = chosen(training, validation, EXITS, "0123")
    assert found is not None
    text, depth, said = decided(found, validation, validation, EXITS, EXITS)
    assert (text, depth, said) == (found.text(), 3, found.chosen)
    nearly = [Day(each.places[[2, 2, 2]], each.asked) for each in validation]
    places = nearly[0].places
    places[:2, :3] = places[2, [1, 2, 0]]  # of 120 views three are taken for others
    text, depth, said = decided(None, nearly, nearly, EXITS, EXITS)
    assert (text, depth) == ("", 3) and said.startswith("The last exit for all, as less does not surely keep")


def test_it_comes_into_a_pack_whose_eye_stays_the_same(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[4] / "models" / "packs" / "micro"
    folder = tmp_path / "pack"
    shutil.copytree(shipped, folder)
    before = load_pack(folder).bricks["vision"].options["encoder"]
    for text, depth in (("{}\n", 12), ("{ }\n", 3), ("", 4)):  # each replaces the one before
        put_into(folder, text, depth, f"Chosen {depth}.")
        pack = load_pack(folder)
        options = pack.bricks["vision"].options
        assert (options["encoder"], options["remember_depth"]) == (before, depth)
        assert options["remember_chosen"] == f"Chosen {depth}."
        assert [file.path for file in pack.files].count(FILE) == bool(text)
        assert (folder / FILE).exists() == ("predictor" in options) == bool(text)
        assert not text or Path(options["predictor"]).read_text() == text


def test_it_comes_into_a_pack_that_was_converted_too(tmp_path: Path) -> None:
    """`just convert` writes the files of a brick in one line, and names no licence that it does not know."""
    shipped = Path(__file__).parents[4] / "models" / "packs" / "micro"
    folder = tmp_path / "pack"
    shutil.copytree(shipped, folder)
    path = folder / "pack.toml"
    text = path.read_text()
    files = tomllib.loads(text)["brick"]["vision"]["files"]
    in_one_line = ", ".join(f'{key} = "{name}"' for key, name in files.items())
    head, _, rest = text.partition("[brick.vision.files]\n")
    rest = rest[rest.index("[") :]
    path.write_text(
        f"{head.rstrip()}\nfiles = {{ {in_one_line} }}\n\n{rest}".replace('licence = "MIT"\n', "")
    )
    for text, depth in (("{}\n", 12), ("{ }\n", 3), ("", 4)):
        put_into(folder, text, depth, "Chosen.")
        options = load_pack(folder).bricks["vision"].options
        assert options["remember_depth"] == depth and ("predictor" in options) == bool(text)


def test_a_manifest_that_cannot_be_changed_is_told_before_any_day_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(train, "days_of", lambda *_: pytest.fail("days were drawn"))
    folder = tmp_path / "pack"
    shutil.copytree(Path(__file__).parents[4] / "models" / "packs" / "micro", folder)
    path = folder / "pack.toml"
    path.write_text(path.read_text().replace("[brick.vision.settings]", "[brick.vision.settings]  # mine"))
    assert train.main(["--pack", str(folder)]) == 2
    assert "pack.toml can't be changed" in capsys.readouterr().err
    for number in (["--days", "0"], ["--views", "99"]):
        with pytest.raises(SystemExit):
            train.main(["--pack", str(folder), *number])
        assert "it must be" in capsys.readouterr().err


def test_the_exits_that_are_used_are_the_first_the_last_and_some_between() -> None:
    assert [spaced(count) for count in (2, 3, 4, 12)] == [[0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 4, 7, 11]]
