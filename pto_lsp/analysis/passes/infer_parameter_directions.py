"""Directions of kernel parameters as their bodies have them (semantics.md 2.1; PyPTO does this in two places).

* A parameter of an InCore function that has no direction wrapper but is stored to is Out, or InOut when it is read as
  well. One that was declared Out or InOut keeps its direction, whatever the body does.
* A Group or Spmd function has for each parameter the strongest direction of the calls it is handed on to.
"""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Call, Submit, Var
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Assign, Evaluate, Unpack
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.passes.scope_directions import merged, upgraded_directions
from pto_lsp.analysis.passes.statement_results import StatementResults

_KERNELS = frozenset({FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV})
_WRAPPERS = frozenset({FunctionKind.GROUP, FunctionKind.SPMD})


def run(program: Program, results: StatementResults | None = None) -> Program:
    """Needs SSA form and every device scope outlined."""
    results = results or StatementResults()
    functions = dict(program.functions)
    for key, function in program.functions.items():
        if function.kind in _KERNELS or (function.kind in _WRAPPERS and function.generated):
            results.next_function()
            functions[key] = _upgraded(function, program, results)
    wrappers = [key for key, f in functions.items() if f.kind in _WRAPPERS and results.callees(f)]
    # Each step only strengthens a direction, so the steps end; a chain of wrappers is as long as it is deep.
    pending = bool(wrappers)
    while pending:
        pending = False
        for key in wrappers:
            new = _with_directions(functions[key], _handed_on(functions[key], functions))
            if new is not functions[key]:
                functions[key] = new
                pending = True
    return program.with_functions(functions)


def _upgraded(function: Function, program: Program, results: StatementResults) -> Function:
    callees = results.reachable(program, results.callees(function))
    known = results.find("directions", function, None, callees)
    if isinstance(known, Function):
        return known
    made = _with_directions(function, upgraded_directions(function, program))
    results.set_callees(made, results.callees(function))
    results.store("directions", function, None, made, callees)
    return made


def _with_directions(function: Function, directions: tuple[Direction, ...]) -> Function:
    if all(p.direction is d for p, d in zip(function.params, directions)):
        return function
    params = tuple([p if p.direction is d else replace(p, direction=d) for p, d in zip(function.params, directions)])
    return replace(function, params=params)


def _handed_on(wrapper: Function, functions: dict[str, Function]) -> tuple[Direction, ...]:
    found = {p.name: p.direction for p in wrapper.params}
    for stmt in walk_block(wrapper.body or ()):
        value = stmt.value if isinstance(stmt, (Assign, Unpack, Evaluate)) else None
        if not isinstance(value, (Call, Submit)):
            continue
        callee = functions.get(value.callee)
        if callee is None:
            continue
        for param, arg in zip(callee.params, value.args):
            if isinstance(arg, Var) and arg.name in found:
                found[arg.name] = merged(found[arg.name], param.direction)
    return tuple(found.values())
