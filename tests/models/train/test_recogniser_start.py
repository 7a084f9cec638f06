"""A recogniser that starts from given weights writes what these write, and has room for new words."""

from __future__ import annotations

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
