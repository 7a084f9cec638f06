"""The network for closed questions in NumPy, from its description, for one question of t words and n rows."""

from __future__ import annotations

from math import erf

import numpy as np
from numpy.typing import NDArray

from models.convert.reflex.graph import ReflexWeights

Array = NDArray[np.float64]


def softmax(x: Array) -> Array:
    shares: Array = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


class Reference:
    def __init__(self, weights: ReflexWeights) -> None:
        self.shape = weights.shape
        self.w = {name: np.asarray(array, np.float64) for name, array in weights.arrays.items()}

    def linear(self, name: str, x: Array) -> Array:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def norm(self, name: str, x: Array) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return scaled * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    def mlp(self, name: str, x: Array) -> Array:
        up = self.linear(f"{name}.up", self.norm(f"{name}.norm", x))
        return x + self.linear(f"{name}.down", gelu(up))

    def attend(self, query: Array, key: Array, value: Array) -> tuple[Array, Array]:
        depth = self.shape.width // self.shape.heads
        mixed, maps = [], []
        for head in range(self.shape.heads):
            part = slice(head * depth, (head + 1) * depth)
            maps.append(softmax(query[:, part] @ key[:, part].T / np.sqrt(depth)))
            mixed.append(maps[-1] @ value[:, part])
        return np.concatenate(mixed, 1), np.stack(maps)

    def own(self, name: str, x: Array) -> Array:
        mixed, _ = self.attend(*np.split(self.linear(f"{name}.qkv", self.norm(f"{name}.norm", x)), 3, 1))
        return x + self.linear(f"{name}.out", mixed)

    def cross(self, name: str, x: Array, source: Array) -> tuple[Array, Array]:
        query = self.linear(f"{name}.query", self.norm(f"{name}.norm", x))
        both = self.linear(f"{name}.key_value", self.norm(f"{name}.source_norm", source))
        mixed, maps = self.attend(query, *np.split(both, 2, 1))
        return x + self.linear(f"{name}.out", mixed), maps

    def pool(self, x: Array, scores: Array) -> Array:
        depth = self.shape.width // self.shape.heads
        shares = softmax(scores.T)
        return np.concatenate(
            [shares[head] @ x[:, head * depth : (head + 1) * depth] for head in range(self.shape.heads)]
        )

    def front(self, words: list[int], rows: Array) -> dict[str, Array]:
        x = self.w["words.embed.weight"][words] + self.w["words.place"][: len(words)]
        for block in range(self.shape.blocks):
            x = self.mlp(f"words.blocks.{block}.mlp", self.own(f"words.blocks.{block}.own", x))
        x = self.norm("words.norm", x)
        image = self.norm("image.norm", self.linear("image.project", rows))
        asked = self.pool(x, self.linear("answerable.pool_words", x))
        ask = self.linear("answerable.ask", asked).reshape(self.shape.heads, -1)
        parts = image.reshape(len(image), self.shape.heads, -1)
        match = np.einsum("nhd,hd->nh", parts, ask) / np.sqrt(ask.shape[1])
        seen = self.pool(image, self.linear("answerable.pool_image", image) + match)
        product = np.maximum(self.linear("answerable.words", asked), 0) * np.maximum(
            self.linear("answerable.image", seen), 0
        )
        answerable = 1 / (1 + np.exp(-self.linear("answerable.answerable", product)))
        causes = softmax(self.linear("answerable.causes", product))
        return {"words_out": x, "image": image, "answerable": answerable, "causes": causes}

    def layer(self, number: int, words: Array, image: Array) -> dict[str, Array]:
        name, before, shape = f"layers.{number - 1}", f"layers.{number - 2}", self.shape
        if number > 1:
            image = self.mlp(f"{before}.image", self.cross(f"{before}.read", image, words)[0])
        words, maps = self.cross(f"{name}.look", self.own(f"{name}.own", words), image)
        words = self.mlp(f"{name}.words", words)
        made = {"words_out": words}
        if number < shape.layers:
            made["image_out"] = image
        made["saliency"] = maps.mean(0).sum(0)
        made["entropy"] = -(maps * np.log(maps)).sum(2).mean(1) / np.log(len(image))
        normed = self.norm(f"{name}.head.norm", words)
        pooled = self.pool(normed, self.linear(f"{name}.head.pool", normed))
        logits = self.linear(f"{name}.head.answers", gelu(self.linear(f"{name}.head.hidden", pooled)))
        made["answers"] = logits
        parts = [softmax(part) for part in np.split(logits, np.cumsum(shape.groups)[:-1])]
        whole = [
            parts[0][form] * np.prod([parts[1 + blank].max() for blank in blanks])
            for form, blanks in enumerate(shape.blanks_of_form)
        ]
        likeliest = min(max(max(whole), 1e-4), 1 - 1e-4)
        odds = [np.log(likeliest) - np.log(1 - likeliest)]
        features = np.concatenate([made["entropy"], *parts, whole, odds])
        made["score"] = 1 / (1 + np.exp(-self.linear(f"{name}.score", features)))
        return made


def gelu(x: Array) -> Array:
    return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))
