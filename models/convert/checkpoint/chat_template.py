"""Reads a checkpoint's chat template and writes conversations with it, as `transformers` does.

A chat template is a program in Jinja, which only the conversion runs; a pack has the fixed texts that come of
it (`models.convert.prompt`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from models.convert.checkpoint.folder import ConvertError, read_json

Message = Mapping[str, Any]
"""`role`, and `content`: a list of {"type": "image"} and {"type": "text", "text": ...}."""
_PURPOSE = "may hold the chat template"
_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class ChatTemplate:
    """The template of a checkpoint. Raises ConvertError where there is none, and where it is no template."""

    def __init__(self, root: Path) -> None:
        text = find_template(root)
        if text is None:
            raise ConvertError(
                f"{root} has no chat template (chat_template.json or .jinja, or in tokenizer_config.json), "
                "which says how pictures and questions are put to the model."
            )
        self._root = root
        self.special = _special_tokens(root)
        self._template = _compiled(root, text)

    def write(self, messages: Sequence[Message]) -> str:
        """The conversation as text, up to where the model's next answer begins."""
        try:
            return str(self._template.render(messages=messages, add_generation_prompt=True, **self.special))
        except Exception as error:  # a template raises whatever its program does
            raise ConvertError(
                f"The chat template in {self._root} can't be used: {_first_line(error)}"
            ) from error


def find_template(root: Path) -> str | None:
    """The template's text, from the first of the files in which `transformers` looks; None for none."""
    for name in ("processor_config.json", "chat_template.json"):
        if (root / name).is_file() and (text := _default(read_json(root / name, _PURPOSE))):
            return text
    raw = root / "chat_template.jinja"
    if raw.is_file():
        try:
            return raw.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ConvertError(f"{raw} can't be read: {error}.") from error
    path = root / "tokenizer_config.json"
    return _default(read_json(path, _PURPOSE)) if path.is_file() else None


def _default(told: Mapping[str, Any]) -> str | None:
    """The template named "default" where there are several."""
    found = told.get("chat_template")
    if isinstance(found, list):
        found = {entry.get("name"): entry.get("template") for entry in found if isinstance(entry, Mapping)}
    if isinstance(found, Mapping):
        found = found.get("default")
    return found if isinstance(found, str) and found else None


def _special_tokens(root: Path) -> dict[str, str]:
    path = root / "tokenizer_config.json"
    told = read_json(path, "names the special tokens") if path.is_file() else {}
    found = {}
    for key in _SPECIAL:
        entry = told.get(key)
        text = entry.get("content") if isinstance(entry, Mapping) else entry
        if isinstance(text, str):
            found[key] = text
    return found


def _compiled(root: Path, text: str) -> Any:
    """The template in the environment that `transformers` gives one, without the date."""
    try:
        from jinja2 import TemplateError, nodes
        from jinja2.ext import Extension, loopcontrols
        from jinja2.parser import Parser
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError as error:
        raise ConvertError("Chat templates need jinja2, which `just convert` brings.") from error

    class Generation(Extension):
        """The block `generation`, which marks what the model writes: its contents as they are."""

        tags = {"generation"}  # noqa: RUF012 - Jinja's own way

        def parse(self, parser: Parser) -> list[nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def refuse(message: str) -> None:
        raise TemplateError(message)

    def no_date(_: str) -> None:
        raise TemplateError("it asks for the date, and a pack's prompt is fixed text")

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = lambda value, **how: json.dumps(value, **{"ensure_ascii": False, **how})
    environment.globals |= {"raise_exception": refuse, "strftime_now": no_date}
    try:
        return environment.from_string(text)
    except TemplateError as error:
        raise ConvertError(
            f"The chat template in {root} is no Jinja template: {_first_line(error)}"
        ) from error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
