"""PTO104, and views and allocations written inside an argument: named first, then hoisted (rules.md A9)."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.naming import bind_before, parameter_for
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.steps import Steps


def build(context: Context) -> Draft:
    if context.data("derivable") != "True":
        raise Refused("the caller cannot compute the value")
    place = context.finding.place
    return name_and_hoist(context, place.anchor, place.local, "")


def name_and_hoist(context: Context, at: Anchor, span: Span, wanted: str) -> Draft:
    """Name what stands at ``span`` of the statement ``at``, without ``wanted`` after the parameter it is for."""
    if at.source is not context.finding.place.source:
        raise Refused("the value stands in a helper")
    text = context.text
    rewriter = Rewriter()
    wanted = wanted or parameter_for(context.project.linker, text, at, span) or "value"
    name = bind_before(rewriter, text, at, span, wanted)
    repair = Steps(context)
    repair.rewrite(rewriter)
    repair.hoist(name)
    return repair.draft()
