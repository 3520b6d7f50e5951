"""Which of its own parameters a function returns (rules.md R6, R10).

Two readings: ``explicit_returned_params`` takes a returned value for a parameter only when it *is* one;
``ReturnLineage`` follows renames, loop carries, write-backs and calls down to one.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Call, Expr, Item, Op, Submit, TupleExpr, Unknown, Var
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    Evaluate,
    For,
    If,
    Opaque,
    Region,
    Return,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import TensorType, UnknownType
from pto_lsp.analysis.ir.visitor import blocks, walk_block
from pto_lsp.analysis.ir.write_backs import written_back


@dataclass(frozen=True, slots=True)
class Lineage:
    """``param`` is the index of the parameter a value is, None when it is none or when that is not ``known``."""

    param: int | None
    known: bool = True


FRESH = Lineage(None)
"""Certainly no parameter under another name."""
UNKNOWN_LINEAGE = Lineage(None, False)

ReturnMap = tuple[Lineage, ...]


def explicit_returned_params(function: Function) -> tuple[int | None, ...] | None:
    """R10: parameter index of each value of the first return, by identity; None when the body is not known."""
    if function.body is None:
        return None
    returned = first_return(function)
    if returned is None:
        return ()
    return tuple([function.param_index(v.name) if isinstance(v, Var) else None for v in returned.values])


def first_return(function: Function) -> Return | None:
    """The return statement that comes first in the text."""
    for stmt in walk_block(function.body or ()):
        if isinstance(stmt, Return):
            return stmt
    return None


class ReturnLineage:
    """Tracing return maps of a program's functions, each computed once. Needs SSA form."""

    def __init__(self, program: Program) -> None:
        self._functions = program.functions
        self._traces: dict[str, _Trace | None] = {}

    def of(self, key: str) -> ReturnMap | None:
        """One lineage per result of function ``key``; None when its body is not known.

        A function asked about while its own trace is under way (recursion) counts as not known.
        """
        trace = self._trace(key)
        return None if trace is None else trace.returns

    def value(self, key: str, expr: Expr) -> Lineage:
        """Lineage of a value in the body of function ``key``."""
        trace = self._trace(key)
        return UNKNOWN_LINEAGE if trace is None else trace.value(expr)

    def _trace(self, key: str) -> _Trace | None:
        if key not in self._traces:
            self._traces[key] = None
            function = self._functions.get(key)
            if function is not None and function.body is not None:
                self._traces[key] = _Trace(self, function)
        return self._traces[key]


class BodyLineage:
    """Lineages of the values of one function, in terms of its parameters."""

    def __init__(self, lineage: ReturnLineage, function: Function) -> None:
        self._lineage = lineage
        self._trace = _Trace(lineage, function, joins=True)

    def value(self, expr: Expr) -> Lineage:
        return self._trace.value(expr)


def body_lineage(function: Function, program: Program) -> BodyLineage:
    """Lineages in a function that is not part of the program (yet); ``program`` has the functions it calls.

    Unlike a return map, these follow an ``if`` whose arms end in the same buffer: the question is where a value lives,
    not whether the compiler can see that it does.
    """
    return BodyLineage(ReturnLineage(program), function)


class _Trace:
    """One forward walk over a function: every name is bound before it is used, so each lineage is known in time."""

    def __init__(self, lineage: ReturnLineage, function: Function, joins: bool = False) -> None:
        # The lineage owns its traces: were they to own it too, only the garbage collector would free them.
        self._lineage = weakref.proxy(lineage)
        self._joins = joins
        self._found: dict[str, Lineage] = {p.name: Lineage(i) for i, p in enumerate(function.params)}
        self._tuples: dict[str, ReturnMap | None] = {}
        self._return: ReturnMap | None = None
        self._results_wanted = len(function.returns)
        self._wrapped: list[ReturnMap] = []
        self._block(function.body or ())
        if self._return is None:
            # A Group or Spmd function without a return hands on the results of the one launch that has as many.
            wrapper = function.kind in (FunctionKind.GROUP, FunctionKind.SPMD)
            self._return = self._wrapped[0] if wrapper and len(self._wrapped) == 1 else ()
        self.returns: ReturnMap = self._return

    def value(self, expr: Expr) -> Lineage:
        if isinstance(expr, Var):
            return self._found.get(expr.name, UNKNOWN_LINEAGE)
        if isinstance(expr, Op):
            target = written_back(expr)
            return FRESH if target is None else self.value(target)
        if isinstance(expr, (Call, Submit)):
            results = self._results(expr)
            if results is None:
                return UNKNOWN_LINEAGE
            return results[0] if len(results) == 1 else FRESH
        if isinstance(expr, Item):
            return _element(self._tuple(expr.base), expr.index)
        return UNKNOWN_LINEAGE if isinstance(expr, Unknown) else FRESH

    def _block(self, block: Block) -> None:
        for stmt in block:
            self._statement(stmt)

    def _statement(self, stmt: Stmt) -> None:
        found = self._found
        if isinstance(stmt, Assign):
            self._assign(stmt)
        elif isinstance(stmt, Unpack):
            self._unpack(stmt)
        elif isinstance(stmt, Evaluate):
            self._note_results(self._tuple(stmt.value))
        elif isinstance(stmt, (For, While)):
            if isinstance(stmt, For):
                found[stmt.var.name] = FRESH
            for carry in stmt.carries:
                found[carry.inner.name] = self.value(carry.init)
            self._block(stmt.body)
            for carry in stmt.carries:
                found[carry.result.name] = self._carried(carry)
        elif isinstance(stmt, If):
            self._block(stmt.then)
            self._block(stmt.orelse)
            for phi in stmt.phis:
                then, orelse = self.value(phi.then), self.value(phi.orelse)
                found[phi.result.name] = then if self._joins and then == orelse else FRESH
        elif isinstance(stmt, Return):
            if self._return is None and stmt.values:
                self._return = self._returned(stmt)
        else:
            for body in blocks(stmt):
                self._block(body)
            if isinstance(stmt, Opaque):
                for var in stmt.binds:
                    found[var.name] = UNKNOWN_LINEAGE
            elif isinstance(stmt, Region) and stmt.task_id is not None:
                found[stmt.task_id.name] = FRESH

    def _assign(self, stmt: Assign) -> None:
        value = stmt.value
        self._found[stmt.target.name] = self.value(value)
        if isinstance(value, (Var, TupleExpr, Call, Submit)):
            results = self._tuple(value)
            if not isinstance(value, Var):
                self._note_results(results)
            self._tuples[stmt.target.name] = results

    def _unpack(self, stmt: Unpack) -> None:
        results = self._tuple(stmt.value)
        targets = stmt.targets
        if isinstance(stmt.value, Submit) and len(targets) == 2 and results is not None and len(results) > 1:
            # ``results, tid = pl.submit(...)``: the first name is the tuple of all results.
            self._tuples[targets[0].name] = results
            results = (FRESH,)
        if not isinstance(stmt.value, Var):
            self._note_results(results)
        for index, target in enumerate(targets):
            self._found[target.name] = _element(results, index)

    def _note_results(self, results: ReturnMap | None) -> None:
        if results and len(results) == self._results_wanted:
            self._wrapped.append(results)

    def _carried(self, carry: Carry) -> Lineage:
        """The initial value's lineage, when the body hands the same buffer on."""
        end = self.value(carry.update)
        if isinstance(carry.init, Unknown):
            # First bound inside the loop: the value of the last trip.
            return end
        start = self.value(carry.init)
        if not isinstance(carry.result.type, (TensorType, UnknownType)):
            same = isinstance(carry.update, Var) and carry.update.name == carry.inner.name
            return start if same else FRESH
        if end == start:
            return start
        return FRESH if start.known and end.known else UNKNOWN_LINEAGE

    def _returned(self, stmt: Return) -> ReturnMap:
        values = stmt.values
        if len(values) == 1 and self._results_wanted > 1:
            # ``return t`` where ``t`` is the tuple of all declared results (rules.md R2).
            results = self._tuple(values[0])
            if results is None or len(results) == self._results_wanted:
                return results or (UNKNOWN_LINEAGE,) * self._results_wanted
        return tuple([self.value(v) for v in values])

    def _tuple(self, expr: Expr) -> ReturnMap | None:
        """Lineages of the elements of a tuple value, of the results of a launch; None when they are not known."""
        if isinstance(expr, Var):
            return self._tuples.get(expr.name)
        if isinstance(expr, TupleExpr):
            return tuple([self.value(v) for v in expr.items])
        return self._results(expr) if isinstance(expr, (Call, Submit)) else None

    def _results(self, launch: Call | Submit) -> ReturnMap | None:
        """Lineages of a launch's results in terms of this function's parameters."""
        returned: ReturnMap | None = self._lineage.of(launch.callee)
        return None if returned is None else tuple([self._through(launch, r) for r in returned])

    def _through(self, launch: Call | Submit, returned: Lineage) -> Lineage:
        if returned.param is None:
            return returned
        # A trailing Out that a submit leaves out is made by the runtime (rules.md B4).
        return self.value(launch.args[returned.param]) if returned.param < len(launch.args) else FRESH


def _element(results: ReturnMap | None, index: int) -> Lineage:
    if results is None:
        return UNKNOWN_LINEAGE
    return results[index] if 0 <= index < len(results) else FRESH
