"""Edge cases of settings, journal, sentences, script and trace."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.app.day_script import ScriptError, load_script
from host.config import Config, ConfigError, load_config
from host.observe.journal import Journal
from host.observe.timeline import Span, Timeline
from host.observe.trace import chrome_trace, picture
from host.speaking.sentence_splitter import sentences
from hw.emulated.clock import FakeClock


def test_settings_come_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "headband.toml"
    path.write_text('pack = "ballast"\n[listen]\nend_silence_s = 1\n')
    config = load_config(path)
    assert (config.pack, config.listen.end_silence_s) == ("ballast", 1.0)
    assert config.wake == Config().wake


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("volume = 3", "the unknown key volume; known: pack,"),
        ("[listen]\nspeed = 3", r"\[listen\] has the unknown key speed"),
        (
            "[listen]\nend_silence_s = 'long'",
            r"\[listen\] end_silence_s is \"long\"; it must be a number, 0.1 to 10 seconds",
        ),
        ("listen = 3", "listen is 3; it must be a table"),
        ("= 3", "not valid TOML"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "headband.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words):
        load_config(path)


def test_a_missing_settings_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml"):
        load_config(tmp_path / "none.toml")


def test_the_journal_is_bounded_on_disk_and_keeps_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "state" / "journal.jsonl"
    journal = Journal(path, FakeClock(), max_bytes=2_000, keep=5)
    for number in range(200):
        journal.write("turn", number=number)
    files = list(path.parent.iterdir())
    assert sum(file.stat().st_size for file in files) < 2 * 2_100
    assert json.loads(path.read_text().splitlines()[-1])["number"] == 199
    assert [line["number"] for line in journal.recent] == [195, 196, 197, 198, 199]


def test_a_line_that_a_power_cut_tore_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path, FakeClock()).write("before")
    with path.open("a") as file:
        file.write('{"t": 1.0, "ev')
    journal = Journal(path, FakeClock())
    journal.write("start")
    journal.write("step")
    before, torn, *after = path.read_text().splitlines()
    assert json.loads(before)["event"] == "before" and torn == '{"t": 1.0, "ev'
    assert [json.loads(line)["event"] for line in after] == ["start", "step"]


@pytest.mark.parametrize(
    ("journal", "says"),
    [
        ("/", r"\[journal\] path is \"/\": it must name a file, for example /journal.jsonl"),
        ("..", "it must name a file"),
        ("{folder}", "it must name a file, for example {folder}/journal.jsonl"),
        ("{folder}/kept.json", "a file of that name is kept beside the journal"),
        ("{folder}/memory.db-wal", "a file of that name is kept beside the journal"),
        ("{folder}/energy.bad.json", "a file of that name is kept beside the journal"),
        ("{folder}/placement", "a file of that name is kept beside the journal"),
        ("~nobody-of-that-name/journal.jsonl", "there is no such home folder"),
    ],
)
def test_what_can_be_no_journal_is_refused(tmp_path: Path, journal: str, says: str) -> None:
    path = tmp_path / "headband.toml"
    path.write_text(f"[journal]\npath = '{journal.format(folder=tmp_path)}'\n")
    with pytest.raises(ConfigError, match=says.format(folder=tmp_path)):
        load_config(path)


def test_without_a_home_folder_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", unknown)
    with pytest.raises(ConfigError, match=r"The setting \[journal\] path .*no such home folder"):
        load_config(None)


def test_a_journal_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    journal = Journal(blocked / "journal.jsonl", FakeClock())
    journal.write("turn")
    assert journal.problem is not None and len(journal.recent) == 1


async def _pieces(items: list[str]) -> AsyncIterator[str]:
    for item in items:
        yield item


def _split(items: list[str]) -> list[str]:
    async def collect() -> list[str]:
        return [sentence async for sentence in sentences(_pieces(items))]

    return asyncio.run(collect())


def test_sentences_come_out_whole() -> None:
    assert _split(["I cannot tell", ", it is too", " dark. Please", " find more light."]) == [
        "I cannot tell, it is too dark.",
        "Please find more light.",
    ]


@given(st.text(st.sampled_from("ab .!?"), max_size=60), st.lists(st.integers(1, 9), max_size=20))
def test_cutting_the_stream_elsewhere_changes_nothing(text: str, sizes: list[int]) -> None:
    pieces, rest = [], text
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    spoken = " ".join(_split([*pieces, rest]))
    assert spoken.split() == text.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "lacks the key event"),
        ("event = []", "no \\[\\[event\\]\\]"),
        ("[[event]]\nsay = 'x.wav'", "needs at_s"),
        ("[[event]]\nat_s = 1\nsay = 'x.wav'", "does not exist"),
        (f"[[event]]\nat_s = 1\nsay = '{'x' * 300}.wav'", "cannot be read: File name too long"),
        ("[[event]]\nat_s = 1\nbattery = 140", "0 to 100"),
        ("[[event]]\nat_s = 1\nsmell = 'rose'", "unknown key smell"),
        ("weather = 1\n[[event]]\nat_s = 1", "unknown key weather"),
    ],
)
def test_a_wrong_script_is_refused_with_the_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "day.toml"
    path.write_text(text)
    with pytest.raises(ScriptError, match=words):
        load_script(path)


def test_script_events_come_in_order_of_time(tmp_path: Path) -> None:
    path = tmp_path / "day.toml"
    path.write_text("[[event]]\nat_s = 5\nbattery = 10\n[[event]]\nat_s = 1\nbattery = 90\n")
    script = load_script(path)
    assert [event.battery for event in script.events] == [90, 10]
    assert script.end_s > 5


def test_a_trace_has_one_row_per_track_and_keeps_durations() -> None:
    timeline = Timeline(iter([1.0, 1.5, 2.0, 2.25]).__next__)
    with timeline.span("stt", "execute"):
        pass
    with timeline.span("tts", "execute"):
        pass
    events = chrome_trace(timeline.spans)["traceEvents"]
    complete = [event for event in events if event["ph"] == "X"]
    assert [(event["ts"], event["dur"]) for event in complete] == [(0, 500_000), (1_000_000, 250_000)]
    assert len({event["tid"] for event in complete}) == 2
    assert chrome_trace([]) == {"traceEvents": []}


def test_the_picture_escapes_what_was_said() -> None:
    svg = picture([('"<b>" & more', [Span("stt", "execute", 0.0, 1.0)])])
    assert "&lt;b&gt;" in svg and "<b>" not in svg
