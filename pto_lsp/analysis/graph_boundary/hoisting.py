"""What a plan moves, erases and leaves: the data that plan steps hand to each other and to legalization."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pto_lsp.analysis.ir.expressions import Expr, Var
from pto_lsp.analysis.ir.program import Direction, Param
from pto_lsp.analysis.ir.statements import Assign


class HoistKind(Enum):
    CREATE = "create"
    VIEW = "view"
    SCALAR = "scalar"


@dataclass(frozen=True, slots=True)
class Hoisted:
    """A value that every call site computes and passes as a new parameter.

    ``value`` is the right side over parameters of the Graph and names hoisted earlier: renames and write-back results
    in it are already replaced by what they stand for (rules.md C3). ``position`` orders by definition. ``root`` is the
    boundary tensor (or the hoisted allocation) that a view looks into.
    """

    kind: HoistKind
    var: Var
    value: Expr
    direction: Direction
    statement: Assign
    position: int
    root: str = ""

    @property
    def name(self) -> str:
        """The name of the parameter as it is shown (A14)."""
        return self.var.label or self.var.name

    @property
    def param(self) -> Param:
        """The parameter that stands for it on the boundary (rules.md A14)."""
        target = self.statement.target
        return Param(
            self.var.name,
            self.var.type,
            self.direction,
            self.statement.at,
            self.statement.span,
            target.span,
            hoisted=True,
        )


@dataclass(frozen=True, slots=True)
class Rename:
    """``var`` is erased; its readers are sent to ``target``, a scalar parameter or a hoisted scalar (A4)."""

    var: Var
    target: Var
    statement: Assign


@dataclass(frozen=True, slots=True)
class InPlaceView:
    """A view of the boundary whose window replay reproduces, so that it stays (B6). ``source`` is its label."""

    var: Var
    source: str
    root: str
    statement: Assign
