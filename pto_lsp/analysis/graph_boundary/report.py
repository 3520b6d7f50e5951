"""Making findings: places, and the calls through which a spliced statement came to where it is."""

from __future__ import annotations

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.graph_boundary.region import Region
from pto_lsp.analysis.ir.expressions import Op
from pto_lsp.analysis.ir.place import Anchor, place
from pto_lsp.analysis.ir.program import Function, Param
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.diagnostics import Span


def report(
    code: str,
    subject: str,
    at: Anchor,
    span: Span,
    message: str,
    function: str,
    notes: tuple[Note, ...] = (),
    **data: object,
) -> Finding:
    """A finding at ``span`` of the statement that stands at ``at``."""
    inlined = at.inlined_at
    while inlined is not None:
        notes = (*notes, Note(inlined, "spliced in by this call"))
        inlined = inlined.anchor.inlined_at
    return Finding(code, subject, place(at, span), message, function, notes, tuple(data.items()))


def on_assignment(
    region: Region, code: str, stmt: Assign, op: Op, message: str, notes: tuple[Note, ...] = ()
) -> Finding:
    """A finding about the target of ``stmt`` in ``region``, shown on the operator ``op`` of its right side."""
    graph, target = region.function, stmt.target
    return report(
        code,
        region.shown(target),
        stmt.at,
        op.span,
        message,
        graph.name,
        notes,
        graph=graph.key,
        variable=target.name,
    )


def on_function(code: str, function: Function, message: str, notes: tuple[Note, ...] = (), **data: object) -> Finding:
    """A finding about a whole function, shown on its name."""
    return report(code, function.name, function.at, function.name_span, message, function.name, notes, **data)


def on_param(
    code: str, function: Function, param: Param, message: str, notes: tuple[Note, ...] = (), **data: object
) -> Finding:
    """A finding about a parameter, shown on the whole of it."""
    return report(code, param.name, param.at, param.span, message, function.name, notes, **data)


def note(at: Anchor, span: Span, message: str) -> Note:
    return Note(place(at, span), message)


def param_note(param: Param, message: str) -> Note:
    return note(param.at, param.name_span, message)


def quoted(names: list[str]) -> str:
    """``'a'``, ``'a' and 'b'``, ``'a', 'b' and 'c'``."""
    marked = [f"'{name}'" for name in names]
    if len(marked) < 2:
        return "".join(marked)
    return f"{', '.join(marked[:-1])} and {marked[-1]}"
