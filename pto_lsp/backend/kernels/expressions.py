"""Expressions of a kernel in tile code: names, numbers and tensor values. Operators are in ``operators``."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pto_lsp.analysis.ir.expressions import (
    NO_SPAN,
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
from pto_lsp.analysis.ir.place import Anchor, place
from pto_lsp.analysis.ir.program import Function
from pto_lsp.backend.kernels import elementwise, epilogue, scalars
from pto_lsp.backend.kernels.code import Declaration
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.memory import load
from pto_lsp.backend.kernels.operators import operate
from pto_lsp.backend.kernels.tiles import Tile
from pto_lsp.backend.kernels.uses import Uses, short_name, uses_in
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted, surface_name
from pto_lsp.backend.unknowns import shown_unknown
from pto_lsp.diagnostics import Span

_INFIX = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


class ExpressionLowering(ABC):
    """What the names of one activation stand for. ``wanted_tile`` is where the value being made should go."""

    def __init__(self, function: Function, frame: Frame) -> None:
        self.frame = frame
        self.wanted_tile: Tile | None = None
        self.env: dict[str, KernelText] = {}
        self.uses: Uses = uses_in(function.body or ())
        self.anchor: Anchor | None = None
        self.within = False

    @abstractmethod
    def call(self, expr: Call | Submit) -> tuple[KernelText, ...]:
        """The results of a kernel within this one."""

    def value(self, expr: Expr) -> KernelText:
        if isinstance(expr, Var):
            if expr.name not in self.env:
                raise NotEmitted(f"'{expr.label}', which has no value here,")
            return self.env[expr.name]
        if isinstance(expr, Const):
            return scalars.number(expr.value) if isinstance(expr.value, (bool, int, float)) else expr.value
        if isinstance(expr, Op):
            return self._operate(expr)
        if isinstance(expr, Binary):
            return self._binary(expr)
        if isinstance(expr, Unary):
            operand = self.value(expr.operand)
            if isinstance(operand, Tensor) and expr.op in ("-", "abs"):
                return elementwise.unary(self.frame, "neg" if expr.op == "-" else "abs", self.on_chip(operand))
            return scalars.unary(expr.op, self.as_number(operand))
        if isinstance(expr, Cast):
            return scalars.cast(self.as_number(self.value(expr.operand)), expr.dtype)
        if isinstance(expr, (ListExpr, TupleExpr)):
            return tuple([self.value(item) for item in expr.items])
        if isinstance(expr, Item):
            base = self.value(expr.base)
            if isinstance(base, tuple) and -len(base) <= expr.index < len(base):
                return base[expr.index]
            raise NotEmitted(f"element {expr.index} of something that has none")
        if isinstance(expr, Symbol):
            return self.value(Var(f"symbol {expr.name}", expr.name))
        if isinstance(expr, DType):
            return expr.name
        if isinstance(expr, Enumerator):
            return expr.dotted
        if isinstance(expr, (Call, Submit)):
            results = self.call(expr)
            return results[0] if len(results) == 1 else results
        assert isinstance(expr, Unknown)
        raise NotEmitted(shown_unknown(expr))

    def _operate(self, op: Op) -> KernelText:
        """Operations within others name what they make after themselves."""
        label, wanted = self.frame.label, self.wanted_tile
        outermost = not self.within
        where = self.frame.at
        if self.anchor is not None:
            self.frame.at = place(self.anchor, op.span)
        if not outermost:
            self.frame.label, self.wanted_tile = short_name(op), None
        self.within = True
        try:
            return operate(self, op)
        except NotEmitted as fault:
            self._blame(fault, op.span, surface_name(op.name), _as_written(op))
            raise
        finally:
            self.within, self.frame.at = not outermost, where
            self.frame.label, self.wanted_tile = label, wanted

    def _blame(self, fault: NotEmitted, span: Span, operation: str, written: str) -> None:
        """Say what ``fault`` is about and where, unless something inside it has said so already."""
        if not fault.operation:
            fault.operation = operation
            if operation not in str(fault):
                fault.args = (f"{written}: {fault}",)
        if fault.place is None and self.anchor is not None and span != NO_SPAN:
            fault.place = place(self.anchor, span)

    def blame_operand(self, fault: NotEmitted, expr: Expr) -> None:
        """``fault`` came of bringing ``expr`` on chip."""
        if fault.place is None and self.anchor is not None and isinstance(expr, (Op, Var)) and expr.span != NO_SPAN:
            fault.place = place(self.anchor, expr.span)

    def as_number(self, value: KernelText) -> Number:
        if isinstance(value, Number):
            return value
        raise NotEmitted("something that is no number, where one is expected,")

    def numbers(self, expr: Expr) -> tuple[Number, ...]:
        """A list of numbers (shape, offsets); a single one counts as a list."""
        value = self.value(expr)
        items = value if isinstance(value, tuple) else (value,)
        return tuple([self.as_number(item) for item in items])

    def named(self, text: str, wish: str) -> str:
        """The value of ``text`` under a name of its own."""
        return self.frame.named(text, wish)

    def on_chip(self, value: Tensor) -> Tensor:
        """``value`` with its elements in a tile."""
        if value.tile is not None:
            return value
        assert value.view is not None
        loaded = load(self.frame, value.view)
        return Tensor(value.shape, value.dtype, loaded.tile, value.view, shared=True)

    def may_overwrite(self, expr: Expr, value: Tensor) -> bool:
        """Whether ``expr`` is the only use there is of the elements of ``value``."""
        if value.shared or value.tile is None:
            return False
        return not isinstance(expr, Var) or self.uses.counts[expr.name] == 1

    def _binary(self, expr: Binary) -> KernelText:
        left, right = self.value(expr.left), self.value(expr.right)
        try:
            return self._combined(expr, left, right)
        except NotEmitted as fault:
            self._blame(fault, expr.span, expr.op, f"'{expr.op}'")
            raise

    def _combined(self, expr: Binary, left: KernelText, right: KernelText) -> KernelText:
        if isinstance(left, Number) and isinstance(right, Number):
            return scalars.binary(expr.op, left, right)
        if self.frame.cube and isinstance(left, (Number, Tensor)) and isinstance(right, (Number, Tensor)):
            total = epilogue.added(self.frame, left, right) if expr.op == "+" else None
            if total is None:
                raise NotEmitted(elementwise.VECTOR_WORK)
            return total
        name = _INFIX.get(expr.op)
        if name is None:
            raise NotEmitted(f"'{expr.op}' of tensors")
        if isinstance(left, Tensor):
            other = self.on_chip(right) if isinstance(right, Tensor) else self.as_number(right)
            return elementwise.binary(self.frame, name, self.on_chip(left), other)
        assert isinstance(right, Tensor)
        return elementwise.number_first(self.frame, name, self.as_number(left), self.on_chip(right))

    def declare(self, name: str, text: str) -> None:
        self.frame.code.add(Declaration(name, text))


def _as_written(op: Op) -> str:
    """What ``op`` is to an author, who may have written a subscript."""
    base = op.args[0] if op.args else None
    if op.sugar and isinstance(base, Var):
        what = "the assignment to a part" if short_name(op) == "assemble" else "the subscript"
        return f"{what} of '{base.label}'"
    return f"'{surface_name(op.name)}'"
