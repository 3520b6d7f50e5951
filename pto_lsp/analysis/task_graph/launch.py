"""One launch site executed once: arguments, waits and results of the task it submits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Union

from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.types import TensorType, Type
from pto_lsp.analysis.passes.derive_call_directions import CallDirection, Directions, Launch
from pto_lsp.analysis.task_graph.evaluate import all_slots, scalar_of
from pto_lsp.analysis.task_graph.model import (
    ANY_TASK,
    NO_TASK,
    Argument,
    IdArray,
    Ids,
    Site,
    Task,
    TupleValue,
    Value,
    Wait,
)
from pto_lsp.analysis.task_graph.regions import View
from pto_lsp.analysis.task_graph.results import ResultSources
from pto_lsp.analysis.task_graph.scalars import Scalar
from pto_lsp.analysis.task_graph.walk_memo import Bound

if TYPE_CHECKING:
    from pto_lsp.analysis.task_graph.interpreter import Interpreter


class Launcher:
    """Builds a task from the walker's state. Not to be kept by it, or the two would have to be garbage-collected."""

    def __init__(self, walker: Interpreter, directions: Mapping[Launch, Directions], results: ResultSources) -> None:
        self.walker = walker
        self.directions = directions
        self.results = results

    def launch(self, site: Site, labels: tuple[str, ...]) -> tuple[Value, ...]:
        """Submit one task; returns its results, the task id last for a submit or dummy.

        ``labels`` are the names the results are bound to; new storage is called by them.
        """
        if isinstance(site.call, ir.Op):
            return (self._dummy(site, site.call),)
        call, callee = site.call, site.callee
        assert callee is not None
        walker = self.walker
        bound = self._bound(call, callee)
        arguments, scalars, opaque = bound.arguments, bound.scalars, bound.opaque
        waits = self._waits(call.options)
        core_num = None if call.options.core_num is None else scalar_of(walker.value(call.options.core_num))
        if opaque:
            walker.fog(place(site.statement.at, site.statement.span), "an argument could not be traced")
        index = self._submit(site, arguments, waits, scalars, core_num, self._gate(call.options), opaque)
        if opaque:
            walker.epoch += 1
        results = self._results(site, call, callee, arguments, index, labels)
        if isinstance(call, ir.Submit):
            results += (Ids((index,)),)
        return results

    def _submit(
        self,
        site: Site,
        arguments: tuple[Argument, ...],
        waits: tuple[Wait, ...],
        scalars: tuple[Scalar | None, ...],
        core_num: Scalar | None,
        gate: tuple[View, tuple[Scalar | None, ...]] | None,
        opaque: bool,
    ) -> int:
        walker = self.walker
        index = len(walker.tasks)
        walker.tasks.append(
            Task(
                index,
                site,
                arguments,
                waits,
                walker.manual,
                walker.iterations,
                walker.arms,
                scalars,
                core_num,
                gate,
                walker.epoch,
                opaque,
            )
        )
        return index

    def _dummy(self, site: Site, op: ir.Op) -> Value:
        """§1.11: with entries, submitted only when one of them is a task."""
        entries: ir.Expr | None = None
        for keyword in op.keywords:
            if keyword.name == "deps":
                entries = keyword.value
        if not isinstance(entries, (ir.ListExpr, ir.TupleExpr)):
            waits: tuple[Wait, ...] = (Wait(op, (ANY_TASK,)),)
        else:
            waits = tuple([self._wait(entry) for entry in entries.items])
            ids = [each for wait in waits for each in wait.ids]
            if waits and not any(each.tasks or each.open for each in ids):
                return NO_TASK
        index = self._submit(site, (), waits, (), None, None, False)
        certain = not waits or any(each.tasks and not each.invalid for wait in waits for each in wait.ids)
        return Ids((index,), not certain)

    def _waits(self, options: ir.LaunchOptions) -> tuple[Wait, ...]:
        if not options.deps_known:
            entries = options.deps or ()
            return (*[self._wait(entry) for entry in entries], Wait(ir.Const(None), (ANY_TASK,)))
        return tuple([self._wait(entry) for entry in options.deps or ()])

    def _wait(self, entry: ir.Expr) -> Wait:
        value = self.walker.value(entry)
        if isinstance(value, Ids):
            return Wait(entry, (value,))
        if isinstance(value, IdArray):
            return Wait(entry, all_slots(value), value)
        if isinstance(value, TupleValue):
            return Wait(entry, tuple([each if isinstance(each, Ids) else ANY_TASK for each in value.items]))
        return Wait(entry, (ANY_TASK,))

    def _bound(self, call: Union[ir.Call, ir.Submit], callee: Function) -> Bound:
        walker = self.walker
        get = walker.env.get
        values = [get(expr.name) if isinstance(expr, ir.Var) else walker.value(expr) for expr in call.args]
        derived = self.directions.get(call, ())
        if walker.memo is None:
            return _bind(call, callee, values, derived)
        make = partial(_bind, call, callee, values, derived)
        return walker.memo.bound(call, callee, values, derived, walker.path, make)

    def _gate(self, options: ir.LaunchOptions) -> tuple[View, tuple[Scalar | None, ...]] | None:
        predicate = options.predicate
        if not isinstance(predicate, ir.Binary):
            return None
        for side in (predicate.left, predicate.right):
            if isinstance(side, ir.Op) and side.name == "tensor.read" and len(side.args) >= 2:
                views, index = self.walker.value(side.args[0]), side.args[1]
                if isinstance(views, tuple) and len(views) == 1 and isinstance(index, ir.ListExpr):
                    return views[0], tuple([scalar_of(self.walker.value(item)) for item in index.items])
        return None

    def _results(
        self,
        site: Site,
        call: Union[ir.Call, ir.Submit],
        callee: Function,
        arguments: tuple[Argument, ...],
        task: int,
        labels: tuple[str, ...],
    ) -> tuple[Value, ...]:
        """The written argument behind every result; storage owned by the task where none was supplied (§1.15)."""
        walker = self.walker
        by_index = {argument.index: argument for argument in arguments}
        found: list[Value] = []
        for position, source in enumerate(self.results.of(callee)):
            argument = None if source is None else by_index.get(source)
            if argument is not None:
                found.append(argument.views or None)
                continue
            type_: Type | None = None
            if source is not None and source < len(callee.params):
                type_ = callee.params[source].type
            elif position < len(callee.returns):
                type_ = callee.returns[position]
            if not isinstance(type_, TensorType):
                found.append(None)
                continue
            shape = walker.tensor_shape(type_) if source is not None and source >= len(call.args) else None
            where = place(site.statement.at, site.statement.span)
            label = labels[position] if position < len(labels) else callee.name
            found.append(walker.buffer(label, shape, type_.dtype, where, task))
        return tuple(found)


def _bind(call: Union[ir.Call, ir.Submit], callee: Function, values: list[Value], derived: Directions) -> Bound:
    found: list[Argument] = []
    scalars: list[Scalar | None] = []
    opaque = False
    for index, (expr, value) in enumerate(zip(call.args, values)):
        param = callee.params[index] if index < len(callee.params) else None
        how = derived[index] if index < len(derived) else None
        if how is None or how.direction is CallDirection.SCALAR:
            scalars.append(None if isinstance(value, tuple) else scalar_of(value))
            continue
        scalars.append(None)
        views = value if isinstance(value, tuple) else ()
        opaque = opaque or not views
        found.append(Argument(index, expr, views, how, param))
    return Bound(call, callee, values, derived, tuple(found), tuple(scalars), opaque)
