"""What is known of a tensor argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Const, Expr
from pto_lsp.analysis.ir.program import Param
from pto_lsp.analysis.ir.types import TensorType, Type


@dataclass(frozen=True, slots=True)
class Shape:
    """``dtype`` is PyPTO's name ("FP32"); ``extents`` are numbers, or names of dynamic dimensions."""

    dtype: str
    extents: tuple[int | str, ...]

    @property
    def is_dynamic(self) -> bool:
        return any(isinstance(extent, str) for extent in self.extents)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(str(extent) for extent in self.extents)}]"


def is_open(param: Param) -> bool:
    """A tensor parameter whose shape its function does not say."""
    return isinstance(param.type, TensorType) and param.type.shape is None


def common_shape(types: Sequence[Type], name: str) -> Shape | None:
    """What tensors of these types have in common; an extent that differs or is not known is dynamic: ``name_0`` …

    What is not known at all may be the result of what is looked for, and does not count. None where nothing is known,
    or data types or numbers of dimensions differ.
    """
    tensors = [each for each in types if isinstance(each, TensorType) and each.shape is not None and each.dtype]
    first = tensors[0] if tensors else None
    if first is None or first.shape is None or any(each.dtype != first.dtype for each in tensors):
        return None
    shapes = [each.shape for each in tensors if each.shape is not None]
    if any(len(shape) != len(first.shape) for shape in shapes):
        return None
    extents: list[int | str] = []
    for axis in range(len(first.shape)):
        sizes = {_constant(shape[axis]) for shape in shapes}
        size = sizes.pop()
        extents.append(size if size is not None and not sizes else f"{name}_{axis}")
    return Shape(first.dtype, tuple(extents))


def _constant(extent: Expr) -> int | None:
    return extent.value if isinstance(extent, Const) and isinstance(extent.value, int) else None


def contradiction(param: Param, given: Shape) -> str:
    """Why ``given`` cannot be the argument for ``param``; "" when it can."""
    if not isinstance(param.type, TensorType):
        return "it is no tensor"
    declared = param.type
    if declared.dtype and declared.dtype != given.dtype:
        return f"it is declared as {declared.dtype}"
    if declared.shape is None:
        return ""
    if len(declared.shape) != len(given.extents):
        return f"it is declared with {_dimensions(declared.shape)}"
    for axis, (extent, size) in enumerate(zip(declared.shape, given.extents)):
        if isinstance(extent, Const) and extent.value != size:
            return f"extent {axis} is declared as {extent.value}"
    return ""


def _dimensions(shape: Sequence[object]) -> str:
    return f"{len(shape)} dimension{'' if len(shape) == 1 else 's'}"
