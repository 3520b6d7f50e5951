"""Which buffer a tensor name stands for, traced backwards (rules.md R6)."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pto_lsp.analysis.graph_boundary.region import Definition, Region, Role, binds_tuple
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.ir.expressions import Call, Expr, Item, Op, Submit, Unknown, Var
from pto_lsp.analysis.ir.statements import Assign, Carry, For, Unpack, While
from pto_lsp.analysis.ir.write_backs import written_back
from pto_lsp.analysis.passes.operator_effects import VIEWS


class OriginKind(Enum):
    PARAM = "param"
    OTHER = "other"
    UNKNOWN = "unknown"


class Origin(NamedTuple):
    """Where a trace ends: ``name`` is the parameter, or the last name that could be reached."""

    kind: OriginKind
    name: str


class OriginTracer:
    """Traces names of one region to its parameters: through renames, write-backs, tuple elements and carries.

    Branches and operators other than write-backs end a trace; so do views unless ``through_views`` is set.
    """

    def __init__(self, region: Region, maps: ReturnMaps, through_views: bool = False) -> None:
        self._through_views = through_views
        self._definitions = region.definitions
        self._params = {p.name for p in region.function.params}
        self._maps = maps
        self._handed_on: dict[int, bool] = {}

    def trace(self, name: str) -> Origin:
        kind, reached, _ = self._follow(name, None)
        return Origin(kind, reached)

    def buffer(self, name: str) -> str | None:
        """An identity of the buffer behind ``name``: a parameter, or the name that first stood for a fresh buffer."""
        origin = self.trace(name)
        if origin.kind is OriginKind.PARAM:
            return origin.name
        definition = self._definitions.get(origin.name)
        if origin.kind is OriginKind.UNKNOWN or definition is None:
            return None
        fresh = definition.role is Role.RESULT or (
            isinstance(definition.value, Op) and definition.value.name == "tensor.create"
        )
        return origin.name if fresh else None

    def hands_on(self, carry: Carry) -> bool:
        """Whether every trip leaves the same buffer in a carried name."""
        known = self._handed_on.get(id(carry))
        if known is None:
            # Not handed on while it is being asked: a carry that is updated from itself only through itself.
            self._handed_on[id(carry)] = False
            update = carry.update
            known = isinstance(update, Var) and self._follow(update.name, carry)[2]
            self._handed_on[id(carry)] = known
        return known

    def _follow(self, name: str, until: Carry | None) -> tuple[OriginKind, str, bool]:
        """Last element: whether the trace came by the start of the trip of ``until``, or by what it started from."""
        start = until.init if until is not None else None
        while True:
            if until is not None and (name == until.inner.name or (isinstance(start, Var) and name == start.name)):
                return OriginKind.OTHER, name, True
            if name in self._params:
                return OriginKind.PARAM, name, False
            definition = self._definitions.get(name)
            if definition is None or definition.role is Role.OPAQUE:
                return OriginKind.UNKNOWN, name, False
            step = self._step(definition)
            if isinstance(step, OriginKind):
                return step, name, False
            name = step

    def _step(self, definition: Definition) -> str | OriginKind:
        """The name one step back, or why there is none."""
        if definition.role is Role.CARRIED:
            carry = carry_of(definition)
            if not isinstance(carry.init, Var) or not self.hands_on(carry):
                return OriginKind.OTHER
            return carry.init.name
        if definition.role is Role.MERGED or definition.role is Role.INDEX:
            return OriginKind.OTHER
        if definition.role is Role.RESULT:
            return self._result(definition.value, result_position(definition))
        value = definition.value
        if isinstance(value, Var):
            return value.name
        if isinstance(value, Op):
            target = written_back(value)
            if target is None and self._through_views and value.name in VIEWS and value.args:
                target = value.args[0]
            return target.name if isinstance(target, Var) else OriginKind.OTHER
        if isinstance(value, Item) and isinstance(value.base, Var):
            return self._result(value.base, value.index)
        return OriginKind.UNKNOWN if isinstance(value, Unknown) else OriginKind.OTHER

    def _result(self, value: Expr | None, position: int | None) -> str | OriginKind:
        if isinstance(value, Var):
            forwarded = self._definitions.get(value.name)
            value = forwarded.value if forwarded is not None else None
        if not isinstance(value, (Call, Submit)):
            return OriginKind.UNKNOWN
        if position is None:
            return OriginKind.OTHER
        if not self._maps.is_known(value, position):
            return OriginKind.UNKNOWN
        argument = self._maps.written_back(value, position)
        return argument.name if isinstance(argument, Var) else OriginKind.OTHER


def carry_of(definition: Definition) -> Carry:
    """The carry that binds a name of role CARRIED."""
    stmt, name = definition.stmt, definition.var.name
    assert isinstance(stmt, (For, While))
    return next(c for c in stmt.carries if name in (c.inner.name, c.result.name))


def result_position(definition: Definition) -> int | None:
    """The result a name of role RESULT is bound to; None for the task id of a submit and for a whole tuple."""
    stmt, name = definition.stmt, definition.var.name
    if isinstance(stmt, Assign):
        return None if binds_tuple(stmt) else 0
    assert isinstance(stmt, Unpack)
    position = next(i for i, target in enumerate(stmt.targets) if target.name == name)
    is_task_id = isinstance(stmt.value, Submit) and position == len(stmt.targets) - 1
    return None if is_task_id else position
