"""PTO106: a scalar of the boundary that nothing uses goes, with its argument at every call (rules.md X19)."""

from __future__ import annotations

from pto_lsp.quickfix.call_text import call_text
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.signature_text import SignatureText


def build(context: Context) -> Draft:
    plan, text = context.plan, context.text
    rewriter = Rewriter()
    index = plan.function.param_index(context.finding.subject)
    if index is None or plan.function.at.source is not text.placed.source or plan.function.generated:
        raise Refused("the scalar is no parameter that was written")
    SignatureText(text).remove(rewriter, index)
    callers = context.callers(plan.function.at.source)
    complete = callers.complete
    for call in callers.calls:
        written = call_text(call, plan.function.params)
        if written is None:
            complete = False
        else:
            written.remove_argument(rewriter, index, plan.function.params[index].name)
    return Draft(rewriter, complete)
