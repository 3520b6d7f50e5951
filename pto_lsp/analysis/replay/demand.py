"""Evaluation of single names on demand: only the slice of a function that a value needs (no execution)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Union

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.statements import Assign, Block, For, If, Unpack, While
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.replay.allocations import is_create
from pto_lsp.analysis.replay.evaluate import Evaluator, Reader
from pto_lsp.analysis.replay.values import UNKNOWN, Value, dense

# How a name gets its value: an expression, a pick of a tuple, a branch, a loop index or carry.
Binding = Union[Expr, "Pick", "Choice"]


class Pick:
    """Result ``index`` of a call."""

    __slots__ = ("call", "index")

    def __init__(self, call: Union[Call, Submit], index: int) -> None:
        self.call = call
        self.index = index


class Choice:
    """``then`` or ``orelse``, by ``condition``."""

    __slots__ = ("condition", "orelse", "then")

    def __init__(self, condition: Expr, then: Expr, orelse: Expr) -> None:
        self.condition = condition
        self.then = then
        self.orelse = orelse


class Slice:
    """Where every name of one function comes from.

    Loops stand at their first trip: an index is its start, a carried name its initial value. What a loop carries out is
    unknown, except a tensor, which stays in its allocation.
    """

    def __init__(self, body: Block) -> None:
        self.bindings: dict[str, Binding] = {}
        self.labels: dict[str, str] = {}
        for stmt in walk_block(body):
            if isinstance(stmt, Assign):
                self._bind(stmt.target, _binding(stmt.value))
            elif isinstance(stmt, Unpack):
                if isinstance(stmt.value, (Call, Submit)):
                    for index, target in enumerate(stmt.targets):
                        self._bind(target, Pick(stmt.value, index))
            elif isinstance(stmt, For):
                self._bind(stmt.var, stmt.start)
                for carry in stmt.carries:
                    self._bind(carry.inner, carry.init)
                    if isinstance(carry.result.type, TensorType):
                        self._bind(carry.result, carry.init)
            elif isinstance(stmt, While):
                for carry in stmt.carries:
                    self._bind(carry.inner, carry.init)
            elif isinstance(stmt, If):
                for phi in stmt.phis:
                    self._bind(phi.result, Choice(stmt.condition, phi.then, phi.orelse))

    def _bind(self, var: Var, binding: Binding) -> None:
        self.bindings[var.name] = binding
        self.labels[var.name] = var.label


def _binding(value: Expr) -> Binding:
    return Pick(value, 0) if isinstance(value, (Call, Submit)) else value


# The parameter of a callee that a result stands for, by the callee's key and the result's position.
Lineage = Callable[[str, int], Union[int, None]]


class Demand(Evaluator):
    """Values of names of one function under one binding of its parameters (and of any other names given)."""

    def __init__(
        self, slice_: Slice, given: Mapping[str, Value], symbols: Mapping[str, int], read: Reader, lineage: Lineage
    ) -> None:
        super().__init__(symbols, read)
        self._bindings = slice_.bindings
        self._lineage = lineage
        self.env.update(given)

    def variable(self, var: Var) -> Value:
        name = var.name
        if name in self.env:
            return self.env[name]
        binding = self._bindings.get(name)
        if binding is None:
            return UNKNOWN
        # Guards against a name that is defined by itself; SSA form has none, a half-typed program may.
        self.env[name] = UNKNOWN
        value = self._bound(binding, var)
        self.env[name] = value
        return value

    def _bound(self, binding: Binding, var: Var) -> Value:
        if isinstance(binding, Pick):
            index = self._lineage(binding.call.callee, binding.index)
            if index is None or index >= len(binding.call.args):
                return UNKNOWN
            return self.value(binding.call.args[index])
        if isinstance(binding, Choice):
            condition = self.value(binding.condition)
            if not isinstance(condition, (bool, int)):
                return UNKNOWN
            return self.value(binding.then if condition else binding.orelse)
        if isinstance(binding, Op) and is_create(binding):
            return self._fresh(binding, var.label)
        return self.value(binding)

    def _fresh(self, op: Op, name: str) -> Value:
        shape = self.integers(op.args[0]) if op.args else None
        return UNKNOWN if shape is None else dense(name, shape, _dtype(op))


def _dtype(op: Op) -> str:
    for keyword in op.keywords:
        if keyword.name == "dtype":
            return getattr(keyword.value, "name", "")
    return ""
