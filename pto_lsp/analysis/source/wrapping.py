"""What has to stand around the text of a unit so that it is a statement, and where the unit is found in that."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import libcst as cst

from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.conversion import statements as convert
from pto_lsp.analysis.source.conversion.expressions import parameters
from pto_lsp.analysis.source.nesting import STRING
from pto_lsp.analysis.source.syntax import Statement


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


Pick = Callable[[Any, int], Sequence[Statement]]
"""From the libcst node of the wrapped statement and the offset of ``code`` to the syntax of the unit."""


@node
class Wrapped:
    """``prefix + code + suffix`` is one statement for libcst; ``code`` begins at ``start`` of the unit's text.

    ``expression`` says that Python has to accept ``code`` as an expression, ``grouped`` that it is a parameter that may
    share its function with others.
    """

    index: int
    code: str
    start: int
    prefix: str
    suffix: str
    pick: Pick
    expression: bool = False
    grouped: bool = False

    @property
    def source(self) -> str:
        return f"{self.prefix}{self.code}{self.suffix}"


def wrap(index: int, text: str, kind: UnitKind) -> Wrapped:
    if kind is UnitKind.PARAMETER:
        grouped = not text.startswith("*")
        return Wrapped(index, text, 0, "def _(", "\n): pass", _pick_parameters, grouped=grouped)
    if kind is UnitKind.DECORATOR:
        return Wrapped(index, text, 0, "", "\ndef _(): pass", _pick_decorator)
    if kind is UnitKind.EXPRESSION:
        code = text.lstrip()
        return Wrapped(index, code.rstrip(), len(text) - len(code), "", "", _pick_statement, True)
    match = _WORD.match(text)
    header = None
    if match is not None:
        header = _HEADERS.get(match[0])
        if header is None and kind is UnitKind.HEADER:
            header = _SOFT_HEADERS.get(match[0])
    if header is None:
        return Wrapped(index, text, 0, "", "", _pick_statement)
    prefix, body, end, pick = header
    if not _ends_with_colon(text):
        body = ""  # it has one of its own, or is broken
    return Wrapped(index, text, 0, prefix, body + end, pick)


def _ends_with_colon(text: str) -> bool:
    if "#" in text:
        match = _BEFORE_COMMENT.match(text)
        assert match is not None
        text = match[0]
    return text.rstrip().endswith(":")


_WORD = re.compile(r"[a-z]+\b")
_BEFORE_COMMENT = re.compile(rf"(?:[^#\"']+|{STRING}|#[^\r\n]*(?=[\r\n]))*")


def _pick_statement(statement: Any, start: int) -> Sequence[Statement]:
    if isinstance(statement, cst.SimpleStatementLine):
        return convert.line(statement, start)
    return convert.compound(statement, start)


def _pick_decorator(definition: cst.FunctionDef, start: int) -> Sequence[Statement]:
    return convert.decorator(definition.decorators[0], start)


def _pick_parameters(definition: cst.FunctionDef, start: int) -> Sequence[Statement]:
    return parameters(definition.params, start)[0]


def _pick_elif(statement: Any, start: int) -> Sequence[Statement]:
    return convert.conditional(statement.orelse, "elif", start)


def _pick_else(statement: Any, start: int) -> Sequence[Statement]:
    return convert.otherwise(statement.orelse, start)


def _pick_except(statement: Any, start: int) -> Sequence[Statement]:
    return convert.handler(statement.handlers[0], start)


def _pick_finally(statement: Any, start: int) -> Sequence[Statement]:
    return convert.finally_(statement.finalbody, start)


def _pick_case(statement: cst.Match, start: int) -> Sequence[Statement]:
    return convert.case(statement.cases[0], start)


_BODY = "\n pass"
_CASE_INDENT = "\t \t \t"
"""A case must be indented. libcst takes its indentation off the lines in its brackets: no line should begin like it."""
_Header = tuple[str, str, str, Pick]
"""Prefix, body, what follows the body, and where the unit is."""
_HEADERS: dict[str, _Header] = {
    **dict.fromkeys(("for", "while", "if", "with", "async", "def", "class"), ("", _BODY, "", convert.compound)),
    "try": ("", _BODY, "\nfinally: pass", convert.compound),
    "elif": ("if _: pass\n", _BODY, "", _pick_elif),
    "else": ("if _: pass\n", _BODY, "", _pick_else),
    "except": ("try: pass\n", _BODY, "", _pick_except),
    "finally": ("try: pass\n", _BODY, "", _pick_finally),
}
_SOFT_HEADERS: dict[str, _Header] = {
    "match": ("", "\n case _: pass", "", _pick_statement),
    "case": (f"match _:\n{_CASE_INDENT}", f"\n{_CASE_INDENT} pass", "", _pick_case),
}
