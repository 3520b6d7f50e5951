"""PTO106: a scalar of the boundary that nothing uses goes, with its argument at every call (rules.md X19)."""

from __future__ import annotations

from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.drop_parameter import drop_parameter


def build(context: Context) -> Draft:
    return drop_parameter(context, context.finding.place.source, context.finding.subject)
