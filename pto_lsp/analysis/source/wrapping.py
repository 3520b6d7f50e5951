"""What has to stand around the text of a unit so that it is a statement, and where the unit is found in that."""

from __future__ import annotations

import re
from enum import Enum

from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.nesting import STRING


class UnitKind(Enum):
    """What the text of a unit is, which decides how it has to be wrapped to be parsed."""

    SIMPLE = "simple"
    """Simple statements with semicolons between them; a compound one-liner is understood as well."""
    HEADER = "header"
    """Header of a compound statement or clause up to its colon, or with its body behind the colon."""
    DECORATOR = "decorator"
    """``@expression``."""
    PARAMETER = "parameter"
    """One parameter of a ``def``: ``name: annotation = default``, ``*args``, ``**kwargs``, bare ``*`` or ``/``."""
    DEF_HEAD = "def head"
    """``def name() -> returns:`` with the parameters cut out; spans count in this text (``Signature.from_head``)."""
    EXPRESSION = "expression"
    """An expression alone, as in a string annotation; white space around it is allowed."""

    __hash__ = object.__hash__  # that of Enum runs in Python, and every look-up in the cache needs one


class Part(Enum):
    """Which part of the wrapped statement the unit is."""

    STATEMENT = "statement"
    """All of it, simple statements or one that begins with a soft keyword."""
    COMPOUND = "compound statement"
    DECORATOR = "decorator"
    PARAMETER = "parameter"
    ELIF = "elif"
    ELSE = "else"
    EXCEPT = "except"
    FINALLY = "finally"
    CASE = "case"

    __hash__ = object.__hash__


@node
class Wrapped:
    """``prefix + code + suffix`` is one statement for a parser; ``code`` begins at ``start`` of the unit's text.

    ``grouped`` says that it is a parameter that may share its function with others.
    """

    index: int
    code: str
    start: int
    prefix: str
    suffix: str
    part: Part
    kind: UnitKind
    grouped: bool = False

    @property
    def source(self) -> str:
        return f"{self.prefix}{self.code}{self.suffix}"


def wrap(index: int, text: str, kind: UnitKind) -> Wrapped:
    if kind is UnitKind.PARAMETER:
        grouped = not text.startswith("*")
        return Wrapped(index, text, 0, "def _(", "\n): pass", Part.PARAMETER, kind, grouped=grouped)
    if kind is UnitKind.DECORATOR:
        return Wrapped(index, text, 0, "", "\ndef _(): pass", Part.DECORATOR, kind)
    if kind is UnitKind.EXPRESSION:
        code = text.lstrip()
        return Wrapped(index, code.rstrip(), len(text) - len(code), "", "", Part.STATEMENT, kind)
    match = _WORD.match(text)
    header = None
    if match is not None:
        header = _HEADERS.get(match[0])
        if header is None and kind is UnitKind.HEADER:
            header = _SOFT_HEADERS.get(match[0])
    if header is None:
        return Wrapped(index, text, 0, "", "", Part.STATEMENT, kind)
    prefix, body, end, part = header
    if not _ends_with_colon(text):
        body = ""  # it has one of its own, or is broken
    return Wrapped(index, text, 0, prefix, body + end, part, kind)


def _ends_with_colon(text: str) -> bool:
    if "#" in text:
        match = _BEFORE_COMMENT.match(text)
        assert match is not None
        text = match[0]
    return text.rstrip().endswith(":")


_WORD = re.compile(r"[a-z]+\b")
_BEFORE_COMMENT = re.compile(rf"(?:[^#\"']+|{STRING}|#[^\r\n]*(?=[\r\n]))*")
_BODY = "\n pass"
_CASE_INDENT = "\t \t \t"
"""A case must be indented. libcst takes its indentation off the lines in its brackets: no line should begin like it."""
_Header = tuple[str, str, str, Part]
"""Prefix, body, what follows the body, and where the unit is."""
_HEADERS: dict[str, _Header] = {
    **dict.fromkeys(("for", "while", "if", "with", "async", "def", "class"), ("", _BODY, "", Part.COMPOUND)),
    "try": ("", _BODY, "\nfinally: pass", Part.COMPOUND),
    "elif": ("if _: pass\n", _BODY, "", Part.ELIF),
    "else": ("if _: pass\n", _BODY, "", Part.ELSE),
    "except": ("try: pass\n", _BODY, "", Part.EXCEPT),
    "finally": ("try: pass\n", _BODY, "", Part.FINALLY),
}
_SOFT_HEADERS: dict[str, _Header] = {
    "match": ("", "\n case _: pass", "", Part.STATEMENT),
    "case": (f"match _:\n{_CASE_INDENT}", f"\n{_CASE_INDENT} pass", "", Part.CASE),
}
