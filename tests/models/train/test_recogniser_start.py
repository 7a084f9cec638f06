"""A recogniser that starts from given weights writes what these write, and has room for new words."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `just test-train` has it")
WIDTH = 20


def small_recogniser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of the training has a small model, and reads no weights."""
    from models.train.recogniser import run as of_run
    from models.train.recogniser.model import MicroWhisper, Shape

    shape = Shape(width=WIDTH, heads=2, encoder_layers=1, decoder_layers=1, audio_ctx=256, text_ctx=24)
    monkeypatch.setattr(of_run, "MicroWhisper", lambda _, tokens, size: MicroWhisper(shape, tokens, size))
    monkeypatch.setattr(MicroWhisper, "take_weights", lambda *_: None)
    monkeypatch.setattr(of_run, "read_tensors", lambda _: {})


def test_given_weights_keep_their_words_and_new_words_get_their_own() -> None:
    from models.train.recogniser.model import MicroWhisper, Shape

    shape = Shape(width=20, heads=2, encoder_layers=1, decoder_layers=1, audio_ctx=16, text_ctx=8)
    earlier = MicroWhisper(shape, [3, 5], 40)
    tensors = {name: value.numpy() for name, value in earlier.state_dict().items() if name[:4] != "ctc."}
    rows = torch.zeros(40, 20)
    rows[[3, 5]] = torch.from_numpy(tensors["decoder.token_embedding.weight"])
    tensors["decoder.token_embedding.weight"] = rows.numpy()
    later = MicroWhisper(shape, [3, 4, 5], 40)
    new = later.decoder.token_embedding.weight[1].clone()
    later.take_weights(tensors)
    assert torch.equal(later.decoder.token_embedding.weight[1], new) and bool(new.any())
    mel = torch.randn(1, 80, 32)
    was = earlier.decoder(torch.tensor([[0, 1]]), earlier.encoder(mel))
    now = later.decoder(torch.tensor([[0, 2]]), later.encoder(mel))
    assert torch.allclose(now[..., [0, 2]], was)


def test_a_kept_encoder_stays_and_its_decoder_learns_from_what_it_makes_of_the_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    from models.train.recogniser import run as of_run
    from models.train.recogniser.batches import BatchesOf, Pool, TokenRows
    from models.train.recogniser.shards import Example

    small_recogniser(monkeypatch)
    run = of_run.Run(tmp_path / "checkpoint.pt", tmp_path / "stt.bin", "cpu", encoder_rate=0.0)
    mel = np.random.default_rng(1).standard_normal((90, 80)).astype(np.float16)
    pool = Pool(TokenRows(run.tokens), 1, positions=192)
    pool.add([Example(mel, -1.0, "what time is it", "device")])
    before = {name: value.clone() for name, value in run.model.state_dict().items()}
    for batch in (BatchesOf(pool, 0, 2, 0, run.model.encoder)[at] for at in range(2)):
        assert batch.sound.shape[2] == WIDTH and batch.sound.dtype == torch.float32
        ce, ctc = run.update(batch, 1.0).tolist()
        assert ce > 0 and ctc == 0
    changed = {name for name, value in run.model.state_dict().items() if not torch.equal(value, before[name])}
    assert changed and all(name.startswith("decoder.") for name in changed)
    run.save()
    with pytest.raises(SystemExit, match="encoder rate of 0"):
        of_run.Run(tmp_path / "checkpoint.pt", tmp_path / "stt.bin", "cpu", encoder_rate=0.5)


def test_a_checkpoint_that_began_with_another_file_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from models.train.recogniser import run as of_run
    from models.train.recogniser.train import begun_as

    small_recogniser(monkeypatch)
    one, other = tmp_path / "one.bin", tmp_path / "stt.bin"
    one.write_bytes(b"one")
    other.write_bytes(b"other")

    def begun(start: Path | None, out: Path) -> of_run.Run:
        return of_run.Run(tmp_path / "checkpoint.pt", start, "cpu", begun=begun_as(start, out))

    begun(one, tmp_path / "out").save()
    begun(one, tmp_path / "out")
    for start in (None, other):
        with pytest.raises(SystemExit, match=r"checkpoint\.pt is of a run that began with other weights"):
            begun(start, tmp_path / "out")
    (tmp_path / "checkpoint.pt").unlink()
    begun(other, tmp_path).save()
    other.write_bytes(b"what the training wrote")
    begun(other, tmp_path)


def test_a_file_that_is_no_recogniser_is_told_in_a_sentence(tmp_path: Path) -> None:
    from models.train.recogniser.run import Run

    with pytest.raises(SystemExit, match=r"The speech model .* cannot be read") as told:
        Run(tmp_path / "checkpoint.pt", tmp_path / "none.bin", "cpu")
    assert "\n" not in str(told.value)


def test_an_encoder_of_half_the_rate_moves_by_half_as_much() -> None:
    from models.train.recogniser.model import MicroWhisper, Shape
    from models.train.recogniser.run import make_optimisers

    shape = Shape(width=20, heads=2, encoder_layers=1, decoder_layers=1, audio_ctx=256, text_ctx=24)
    moved = {}
    for rate in (1.0, 0.5):
        torch.manual_seed(1)
        model = MicroWhisper(shape, [0, 1, 2], 9)
        before = {name: value.detach().clone() for name, value in model.named_parameters()}
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
        for optimiser in make_optimisers(model, encoder_rate=rate):
            for group in optimiser.param_groups:
                group["lr"], group["weight_decay"] = 0.01 * group["share"], 0.0
            optimiser.step()
        moved[rate] = {name: value.detach() - before[name] for name, value in model.named_parameters()}
    for name, usual in moved[1.0].items():
        factor = 0.5 if name.startswith("encoder.") else 1.0
        assert torch.allclose(moved[0.5][name], factor * usual, atol=1e-6), name
