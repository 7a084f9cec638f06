"""Cuts a stream of text into sentences as soon as each is complete, so that speech can begin before the
text ends.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

_END = re.compile(r"(?<=[.!?])\s+(?=\S)")


async def sentences(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """Whole sentences out of text pieces; the last one may lack its full stop."""
    text = ""
    async for piece in pieces:
        text += piece
        *whole, text = _END.split(text)
        for sentence in whole:
            yield sentence.strip()
    if text.strip():
        yield text.strip()
