"""A pack whose encoder is a chain of graphs: its shape, its identity, and a sentence for each hole."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.brick import Placement
from models.pack.catalogue import PackError, load_pack, seal
from models.pack.chain import chain_of
from models.pack.npu_fit import Npu

KEYS = ("stem", "group_01", "group_02", "group_03", "exit_01", "exit_03", "rows")
SETTINGS = (
    "tokens = 16\nwidth = 24\nactivation_tokens = 64\nside_px = 96\ngroups = [1, 2, 1]\nembedding = 8\n"
)
BOARD = Npu("rk3566", True, "0.9.8", True, "2.5.0", True)


def write(
    folder: Path, keys: tuple[str, ...] = KEYS, settings: str = SETTINGS, more: str = "", npu: str = ""
) -> Path:
    """A sealed pack with a chain of these keys, and the text tower; `more`: further files of the chain."""
    folder.mkdir(exist_ok=True)
    files = [f"{key}.onnx" for key in keys] + ["text.onnx", "text.json", "rk.rknn"]
    files += [f"{key}.rknn" for key in keys]
    for name in files:
        (folder / name).write_bytes(name.encode())
    listed = "".join(f'[[file]]\npath = "{name}"\n' for name in files)
    chain = ", ".join([f'{key} = "{key}.onnx"' for key in keys] + ([more] if more else []))
    (folder / "pack.toml").write_text(
        f'name = "cut"\nversion = "2"\n{listed}[brick.vision]\nruntime = "onnxruntime"\nmemory_mib = 9\n'
        f"files = {{ {chain} }}\n[brick.vision.settings]\n{settings}{npu}"
        '[brick.text]\nruntime = "onnxruntime-text"\nmemory_mib = 5\n'
        'files = { model = "text.onnx", words = "text.json" }\n'
    )
    seal(folder)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seals of verified files are kept in the test's folder."""
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))


def test_a_chain_tells_its_depths_exits_and_shapes(tmp_path: Path) -> None:
    bricks = load_pack(write(tmp_path / "cut")).bricks
    options = bricks["vision"].options
    chain = chain_of(options)
    assert chain is not None
    assert (chain.depth, chain.depths, chain.exit_depths) == (4, (0, 1, 3, 4), (1, 4))
    assert (chain.tokens, chain.width, chain.activation) == (16, 24, (64, 24))
    assert chain.keys == ("stem", "group_01", "group_02", "group_03", "rows", "exit_01", "exit_03")
    assert options["group_02"] == str(tmp_path / "cut" / "group_02.onnx")
    assert bricks["text"].module == "models.bricks.text"
    assert bricks["text"].options["encoder"] == options["encoder"]
    assert (bricks["text"].options["embedding"], bricks["text"].options["depth"]) == (8, 4)


def test_the_identity_is_that_of_the_pack_its_version_and_every_file(tmp_path: Path) -> None:
    folder = write(tmp_path / "cut")
    first = load_pack(folder).bricks["vision"].options["encoder"]
    assert first.startswith("cut 2 ")
    assert load_pack(write(tmp_path / "cut")).bricks["vision"].options["encoder"] == first
    seen = {first}
    for key in KEYS:
        write(folder)
        (folder / f"{key}.onnx").write_bytes(b"trained again")
        seal(folder)
        seen.add(load_pack(folder).bricks["vision"].options["encoder"])
    assert len(seen) == 1 + len(KEYS)


def test_a_predictor_of_exits_is_a_file_of_the_chain_and_no_part_of_its_identity(tmp_path: Path) -> None:
    without = load_pack(write(tmp_path / "cut")).bricks["vision"].options
    more = 'predictor = "text.json"'
    options = load_pack(write(tmp_path / "cut", more=more)).bricks["vision"].options
    assert options["encoder"] == without["encoder"]
    assert options["predictor"] == str(tmp_path / "cut" / "text.json")
    with pytest.raises(PackError, match=r"has to be a \.json file"):
        load_pack(write(tmp_path / "cut", more='predictor = "text.onnx"'))
    with pytest.raises(PackError, match="no exits to choose between"):
        load_pack(
            write(tmp_path / "cut", keys=("stem", "group_01", "group_02", "group_03", "rows"), more=more)
        )


def test_the_exit_at_which_views_are_remembered_has_to_be_one(tmp_path: Path) -> None:
    found = load_pack(write(tmp_path / "cut", settings=SETTINGS + "remember_depth = 4\n"))
    assert found.bricks["vision"].options["remember_depth"] == 4
    with pytest.raises(PackError, match="no exit after remember_depth, 3 blocks"):
        load_pack(write(tmp_path / "cut", settings=SETTINGS + "remember_depth = 3\n"))


HOLES = {
    "no stem": ({"keys": KEYS[1:]}, "chain of 3 groups lacks 'stem' in files"),
    "no rows": ({"keys": KEYS[:-1]}, "chain of 3 groups lacks 'rows' in files"),
    "no second group": ({"keys": KEYS[:2] + KEYS[3:]}, "chain of 3 groups lacks 'group_02' in files"),
    "a group too many": ({"keys": (*KEYS, "group_04")}, "files has 'group_04', and settings has 3 groups"),
    "an exit of no group": ({"keys": (*KEYS, "exit_07")}, "files has 'exit_07', and settings has 3 groups"),
    "no groups": (
        {"settings": SETTINGS.replace("groups = [1, 2, 1]\n", "")},
        "needs the number of blocks of each group",
    ),
    "no side": ({"settings": SETTINGS.replace("side_px = 96\n", "")}, "needs side_px in its settings"),
    "no embedding": ({"settings": SETTINGS.replace("embedding = 8\n", "")}, "needs embedding in its"),
    "one graph as well": ({"more": 'model = "stem.onnx"'}, "one graph, 'model', and a chain"),
    "an unknown file": ({"more": 'head = "stem.onnx"'}, "unknown file 'head'"),
    "another suffix": ({"more": 'exit_02 = "text.json"'}, "'exit_02' has to be a .onnx file"),
    "a file not listed": ({"more": 'exit_02 = "exit_02.onnx"'}, "exit_02.onnx isn't listed"),
    "groups without a chain": ({"keys": (), "more": 'model = "text.onnx"'}, "groups, and files has no"),
}  # fmt: skip


@pytest.mark.parametrize("hole", HOLES)
def test_a_chain_with_holes_is_one_sentence(tmp_path: Path, hole: str) -> None:
    changed, sentence = HOLES[hole]
    with pytest.raises(PackError, match=f"Pack 'cut', brick 'vision': .*{sentence}") as caught:
        load_pack(write(tmp_path / "cut", **changed))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def npu_table(files: str) -> str:
    return f"""[brick.vision.npu]
chips = ["rk3566"]
librknnrt = "2.5.0"
side_px = 96
memory_mib = 7
{files}
"""


def test_an_npu_has_the_same_chain_or_the_whole_as_one_graph(tmp_path: Path) -> None:
    chained = "files = { " + ", ".join(f'{key} = "{key}.rknn"' for key in KEYS) + " }"
    folder = write(tmp_path / "cut", npu=npu_table(chained))
    cores, npu = load_pack(folder).bricks["vision"], load_pack(folder, npu=BOARD).bricks["vision"]
    assert npu.placement == Placement.NPU and npu.options["group_03"] == str(folder / "group_03.rknn")
    assert chain_of(npu.options) == chain_of(cores.options)
    assert npu.options["encoder"] == cores.options["encoder"]
    (folder / "exit_03.rknn").unlink()
    assert load_pack(folder, npu=BOARD).bricks["vision"].placement == Placement.CPU
    assert "lacks exit_03.rknn" in str(load_pack(folder, npu=BOARD).left_out)

    whole = load_pack(write(tmp_path / "cut", npu=npu_table('file = "rk.rknn"')), npu=BOARD).bricks["vision"]
    assert chain_of(whole.options) is None and whole.options["model"] == str(folder / "rk.rknn")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ("", "it needs either 'file' or 'files'"),
        ('file = "rk.rknn"\nfiles = { stem = "stem.rknn" }', "it needs either 'file' or 'files'"),
        ('files = { stem = "stem.rknn" }', "files lacks 'group_01'"),
        ('file = "stem.onnx"', "'model' has to be a .rknn file"),
    ],
)
def test_an_npu_table_with_holes_is_one_sentence(tmp_path: Path, files: str, sentence: str) -> None:
    folder = write(tmp_path / "cut")
    text = (folder / "pack.toml").read_text()
    (folder / "pack.toml").write_text(text.replace("[brick.text]", f"{npu_table(files)}[brick.text]"))
    with pytest.raises(PackError, match=f"the npu of brick 'vision': .*{sentence}"):
        load_pack(folder)
