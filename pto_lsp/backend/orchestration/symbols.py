"""Dynamic dimensions of functions that are spliced into their callers.

A helper's ``rows`` in ``x: pl.Tensor[[rows, 64], pl.FP32]`` is whatever extent its argument has. Once its body stands
in the caller, nothing but the call says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from pto_lsp.analysis.ir.expressions import Call, Const, Expr, Op, Submit, Symbol, Var
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block


def spliced_symbols(program: Program) -> dict[str, Expr]:
    """What the dynamic dimensions of inline functions are in a program before the passes: constants, or dimensions of
    the function they end up in. Those that differ from call to call, or are not known, are left out.
    """
    found: dict[str, list[Expr | None]] = {}
    for function in program.functions.values():
        if function.kind is not FunctionKind.INLINE:
            _follow(program, function, {}, found, frozenset())
    return {
        name: values[0]
        for name, values in found.items()
        if values[0] is not None and len({_key(value) for value in values}) == 1
    }


def _follow(
    program: Program,
    caller: Function,
    known: Mapping[str, Expr | None],
    found: dict[str, list[Expr | None]],
    inside: frozenset[str],
) -> None:
    """Note what the calls in ``caller`` make of symbols; ``known`` are those of ``caller`` itself, once spliced."""
    for stmt in walk_block(caller.body or ()):
        for call in [part for expr in statement_exprs(stmt) for part in walk(expr)]:
            if not isinstance(call, (Call, Submit)) or call.callee in inside:
                continue
            callee = program.functions.get(call.callee)
            if callee is None or callee.kind is not FunctionKind.INLINE:
                continue
            symbols = _bound(callee, call, known)
            for name, value in symbols.items():
                if not (isinstance(value, Symbol) and value.name == name):
                    found.setdefault(name, []).append(value)
            _follow(program, callee, symbols, found, inside | {call.callee})


def _bound(callee: Function, call: Call | Submit, known: Mapping[str, Expr | None]) -> dict[str, Expr | None]:
    symbols: dict[str, Expr | None] = {}
    for param, arg in zip(callee.params, call.args):
        if not isinstance(param.type, TensorType):
            continue
        type_ = arg.type if isinstance(arg, (Var, Op)) else None
        extents = type_.shape if isinstance(type_, TensorType) and type_.shape is not None else ()
        for axis, extent in enumerate(param.type.shape or ()):
            if isinstance(extent, Symbol) and symbols.get(extent.name) is None:
                symbols[extent.name] = _meant(extents[axis], known) if axis < len(extents) else None
    return symbols


def _meant(extent: Expr, known: Mapping[str, Expr | None]) -> Expr | None:
    if isinstance(extent, Symbol):
        return known.get(extent.name, extent)
    return extent if isinstance(extent, Const) and isinstance(extent.value, int) else None


def _key(value: Expr | None) -> object:
    return value.value if isinstance(value, Const) else value.name if isinstance(value, Symbol) else None
