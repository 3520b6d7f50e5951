"""PTO101, PTO201, PTO301: a scalar, a view or an allocation moves to the call sites of its Graph."""

from __future__ import annotations

from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.hoist import Hoist

REVEALS = frozenset({"PTO424"})
"""A view at the call site shows that it shares a buffer with the tensor it looks into, which is passed as well."""


def build(context: Context) -> Draft:
    plan = context.plan
    hoist = Hoist(plan, context.text, context.callers(plan.function.at.source), context.closures(context.text))
    hoist.run(frozenset({context.data("variable")}))
    return Draft(hoist.rewriter, hoist.complete, reveals=REVEALS)
