"""A checkpoint's chat template becomes the fixed texts of a pack's prompts, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gguf", reason="gguf is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

from models.convert.checkpoint.folder import ConvertError
from models.convert.checkpoint.shapes import model_shape
from models.convert.prompt import Prompts, read_prompts
from models.pack.catalogue import PACKS_FOLDER
from models.pack.manifest import read_manifest
from tests.models.convert.checkpoints import CHAT_TEMPLATES, config, write_tokenizer

AROUND = "<fake_token_around_image>"


def read(root: Path, kind: Any = "smolvlm", template: Any = None, **files: Any) -> Prompts:
    write_tokenizer(root, kind)
    told = {"chat_template.json": {"chat_template": template or CHAT_TEMPLATES[kind]}, **files}
    for name, data in told.items():
        (root / name).write_text(data if isinstance(data, str) else json.dumps(data))
    return read_prompts(root, model_shape(config(kind)))


@pytest.mark.parametrize(
    ("kind", "pack"), [("smolvlm", "standard"), ("smolvlm", "fast"), ("llava-onevision", "paper")]
)
def test_the_templates_of_the_named_packs_give_their_prompts(tmp_path: Path, kind: str, pack: str):
    shipped = read_manifest(PACKS_FOLDER / pack).bricks["llm"]["settings"]
    assert Prompts.of(shipped) == read(tmp_path, kind)


def test_a_conversation_with_pictures_and_one_without(tmp_path: Path):
    prompts = read(tmp_path)
    assert prompts.parts(2, [("where is it", "Here.")], "and now?") == [
        f"<|im_start|>User:{AROUND}<global-img>",
        f"{AROUND}{AROUND}<global-img>",
        f"{AROUND}where is it<end_of_utterance>\nAssistant: Here.<end_of_utterance>\n"
        "User: and now?<end_of_utterance>\nAssistant:",
    ]
    assert prompts.parts(0, [], "who are you?") == [
        "<|im_start|>User: who are you?<end_of_utterance>\nAssistant:"
    ]


def test_a_template_of_another_checkpoint_has_its_own_words(tmp_path: Path):
    """Idefics3-8B begins with another token and has no `<|im_start|>`; others have a system's message."""
    idefics3 = CHAT_TEMPLATES["smolvlm"].replace("<|im_start|>", "{{ bos_token }}")
    told: dict[str, Any] = {
        "tokenizer_config.json": {"bos_token": {"content": "<|begin|>"}, "eos_token": "<|end|>"}
    }
    assert read(tmp_path, template=idefics3, **told).before_images.startswith("<|begin|>User:<fake")
    system = "{% if messages[0]['role'] != 'system' %}System: Be brief.\n{% endif %}"
    found = read(tmp_path, template=system + CHAT_TEMPLATES["smolvlm"])
    assert found.text_prompt.startswith("System: Be brief.\n<|im_start|>User: {history}{question}")


def test_what_the_tokenizer_puts_before_every_text_is_in_the_prompt(tmp_path: Path):
    bare = CHAT_TEMPLATES["smolvlm"].replace("<|im_start|>", "")

    def stored(*single: dict[str, Any]) -> str:
        write_tokenizer(tmp_path, "smolvlm")
        data = json.loads((tmp_path / "tokenizer.json").read_text())
        steps = [{"type": "ByteLevel"}, {"type": "TemplateProcessing", "single": list(single)}]
        return json.dumps({**data, "post_processor": {"type": "Sequence", "processors": steps}})

    begin, whole = {"SpecialToken": {"id": "<|im_start|>"}}, {"Sequence": {"id": "A"}}
    found = read(tmp_path, template=bare, **{"tokenizer.json": stored(begin, whole)})
    assert found == read(tmp_path, **{"tokenizer.json": stored(whole)})
    with pytest.raises(ConvertError, match=r"puts '<\|im_start\|>' after every text"):
        read(tmp_path, **{"tokenizer.json": stored(whole, begin)})


@pytest.mark.parametrize("place", ["chat_template.jinja", "tokenizer_config.json", "processor_config.json"])
def test_the_template_is_found_where_a_checkpoint_has_it(tmp_path: Path, place: str):
    template = CHAT_TEMPLATES["smolvlm"]
    several = [{"name": "other", "template": "no"}, {"name": "default", "template": template}]
    data: Any = template if place.endswith("jinja") else {"chat_template": several}
    assert read(tmp_path, **{"chat_template.json": {}, place: data}) == read(tmp_path)


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("{% for x in messages %}", "is no Jinja template"),
        ("{{ raise_exception('only tools') }}", "can't be used: only tools"),
        ("{{ strftime_now('%d') }}" + CHAT_TEMPLATES["smolvlm"], "asks for the date"),
        ("{{ messages.clear() }}" + CHAT_TEMPLATES["smolvlm"], "can't be used"),
        ("nothing", "doesn't write fixed texts"),
        ("{{ messages | length }}" + CHAT_TEMPLATES["smolvlm"], "doesn't write fixed texts"),
        (CHAT_TEMPLATES["smolvlm"].replace("part['text'] }}", "part['text'] | upper }}"), "fixed texts"),
        (CHAT_TEMPLATES["smolvlm"].replace("<image>", ""), "doesn't write fixed texts"),
    ],
)
def test_a_template_that_is_not_of_fixed_pieces_is_refused_in_one_sentence(
    tmp_path: Path, template: str, sentence: str
):
    with pytest.raises(ConvertError, match=sentence) as caught:
        read(tmp_path, template=template)
    assert "\n" not in str(caught.value)


def test_a_normalisation_that_is_none_of_unicodes_is_refused(tmp_path: Path):
    write_tokenizer(tmp_path, "smolvlm")
    stored = json.loads((tmp_path / "tokenizer.json").read_text())
    lower = json.dumps({**stored, "normalizer": {"type": "Lowercase"}})
    with pytest.raises(ConvertError, match="normalises texts by 'Lowercase'"):
        read(tmp_path, **{"tokenizer.json": lower})


def test_a_checkpoint_without_a_template_is_no_guess(tmp_path: Path):
    with pytest.raises(ConvertError, match="has no chat template"):
        read(tmp_path, **{"chat_template.json": {}})
