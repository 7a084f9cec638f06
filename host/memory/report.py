"""The memory as one HTML file that needs nothing else: a timeline, and what questions recalled."""

from __future__ import annotations

import base64
import html
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from host.memory.values import Match, MemoryProblem, Row

WARNING = "Who has this file has the pictures: it is not sealed."
_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem;
       padding: 0 1rem; color: #222 }
.views { display: flex; flex-wrap: wrap; gap: 12px }
figure { margin: 0; width: 180px }
img { width: 180px; border-radius: 4px; display: block; background: #ddd; min-height: 40px }
figcaption { font-size: 13px; color: #555 }
.kept { color: #a35b00 }
.warning { background: #fff1d6; padding: .5rem .8rem }
"""


def html_report(
    rows: Sequence[Row],
    picture: Callable[[int], bytes | None],
    recalled: Sequence[tuple[str, Sequence[Match]]] = (),
) -> Iterator[str]:
    """The page of these views, oldest first, piece by piece: all pictures together may be more than the
    computer has memory for. `picture` gives a view's JPEG; recalled: questions in words, and what they found.
    """
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><title>What the headband remembers</title>\n'
    yield f"<style>{_STYLE}</style><h1>What the headband remembers</h1>\n"
    yield f'<p class="warning">{WARNING}</p><p>{len(rows)} views.</p>\n'
    for words, matches in recalled:
        yield f"<h2>“{html.escape(words)}”</h2>\n"
        yield from _views([(match.row, f"cosine {match.score:.3f}") for match in matches], picture)
    for day, of_day in groupby(rows, lambda row: time.strftime("%A, %d %B %Y", time.localtime(row.time_s))):
        yield f"<h2>{html.escape(day)}</h2>\n"
        yield from _views([(row, row.reason) for row in of_day], picture)
    yield "</html>\n"


def _views(rows: Sequence[tuple[Row, str]], picture: Callable[[int], bytes | None]) -> Iterator[str]:
    if not rows:
        yield "<p>Nothing.</p>\n"
        return
    yield '<div class="views">'
    for row, why in rows:
        yield _view(row, why, picture)
    yield "</div>\n"


def _view(row: Row, why: str, picture: Callable[[int], bytes | None]) -> str:
    try:
        jpeg = picture(row.number)
        broken = ""
    except MemoryProblem as problem:
        jpeg, broken = None, str(problem)
    source = f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}" if jpeg else ""
    shown = f'<img alt="view {row.number}" src="{source}">' if source else html.escape(broken)
    at = time.strftime("%H:%M:%S", time.localtime(row.time_s))
    kept = f' <span class="kept">kept {html.escape(row.name)}</span>' if row.kept else ""
    return f"<figure>{shown}<figcaption>{row.number}, {at}, {html.escape(why)}{kept}</figcaption></figure>"
