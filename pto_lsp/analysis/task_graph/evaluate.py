"""Expressions of an orchestration body as values: integers and polynomials, views, task ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.types import TensorType, Type
from pto_lsp.analysis.task_graph.model import ANY_TASK, NO_TASK, IdArray, Ids, Store, TupleValue, Value
from pto_lsp.analysis.task_graph.regions import (
    View,
    drop_dimensions,
    reshape_view,
    sub_view,
    transpose_view,
    unknown_region,
)
from pto_lsp.analysis.task_graph.scalars import (
    Poly,
    Scalar,
    Symbols,
    add,
    bounds,
    multiply,
    negate,
    of_symbol,
    subtract,
)

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


def scalar_of(value: Value) -> Scalar | None:
    """``value`` as an integer, None for anything else."""
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, (int, Poly)) else None


class Evaluator:
    """Values of expressions under ``env`` (unique variable name → value). Unknown scalars become symbols, one per use
    of an expression, so that nothing is ever guessed.
    """

    EVALUATORS: ClassVar[dict[type, str]] = {
        ir.Const: "_const",
        ir.Binary: "_binary",
        ir.Op: "op",
        ir.Symbol: "_symbol",
        ir.Cast: "_cast",
        ir.Unary: "_unary",
        ir.TupleExpr: "_tuple",
        ir.Item: "_item",
        ir.Unknown: "unknown_value",
    }
    """The methods for the kinds of expressions; kinds without an entry have no value."""

    def __init__(self, at: Anchor, symbols: Symbols | None = None) -> None:
        """``at`` is the statement being evaluated; whoever walks statements keeps it up to date."""
        self.at = at
        self.env: dict[str, Value] = {}
        self.symbols = Symbols() if symbols is None else symbols

    def scalar(self, expr: ir.Expr) -> Scalar:
        """The integer value of ``expr``; a fresh symbol when there is none."""
        value = scalar_of(self.value(expr))
        return of_symbol(self.symbols.fresh("?")) if value is None else value

    def scalars(self, expr: ir.Expr) -> tuple[Scalar, ...] | None:
        """The elements of a list expression."""
        if isinstance(expr, (ir.ListExpr, ir.TupleExpr)):
            return tuple([self.scalar(item) for item in expr.items])
        return None

    def value(self, expr: ir.Expr) -> Value:
        kind = type(expr)
        if kind is ir.Var:
            return self.env.get(expr.name)  # type: ignore[union-attr]
        evaluate = self.EVALUATORS.get(kind)
        return None if evaluate is None else getattr(self, evaluate)(expr)

    def unknown_value(self, expr: ir.Unknown) -> Value:
        """A name of the functions around this one, such as a parameter of a factory, is one number wherever it is
        used.
        """
        if expr.python:
            return of_symbol(self.symbols.named(expr.python, None, None, (expr.python, self.at.source)))
        return None

    def _const(self, expr: ir.Const) -> Value:
        return NO_TASK if expr.value is None else expr.value

    def _symbol(self, expr: ir.Symbol) -> Value:
        return of_symbol(self.symbols.named(expr.name, 1))

    def _cast(self, expr: ir.Cast) -> Value:
        return self.value(expr.operand)

    def _tuple(self, expr: ir.TupleExpr) -> Value:
        return TupleValue(tuple([self.value(item) for item in expr.items]))

    def _item(self, expr: ir.Item) -> Value:
        base = self.value(expr.base)
        if isinstance(base, TupleValue) and 0 <= expr.index < len(base.items):
            return base.items[expr.index]
        return None

    def _binary(self, expr: ir.Binary) -> Value:
        left, right = self.value(expr.left), self.value(expr.right)
        op = expr.op
        if op in ("and", "or"):
            if isinstance(left, bool) and isinstance(right, bool):
                return (left and right) if op == "and" else (left or right)
            stop = op == "or"
            return stop if left is stop or right is stop else None
        a, b = scalar_of(left), scalar_of(right)
        if a is None or b is None:
            return None
        if op in COMPARISONS:
            return _compare(op, a, b)
        if op == "+":
            return add(a, b)
        if op == "-":
            return subtract(a, b)
        if op == "*":
            return multiply(a, b)
        if op == "//":
            return self.symbols.divide(a, b)
        if op == "%":
            return self.symbols.modulo(a, b)
        if op == "min":
            return self.symbols.smallest(a, b)
        if op == "max":
            return self.symbols.largest(a, b)
        if isinstance(a, int) and isinstance(b, int) and 0 <= b < 64:
            if op == "**":
                return int(a**b)
            if op == "<<":
                return a << b
            if op == ">>":
                return a >> b
        return self.symbols.operation(op, a, b) if op != "/" else None

    def _unary(self, expr: ir.Unary) -> Value:
        value = self.value(expr.operand)
        if expr.op == "not":
            return (not value) if isinstance(value, bool) else None
        number = scalar_of(value)
        if number is None:
            return None
        if expr.op == "-":
            return negate(number)
        if expr.op == "abs" and isinstance(number, int):
            return abs(number)
        return None

    def op(self, expr: ir.Op) -> Value:
        """Operators that are no task: views, extents, arrays."""
        name = expr.name
        if name == "tensor.slice":
            return self._slice(expr)
        if name in ("tensor.reshape", "tensor.view"):
            shape = self.scalars(expr.args[1]) if len(expr.args) > 1 else None
            return self._views(expr, lambda v: reshape_view(v, shape, v.label) if shape else unknown_region(v, v.label))
        if name == "tensor.transpose":
            first, second = (self.value(a) for a in expr.args[1:3]) if len(expr.args) > 2 else (None, None)
            if isinstance(first, int) and isinstance(second, int):
                return self._views(expr, lambda v: transpose_view(v, first, second, v.label))
            return self._views(expr, lambda v: unknown_region(v, v.label))
        if name == "tensor.reinterpret_view":
            return self._views(expr, lambda v: unknown_region(v, v.label))
        if name == "tensor.assemble":
            return self.value(expr.args[0])
        if name == "tensor.dim":
            return self._dim(expr)
        if name == "array.get_element":
            array, index = self.value(expr.args[0]), scalar_of(self.value(expr.args[1]))
            return slot(array, index) if isinstance(array, IdArray) else None
        if name == "array.update_element":
            return self._update(expr)
        if name == "system.task_invalid":
            return NO_TASK
        return None

    def _views(self, expr: ir.Op, change: Callable[[View], View]) -> Value:
        base = self.value(expr.args[0]) if expr.args else None
        return tuple([change(view) for view in base]) if isinstance(base, tuple) else None

    def _slice(self, expr: ir.Op) -> Value:
        base = self.value(expr.args[0])
        if not isinstance(base, tuple):
            return None
        shape, offsets = self.scalars(expr.args[1]), self.scalars(expr.args[2])
        dropped: tuple[int, ...] = ()
        for keyword in expr.keywords:
            if keyword.name == "drop" and isinstance(keyword.value, ir.ListExpr):
                dropped = tuple(
                    [i.value for i in keyword.value.items if isinstance(i, ir.Const) and type(i.value) is int]
                )
        found = []
        for view in base:
            if shape is None or offsets is None:
                found.append(unknown_region(view, view.label))
                continue
            part = sub_view(view, offsets, shape, view.label)
            found.append(drop_dimensions(part, dropped, view.label) if dropped else part)
        return tuple(found)

    def _dim(self, expr: ir.Op) -> Value:
        base, axis = self.value(expr.args[0]), self.value(expr.args[1])
        if not isinstance(base, tuple) or not isinstance(axis, int) or len(base) != 1:
            return None
        shape = base[0].shape
        return shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None

    def _update(self, expr: ir.Op) -> Value:
        array, index, value = self.value(expr.args[0]), scalar_of(self.value(expr.args[1])), self.value(expr.args[2])
        if not isinstance(array, IdArray):
            return None
        ids = value if isinstance(value, Ids) else ANY_TASK
        return IdArray(array.label, array.extent, array.at, (*array.stores, Store(index, ids)))

    def tensor_shape(self, type_: Type) -> tuple[Scalar, ...] | None:
        """The declared extents of a tensor type."""
        if isinstance(type_, TensorType) and type_.shape is not None:
            return tuple([self.scalar(extent) for extent in type_.shape])
        return None


def _compare(op: str, a: Scalar, b: Scalar) -> bool | None:
    if isinstance(a, int) and isinstance(b, int):
        return COMPARISONS[op](a, b)
    low, high = bounds(subtract(a, b))
    always = {
        "<": (high is not None and high < 0, low is not None and low >= 0),
        "<=": (high is not None and high <= 0, low is not None and low > 0),
        ">": (low is not None and low > 0, high is not None and high <= 0),
        ">=": (low is not None and low >= 0, high is not None and high < 0),
        "==": (False, (low is not None and low > 0) or (high is not None and high < 0)),
        "!=": ((low is not None and low > 0) or (high is not None and high < 0), False),
    }[op]
    return True if always[0] else False if always[1] else None


def slot(array: IdArray, index: Scalar | None) -> Ids:
    """The ids ``array[index]`` may hold: the newest store that surely hits it, and weak or possible ones after it."""
    tasks: list[int] = []
    is_open = False
    for store in reversed(array.stores):
        difference = None if index is None or store.index is None else subtract(store.index, index)
        if isinstance(difference, int) and difference != 0:
            continue
        tasks += store.value.tasks
        is_open = is_open or store.value.open
        if difference == 0 and not store.weak:
            return Ids(tuple(dict.fromkeys(tasks)), store.value.invalid, is_open)
    return Ids(tuple(dict.fromkeys(tasks)), True, is_open)


def all_slots(array: IdArray) -> tuple[Ids, ...]:
    """One ids value per slot that was ever stored: what ``deps=[array]`` waits for."""
    found: list[Ids] = []
    seen: set[Scalar] = set()
    for store in reversed(array.stores):
        if store.index is not None:
            if store.index in seen:
                continue
            seen.add(store.index)
            found.append(slot(array, store.index))
        else:
            found.append(Ids(store.value.tasks, True, store.value.open))
    found.reverse()
    return tuple(found)
