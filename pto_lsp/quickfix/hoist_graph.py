"""Everything that one Graph hoists, written into the source at once."""

from __future__ import annotations

from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.hoist import Hoist
from pto_lsp.quickfix.hoist_value import REVEALS
from pto_lsp.quickfix.rewriter import Refused


def build(context: Context) -> Draft:
    """All hoists that can be written; raises `Refused` when there is none."""
    plan, text = context.plan, context.text
    callers, closures = context.callers(plan.function.at.source), context.closures(text)

    def written(names: frozenset[str]) -> Hoist:
        hoist = Hoist(plan, text, callers, closures)
        hoist.run(names)
        return hoist

    wanted = [hoisted.var.name for hoisted in plan.hoisted]
    if not wanted:
        raise Refused("the Graph hoists nothing")
    try:
        hoist = written(frozenset(wanted))
    except Refused:
        chosen: frozenset[str] = frozenset()
        for name in wanted:
            try:
                written(chosen | {name})
                chosen |= {name}
            except Refused:
                continue
        if not chosen:
            raise
        hoist = written(chosen)
    return Draft(hoist.rewriter, hoist.complete, reveals=REVEALS)
