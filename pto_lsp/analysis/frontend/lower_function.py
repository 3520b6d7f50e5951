"""One DSL function to IR."""

from __future__ import annotations

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.annotations import annotation, return_types
from pto_lsp.analysis.frontend.blocks import Line
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.dsl_function import DslFunction
from pto_lsp.analysis.frontend.line_memo import LineMemo
from pto_lsp.analysis.frontend.lower_expressions import lower
from pto_lsp.analysis.frontend.lower_statements import block, names_assigned
from pto_lsp.analysis.frontend.signatures import Lowered, Names, Signature
from pto_lsp.analysis.ir.place import FUNCTION_START, Anchor, LineStart
from pto_lsp.analysis.ir.program import Function, Param
from pto_lsp.analysis.ir.statements import Block
from pto_lsp.analysis.ir.types import UNKNOWN, Type
from pto_lsp.analysis.source import syntax


def signature_of(function: DslFunction, names: Names) -> Signature:
    """Name, parameters and results, without looking at the body beyond its ``return`` lines."""
    ctx = _context(function, names)
    params = tuple(_params(ctx, function))
    returns = return_types(ctx, function.head.returns)
    if returns is None:
        returns = _inferred_returns(function, {p.name: p.type for p in params})
    return Signature(function.source, function.name, function.declaration.kind, params, returns, function.method)


def lower_function(
    function: DslFunction, signature: Signature, names: Names, known: LineMemo | None = None
) -> tuple[Lowered, tuple[Finding, ...]]:
    """IR of a function and what its source rules found. ``Lowered.callees`` says whom its calls mean.

    Statements that are ``known`` from the last time are taken over.
    """
    ctx = _context(function, names)
    if known is not None:
        known.begin()
        ctx.known = known
    for param in signature.params:
        ctx.scope[param.name] = param.type
    ctx.assigned = names_assigned(function.lines)
    body: Block | None = None
    if not function.declaration.external:
        body = block(ctx, function.lines)
    ir_function = Function(
        key=function.name,
        name=function.name,
        kind=function.declaration.kind,
        params=signature.params,
        returns=signature.returns or (),
        body=body,
        at=ctx.anchor,
        name_span=function.name_span,
        complete=ctx.complete and body is not None,
        auto_scope=function.declaration.auto_scope,
        method=function.method,
    )
    lowered = Lowered(ir_function, signature, ctx.callees, ctx.graph_scopes)
    return lowered, tuple(ctx.findings)


def _context(function: DslFunction, names: Names) -> Context:
    return Context(
        function.name,
        function.declaration.kind,
        function.declaration.jit,
        names,
        Anchor(function.source, FUNCTION_START),
        lower,
    )


def _params(ctx: Context, function: DslFunction) -> list[Param]:
    found: list[Param] = []
    for position, piece in enumerate(function.params):
        parameter = piece.parameter
        if parameter.star or parameter.name in ("*", "/"):
            # Keyword-only parameters have no meaning in the DSL (surface.md §3).
            if parameter.star == "*" or parameter.name == "*":
                break
            continue
        if position == 0 and function.method and parameter.name == "self":
            continue
        type_, direction = annotation(ctx, parameter.annotation)
        anchor = Anchor(function.source, LineStart(piece.start))
        found.append(
            Param(
                parameter.name,
                type_,
                direction,
                anchor,
                parameter.span,
                parameter.name_span,
                parameter.default is not None,
            )
        )
    return found


def _inferred_returns(function: DslFunction, params: dict[str, Type]) -> tuple[Type, ...] | None:
    """Results named in the first ``return``: parameters have a known type, anything else an unknown one."""
    found = _first_return(function.lines)
    return () if found is None else _returned(found.value, params)


def _first_return(lines: tuple[Line, ...]) -> syntax.Return | None:
    for line in lines:
        for statement in line.unit.statements:
            if isinstance(statement, syntax.Return):
                return statement
        if line.body:
            found = _first_return(line.body)
            if found is not None:
                return found
    return None


def _returned(value: syntax.Expr | None, params: dict[str, Type]) -> tuple[Type, ...]:
    if value is None:
        return ()
    values = value.items if isinstance(value, syntax.TupleDisplay) else (value,)
    return tuple(params.get(v.id, UNKNOWN) if isinstance(v, syntax.Name) else UNKNOWN for v in values)
