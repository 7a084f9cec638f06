"""A recogniser that starts from given weights writes what these write, and has room for new words."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `just test-train` has it")


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
    from models.train.recogniser.model import MicroWhisper, Shape
    from models.train.recogniser.shards import Example

    shape = Shape(width=20, heads=2, encoder_layers=1, decoder_layers=1, audio_ctx=256, text_ctx=24)
    monkeypatch.setattr(of_run, "MicroWhisper", lambda _, tokens, size: MicroWhisper(shape, tokens, size))
    monkeypatch.setattr(MicroWhisper, "take_weights", lambda *_: None)
    monkeypatch.setattr(of_run, "read_tensors", lambda _: {})
    run = of_run.Run(tmp_path / "checkpoint.pt", tmp_path / "stt.bin", "cpu", keeps_encoder=True)
    mel = np.random.default_rng(1).standard_normal((90, 80)).astype(np.float16)
    pool = Pool(TokenRows(run.tokens), 1, positions=192)
    pool.add([Example(mel, -1.0, "what time is it", "device")])
    before = {name: value.clone() for name, value in run.model.state_dict().items()}
    for batch in (BatchesOf(pool, 0, 2, 0, run.model.encoder)[at] for at in range(2)):
        assert batch.sound.shape[2] == shape.width and batch.sound.dtype == torch.float32
        ce, ctc = run.update(batch, 1.0).tolist()
        assert ce > 0 and ctc == 0
    changed = {name for name, value in run.model.state_dict().items() if not torch.equal(value, before[name])}
    assert changed and all(name.startswith("decoder.") for name in changed)
