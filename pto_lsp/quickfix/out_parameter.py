"""PTO405: an ``Out`` parameter of a Graph becomes ``InOut``; callers that passed no buffer create one (rules.md D2)."""

from __future__ import annotations

import re

from pto_lsp.analysis.frontend.constants.values import MISSING
from pto_lsp.analysis.ir.affine import affine
from pto_lsp.analysis.ir.program import Param
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.source.logical_lines import LineKind
from pto_lsp.quickfix.call_text import CallText, call_text
from pto_lsp.quickfix.callers import TextualCall
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.mentions import fresh
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.signature_text import SignatureText

_OUT = re.compile(r"\bOut(?=\s*\[)")


def build(context: Context) -> Draft:
    plan, text = context.plan, context.text
    index = plan.function.param_index(context.data("variable"))
    if index is None or plan.function.at.source is not text.placed.source:
        raise Refused("the parameter is not written here")
    piece = SignatureText(text).parameter(index)
    found = _OUT.search(piece.text)
    if found is None:
        raise Refused("the direction has another name here")
    rewriter = Rewriter()
    rewriter.replace(text.path, piece.start + found.start(), piece.start + found.end(), "InOut")
    param = plan.function.params[index]
    callers = context.callers(plan.function.at.source)
    complete = callers.complete
    for call in callers.calls:
        written = call_text(call, plan.function.params)
        if written is None:
            complete = False
        elif index >= len(written.arguments):
            _create(context, rewriter, call, written, param, index)
    return Draft(rewriter, complete, comparable=False)


def _create(
    context: Context, rewriter: Rewriter, call: TextualCall, written: CallText, param: Param, index: int
) -> None:
    """A buffer in front of a launch that relied on the runtime for it."""
    caller = call.caller
    line = caller.line(call.statement.at)
    if line is None or line.kind is not LineKind.SIMPLE or ";" in line.text or index > len(written.arguments):
        raise Refused("a call that needs a buffer shares its line with something else")
    if context.closures(caller).graph("pl") is MISSING or not isinstance(param.type, TensorType):
        raise Refused("a caller does not know the type of the buffer")
    extents: list[str] = []
    for extent in param.type.shape or ():
        form = affine(extent)
        if form is None or not form.is_constant:
            raise Refused("the shape of the buffer is not constant")
        extents.append(str(form.const))
    name = fresh(param.name, call.names)
    create = f"pl.create_tensor([{', '.join(extents)}], dtype=pl.{param.type.dtype})"
    begin = caller.begin_of_line(caller.chunk_start + line.start)
    rewriter.insert(caller.path, begin, f"{caller.indentation(line)}{name} = {create}{caller.newline}")
    written.insert_arguments(rewriter, index, [param.name], [name])
