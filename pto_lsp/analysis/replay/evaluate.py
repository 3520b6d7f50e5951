"""Evaluation of host expressions: scalars, descriptors, arrays. What starts a task is in ``execute``."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from pto_lsp.analysis.ir.expressions import (
    Binary,
    Cast,
    Const,
    DType,
    Enumerator,
    Expr,
    Item,
    ListExpr,
    Op,
    Symbol,
    TupleExpr,
    Unary,
    Var,
)
from pto_lsp.analysis.replay import scalars, views
from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.analysis.replay.values import UNKNOWN, Buffer, Tensor, Value

# What the host sees in device memory: (allocation, element index, number of Graph calls made so far).
Oracle = Callable[[Buffer, int, int], int]
# The same at one moment: (allocation, element index).
Reader = Callable[[Buffer, int], int]

# Any extent does for a symbol nobody gave a value: what is compared never depends on it alone.
DEFAULT_SYMBOL = 128


def data_oracle(buffer: Buffer, element: int, epoch: int) -> int:
    """Small deterministic data that differs from call to call, as memory that tasks write to does."""
    return zlib.crc32(f"{buffer.name}:{element}:{epoch}".encode()) & 7


class Evaluator:
    """Values of names, and of expressions over them. An environment belongs to one activation of one function."""

    def __init__(self, symbols: Mapping[str, int], read: Reader) -> None:
        self.env: dict[str, Value] = {}
        self.symbols = symbols
        self.read = read

    def value(self, expr: Expr) -> Value:
        evaluate = _BY_TYPE.get(type(expr))
        return UNKNOWN if evaluate is None else evaluate(self, expr)

    def variable(self, var: Var) -> Value:
        return self.env.get(var.name, UNKNOWN)

    def operator(self, op: Op) -> Value:
        evaluate = self.OPERATORS.get(op.name)
        return UNKNOWN if evaluate is None else evaluate(self, op)

    def integers(self, expr: Expr) -> tuple[int, ...] | None:
        """A list of known integers (shape, offsets), None when any is unknown."""
        values = self.value(expr)
        if not isinstance(values, (list, tuple)):
            return None
        result = []
        for value in values:
            if not isinstance(value, int):
                return None
            result.append(int(value))
        return tuple(result)

    def tensor(self, op: Op, position: int = 0) -> Tensor | None:
        if position >= len(op.args):
            return None
        value = self.value(op.args[position])
        return value if isinstance(value, Tensor) else None

    def _slice(self, op: Op) -> Value:
        source = self.tensor(op)
        if source is None or len(op.args) < 3:
            return UNKNOWN
        sizes, offsets = self.integers(op.args[1]), self.integers(op.args[2])
        if sizes is None or offsets is None:
            return UNKNOWN
        result = views.window(source, sizes, offsets)
        if result is None:
            return UNKNOWN
        dropped = self._dropped(op)
        return views.without_axes(result, dropped) if dropped else result

    def _dropped(self, op: Op) -> tuple[int, ...]:
        for keyword in op.keywords:
            if keyword.name == "drop":
                return self.integers(keyword.value) or ()
        return ()

    def _view(self, op: Op) -> Value:
        """``tensor.view``: another shape of all of it, or with offsets a window."""
        if len(op.args) > 2:
            return self._slice(op)
        source = self.tensor(op)
        shape = self.integers(op.args[1]) if len(op.args) > 1 else None
        if source is None or shape is None:
            return UNKNOWN
        reshaped = views.reshape(source, shape)
        if reshaped is None:
            reshaped = views.window(source, shape, (0,) * len(shape))
        return UNKNOWN if reshaped is None else reshaped

    def _reshape(self, op: Op) -> Value:
        source = self.tensor(op)
        shape = self.integers(op.args[1]) if len(op.args) > 1 else None
        if source is None or shape is None:
            return UNKNOWN
        reshaped = views.reshape(source, shape)
        return UNKNOWN if reshaped is None else reshaped

    def _transpose(self, op: Op) -> Value:
        source = self.tensor(op)
        axes = [self.value(arg) for arg in op.args[1:3]]
        if source is None or len(axes) != 2:
            return UNKNOWN
        first, second = axes
        if not isinstance(first, int) or not isinstance(second, int):
            return UNKNOWN
        swapped = views.transpose(source, first, second)
        return UNKNOWN if swapped is None else swapped

    def _same_storage(self, op: Op) -> Value:
        """``tensor.assemble`` and ``tensor.write`` hand back their target (pipeline.md §2: host statements)."""
        return self.value(op.args[0]) if op.args else UNKNOWN

    def _dim(self, op: Op) -> Value:
        source = self.tensor(op)
        axis = self.value(op.args[1]) if len(op.args) > 1 else UNKNOWN
        if source is None or not isinstance(axis, int) or not -len(source.shape) <= axis < len(source.shape):
            return UNKNOWN
        return source.shape[axis]

    def _read(self, op: Op) -> Value:
        source = self.tensor(op)
        index = self.integers(op.args[1]) if len(op.args) > 1 else None
        if source is None or index is None or len(index) != len(source.strides):
            return UNKNOWN
        element = source.start + sum(position * stride for position, stride in zip(index, source.strides))
        data = self.read(source.buffer, element)
        return float(data) if is_float(source.dtype) else data

    def _array(self, op: Op) -> Value:
        extent = self.value(op.args[0]) if op.args else UNKNOWN
        return [None] * extent if isinstance(extent, int) and 0 <= extent <= 65536 else UNKNOWN

    def _get_element(self, op: Op) -> Value:
        if len(op.args) < 2:
            return UNKNOWN
        array, index = self.value(op.args[0]), self.value(op.args[1])
        if not isinstance(array, list) or not isinstance(index, int) or not 0 <= index < len(array):
            return UNKNOWN
        return array[index]

    def _update_element(self, op: Op) -> Value:
        if len(op.args) < 3:
            return UNKNOWN
        array, index = self.value(op.args[0]), self.value(op.args[1])
        if not isinstance(array, list) or not isinstance(index, int) or not 0 <= index < len(array):
            return UNKNOWN
        array[index] = self.value(op.args[2])
        return array

    def _is_valid(self, op: Op) -> Value:
        return self.value(op.args[0]) is not None if op.args else UNKNOWN

    OPERATORS: ClassVar[dict[str, Callable[[Any, Op], Value]]] = {
        "tensor.slice": _slice,
        "tensor.view": _view,
        "tensor.reshape": _reshape,
        "tensor.transpose": _transpose,
        "tensor.assemble": _same_storage,
        "tensor.write": _same_storage,
        "tensor.dim": _dim,
        "tensor.read": _read,
        "array.create": _array,
        "array.get_element": _get_element,
        "array.update_element": _update_element,
        "system.task_is_valid": _is_valid,
        "system.task_invalid": lambda evaluator, op: None,
        # The numbers of the simulated chip (api.md "Submitting"); any would do, they cannot change in one process.
        "system.available_cluster_count": lambda evaluator, op: 8,
        "system.available_aic_count": lambda evaluator, op: 8,
        "system.available_aiv_count": lambda evaluator, op: 16,
    }


def _const(evaluator: Evaluator, expr: Const) -> Value:
    return expr.value


def _symbol(evaluator: Evaluator, expr: Symbol) -> Value:
    return evaluator.symbols.get(expr.name, DEFAULT_SYMBOL)


def _name(evaluator: Evaluator, expr: DType) -> Value:
    return expr.name


def _enumerator(evaluator: Evaluator, expr: Enumerator) -> Value:
    return expr.dotted


def _var(evaluator: Evaluator, expr: Var) -> Value:
    return evaluator.variable(expr)


def _unary(evaluator: Evaluator, expr: Unary) -> Value:
    return scalars.unary(expr.op, evaluator.value(expr.operand))


def _binary(evaluator: Evaluator, expr: Binary) -> Value:
    return scalars.binary(expr.op, evaluator.value(expr.left), evaluator.value(expr.right))


def _cast(evaluator: Evaluator, expr: Cast) -> Value:
    return scalars.convert(evaluator.value(expr.operand), expr.dtype)


def _items(evaluator: Evaluator, expr: ListExpr | TupleExpr) -> Value:
    return tuple([evaluator.value(item) for item in expr.items])


def _item(evaluator: Evaluator, expr: Item) -> Value:
    base = evaluator.value(expr.base)
    if isinstance(base, tuple) and -len(base) <= expr.index < len(base):
        return base[expr.index]
    return UNKNOWN


def _op(evaluator: Evaluator, expr: Op) -> Value:
    return evaluator.operator(expr)


_BY_TYPE: dict[type, Callable[[Evaluator, Any], Value]] = {
    Const: _const,
    Symbol: _symbol,
    DType: _name,
    Enumerator: _enumerator,
    Var: _var,
    Unary: _unary,
    Binary: _binary,
    Cast: _cast,
    ListExpr: _items,
    TupleExpr: _items,
    Item: _item,
    Op: _op,
}
