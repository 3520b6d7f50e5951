"""The smallest pair of calls on which a frozen value is wrong, for the messages of the checker.

Only the slice of the program that the value needs is evaluated: this runs for every finding, on every edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Union

from pto_lsp.analysis.ir.expressions import Const, Expr, Op, Var
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.ir.types import ScalarType, is_scalar
from pto_lsp.analysis.ir.visitor import children
from pto_lsp.analysis.replay.allocations import is_create
from pto_lsp.analysis.replay.call_sequence import CallSequence, Situation, entry_values
from pto_lsp.analysis.replay.demand import Demand, Slice
from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.analysis.replay.labels import label_of
from pto_lsp.analysis.replay.situations import Body, Returns, body_in
from pto_lsp.analysis.replay.values import Buffer, Value

Frozen = Union[int, float, bool, tuple[int, ...]]

_VIEWS = frozenset({"tensor.slice", "tensor.view"})
# Values tried for every boundary scalar when no caller tells: neighbours first, then ones that survive a division.
_TRIED = (1, 2, 3, 8, 64, 4096)
_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}


@dataclass(frozen=True, slots=True)
class Counterexample:
    """``call`` is the number of the replayed call. A window's values are its offsets, an allocation's its shape.

    ``premise`` lists the boundary scalars the value depends on as (name, first call, this call); ``from_caller`` says
    whether a caller in the program really makes these calls.
    """

    variable: str
    call: int
    stale: Frozen
    right: Frozen
    what: str
    premise: tuple[tuple[str, Frozen, Frozen], ...]
    from_caller: bool

    @property
    def message(self) -> str:
        nth = f"{_ORDINALS[self.call]} call" if self.call in _ORDINALS else f"call {self.call}"
        stale, right = _text(self.stale), _text(self.right)
        if self.what == "window":
            said = f"'{self.variable}' still starts at {stale}, should start at {right}"
        elif self.what == "shape":
            said = f"'{self.variable}' still has the shape {stale}, should have {right}"
        else:
            said = f"'{self.variable}' is still {stale}, should be {right}"
        if self.from_caller or not self.premise:
            return f"{nth}: {said}"
        given = ", ".join(f"{name} = {_text(first)} then {_text(now)}" for name, first, now in self.premise)
        return f"{nth}: {said} (with {given})"


def counterexample(program: Program, graph_key: str, name: str) -> Counterexample | None:
    """Counterexample for the variable ``name`` (``Var.name``) of a Graph; None when none is found."""
    return Counterexamples(program, graph_key).of(name)


class Counterexamples:
    """Counterexamples of one Graph; keeps what several findings of it share."""

    def __init__(self, program: Program, graph_key: str) -> None:
        self._program = program
        self._graph = program.functions[graph_key]
        self._slice = Slice(self._graph.body or ())
        self._lineage = Returns(program).lineage
        self._runs: list[list[Situation]] | None = None

    def of(self, name: str) -> Counterexample | None:
        """For a variable: a scalar's value, a view's shape or else its offsets, an allocation's shape."""
        binding = self._slice.bindings.get(name)
        if isinstance(binding, Op) and binding.name in _VIEWS and len(binding.args) > 2:
            # A view of varying extent is refused for its shape, whatever its offsets do (rules.md B9).
            constant = all(isinstance(each, Const) for each in children(binding.args[1]))
            shape = None if constant else self._search(binding.args[1], "shape", self._label(name))
            return shape or self._search(binding.args[2], "window", self._label(name))
        if isinstance(binding, Op) and is_create(binding) and binding.args:
            return self._search(binding.args[0], "shape", self._label(name))
        return self._search(Var(name, self._label(name)), "value", self._label(name))

    def of_expression(self, expr: Expr) -> Counterexample | None:
        """For an expression of the region that has no name of its own: an inline argument, a bound, a condition."""
        return self._search(expr, "value", label_of(expr))

    def _label(self, name: str) -> str:
        return self._slice.labels.get(name, name)

    def _search(self, expr: Expr, what: str, label: str) -> Counterexample | None:
        if self._runs is None:
            self._runs = list(CallSequence(self._program, self._graph.key, self._lineage).runs())
        for run in self._runs:
            found = self._first_difference(expr, what, label, [(s.number, self._called(s)) for s in run], True)
            if found is not None:
                return found
        return self._first_difference(expr, what, label, self._synthetic(), False)

    def _first_difference(
        self, expr: Expr, what: str, label: str, calls: Iterable[tuple[int, Demand]], from_caller: bool
    ) -> Counterexample | None:
        first: Demand | None = None
        stale: Frozen | None = None
        for number, demand in calls:
            value = frozen(demand.value(expr))
            if first is None:
                first, stale = demand, value
            elif stale is not None and value is not None and value != stale:
                return Counterexample(label, number, stale, value, what, self._premise(first, demand), from_caller)
        return None

    def _premise(self, first: Demand, now: Demand) -> tuple[tuple[str, Frozen, Frozen], ...]:
        """The boundary scalars that were looked at and differ."""
        found = []
        for param in self._graph.params:
            if is_scalar(param.type) and param.name in now.env:
                before, after = frozen(first.env.get(param.name)), frozen(now.env[param.name])
                if before is not None and after is not None and before != after:
                    found.append((param.name, before, after))
        return tuple(found)

    def _called(self, situation: Situation) -> Demand:
        return body_in(self._graph, self._slice, situation, self._lineage)

    def _synthetic(self) -> Iterator[tuple[int, Demand]]:
        yield 1, self._assumed(0)
        for value in _TRIED:
            yield 2, self._assumed(value)

    def _assumed(self, value: int) -> Demand:
        given = entry_values(self._graph)
        for param in self._graph.params:
            type_ = param.type
            if isinstance(type_, ScalarType) and is_scalar(type_):
                given[param.name] = float(value) if is_float(type_.dtype) else value

        def read(buffer: Buffer, element: int) -> int:
            return value

        return Body(self._slice, given.get, {}, read, self._lineage)


def frozen(value: Value) -> Frozen | None:
    """A value that can be shown and compared; None for anything unknown in it."""
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, tuple) and all(isinstance(each, int) for each in value):
        return tuple([int(each) for each in value if isinstance(each, int)])
    return None


def _text(value: Frozen) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
