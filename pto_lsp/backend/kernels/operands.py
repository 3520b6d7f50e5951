"""Operands and keywords of an operator, by position or name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pto_lsp.analysis.ir.expressions import Expr, Op
from pto_lsp.backend.kernels.tiles import Extent
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.operands import NOWHERE, argument
from pto_lsp.backend.orchestration.errors import NotEmitted, surface_name

if TYPE_CHECKING:
    from pto_lsp.backend.kernels.expressions import ExpressionLowering


ONE_OPERAND = ("input", "tile", "tensor")
"""What the operand of an operator with only one tensor is called."""


def required(op: Op, position: int, *names: str) -> Expr:
    found = argument(op, position, *names)
    if found is None:
        raise NotEmitted(f"'{surface_name(op.name)}' without {names[0] if names else f'operand {position + 1}'}")
    return found


def tensor_operand(kernel: ExpressionLowering, op: Op, position: int, *names: str) -> Tensor:
    """The operand as a place or a value, nothing loaded for it."""
    value = kernel.value(required(op, position, *names))
    if not isinstance(value, Tensor):
        raise NotEmitted(f"operand {position + 1} of '{surface_name(op.name)}', which is no tensor")
    return value


def elements_operand(kernel: ExpressionLowering, op: Op, position: int, *names: str) -> Tensor:
    """The operand with its elements on chip."""
    value = tensor_operand(kernel, op, position, *names)
    try:
        return kernel.on_chip(value)
    except NotEmitted as fault:
        kernel.blame_operand(fault, required(op, position, *names))
        raise


def number_operand(kernel: ExpressionLowering, op: Op, position: int, *names: str) -> Number:
    value = kernel.value(required(op, position, *names))
    if not isinstance(value, Number):
        raise NotEmitted(f"operand {position + 1} of '{surface_name(op.name)}', which is no number")
    return value


def keyword_value(kernel: ExpressionLowering, op: Op, name: str) -> KernelText:
    given = argument(op, NOWHERE, name)
    return None if given is None else kernel.value(given)


def flag(kernel: ExpressionLowering, op: Op, name: str, position: int = NOWHERE) -> bool:
    """A switch."""
    given = argument(op, position, name)
    if given is None:
        return False
    value = kernel.value(given)
    if not isinstance(value, Number) or value.constant is None:
        raise NotEmitted(f"'{surface_name(op.name)}' with a computed {name}")
    return bool(value.constant)


def dtype_operand(kernel: ExpressionLowering, op: Op, position: int, *names: str) -> str:
    found = argument(op, position, *names)
    value = None if found is None else kernel.value(found)
    return value if isinstance(value, str) else ""


def extents_of(kernel: ExpressionLowering, expr: Expr) -> tuple[Extent, ...]:
    return tuple([
        int(each.constant) if each.constant is not None else each.text for each in kernel.numbers(expr)
    ])  # fmt: skip


def dropped_axes(kernel: ExpressionLowering, op: Op) -> tuple[int, ...]:
    found = next((k.value for k in op.keywords if k.name in ("drop", "drop_dims")), None)
    return () if found is None else tuple([int(n.constant or 0) for n in kernel.numbers(found)])
