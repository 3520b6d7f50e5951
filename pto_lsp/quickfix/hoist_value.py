"""PTO101, PTO201, PTO301: a scalar, a view or an allocation moves to the call sites of its Graph."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Op, Var
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.hoist import Hoist
from pto_lsp.quickfix.rewriter import Refused

CODES = frozenset({"PTO101", "PTO201", "PTO301"})
REVEALS = frozenset({"PTO424"})
"""A view at the call site shows that it shares a buffer with the tensor it looks into, which is passed as well."""


def build(context: Context) -> Draft:
    plan = context.plan
    hoisted = plan.hoist_of(context.data("variable"))
    if hoisted is None:
        raise Refused("the value is not hoisted")
    if not hoisted.var.label:
        from pto_lsp.quickfix.inline_value import name_and_hoist

        # Written inside an argument: it needs a name first.
        value = hoisted.statement.value
        source = value.args[0] if isinstance(value, Op) and value.args else None
        wanted = f"{source.label}_part" if isinstance(source, Var) and source.label else ""
        return name_and_hoist(context, hoisted.statement.at, value.span, wanted)
    hoist = Hoist(plan, context.text, context.callers(plan.function.at.source), context.closures(context.text))
    hoist.run(frozenset({hoisted.var.name}))
    return Draft(hoist.rewriter, hoist.complete, reveals=REVEALS)
