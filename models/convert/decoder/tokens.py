"""Compares llama.cpp's tokens of a converted vocabulary with those of the checkpoint's own tokenizer."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from models.convert.checkpoint.folder import ConvertError
from models.convert.prompt import Prompts

SAMPLES = (
    "what colour is the ball?", "What's that? I've no idea; they'll say it's John's.",
    "HELLO World iPhone eBay", "'s 't 're 've 'm 'll 'd 'S 'T", "0 7 42 365 1024 31337 1234567890",
    "3.14159, 1,000,000 and 50%", "call 0171-2345678 at 12:05", "1st 2nd a1b22c333",
    " a", "  b", "   c", "a  b   c    d     e", "trailing   ", "        ", " ", "\t", "a\tb\t\tc", "x \t y",
    "\n", "a\nb", "a\n\nb\n\n\nc\n", "line one \n  line two\r\n\r\nline three", "\n \n  \n", "end. \n\n",
    "café naïve Zürich Ærøskøbing", "cafe\u0301 e\u0308 \u1e9b\u0323",
    "Ελληνικά Кириллица עברית العربية हिन्दी ไทย", "日本語の文章、中文句子。한국어 문장",
    "१२३ ٤٥٦ ４２ ⅷ ½ ²", "🙂 👩\u200d👩\u200d👧 🇩🇪 ✈\ufe0f", "“quoted” – dash… ‚x‘ «y»",
    "\u00a0no-break\u2003em\u200bzero", "if (a[0] != b->c) { return x += 1; } // done",
    "<b>tags</b> & $5 #1 @me ^_^ ~/path\\to\\file |", "user@host.example, a_b_c, C++", "a" * 32,
    "...!!!???---===", "",
)  # fmt: skip
"""Digits, runs of spaces and of other white space, letters of many scripts, composed and combined, signs."""
_TURNS = (("where are my 2 keys?", "On the table,  left."), ("and «now»?", "12 steps\nahead"))


def require_same_tokens(
    ours: Callable[[str], Sequence[int]], root: Path, prompts: Prompts, image_token: int
) -> int:
    """The number of texts that were compared: the samples, and prompts that are made of them. Raises
    ConvertError where any token differs.

    ours: tokens of a text, control tokens written out in it recognised; image_token: stands for a picture.
    """
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(root / "tokenizer.json"))
    image = tokenizer.id_to_token(image_token) or "<image>"
    form = prompts.unicode_form

    def split(text: str) -> Sequence[int]:
        return ours(unicodedata.normalize(form, text) if form else text)  # type: ignore[arg-type]

    pairs = []
    for sample in SAMPLES:
        pairs.append((sample, split(sample), tokenizer.encode(sample, add_special_tokens=False).ids))
        for pictures, turns in ((0, ()), (0, _TURNS), (1, ()), (1, _TURNS), (2, _TURNS[:1]), (3, ())):
            parts = prompts.parts(pictures, turns, sample)
            text = image.join(parts)
            found = list(split(parts[0]))
            for part in parts[1:]:
                found += [image_token, *split(part)]
            pairs.append((text, found, tokenizer.encode(text, add_special_tokens=False).ids))
    wrong = [(text, list(found), wanted) for text, found, wanted in pairs if list(found) != wanted]
    if wrong:
        text, found, wanted = min(wrong, key=lambda each: len(each[0]))
        raise ConvertError(
            f"llama.cpp splits {len(wrong)} of {len(pairs)} texts otherwise than tokenizer.json does, and "
            f"may split none so; the shortest is {text!r}: {found}, {wanted}."
        )
    return len(pairs)
