"""NormalizeReturnOrder: returned parameters made explicit, results of kernels in parameter order (rules.md R1-R5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from pto_lsp.analysis.ir.expressions import Call, Const, Expr, Item, Submit, Var
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, Return, Stmt, Unpack
from pto_lsp.analysis.ir.types import TensorType, TupleType, Type, UnknownType
from pto_lsp.analysis.ir.visitor import blocks, rewrite_statement, with_blocks
from pto_lsp.analysis.passes.return_lineage import ReturnLineage, ReturnMap, explicit_returned_params, first_return
from pto_lsp.analysis.passes.statement_results import StatementResults

_T = TypeVar("_T")

_EXPLICIT = frozenset(
    {
        FunctionKind.INCORE,
        FunctionKind.AIC,
        FunctionKind.AIV,
        FunctionKind.GROUP,
        FunctionKind.SPMD,
        FunctionKind.GRAPH,
    }
)

Permutation = tuple[int, ...]
"""Old position → new position."""


def run(program: Program, results: StatementResults | None = None) -> Program:
    """The whole pass; needs SSA form and every device scope outlined."""
    results = results or StatementResults()
    lineage = ReturnLineage(program)
    functions: dict[str, Function] = {}
    for key, function in program.functions.items():
        functions[key] = function
        if function.kind in _EXPLICIT:
            callees = results.reachable(program, results.callees(function))
            known = results.find("returns", function, None, callees)
            if not isinstance(known, Function):
                results.next_function()
                returned = lineage.of(key)
                known = function if returned is None else _with_explicit_returns(function, returned)
                results.store("returns", function, None, known, callees)
            functions[key] = known
    permutations: dict[str, Permutation] = {}
    for key, function in functions.items():
        if function.kind is FunctionKind.INCORE:
            permutation = _known_permutation(function, results)
            if permutation is not None:
                permutations[key] = permutation
                functions[key] = _reordered(function, permutation)
    if permutations:
        functions = {key: _known_remapped(function, permutations, results) for key, function in functions.items()}
    return program.with_functions(functions)


def _known_remapped(function: Function, permutations: dict[str, Permutation], results: StatementResults) -> Function:
    mine = tuple([(key, permutations[key]) for key in results.callees(function) if key in permutations])
    if not mine:
        return function
    known = results.find("remapped", function, mine)
    if not isinstance(known, Function):
        known = _remapped(function, permutations)
        results.store("remapped", function, mine, known)
    return known


def _with_explicit_returns(function: Function, returned: ReturnMap) -> Function:
    """R2: every returned tensor that traces to a parameter replaced by it."""
    stmt = first_return(function)
    if stmt is None or not stmt.values:
        return function
    if len(stmt.values) == 1 and len(returned) > 1:
        values: list[Expr] = []
        for each in returned:
            if each.param is None or not _is_tensor(function, each.param):
                return function
            values.append(_param(function, each.param, stmt.values[0]))
        new = tuple(values)
    else:
        new = tuple(
            [
                value
                if each.param is None or not _is_tensor(function, each.param)
                else _param(function, each.param, value)
                for value, each in zip(stmt.values, returned)
            ]
        )
    if len(new) == len(stmt.values) and all(a is b for a, b in zip(new, stmt.values)):
        return function
    return _with_return(function, stmt, Return(new, stmt.at, stmt.span))


def _is_tensor(function: Function, index: int) -> bool:
    return isinstance(function.params[index].type, (TensorType, UnknownType))


def _param(function: Function, index: int, value: Expr) -> Expr:
    """The parameter as it reads where ``value`` stands; ``value`` itself when it is that parameter already."""
    param = function.params[index]
    if isinstance(value, Var) and value.name == param.name:
        return value
    return Var(param.name, param.name, param.type, value.span)


def _with_return(function: Function, old: Return, new: Return) -> Function:
    assert function.body is not None
    # ``return pl.store(…)`` still stores: what is no longer returned is evaluated before.
    dropped = [v for v in old.values if not isinstance(v, (Var, Const)) and not any(v is each for each in new.values)]
    kept = tuple([Evaluate(value, old.at, value.span) for value in dropped])
    return replace(function, body=_replaced(function.body, old, (*kept, new)))


def _replaced(block: Block, old: Return, new: Block) -> Block:
    result: list[Stmt] = []
    for stmt in block:
        if stmt is old:
            result.extend(new)
            continue
        bodies = blocks(stmt)
        changed = tuple([_replaced(body, old, new) for body in bodies])
        if any(a is not b for a, b in zip(changed, bodies)):
            stmt = with_blocks(stmt, changed)
        result.append(stmt)
    unchanged = len(result) == len(block) and all(a is b for a, b in zip(result, block))
    return block if unchanged else tuple(result)


def _known_permutation(function: Function, results: StatementResults) -> Permutation | None:
    known = results.find("permutation", function, None)
    if known is None:
        known = (_permutation(function),)
        results.store("permutation", function, None, known)
    return known[0]  # type: ignore[index,no-any-return]


def _permutation(function: Function) -> Permutation | None:
    """R3: where each result has to go so that results follow the Out and InOut parameters; None to leave them."""
    returned = explicit_returned_params(function)
    if not returned:
        return None
    outputs = [i for i, p in enumerate(function.params) if p.direction is not Direction.IN]
    if len(outputs) > len(returned):
        return None
    position = {param: k for k, param in enumerate(outputs)}
    permutation = tuple([i if param is None else position.get(param, i) for i, param in enumerate(returned)])
    one_to_one = sorted(permutation) == list(range(len(permutation)))
    return permutation if one_to_one and permutation != tuple(range(len(permutation))) else None


def _reordered(function: Function, permutation: Permutation) -> Function:
    stmt = first_return(function)
    assert stmt is not None
    moved = _with_return(function, stmt, Return(_moved(stmt.values, permutation), stmt.at, stmt.span))
    if len(function.returns) == len(permutation):
        moved = replace(moved, returns=_moved(function.returns, permutation))
    return moved


def _moved(values: tuple[_T, ...], permutation: Permutation) -> tuple[_T, ...]:
    """``values`` with the element at each old position at its new one; elements beyond the permutation stay."""
    result = list(values)
    for old, new in enumerate(permutation):
        result[new] = values[old]
    return tuple(result)


def _remapped(function: Function, permutations: dict[str, Permutation]) -> Function:
    """R4: a caller's bindings of reordered results."""
    if function.body is None:
        return function
    body = _Remapping(permutations).block(function.body)
    return function if body is function.body else replace(function, body=body)


class _Remapping:
    def __init__(self, permutations: dict[str, Permutation]) -> None:
        self._permutations = permutations
        self._tuples: dict[str, Permutation] = {}

    def block(self, block: Block) -> Block:
        result = [self._statement(stmt) for stmt in block]
        return block if all(a is b for a, b in zip(result, block)) else tuple(result)

    def _statement(self, stmt: Stmt) -> Stmt:
        if self._tuples:
            stmt = rewrite_statement(stmt, self._item)
        if isinstance(stmt, (Assign, Unpack)) and isinstance(stmt.value, (Call, Submit)):
            permutation = self._permutations.get(stmt.value.callee)
            if permutation is not None:
                return self._launch(stmt, stmt.value, permutation)
        elif isinstance(stmt, Assign) and isinstance(stmt.value, Var) and stmt.value.name in self._tuples:
            self._tuples[stmt.target.name] = self._tuples[stmt.value.name]
        elif isinstance(stmt, Return):
            return self._return(stmt)
        bodies = blocks(stmt)
        new = tuple([self.block(body) for body in bodies])
        return with_blocks(stmt, new) if any(a is not b for a, b in zip(new, bodies)) else stmt

    def _launch(self, stmt: Assign | Unpack, launch: Call | Submit, permutation: Permutation) -> Stmt:
        launch = replace(launch, type=_moved_type(launch.type, permutation))
        if isinstance(stmt, Assign):
            self._tuples[stmt.target.name] = permutation
            target = replace(stmt.target, type=_moved_type(stmt.target.type, permutation))
            return replace(stmt, target=target, value=launch)
        targets = stmt.targets
        if isinstance(launch, Submit) and len(targets) == 2 and len(permutation) > 1:
            self._tuples[targets[0].name] = permutation
        elif len(targets) >= len(permutation):
            targets = _moved(targets, permutation)
        return Unpack(targets, launch, stmt.at, stmt.span)

    def _return(self, stmt: Return) -> Return:
        """A tuple handed on as a whole keeps the order in which this function declared its results."""
        if len(stmt.values) == 1 and isinstance(stmt.values[0], Var):
            value = stmt.values[0]
            permutation = self._tuples.get(value.name)
            if permutation is not None:
                return Return(tuple([Item(value, new, value.span) for new in permutation]), stmt.at, stmt.span)
        return stmt

    def _item(self, expr: Expr) -> Expr | None:
        if isinstance(expr, Item) and isinstance(expr.base, Var):
            permutation = self._tuples.get(expr.base.name)
            if permutation is not None and 0 <= expr.index < len(permutation):
                return Item(expr.base, permutation[expr.index], expr.span)
        return None


def _moved_type(type_: Type, permutation: Permutation) -> Type:
    if isinstance(type_, TupleType) and len(type_.items) >= len(permutation):
        return TupleType(_moved(type_.items, permutation))
    return type_
