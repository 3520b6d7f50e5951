"""Runs a kernel body once, abstractly, and records what it touches of its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Direction, Function
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, Opaque, Return, Scope, Unpack, While
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.passes.operator_effects import is_atomic
from pto_lsp.analysis.task_graph.accesses import KernelAccess, Summary, compose
from pto_lsp.analysis.task_graph.evaluate import Evaluator, scalar_of
from pto_lsp.analysis.task_graph.merge import merge, same_view
from pto_lsp.analysis.task_graph.model import TupleValue, Value
from pto_lsp.analysis.task_graph.operators import LOADS, PURE, STORES
from pto_lsp.analysis.task_graph.regions import Buffer, View, covers, sub_view, whole
from pto_lsp.analysis.task_graph.scalars import Scalar, Symbol, add, multiply, of_symbol, substitute, subtract, symbols
from pto_lsp.analysis.task_graph.value_shapes import ValueShapes

SummaryOf = Callable[[str], Summary | None]
"""The summary of another function of the program, by key; None when there is no such function."""


class KernelBody(Evaluator):
    """Every device loop runs as one symbolic iteration; ``run`` once."""

    EVALUATORS: ClassVar[dict[type, str]] = {**Evaluator.EVALUATORS, ir.Call: "call", ir.Submit: "call"}

    def __init__(self, summary_of: SummaryOf, functions: dict[str, Function], function: Function) -> None:
        super().__init__(function.at)
        self.summary_of = summary_of
        self.functions = functions
        self.function = function
        self.accesses: list[KernelAccess] = []
        self.vague: set[int] = set()
        self.block = self.symbols.fresh("block", 0)
        self.blocks = self.symbols.fresh("blocks", 1)
        self.trips: dict[Symbol, Scalar] = {self.block: of_symbol(self.blocks)}
        self.certain = True
        self.plain = True
        self.foreign: set[Symbol] = set()
        self.inner_definitions: dict[Symbol, tuple[str, Scalar, Scalar]] = {}
        self.shapes = ValueShapes()

    def run(self) -> Summary:
        scalars: dict[int, Symbol] = {}
        extents: list[tuple[Symbol, int, int]] = []
        for index, param in enumerate(self.function.params):
            if isinstance(param.type, ScalarType):
                scalars[index] = self.symbols.fresh(param.name)
                self.env[param.name] = of_symbol(scalars[index])
            else:
                shape = self.tensor_shape(param.type)
                self.env[param.name] = (whole(Buffer(index, param.name, shape, "")),)
                for d, extent in enumerate(shape or ()):
                    extents += [(s, index, d) for s in symbols(extent) if extent == of_symbol(s)]
        self.run_block(self.function.body or ())
        if not self.function.complete:
            self.vague |= {i for i, p in enumerate(self.function.params) if isinstance(p.type, TensorType)}
        return Summary(
            tuple(_distinct(self.accesses)),
            frozenset(self.vague),
            scalars,
            tuple(extents),
            self.trips,
            self.block,
            self.blocks,
            self.plain and self.function.complete,
            frozenset([*self.symbols.made, *self.foreign]),
            {**self.inner_definitions, **self.symbols.definitions},
            frozenset([*scalars.values(), *(symbol for symbol, _, _ in extents), self.blocks]),
        )

    # -- statements ----------------------------------------------------------------------------------------------

    def run_block(self, body: Block) -> None:
        for stmt in body:
            self.at = stmt.at
            if isinstance(stmt, Assign):
                self.shapes.define(stmt.target.name, stmt.value)
                self.env[stmt.target.name] = self.typed(stmt.target, self.value(stmt.value))
            elif isinstance(stmt, Evaluate):
                self.value(stmt.value)
            elif isinstance(stmt, Unpack):
                value = self.value(stmt.value)
                items = value.items if isinstance(value, TupleValue) else ()
                for i, target in enumerate(stmt.targets):
                    self.env[target.name] = self.typed(target, items[i] if i < len(items) else None)
            elif isinstance(stmt, For):
                self.run_for(stmt)
            elif isinstance(stmt, While):
                self.run_while(stmt)
            elif isinstance(stmt, If):
                self.run_if(stmt)
            elif isinstance(stmt, Scope):
                self.run_block(stmt.body)
            elif isinstance(stmt, Return):
                for returned in stmt.values:
                    self.value(returned)
            else:
                self.lost(stmt.body if isinstance(stmt, Opaque) else ())

    def typed(self, target: ir.Var, value: Value) -> Value:
        """Unknown scalars become symbols, so that equal uses of one name stay equal."""
        if value is None and isinstance(target.type, ScalarType):
            return of_symbol(self.symbols.fresh(target.label))
        return value

    def lost(self, body: Block) -> None:
        """A statement that was not understood may touch anything."""
        self.vague |= {i for i, p in enumerate(self.function.params) if not isinstance(p.type, ScalarType)}
        outer, self.certain = self.certain, False
        self.run_block(body)
        self.certain = outer

    def run_for(self, stmt: For) -> None:
        start, stop, step = self.scalar(stmt.start), self.scalar(stmt.stop), scalar_of(self.value(stmt.step))
        outer = self.certain
        symbol = self.symbols.fresh(stmt.var.label, 0)
        count: Scalar | None = None
        if isinstance(step, int) and step > 0:
            count = self.symbols.divide(add(subtract(stop, start), step - 1), step)
            symbol.high = count - 1 if isinstance(count, int) else None
        if isinstance(count, int):
            if count <= 0:
                self.carry_through(stmt)
                return
        else:
            self.certain = False
        self.trips[symbol] = of_symbol(self.symbols.fresh("?")) if count is None else count
        self.env[stmt.var.name] = add(start, multiply(step if isinstance(step, int) else 1, of_symbol(symbol)))
        if not isinstance(step, int):
            self.env[stmt.var.name] = of_symbol(self.symbols.fresh(stmt.var.label))
        self.run_carried(stmt)
        self.certain = outer

    def run_while(self, stmt: While) -> None:
        outer, self.certain = self.certain, False
        self.run_carried(stmt)
        self.certain = outer

    def run_carried(self, stmt: For | While) -> None:
        seeds = [self.value(carry.init) for carry in stmt.carries]
        for carry, seed in zip(stmt.carries, seeds):
            same = isinstance(carry.update, ir.Var) and carry.update.name == carry.inner.name
            self.shapes.define(carry.inner.name, carry.init)
            self.shapes.define(carry.result.name, carry.init)
            changing = not same and not isinstance(seed, tuple)
            self.env[carry.inner.name] = self.typed(carry.inner, None) if changing else seed
        self.run_block(stmt.body)
        for carry, seed in zip(stmt.carries, seeds):
            last = self.value(carry.update)
            self.env[carry.result.name] = self.typed(carry.result, merge(last, seed))

    def carry_through(self, stmt: For) -> None:
        for carry in stmt.carries:
            self.env[carry.result.name] = self.value(carry.init)

    def run_if(self, stmt: If) -> None:
        condition = self.value(stmt.condition)
        if isinstance(condition, bool):
            self.run_block(stmt.then if condition else stmt.orelse)
            for phi in stmt.phis:
                self.env[phi.result.name] = self.value(phi.then if condition else phi.orelse)
            return
        outer, self.certain = self.certain, False
        self.run_block(stmt.then)
        first = [self.value(phi.then) for phi in stmt.phis]
        self.run_block(stmt.orelse)
        for phi, value in zip(stmt.phis, first):
            self.env[phi.result.name] = self.typed(phi.result, merge(value, self.value(phi.orelse)))
        self.certain = outer

    # -- expressions ---------------------------------------------------------------------------------------------

    def unknown_value(self, expr: ir.Unknown) -> Value:
        for var in expr.names:
            self.touch(self.env.get(var.name))
        return super().unknown_value(expr)

    def op(self, expr: ir.Op) -> Value:
        name = expr.name
        short = name.partition(".")[2] if name.startswith(("tile.", "tensor.")) else name
        if short in LOADS and expr.args:
            return self.load(expr)
        if short in STORES:
            return self.store(expr, STORES[short])
        if name in ("tensor.slice", "tensor.view", "tensor.reshape", "tensor.transpose", "tensor.reinterpret_view"):
            return super().op(expr)
        if name in ("tensor.dim", "system.task_invalid") or name.startswith("array."):
            return super().op(expr)
        if short == "get_block_idx":
            return of_symbol(self.block)
        if short == "get_block_num":
            return of_symbol(self.blocks)
        pure = short in PURE
        self.plain = self.plain and pure
        for arg in (*expr.args, *(k.value for k in expr.keywords)):
            self.consume(arg, expr, pure)
        return None

    def consume(self, arg: ir.Expr, expr: ir.Op, pure: bool) -> None:
        """An operand: a view is read; by an operator that is not known, anything may happen to it."""
        value = self.value(arg)
        if isinstance(arg, (ir.ListExpr, ir.TupleExpr)):
            for item in arg.items:
                self.consume(item, expr, pure)
        elif isinstance(value, tuple):
            if pure:
                self.record(value, False, arg)
            else:
                self.touch(value)

    def touch(self, value: Value) -> None:
        if isinstance(value, tuple):
            self.vague |= {view.buffer.index for view in value if view.buffer.index >= 0}

    def record(
        self,
        views: tuple[View, ...],
        write: bool,
        at: ir.Expr,
        atomic: bool = False,
        minimum: bool = False,
        unchanged: bool = False,
    ) -> None:
        certain = self.certain and len(views) == 1
        where = place(self.at, at.span)
        for view in views:
            if view.buffer.index >= 0:
                self.accesses.append(
                    KernelAccess(view.buffer.index, write, view, certain, atomic, minimum, where, unchanged)
                )

    def load(self, expr: ir.Op) -> Value:
        base = self.value(expr.args[0])
        if not isinstance(base, tuple):
            return None
        offsets = self.scalars(expr.args[1]) if len(expr.args) > 1 else None
        shape = self.scalars(expr.args[2]) if len(expr.args) > 2 else None
        if expr.name.endswith("read"):
            shape = (1,) * len(offsets) if offsets is not None else None
        self.record(_parts(base, offsets, shape), False, expr)
        return None

    def store(self, expr: ir.Op, roles: tuple[int, int, int]) -> Value:
        target_at, value_at, offsets_at = roles
        if len(expr.args) <= max(target_at, value_at):
            return None
        target = self.value(expr.args[target_at])
        source = expr.args[value_at]
        self.consume(source, expr, True)
        if not isinstance(target, tuple):
            # Not the usual arguments: any of them may be the destination.
            for arg in expr.args:
                self.touch(self.value(arg))
            return target
        offsets = self.scalars(expr.args[offsets_at]) if len(expr.args) > offsets_at else None
        shape: tuple[Scalar, ...] | None = None
        atomic = False
        for keyword in expr.keywords:
            if keyword.name == "size":
                shape = self.scalars(keyword.value)
            elif keyword.name == "atomic":
                atomic = is_atomic(expr)
        if expr.name.endswith("write"):
            shape = (1,) * len(offsets) if offsets is not None else None
        minimum = shape is None
        if shape is None:
            shape = self.shape_of(source, target)
            minimum = shape is None
            if shape is None and offsets is not None:
                shape = (1,) * len(offsets)
        parts = _parts(target, offsets, shape)
        stored = self.value(source)
        unchanged = isinstance(stored, tuple) and len(stored) == len(parts) == 1 and same_view(stored[0], parts[0])
        self.record(parts, True, expr, atomic, minimum, unchanged)
        return target

    def shape_of(self, source: ir.Expr, target: tuple[View, ...]) -> tuple[Scalar, ...] | None:
        """The extents of a stored value, where they follow from its definition and fit the target."""
        shape = self.shapes.of(source, self)
        if (
            shape is not None
            and len(target) == 1
            and target[0].shape is not None
            and len(shape) == len(target[0].shape)
        ):
            return shape
        return None

    def view_shape(self, expr: ir.Expr) -> tuple[Scalar, ...] | None:
        """The extents of a name that is a view of a parameter."""
        value = self.env.get(expr.name) if isinstance(expr, ir.Var) else None
        return value[0].shape if isinstance(value, tuple) and len(value) == 1 else None

    def call(self, call: ir.Call | ir.Submit) -> Value:
        """A kernel inside a group or grid wrapper: its accesses are this body's accesses."""
        callee = self.functions.get(call.callee)
        values = [self.value(arg) for arg in call.args]
        summary = self.summary_of(call.callee)
        if callee is None or summary is None:
            for value in values:
                self.touch(value)
            return None
        bindings: dict[Symbol, Scalar] = {summary.block: of_symbol(self.block), summary.blocks: of_symbol(self.blocks)}
        for index, symbol in summary.scalars.items():
            number = scalar_of(values[index]) if index < len(values) else None
            if number is not None:
                bindings[symbol] = number
        handed_on = dict(enumerate([value if isinstance(value, tuple) else () for value in values]))
        bindings.update(summary.bound_extents(lambda index: handed_on.get(index, ())))
        self.foreign |= summary.internal
        self.plain = self.plain and summary.plain
        for symbol, (op, a, b) in summary.definitions.items():
            left, right = substitute(a, bindings), substitute(b, bindings)
            if any(s in summary.internal for value in (left, right) for s in symbols(value)):
                self.inner_definitions[symbol] = (op, left, right)
            else:
                bindings[symbol] = self.symbols.apply(op, left, right)
        for symbol, count in summary.trips.items():
            if symbol is not summary.block:
                self.trips[symbol] = substitute(count, bindings)
        for access in summary.accesses:
            views = values[access.param] if access.param < len(values) else None
            if isinstance(views, tuple):
                for view in views:
                    if view.buffer.index < 0:
                        continue
                    part = compose(view, access.view, bindings)
                    certain = access.certain and self.certain and len(views) == 1
                    self.accesses.append(
                        KernelAccess(
                            view.buffer.index,
                            access.write,
                            part,
                            certain,
                            access.atomic,
                            access.minimum,
                            access.at,
                            access.unchanged,
                        )
                    )
        for index in summary.vague:
            if index < len(values):
                self.touch(values[index])
        outs = [i for i, p in enumerate(callee.params) if p.direction is not Direction.IN and i < len(values)]
        results = [values[i] for i in outs]
        return results[0] if len(results) == 1 else TupleValue(tuple(results))


def _parts(
    views: tuple[View, ...], offsets: tuple[Scalar, ...] | None, shape: tuple[Scalar, ...] | None
) -> tuple[View, ...]:
    found = []
    for view in views:
        if offsets is None or shape is None:
            found.append(View(view.buffer, (), None, (), view.label))
        else:
            found.append(sub_view(view, offsets, shape, view.label))
    return tuple(found)


def _distinct(accesses: list[KernelAccess]) -> list[KernelAccess]:
    """Without repeats, and without reads of what the body itself surely wrote before."""
    seen: set[tuple[object, ...]] = set()
    found: list[KernelAccess] = []
    written: list[View] = []
    for access in accesses:
        view = access.view
        key = (access.param, access.write, view.offsets, view.shape, view.strides, access.certain, access.atomic)
        if key in seen:
            continue
        seen.add(key)
        if access.write:
            if access.certain and not access.minimum and not access.atomic:
                written.append(view)
        elif any(covers(earlier, view) for earlier in written):
            continue
        found.append(access)
    return found
