"""PTO502: the ``as`` target of a ``with pl.graph(...)`` goes (rules.md O3)."""

from __future__ import annotations

import re

from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.rewriter import Refused, Rewriter

_AS = re.compile(r"\s+as\s*\(?\s*\Z")


def build(context: Context) -> Draft:
    text = context.text
    span = context.finding.place.span
    start, end = text.start + span.start, text.start + span.end
    before = _AS.search(text.text, max(0, start - 200), start)
    name = text.text[start:end]
    if before is None or "(" in before[0]:
        raise Refused("the 'as' was not found")
    if any(each.name == name and each.span.start != start for each in mentions(text)):
        raise Refused(f"'{name}' is used")
    rewriter = Rewriter()
    rewriter.replace(text.path, before.start(), end, "")
    return Draft(rewriter, True)
