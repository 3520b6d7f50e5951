"""PTO102: a second name for a boundary scalar goes, and its readers use the scalar (rules.md A4)."""

from __future__ import annotations

from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.removal import remove_line
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    plan, text = context.plan, context.text
    rename = next((each for each in plan.renames if each.var.name == context.data("variable")), None)
    if rename is None or rename.statement.at.inlined_at is not None:
        raise Refused("the name is bound in a helper")
    label, target = rename.var.label, rename.target.label
    line = text.line(rename.statement.at)
    if line is None or ";" in line.text:
        raise Refused("the binding shares its line with something else")
    found = list(mentions(text))
    if sum(each.binds for each in found if each.name == label) != 1 or plan.function.param_index(label) is not None:
        raise Refused(f"'{label}' is bound more than once")
    parameters = {piece.parameter.name for piece in text.placed.function.params}
    if sum(each.binds for each in found if each.name == target) + (target in parameters) != 1:
        raise Refused(f"'{target}' is bound again")
    rewriter = Rewriter()
    begin = text.chunk_start + line.start
    for each in found:
        if each.name == label and not begin <= each.span.start < begin + len(line.text):
            rewriter.replace(text.path, *each.span, target)
    remove_line(rewriter, text, line, [line])
    return Draft(rewriter, True)
