"""What surrounds a cursor in half-written code: the comment, or the brackets that are open and the call they belong to.

Works on the text from the beginning of the statement to the cursor, whatever stands behind it, parsed or not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""[rbfuRBFU]{0,2}(?P<quote>\"{3}|'{3}|"|')|(?P<comment>\#[^\r\n]*)|(?P<word>[\w.]+)|(?P<other>\S)"""
)
_CLOSES = {")": "(", "]": "[", "}": "{"}


@dataclass(slots=True)
class Bracket:
    """An open bracket. ``head`` is the dotted name right before it; ``element`` the offset at which what stands between
    the last comma and the cursor begins; ``keywords`` are those given before.
    """

    kind: str
    head: str
    element: int
    keywords: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CursorContext:
    """``comment`` is the text of the comment the cursor is in, None outside of one; ``in_string`` when it is in a
    string. ``statement`` is the first word; ``brackets`` from the outermost inwards.
    """

    text: str
    statement: str
    brackets: tuple[Bracket, ...]
    comment: str | None = None
    in_string: bool = False

    @property
    def element(self) -> str:
        """What stands between the last comma, or the innermost open bracket, and the cursor."""
        return self.text[self.brackets[-1].element :].lstrip() if self.brackets else self.text


def context_of(text: str) -> CursorContext:
    """``text`` ends at the cursor."""
    brackets: list[Bracket] = []
    statement, word, position = "", "", 0
    while (match := _TOKEN.search(text, position)) is not None:
        position = match.end()
        if match["quote"] is not None:
            position = _end_of_string(text, position, match["quote"])
            if position < 0:
                return CursorContext(text, statement, tuple(brackets), in_string=True)
            word = ""
        elif match["comment"] is not None:
            if position == len(text):
                return CursorContext(text, statement, tuple(brackets), comment=match["comment"])
            if brackets and not text[brackets[-1].element : match.start()].strip():
                brackets[-1].element = position
        elif match["word"] is not None:
            word = match["word"]
            statement = statement or word
        else:
            _punctuation(match["other"], brackets, word, position, text)
            word = ""
    return CursorContext(text, statement, tuple(brackets))


def keywords_after(text: str) -> list[str]:
    """The keywords of a call that are given in ``text``, which begins at the cursor inside of its brackets."""
    brackets = [Bracket("(", "", 0)]
    word, position = "", 0
    while brackets and (match := _TOKEN.search(text, position)) is not None:
        position = match.end()
        if match["quote"] is not None:
            position = _end_of_string(text, position, match["quote"])
            if position < 0:
                break
        elif match["word"] is not None:
            word = match["word"]
            continue
        elif match["other"] is not None:
            own = brackets[0]
            _punctuation(match["other"], brackets, word, position, text)
            if not brackets:
                return own.keywords
        word = ""
    return brackets[0].keywords if brackets else []


def _punctuation(sign: str, brackets: list[Bracket], word: str, position: int, text: str) -> None:
    if sign in "([{":
        brackets.append(Bracket(sign, word, position))
    elif sign in _CLOSES:
        if brackets and brackets[-1].kind == _CLOSES[sign]:
            brackets.pop()
    elif sign == "," and brackets:
        brackets[-1].element = position
    elif sign == "=" and brackets and word and text[position : position + 1] != "=":
        brackets[-1].keywords.append(word)


def _end_of_string(text: str, position: int, quote: str) -> int:
    """Behind the string whose contents begin at ``position``; -1 when it does not end."""
    while position < len(text):
        if text[position] == "\\":
            position += 2
        elif text.startswith(quote, position):
            return position + len(quote)
        elif len(quote) == 1 and text[position] in "\r\n":
            # Python does not let it go on: what follows is code again.
            return position
        else:
            position += 1
    return -1
