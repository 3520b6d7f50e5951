"""Giving a name to an expression that stands inside a statement."""

from __future__ import annotations

from pto_lsp.analysis.frontend.linker import Linker
from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block
from pto_lsp.analysis.source.logical_lines import LineKind
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.mentions import fresh, names_of
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def bind_before(rewriter: Rewriter, text: FunctionText, at: Anchor, span: Span, wanted: str) -> str:
    """Bind what stands at ``span`` of the statement ``at`` in a line of its own before it; the name it got.

    Raises `Refused` where no line can go in front of the statement.
    """
    line = text.line(at)
    if line is None or line.kind is not LineKind.SIMPLE or ";" in line.text or at.inlined_at is not None:
        raise Refused("the statement shares its line with something else")
    name = fresh(wanted, names_of(text))
    begin = text.begin_of_line(text.chunk_start + line.start)
    value = text.slice(at, span)
    rewriter.insert(text.path, begin, f"{text.indentation(line)}{name} = {value}{text.newline}")
    rewriter.replace(text.path, text.offset(at, span.start), text.offset(at, span.end), name)
    return name


def parameter_for(linker: Linker, text: FunctionText, at: Anchor, span: Span) -> str | None:
    """The parameter of the callee that the argument at ``span`` of the statement ``at`` is for."""
    lowered = linker.lowered(text.path, text.module, text.placed).lowered
    for stmt in walk_block(lowered.function.body or ()):
        if stmt.at.offset != at.offset:
            continue
        for expr in statement_exprs(stmt):
            for call in walk(expr):
                if isinstance(call, (Call, Submit)) and call.callee in lowered.callees:
                    params = lowered.callees[call.callee].params
                    for argument, param in zip(call.args, params):
                        if argument.span == span:
                            return param.name
    return None
