"""Extents of values computed in a kernel body, as far as they follow from the operators."""

from __future__ import annotations

from typing import Protocol

from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.task_graph.scalars import Scalar

Shape = tuple[Scalar, ...]

_SAME = """
    add sub mul div maximum minimum neg abs exp log sqrt rsqrt recip relu cast cmp fmod rem
    adds subs muls divs maxs mins add_scalar sub_scalar mul_scalar div_scalar
    row_expand_add row_expand_sub row_expand_mul row_expand_div col_expand_add col_expand_sub col_expand_mul
    col_expand_div move sigmoid tanh
"""
ELEMENTWISE = frozenset(_SAME.split())
"""The result has the extents of the first operand that has any."""

CREATES = frozenset({"create", "full", "zeros", "ones"})


class Extents(Protocol):
    """The values that extents are made of."""

    def scalars(self, expr: ir.Expr) -> Shape | None:
        """The elements of a list expression."""

    def view_shape(self, expr: ir.Expr) -> Shape | None:
        """The extents of a name that is a view of a parameter."""


class ValueShapes:
    """Extents of values by their definitions. ``define`` every assignment in order, then ask ``of``."""

    def __init__(self) -> None:
        self._definitions: dict[str, ir.Expr] = {}

    def define(self, name: str, value: ir.Expr) -> None:
        self._definitions[name] = value

    def of(self, expr: ir.Expr, extents: Extents, depth: int = 24) -> Shape | None:
        """The extents of ``expr``; None when they do not follow."""
        if depth == 0:
            return None
        if isinstance(expr, ir.Var):
            known = extents.view_shape(expr)
            if known is not None:
                return known
            definition = self._definitions.get(expr.name)
            return None if definition is None else self.of(definition, extents, depth - 1)
        if not isinstance(expr, ir.Op) or not expr.args:
            return None
        name = expr.name.partition(".")[2] if expr.name.startswith(("tile.", "tensor.")) else expr.name
        if name == "load":
            return extents.scalars(expr.args[2]) if len(expr.args) > 2 else None
        if name == "slice":
            dropped = any(k.name == "drop" for k in expr.keywords)
            return None if dropped or len(expr.args) < 2 else extents.scalars(expr.args[1])
        if name in CREATES:
            return extents.scalars(expr.args[0])
        if name == "reshape":
            return extents.scalars(expr.args[1]) if len(expr.args) > 1 else None
        if name in ELEMENTWISE:
            return self.of(expr.args[0], extents, depth - 1)
        if name in ("matmul", "matmul_acc"):
            return self._product(expr, name == "matmul_acc", extents, depth)
        if name in ("row_sum", "row_max", "row_min"):
            operand = self.of(expr.args[0], extents, depth - 1)
            return None if operand is None else (*operand[:-1], 1)
        return None

    def _product(self, expr: ir.Op, accumulates: bool, extents: Extents, depth: int) -> Shape | None:
        if accumulates:
            return self.of(expr.args[0], extents, depth - 1)
        if len(expr.args) < 2 or any(k.name in ("a_trans", "b_trans") for k in expr.keywords):
            return None
        left, right = self.of(expr.args[0], extents, depth - 1), self.of(expr.args[1], extents, depth - 1)
        if left is None or right is None or len(left) != 2 or len(right) != 2:
            return None
        return left[0], right[1]
