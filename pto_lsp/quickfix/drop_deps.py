"""PTO415: a Graph launch loses its ``deps=`` (rules.md C6)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Submit, Var
from pto_lsp.analysis.ir.statements import Unpack
from pto_lsp.analysis.ir.visitor import variables, walk_block
from pto_lsp.quickfix.call_text import call_text
from pto_lsp.quickfix.callers import TextualCall
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.listing import remove_item
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    plan = context.plan
    where = context.finding.place
    callers = context.callers(plan.function.at.source)
    for call in callers.calls:
        at = call.statement.at
        if at.source is not where.source or call.call.span.shifted(at.offset) != where.span:
            continue
        written = call_text(call, plan.function.params)
        if written is None or "deps" not in written.keywords:
            break
        rewriter = Rewriter()
        remove_item(rewriter, written.caller, written.listing, written.keywords.index("deps"))
        return Draft(rewriter, _ordered_by_tensors(context, call))
    raise Refused("the launch was not found")


def _ordered_by_tensors(context: Context, call: TextualCall) -> bool:
    """Whether each dependency is on a task that has handed on a tensor which this launch is given."""
    caller = call.caller
    lowered = context.project.linker.lowered(caller.path, caller.module, caller.placed).lowered
    handed: dict[str, set[str]] = {}
    for stmt in walk_block(lowered.function.body or ()):
        if isinstance(stmt, Unpack) and isinstance(stmt.value, Submit) and stmt is not call.statement:
            *results, task = stmt.targets
            # Bound twice, a name says nothing about which task is meant.
            known = {target.label for target in results}
            handed[task.label] = set() if task.label in handed else known
    given = {var.label for argument in call.call.args for var in variables(argument)}
    deps = call.call.options.deps or ()
    return all(isinstance(dep, Var) and bool(handed.get(dep.label, set()) & given) for dep in deps)
