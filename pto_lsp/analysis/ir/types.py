"""Types of DSL values. Shapes are expressions: constants, dynamic symbols or anything the author wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from pto_lsp.analysis.node import node

if TYPE_CHECKING:
    from pto_lsp.analysis.ir.expressions import Expr


@node
class ScalarType:
    """``dtype`` is PyPTO's name ("INDEX", "INT32", "FP32", "BOOL", "TASK_ID"); "" when unknown."""

    dtype: str

    @property
    def is_task_id(self) -> bool:
        return self.dtype == "TASK_ID"


@node
class TensorType:
    """``shape`` is None when unknown (a bare ``pl.Tensor``), ``dtype`` "" when unknown."""

    shape: tuple[Expr, ...] | None
    dtype: str
    distributed: bool = False


@node
class TileType:
    """An on-chip value; only inside device code."""


@node
class ArrayType:
    """``pl.Array[extent, dtype]``; ``extent`` None when unknown."""

    extent: int | None
    dtype: str


@node
class TupleType:
    items: tuple[Type, ...]


@node
class UnknownType:
    """What the analysis could not find out. Never a reason for a finding."""


Type = Union[ScalarType, TensorType, TileType, ArrayType, TupleType, UnknownType]

UNKNOWN = UnknownType()
INDEX = ScalarType("INDEX")
BOOL = ScalarType("BOOL")
TASK_ID = ScalarType("TASK_ID")
TILE = TileType()


def is_scalar(type_: Type) -> bool:
    """A scalar that takes part in boundary classification, that is: not a task id (rules.md I9)."""
    return isinstance(type_, ScalarType) and not type_.is_task_id
