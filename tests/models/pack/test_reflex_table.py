"""A pack's table for the reflex brick: what is checked before anything is loaded, and what is told of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from host.cli.main import main as command
from host.doctor.pack_checks import pack_finding
from models.install.unusable_files import unusable_files
from models.pack.abilities import abilities
from models.pack.catalogue import PackError, load_pack, main
from models.pack.manifest import read_manifest
from models.process.rows_ring import slot_values
from tests.models.bricks.chain_graphs import ChainShape
from tests.models.bricks.reflex_pack import ReflexParts, write_reflex_pack


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))


def test_a_pack_with_a_reflex_brick_says_so(tmp_path: Path) -> None:
    folder = write_reflex_pack(tmp_path / "pack")
    assert "reflex yes" in abilities(read_manifest(folder)).line()
    pack = load_pack(folder)
    reflex = pack.bricks["reflex"]
    assert reflex.module == "models.bricks.reflex" and reflex.memory_mib == 20
    assert {Path(reflex.options[f"layer_{number}"]).name for number in (1, 2, 3)} == {
        "layer_1.onnx", "layer_2.onnx", "layer_3.onnx"
    }  # fmt: skip
    assert reflex.options["caution"] == {"low": 0.2, "normal": 0.5, "high": 0.9}
    assert slot_values(pack) == 16 * 16, "it reads the rows from the ring, without a decoder too"
    assert main(["verify", str(folder)]) == 0


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (ReflexParts(files={"layer_2": None}), r"brick 'reflex': files lacks 'layer_2' in pack.toml\.$"),
        (
            ReflexParts(files={"layer_4": "reflex/layer_3.onnx"}),
            r"unknown file 'layer_4' in pack.toml; it reads words, answers, front, layer_1, .*, layer_3\.$",
        ),
        (ReflexParts(files={"answers": None}), r"brick 'reflex': files lacks 'answers' in pack.toml\.$"),
        (
            ReflexParts(files={"front": "reflex/words.json"}),
            r"the file 'front' has to be a .onnx file, not reflex/words.json\.$",
        ),
        (
            ReflexParts(settings={"width": "24"}),
            r"reads rows of \[16, 24\], and the vision brick gives \[16, 16\] in pack.toml\.$",
        ),
        (ReflexParts(settings={"tokens": "64"}), r"reads rows of \[64, 16\], and the vision brick gives"),
        (
            ReflexParts(settings={"encoder": '"00000000000000ab"'}),
            r"trained on the rows of the encoder 00000000000000ab, and this pack's is [0-9a-f]{16}\.$",
        ),
        (ReflexParts(settings={"encoder": '"micro"'}), r"encoder"),
        (ReflexParts(settings={"keep": "0"}), r"keep"),
        (ReflexParts(settings={"layers": "0"}), r"layers"),
        (ReflexParts(settings={"exit_score": "1.5"}), r"exit_score"),
        (
            ReflexParts(settings={"caution": "{ low = 0.6, normal = 0.5, high = 0.9 }"}),
            r"low may not be above normal, nor normal above high",
        ),
        (ReflexParts(settings={"caution": "{ low = 0.6 }"}), r"lacks the key normal"),
    ],
)
def test_a_table_that_cannot_be_used_is_one_sentence(
    tmp_path: Path, parts: ReflexParts, sentence: str
) -> None:
    with pytest.raises(PackError, match=sentence) as caught:
        load_pack(write_reflex_pack(tmp_path / "pack", parts))
    assert "\n" not in str(caught.value)


def test_the_rows_of_the_encoder_it_was_trained_on_are_taken(tmp_path: Path) -> None:
    identity = load_pack(write_reflex_pack(tmp_path / "pack")).bricks["vision"].options["encoder"]
    digits = identity.rpartition(" ")[2]
    parts = ReflexParts(settings={"encoder": f'"{digits}"'})
    assert (
        load_pack(write_reflex_pack(tmp_path / "copy", parts)).bricks["reflex"].options["encoder"] == digits
    )
    with pytest.raises(PackError, match=f"trained on the rows of the encoder {digits}, and this pack's is"):
        load_pack(write_reflex_pack(tmp_path / "other", parts, ChainShape(hidden=64)))


def test_without_an_eye_or_with_another_runtime_it_is_no_pack(tmp_path: Path) -> None:
    manifest = write_reflex_pack(tmp_path / "pack") / "pack.toml"
    text = manifest.read_text()
    blind = text.replace("[brick.vision]", "[brick.vision_]").replace("[brick.vision.", "[brick.vision_.")
    assert blind != text
    start, end = text.index("[brick.vision]"), text.index("[brick.text]")
    manifest.write_text(text[:start] + text[end:])
    with pytest.raises(PackError, match=r"reads the rows of a vision brick, and pack.toml has none\.$"):
        load_pack(manifest.parent)
    table = text.index("[brick.reflex]")
    other = '[brick.reflex]\nruntime = "onnxruntime-text"\nmemory_mib = 1\n'
    other += 'files = { model = "text.onnx", words = "text.json" }\n'
    manifest.write_text(text[:table] + other + text[text.index('\n[[file]]\npath = "reflex/') :])
    with pytest.raises(PackError, match=r"its runtime has to be onnxruntime-reflex in pack.toml\.$"):
        load_pack(manifest.parent)


def test_a_pack_that_answers_no_questions_is_broken_to_the_doctor(tmp_path: Path) -> None:
    finding = asyncio.run(pack_finding(write_reflex_pack(tmp_path / "pack")))
    assert finding.health == "broken"
    assert finding.says.startswith("Pack 'cut' has no ears (stt) and no decoder (llm) and no voice (tts), so")


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({"temperature": None}, "a part is missing or of another kind ('temperature')"),
        ({"temperature": 0}, "the temperature has to be a number above zero"),
        ({"temperature": float("inf")}, "the temperature has to be a number above zero"),
        (
            {"temperature": 10**400},
            "it has what cannot be held (int too large to convert to float)",
        ),
        ({"forms": ["Yes."]}, "the first form and the first cause have to be empty"),
        ({"blanks": {"number": ["two"]}}, "the form 'It is {colour}.' has a blank 'colour' without values"),
        (
            {"blanks": {"colour": ["red"], "number": []}, "forms": ["", "It is {colour}."]},
            "the blank 'number' has no values",
        ),
        (
            {"blanks": {"number": ["two"]}, "forms": ["", "{many:number:number:number}"]},
            "the form '{many:number:number:number}' has an unknown part 'many:number:number:number'",
        ),
        ({"advice": {"fog": "Wait."}}, "there is advice for the unknown cause 'fog'"),
    ],
)
def test_answers_that_cannot_be_used_are_one_sentence_of_verify_and_doctor(
    tmp_path: Path, answers: dict[str, object], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_reflex_pack(tmp_path / "pack", ReflexParts(answers=answers))
    told = f"The answers {folder}/reflex/answers.json can't be used: {sentence}"
    assert unusable_files(read_manifest(folder)) == {"reflex/answers.json": f"{told}."}
    finding = asyncio.run(pack_finding(folder))
    assert (finding.health, finding.says) == ("broken", f"Pack 'cut': {told}.")
    assert command(["models", "verify", str(folder)]) == 1
    assert f"pack 'cut': {told}; " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"length": 25}, "its length has to be 1 to 24 words"),
        ({"words": ["", "?", "a"], "asked": [10**400] * 3}, "too large"),
        ({"length": None}, "it lacks 'length'"),
        ({"words": ["", 3, "a"]}, "it has no list of words"),
        ({"kind": "unigram", "words": None}, "it lacks 'words'"),
    ],
)
def test_words_that_cannot_be_used_are_told(tmp_path: Path, words: dict[str, object], sentence: str) -> None:
    folder = write_reflex_pack(tmp_path / "pack", ReflexParts(words=words))
    assert sentence in unusable_files(read_manifest(folder))["reflex/words.json"]
    finding = asyncio.run(pack_finding(folder))
    assert finding.health == "broken" and sentence in finding.says
