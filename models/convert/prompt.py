"""Turns a checkpoint's chat template into the fixed texts of a pack's prompts.

The template writes conversations with known words in them; the texts around the words are the pieces. Further
conversations have to come out the same by the pieces as by the template, or the template is refused. The text
around a picture's rows stands in no file: Idefics3's and SmolVLM's processors write it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from models.convert.checkpoint.chat_template import ChatTemplate, Message
from models.convert.checkpoint.folder import ConvertError, read_json, reading
from models.convert.checkpoint.shapes import ModelShape

HISTORY_TOKENS = 160
_AROUND = {
    "smolvlm": ("<fake_token_around_image><global-img>", "<fake_token_around_image>"),
    "llava-onevision": ("", ""),
}
"""Text before and after the rows of one picture without tiles."""
_WORDS = ("Firstword", "Secondword", "Thirdword")
_TRIED = (
    "what colour is the ball?",
    "are there 12 keys,  or 7?\nLook: «über dem Tisch» 🙂",
    "it's a mug {here}",
)
Turns = Sequence[tuple[str, str]]


class _NoPieces(Exception):
    """What the template writes is not made of fixed pieces."""


@dataclass(frozen=True)
class Prompts:
    """The settings of the decoder's brick of the same names."""

    before_images: str
    between_images: str
    prompt: str
    turn: str
    text_prompt: str
    unicode_form: str = ""
    history_tokens: int = HISTORY_TOKENS

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Prompts:
        """Those of a manifest."""
        names = (field.name for field in fields(cls) if field.name != "history_tokens")
        texts = {name: str(settings.get(name, "")) for name in names}
        return cls(**texts, history_tokens=int(settings.get("history_tokens", 0)))

    def settings(self) -> dict[str, Any]:
        """As a manifest has them."""
        return asdict(self)

    def parts(self, pictures: int, turns: Turns, question: str) -> list[str]:
        """The texts before, between and after the pictures of a conversation; one text without a picture."""
        told = "".join(
            self.turn.replace("{question}", asked).replace("{answer}", said) for asked, said in turns
        )
        prompt = self.prompt if pictures else self.text_prompt
        last = prompt.replace("{history}", told).replace("{question}", question)
        return [self.before_images, *[self.between_images] * (pictures - 1), last] if pictures else [last]


def conversation(pictures: int, turns: Turns, question: str) -> list[Message]:
    """Messages with the pictures in the first question, and a question to be answered last."""
    asked, said = [*(q for q, _ in turns), question], [a for _, a in turns]
    messages: list[Message] = []
    for number, text in enumerate(asked):
        images = [{"type": "image"}] * (pictures if number == 0 else 0)
        messages.append({"role": "user", "content": [*images, {"type": "text", "text": text}]})
        if number < len(said):
            messages.append({"role": "assistant", "content": [{"type": "text", "text": said[number]}]})
    return messages


def read_prompts(root: Path, shape: ModelShape) -> Prompts:
    """Raises ConvertError for a checkpoint without a template, and for a template that isn't made of fixed
    pieces.
    """
    template = ChatTemplate(root)
    writer = _Writer(template, root, shape)
    try:
        found = _pieces(writer)
        for pictures in range(4):
            for turns in ((), ((_TRIED[1], _TRIED[2]),), ((_TRIED[0], "a 3"), (_TRIED[2], _TRIED[1]))):
                for question in _TRIED:
                    if found.parts(pictures, turns, question) != writer.parts(pictures, turns, question):
                        raise _NoPieces
    except _NoPieces as error:
        raise ConvertError(
            f"The chat template in {root} doesn't write fixed texts around pictures, questions and answers, "
            "of which a pack's prompt is made."
        ) from error
    return replace(found, unicode_form=_unicode_form(root))


class _Writer:
    """Conversations by the template, cut at the rows of their pictures."""

    def __init__(self, template: ChatTemplate, root: Path, shape: ModelShape) -> None:
        self._template = template
        stored = read_json(root / "tokenizer.json", "holds the vocabulary")
        self._around = _AROUND[shape.kind]
        with reading(root / "tokenizer.json"):
            added = {entry.get("id"): entry.get("content") for entry in stored.get("added_tokens") or ()}
            self._image = str(added.get(shape.image_token, "<image>"))
            self._leading = _leading(stored.get("post_processor") or {}, root)

    def parts(self, pictures: int, turns: Turns, question: str) -> list[str]:
        """As `Prompts.parts`. Raises _NoPieces where another number of pictures is in it."""
        text = self._template.write(conversation(pictures, turns, question))
        if not text.startswith(self._template.special.get("bos_token", "\0")):
            text = self._leading + text
        before, after = self._around
        parts = text.replace(self._image, f"{before}{self._image}{after}").split(self._image)
        if len(parts) != pictures + 1:
            raise _NoPieces
        return parts


def _pieces(writer: _Writer) -> Prompts:
    first, said, second = _WORDS
    (alone,) = writer.parts(0, (), first)
    head, tail = _cut(alone, first)
    before, last = writer.parts(1, (), first)
    after, _ = _cut(last, first)
    between = writer.parts(2, (), first)[1]
    _, whole = writer.parts(1, ((first, said),), second)
    _, answering, asking, _ = _cut(whole, first, said, second)
    return Prompts(
        before, between, f"{after}{{history}}{{question}}{tail}",
        f"{{question}}{answering}{{answer}}{asking}", f"{head}{{history}}{{question}}{tail}",
    )  # fmt: skip


def _cut(text: str, *words: str) -> list[str]:
    """The texts around words that are each in it once, in this order."""
    parts = []
    for word in words:
        part, found, text = text.partition(word)
        if not found or word in text:
            raise _NoPieces
        parts.append(part)
    return [*parts, text]


def _leading(post: Mapping[str, Any], root: Path) -> str:
    """The special tokens that the tokenizer puts before a text. Raises ConvertError for any after it."""
    steps = post.get("processors") or [post]
    found = ""
    for step in steps:
        if step.get("type") != "TemplateProcessing":
            continue
        before, after = "", ""
        for entry in step.get("single") or ():
            if "Sequence" in entry:
                before, after = after, ""
            else:
                after += str(entry["SpecialToken"]["id"])
        if after:
            raise ConvertError(
                f"{root / 'tokenizer.json'} puts {after!r} after every text, which a prompt can't have."
            )
        found = before
    return found


def _unicode_form(root: Path) -> str:
    """The normalisation in tokenizer.json, "" for none. Raises ConvertError for any but Unicode's forms."""
    with reading(root / "tokenizer.json"):
        told = read_json(root / "tokenizer.json", "holds the vocabulary").get("normalizer") or {}
        form = str(told.get("type", ""))
    if form not in ("", "NFC", "NFD", "NFKC", "NFKD"):
        raise ConvertError(
            f"{root / 'tokenizer.json'} normalises texts by {form!r}; Unicode's forms are known."
        )
    return form
