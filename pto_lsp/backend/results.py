"""Results of kernels that are computed, given to the caller through memory.

A task returns nothing: what a kernel hands back is a parameter that it wrote. A kernel whose ``return`` names a value
that is no parameter gets one more, of direction Out, that the value is stored to; a launch that gives no argument for
it has the runtime allocate it.
"""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Call, Const, ListExpr, Op, Submit, Symbol, Var
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.statements import Assign, Return
from pto_lsp.analysis.ir.types import TensorType, Type
from pto_lsp.analysis.ir.uses import bound_in
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block
from pto_lsp.analysis.passes.names import unique_name
from pto_lsp.analysis.replay.returns import returned_params
from pto_lsp.backend.kernels.emit import computed_types


def with_result_parameters(program: Program) -> Program:
    """``program`` with every kernel's computed results in parameters, where their type is declared or can be found out.

    Results of kernels that a Graph launches stay as they are: a buffer would be allocated by every recording.
    """
    graphs = [each for each in program.functions.values() if each.kind is FunctionKind.GRAPH]
    recorded = {key for graph in graphs for key in _called(graph)}
    functions = {
        key: function if key in recorded or not function.kind.is_kernel else _with_parameters(program, function)
        for key, function in program.functions.items()
    }
    return program.with_functions(functions)


def _called(function: Function) -> set[str]:
    exprs = [expr for stmt in walk_block(function.body or ()) for expr in statement_exprs(stmt)]
    return {part.callee for expr in exprs for part in walk(expr) if isinstance(part, (Call, Submit))}


def _with_parameters(program: Program, function: Function) -> Function:
    body, returned = function.body, returned_params(function, program)
    if not body or not isinstance(body[-1], Return) or None not in returned:
        return function
    end = body[-1]
    params, values, stores = list(function.params), list(end.values), list(body[:-1])
    taken = {param.name for param in params} | set(bound_in(body))
    types = _types(program, function, end)
    for position, (index, value) in enumerate(zip(returned, end.values)):
        type_ = types[position]
        if index is not None or type_ is None or type_.shape is None:
            continue
        name = unique_name(f"{value.label if isinstance(value, Var) else 'result'}_out", taken)
        taken.add(name)
        target = Var(name, name, type_, end.span)
        params.append(Param(name, type_, Direction.OUT, end.at, end.span, end.span))
        zeros = ListExpr(tuple([Const(0) for _ in type_.shape]))
        store = Op("tensor.assemble", (target, value, zeros), (), type_, end.span)
        stores.append(Assign(Var(f"{name}.stored", name, type_, end.span), store, end.at, end.span))
        values[position] = target
    return replace(function, params=tuple(params), body=(*stores, replace(end, values=tuple(values))))


def _types(program: Program, function: Function, end: Return) -> list[TensorType | None]:
    """Of each result, where a caller can create a buffer of it: a tensor of constant or dynamic extents."""
    declared = [function.returns[at] if at < len(function.returns) else None for at in range(len(end.values))]
    if not all(isinstance(type_, TensorType) and type_.shape is not None and type_.dtype for type_ in declared):
        declared = list(computed_types(program, function) or declared)
    return [_plain(type_) for type_ in declared]


def _plain(type_: Type | None) -> TensorType | None:
    if not isinstance(type_, TensorType) or type_.shape is None or not type_.dtype:
        return None
    return type_ if all(isinstance(extent, (Const, Symbol)) for extent in type_.shape) else None
