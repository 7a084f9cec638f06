"""The memory as one HTML file that needs nothing else: a timeline, and what questions recalled."""

from __future__ import annotations

import base64
import html
import time
from collections.abc import Callable, Sequence
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
) -> str:
    """The page of these views, oldest first; `picture` gives a view's JPEG; recalled: questions in words, and
    what they found.
    """
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>What the headband remembers</title>',
        f"<style>{_STYLE}</style><h1>What the headband remembers</h1>",
        f'<p class="warning">{WARNING}</p><p>{len(rows)} views.</p>',
    ]
    for words, matches in recalled:
        parts.append(f"<h2>“{html.escape(words)}”</h2>")
        parts.append(_views([(match.row, f"cosine {match.score:.3f}") for match in matches], picture))
    for day, of_day in groupby(rows, lambda row: time.strftime("%A, %d %B %Y", time.localtime(row.time_s))):
        parts.append(f"<h2>{html.escape(day)}</h2>")
        parts.append(_views([(row, row.reason) for row in of_day], picture))
    return "\n".join([*parts, "</html>", ""])


def _views(rows: Sequence[tuple[Row, str]], picture: Callable[[int], bytes | None]) -> str:
    if not rows:
        return "<p>Nothing.</p>"
    return f'<div class="views">{"".join(_view(row, why, picture) for row, why in rows)}</div>'


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
