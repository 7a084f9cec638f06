"""Runs the checkpoint with its authors' code (PyTorch and `transformers`, float32), as the reference."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.convert.checkpoint.folder import ConvertError
from models.convert.checkpoint.shapes import ModelShape


class OriginalPreparation:
    """The checkpoint's own image processor, in its authors' code with Pillow. Raises ConvertError where
    `transformers` is missing or refuses the checkpoint's settings.
    """

    def __init__(self, root: Path, shape: ModelShape) -> None:
        self._shape = shape
        transformers = _transformers()
        try:
            self._processor = transformers.AutoImageProcessor.from_pretrained(
                str(root), backend="pil", local_files_only=True
            )
        except Exception as error:
            raise ConvertError(_refused(root, error)) from error

    def pixels(self, rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
        """uint8 [h, w, 3] -> [1, 3, side, side]: the picture without tiles, as the checkpoint's own image
        processor prepares it. A NaFlex model's processor makes a square only of a square picture.
        """
        vision = self._shape.vision
        tiles = {"do_image_splitting": False} if self._shape.kind == "smolvlm" else {}
        found = self._processor(rgb, return_tensors="np", **tiles)["pixel_values"]
        if vision.flat_patches:
            cut = found[0].reshape(vision.grid, vision.grid, vision.patch, vision.patch, 3)
            return np.asarray(cut.transpose(4, 0, 2, 1, 3).reshape(1, 3, vision.side, vision.side))
        return np.asarray(found.reshape(-1, 3, vision.side, vision.side)[:1], np.float32)


class Original:
    """One checkpoint. Raises ConvertError where PyTorch is missing or refuses the checkpoint."""

    def __init__(self, root: Path, shape: ModelShape) -> None:
        transformers = _transformers()
        import torch

        self._torch: Any = torch
        self._shape = shape
        loader = transformers.AutoModelForImageTextToText if shape.decoder else transformers.AutoModel
        logging.getLogger("transformers").setLevel(logging.ERROR)
        try:
            self._model = loader.from_pretrained(
                str(root), dtype=torch.float32, attn_implementation="eager", local_files_only=True
            ).eval()
        except Exception as error:
            raise ConvertError(_refused(root, error)) from error

    def rows(self, pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        """[1, 3, side, side] -> [tokens, width]: the decoder's input rows for one picture."""
        with self._no_gradients():
            tensor = self._torch.from_numpy(pixels)
            if self._shape.kind == "smolvlm":
                found = self._model.model.get_image_features(tensor[None]).pooler_output[0]
            elif self._shape.kind == "llava-onevision":
                # The model splits a single picture into tiles, but not the pictures of a prompt with two.
                side = self._shape.vision.side
                found = self._model.model.get_image_features(
                    self._torch.stack([tensor, tensor]), self._torch.tensor([[side, side]] * 2),
                    batch_num_images=self._torch.tensor([2]),
                ).pooler_output[0]  # fmt: skip
            else:
                model = getattr(self._model, "vision_model", self._model)
                found = model(**self._pixels(tensor)).last_hidden_state[0]
        return np.asarray(found.numpy(), np.float32)

    def states(self, pixels: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Rows [patches, width] before the encoder's first layer and after each layer."""
        encoder = self._vision().encoder
        seen: list[Any] = []
        hooks = [
            layer.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
            for layer in encoder.layers
        ]
        hooks.append(encoder.layers[self._shape.vision.layers - 1].register_forward_hook(
            lambda _, __, result: seen.append(result[0] if isinstance(result, tuple) else result)
        ))  # fmt: skip
        try:
            self.rows(pixels)
        finally:
            for hook in hooks:
                hook.remove()
        return [state[0].numpy() for state in seen[: self._shape.vision.layers + 1]]

    def pooled(self, state: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rows [patches, width] after any layer -> [1, width]: the head's embedding of them, of length one.
        At full depth it is the picture's.
        """
        vision = self._vision()
        with self._no_gradients():
            found = vision.head(vision.post_layernorm(self._torch.from_numpy(state)[None]))
        return _unit_length(found.numpy())

    def sentence(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """[1, values]: the embedding of a padded sentence, of length one."""
        with self._no_gradients():
            found = self._model.text_model(input_ids=self._torch.tensor([list(ids)])).pooler_output
        return _unit_length(found.numpy())

    def _vision(self) -> Any:
        vision = self._model.model if self._shape.decoder else self._model
        vision = getattr(vision, "vision_tower", getattr(vision, "vision_model", vision))
        return getattr(vision, "vision_model", vision)

    def _pixels(self, pixels: Any) -> dict[str, Any]:
        """The encoder's arguments: a picture, or its patches with their places (NaFlex)."""
        vision = self._shape.vision
        if not vision.flat_patches:
            return {"pixel_values": pixels}
        cut = pixels.reshape(1, 3, vision.grid, vision.patch, vision.grid, vision.patch)
        patches = cut.permute(0, 2, 4, 3, 5, 1).reshape(1, vision.grid**2, -1)
        return {
            "pixel_values": patches,
            "pixel_attention_mask": self._torch.ones(1, vision.grid**2, dtype=self._torch.int32),
            "spatial_shapes": self._torch.tensor([[vision.grid, vision.grid]]),
        }

    def logits(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """[n, vocabulary]: the logits after each token."""
        with self._no_gradients():
            found = self._model(input_ids=self._torch.tensor([list(ids)]), use_cache=False).logits[0]
        return np.asarray(found.numpy(), np.float32)

    def answer(
        self, pixels: NDArray[np.float32], before: Sequence[int], after: Sequence[int]
    ) -> NDArray[np.float32]:
        """[vocabulary]: the logits after text, a picture and text."""
        with self._no_gradients():
            embed = self._model.get_input_embeddings()
            parts = [embed(self._torch.tensor(list(ids), dtype=self._torch.long)) for ids in (before, after)]
            whole = self._torch.cat([parts[0], self._torch.from_numpy(self.rows(pixels)), parts[1]])
            parent = self._model.model
            text = parent.language_model if hasattr(parent, "language_model") else parent.text_model
            last = text(inputs_embeds=whole[None], use_cache=False).last_hidden_state[0, -1]
            found = self._model.lm_head(last)
        return np.asarray(found.numpy(), np.float32)

    def _no_gradients(self) -> contextlib.AbstractContextManager[Any]:
        return self._torch.inference_mode()  # type: ignore[no-any-return]


def _unit_length(x: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True), np.float32)


def _transformers() -> Any:
    """The library, quiet. Raises ConvertError where it or PyTorch is missing."""
    try:
        import torch  # noqa: F401 - transformers without it has no models
        import transformers
    except ImportError as error:
        raise ConvertError(
            f"The conversion is compared with the original, which needs {error.name}: `just convert` "
            "brings it, and --unchecked goes without."
        ) from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def _refused(root: Path, error: Exception) -> str:
    return f"transformers can't load {root}: {str(error).strip().splitlines()[0]}"
