"""Random edits, of the kinds that people make and of kinds that nobody makes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

FRAGMENTS = [
    *"abx \t\f\\#'\"()[]{}:;,@=+-*/%<>.\n\r0",
    *("\r\n", "张", "😀", "\ufeff", "\u2028", "\x85", "\x0b", "\x00", "\\\n", "    ", "\n    ", "\n        "),
    *('"""', "'''", "f'{x}'", "x = 1\n", "def f(a, b):\n", "class C:\n", "@pl.jit\n", "@pl.jit.graph\n", "else:\n"),
    *("return x\n", "import m\n", "from m import *\n", "for i in pl.range(4):\n", "with pl.graph('g'):\n", "lambda: 0"),
    *("pl.", "pl.Tensor[[64, 64], pl.FP32]", "pl.InOut[", "pl.slice(x, [8, 8], [0, 0])", "deps=[t]", " as tid", "*a"),
    *(
        "# pto: ignore",
        "# pto: ignore[PTO101]",
        "# pto: ignore-file\n",
        "global x\n",
        "del x\n",
        "1e400",
        "0x",
        "10**9",
    ),
    *("pl.range(0, 100000)", "x[::]", "x[...]", "not ", "a if b else c", "(yield)", "await x", "async ", "match x:\n"),
]
_WORD = re.compile(r"\w+")


class Edit(NamedTuple):
    """Replace ``text[start:end]``; offsets in code points, never inside of a line end."""

    start: int
    end: int
    content: str


def apply(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.content + text[edit.end :]


def random_edit(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    """``others`` are texts that something may be pasted from."""
    kind: Callable[[random.Random, str, Sequence[str]], Edit] = rng.choices(
        (_type, _erase, _delete_line, _duplicate_line, _indent, _swap_words, _paste, _comment, _number, _move_lines),
        (6, 4, 2, 2, 2, 3, 1, 1, 3, 1),
    )[0]
    edit = kind(rng, text, others)
    return Edit(_outside_line_end(text, edit.start), _outside_line_end(text, edit.end), edit.content)


def _outside_line_end(text: str, offset: int) -> int:
    return offset + 1 if text[max(0, offset - 1) : offset + 1] == "\r\n" else offset


def _type(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    at = _place(rng, text)
    return Edit(at, at, "".join(rng.choices(FRAGMENTS, k=rng.randint(1, 3))))


def _erase(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    start = _place(rng, text)
    return Edit(start, min(len(text), start + rng.choice((1, 1, 2, 5, 30))), "")


def _delete_line(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    start, end = _line(rng, text)
    return Edit(start, end, "")


def _duplicate_line(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    start, end = _line(rng, text)
    return Edit(end, end, text[start:end])


def _indent(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    start, end = _line(rng, text)
    line = text[start:end]
    if rng.random() < 0.5:
        return Edit(start, start, rng.choice(("    ", "  ", "\t")))
    blank = len(line) - len(line.lstrip(" \t"))
    return Edit(start, start + min(blank, 4), "")


def _swap_words(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    """One word in the place of another one nearby."""
    at = _place(rng, text)
    words = list(_WORD.finditer(text, max(0, at - 300), at + 300))
    if not words:
        return Edit(at, at, "")
    old, new = rng.choice(words), rng.choice(words)
    return Edit(old.start(), old.end(), new[0])


def _paste(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    other = rng.choice(others) if others else text
    start, _ = _line(rng, other)
    at, _ = _line(rng, text)
    return Edit(at, at, other[start : start + rng.choice((80, 400, 2000))])


def _comment(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    start, _ = _line(rng, text)
    return Edit(start, start, "# ")


def _number(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    at = _place(rng, text)
    found = re.compile(r"\d+").search(text, at)
    if found is None:
        return Edit(at, at, "")
    return Edit(found.start(), found.end(), rng.choice(("0", "1", "3", "64", "-1", "100000", "n", "")))


def _move_lines(rng: random.Random, text: str, others: Sequence[str]) -> Edit:
    """The lines of a stretch in another order."""
    start, _ = _line(rng, text)
    end = start + len("".join(text[start:].splitlines(keepends=True)[: rng.randint(2, 12)]))
    lines = text[start:end].splitlines(keepends=True)
    rng.shuffle(lines)
    return Edit(start, end, "".join(lines))


def _place(rng: random.Random, text: str) -> int:
    return rng.randint(0, len(text))


def _line(rng: random.Random, text: str) -> tuple[int, int]:
    at = _place(rng, text)
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return start, len(text) if end < 0 else end + 1
