"""Execution of one block of a kernel: statements and scalar expressions. Operators are in ``operators``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Union

from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Const,
    DType,
    Enumerator,
    Expr,
    Item,
    ListExpr,
    Op,
    Submit,
    Symbol,
    TupleExpr,
    Unary,
    Unknown,
    Var,
)
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, Return, Scope, Stmt, Unpack, While
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.convert_to_ssa import UNBOUND
from pto_lsp.analysis.replay import scalars
from pto_lsp.analysis.replay.evaluate import DEFAULT_SYMBOL
from pto_lsp.analysis.replay.values import Scalar, UnknownValue
from pto_lsp.backend.execution.arithmetic import binary, unary
from pto_lsp.backend.execution.errors import NotExecutable
from pto_lsp.backend.execution.operators import operate
from pto_lsp.backend.execution.values import Operand, in_memory, undefined
from pto_lsp.backend.unknowns import shown_unknown

KernelValue = Union[int, float, bool, str, None, Operand, "tuple[KernelValue, ...]"]

TRIP_LIMIT = 1_000_000
"""Trips of one ``while``: beyond that nobody is waiting for the result any more."""
_INFIX = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


@node
class BlockPosition:
    """Which of the ``count`` blocks of its task a kernel is."""

    index: int
    count: int


def run_kernel(
    program: Program,
    function: Function,
    arguments: tuple[KernelValue, ...],
    position: BlockPosition,
    symbols: Mapping[str, int],
) -> tuple[KernelValue, ...]:
    """Execute ``function`` for one block; what it returns. Raises `NotExecutable`."""
    if function.body is None:
        raise NotExecutable(f"'{function.name}' has no body to execute", place(function.at, function.name_span))
    frame = KernelFrame(program, position, symbols)
    for param, argument in zip(function.params, arguments):
        frame.env[param.name] = argument
    returned = frame.block(function.body)
    return () if returned is None else returned


class KernelFrame:
    """Names of one activation. Bodies are executed as they stand, so a kernel's loops cost what they cost."""

    def __init__(self, program: Program, position: BlockPosition, symbols: Mapping[str, int]) -> None:
        self.env: dict[str, KernelValue] = {}
        self.position: BlockPosition = position
        self._program = program
        self._symbols = symbols

    def block(self, block: Block) -> tuple[KernelValue, ...] | None:
        """The values returned, None when the end is reached without a return."""
        for stmt in block:
            try:
                returned = self._statement(stmt)
            except NotExecutable as fault:
                if fault.place is None:
                    fault.place = place(stmt.at, stmt.span)
                raise
            if returned is not None:
                return returned
        return None

    def value(self, expr: Expr) -> KernelValue:
        if isinstance(expr, Var):
            if expr.name not in self.env:
                raise NotExecutable(f"'{expr.label}' has no value here")
            return self.env[expr.name]
        if isinstance(expr, Const):
            return expr.value
        if isinstance(expr, Op):
            return operate(self, expr)
        if isinstance(expr, Binary):
            return self._binary(expr)
        if isinstance(expr, Unary):
            operand = self.value(expr.operand)
            if isinstance(operand, Operand) and expr.op in ("-", "abs"):
                return unary("neg" if expr.op == "-" else "abs", operand)
            return _known(scalars.unary(expr.op, _scalar(operand)), f"'{expr.op}'")
        if isinstance(expr, Cast):
            return _known(scalars.convert(_scalar(self.value(expr.operand)), expr.dtype), f"a cast to {expr.dtype}")
        if isinstance(expr, (ListExpr, TupleExpr)):
            return tuple([self.value(item) for item in expr.items])
        if isinstance(expr, Item):
            base = self.value(expr.base)
            if isinstance(base, tuple) and -len(base) <= expr.index < len(base):
                return base[expr.index]
            raise NotExecutable(f"element {expr.index} of something that has none")
        if isinstance(expr, Symbol):
            return self._symbols.get(expr.name, DEFAULT_SYMBOL)
        if isinstance(expr, DType):
            return expr.name
        if isinstance(expr, Enumerator):
            return expr.dotted
        if isinstance(expr, (Call, Submit)):
            results = self._call(expr)
            return results[0] if len(results) == 1 else results
        assert isinstance(expr, Unknown)
        raise NotExecutable(f"not executed: {shown_unknown(expr)}")

    def integers(self, expr: Expr) -> tuple[int, ...]:
        """A list of integers (shape, offsets); a single one counts as a list."""
        value = self.value(expr)
        items = value if isinstance(value, tuple) else (value,)
        found = tuple([item for item in items if isinstance(item, int)])
        if len(found) != len(items):
            raise NotExecutable("a shape or offset that is not an integer")
        return found

    def _statement(self, stmt: Stmt) -> tuple[KernelValue, ...] | None:
        if isinstance(stmt, Assign):
            self.env[stmt.target.name] = self.value(stmt.value)
        elif isinstance(stmt, Unpack):
            values = self.value(stmt.value)
            if not isinstance(values, tuple) or len(values) != len(stmt.targets):
                raise NotExecutable(f"{len(stmt.targets)} results are expected here")
            for target, value in zip(stmt.targets, values):
                self.env[target.name] = value
        elif isinstance(stmt, Evaluate):
            self.value(stmt.value)
        elif isinstance(stmt, For):
            return self._for(stmt)
        elif isinstance(stmt, While):
            return self._while(stmt)
        elif isinstance(stmt, If):
            condition = self.value(stmt.condition)
            returned = self.block(stmt.then if condition else stmt.orelse)
            if returned is not None:
                return returned
            self._bind([(phi.result, phi.then if condition else phi.orelse) for phi in stmt.phis])
        elif isinstance(stmt, Scope):
            return self.block(stmt.body)
        elif isinstance(stmt, Return):
            return tuple([self.value(value) for value in stmt.values])
        else:
            raise NotExecutable("this statement is not executed")
        return None

    def _for(self, stmt: For) -> tuple[KernelValue, ...] | None:
        start, stop, step = self.integers(ListExpr((stmt.start, stmt.stop, stmt.step)))
        if step == 0:
            raise NotExecutable("a loop with step 0")
        self._bind([(carry.inner, carry.init) for carry in stmt.carries])
        for index in range(start, stop, step):
            self.env[stmt.var.name] = index
            returned = self.block(stmt.body)
            if returned is not None:
                return returned
            self._bind([(carry.inner, carry.update) for carry in stmt.carries])
        self._bind([(carry.result, carry.inner) for carry in stmt.carries])
        return None

    def _while(self, stmt: While) -> tuple[KernelValue, ...] | None:
        self._bind([(carry.inner, carry.init) for carry in stmt.carries])
        for _ in range(TRIP_LIMIT):
            if not self.value(stmt.condition):
                break
            returned = self.block(stmt.body)
            if returned is not None:
                return returned
            self._bind([(carry.inner, carry.update) for carry in stmt.carries])
        else:
            raise NotExecutable(f"a loop of more than {TRIP_LIMIT} trips")
        self._bind([(carry.result, carry.inner) for carry in stmt.carries])
        return None

    def _bind(self, pairs: Sequence[tuple[Var, Expr]]) -> None:
        """All at the same time. A name that has no value on this way has none afterwards."""
        found: list[tuple[Var, KernelValue]] = []
        for target, expr in pairs:
            missing = expr.what == UNBOUND if isinstance(expr, Unknown) else False
            if missing or (isinstance(expr, Var) and expr.name not in self.env):
                self.env.pop(target.name, None)
            else:
                found.append((target, self.value(expr)))
        for target, value in found:
            self.env[target.name] = value

    def _binary(self, expr: Binary) -> KernelValue:
        left, right = self.value(expr.left), self.value(expr.right)
        if not isinstance(left, Operand) and not isinstance(right, Operand):
            return _known(scalars.binary(expr.op, _scalar(left), _scalar(right)), f"'{expr.op}'")
        name = _INFIX.get(expr.op)
        if name is None:
            raise NotExecutable(f"'{expr.op}' of tensors")
        if isinstance(left, Operand):
            return binary(name, left, right if isinstance(right, Operand) else _scalar(right))
        assert isinstance(right, Operand)
        filled = undefined(right.array.shape, right.dtype)
        filled[...] = _scalar(left)
        return binary(name, Operand(filled, right.dtype, None, right.tile), right)

    def _call(self, expr: Call | Submit) -> tuple[KernelValue, ...]:
        """A kernel within a kernel (the members of a Group, the body of an SPMD wrapper) runs as the same block."""
        callee = self._program.functions.get(expr.callee)
        if callee is None:
            raise NotExecutable(f"'{expr.callee}' is not known")
        arguments = tuple([self.value(arg) for arg in expr.args])
        results = run_kernel(self._program, callee, arguments, self.position, self._symbols)
        # What is called returns its own parameters; their memory may have been written since a slice was taken.
        fresh = [
            in_memory(r.memory, r.dtype) if isinstance(r, Operand) and r.memory is not None else r for r in results
        ]
        return (*fresh, None) if isinstance(expr, Submit) else tuple(fresh)


def _scalar(value: KernelValue) -> int | float:
    if isinstance(value, (int, float)):
        return value
    raise NotExecutable("a number is expected here")


def _known(value: Scalar, what: str) -> KernelValue:
    if isinstance(value, UnknownValue):
        raise NotExecutable(f"{what} has no value for these operands")
    return value
