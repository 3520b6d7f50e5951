"""Parameters and statements of a kernel in tile code."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import gcd

from pto_lsp.analysis.ir.expressions import (
    Call,
    Const,
    Expr,
    ListExpr,
    Op,
    Submit,
    Symbol,
    Var,
)
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    Evaluate,
    For,
    If,
    Phi,
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.backend.kernels.code import Branch, Loop, Node, declared_names
from pto_lsp.backend.kernels.dtypes import memory_element
from pto_lsp.backend.kernels.expressions import ExpressionLowering
from pto_lsp.backend.kernels.frame import Frame, same_place
from pto_lsp.backend.kernels.invariants import without_invariants
from pto_lsp.backend.kernels.memory import fixed, load
from pto_lsp.backend.kernels.scalars import scalar_type
from pto_lsp.backend.kernels.tiles import Extent, Space, Tile
from pto_lsp.backend.kernels.uses import short_name
from pto_lsp.backend.kernels.values import Axis, KernelText, Number, Tensor, View
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.scalars import bare

_WORD = re.compile(r"[A-Za-z_]\w*")
Locate = Callable[[Place], str]


class KernelLowering(ExpressionLowering):
    """One activation of a kernel. A kernel that it calls is written in its place, by a lowering of its own."""

    def __init__(self, program: Program, function: Function, frame: Frame, locate: Locate) -> None:
        super().__init__(function, frame)
        self._program = program
        self._locate = locate
        self._wanted: dict[str, Tile] = {}
        self._comment = ""

    # -- parameters ----------------------------------------------------------------------------------------------

    def parameters(self, function: Function) -> None:
        """Tensors come first among the arguments, then scalars."""
        tensors = [param for param in function.params if isinstance(param.type, TensorType)]
        position = len(tensors)
        for param in function.params:
            if isinstance(param.type, TensorType):
                try:
                    kind = memory_element(param.type.dtype)
                except NotEmitted as fault:
                    raise NotEmitted(f"parameter '{param.name}': {fault}", place(param.at, param.name_span)) from None
                self._tensor_parameter(param.name, param.type, kind, tensors.index(param))
            elif isinstance(param.type, ScalarType) and not param.type.is_task_id:
                scalar = scalar_type(param.type.dtype)
                name = self.frame.names.fresh(param.name)
                self.declare(
                    name, f"const {scalar} {name} = from_u64<{scalar}>(static_cast<uint64_t>(args[{position}]));"
                )
                self.env[param.name] = Number(name, param.type.dtype)
                position += 1
            else:
                raise NotEmitted(f"parameter '{param.name}'", place(param.at, param.name_span))

    def _tensor_parameter(self, label: str, type_: TensorType, kind: str, position: int) -> None:
        name = self.frame.names.fresh(label)
        descriptor = self.frame.names.fresh(f"{name}_tensor")
        self.declare(
            descriptor, f"__gm__ ChipTensor *{descriptor} = reinterpret_cast<__gm__ ChipTensor *>(args[{position}]);"
        )
        self.declare(
            name,
            f"__gm__ {kind} *{name} = reinterpret_cast<__gm__ {kind} *>({descriptor}->buffer.addr)"
            f" + {descriptor}->start_offset;",
        )
        if type_.shape is None:
            raise NotEmitted(f"parameter '{label}', whose shape is not known,")
        axes: list[Axis] = []
        for axis, extent in enumerate(type_.shape):
            known: Extent = extent.value if isinstance(extent, Const) and isinstance(extent.value, int) else ""
            if known == "":
                known = self._described(f"{name}_extent{axis}", f"{descriptor}->shapes[{axis}]")
                if isinstance(extent, Symbol):
                    self.env.setdefault(f"symbol {extent.name}", Number(known, "INDEX"))
            last = axis == len(type_.shape) - 1
            stride = 1 if last else self._described(f"{name}_stride{axis}", f"{descriptor}->strides[{axis}]")
            axes.append(Axis(known, stride))
        view = View(name, name, tuple(axes), type_.dtype)
        self.env[label] = Tensor(tuple([axis.extent for axis in axes]), type_.dtype, None, view)

    def _described(self, wish: str, text: str) -> str:
        """A number from a tensor's descriptor under a name."""
        return self.named(text, wish)

    # -- statements ----------------------------------------------------------------------------------------------

    def block(self, block: Block) -> tuple[KernelText, ...]:
        """Write the statements; the values returned at their end."""
        for position, stmt in enumerate(block):
            self.anchor, self.within = stmt.at, False
            self.frame.at = place(stmt.at, stmt.span)
            try:
                if isinstance(stmt, Return):
                    if position < len(block) - 1:
                        raise NotEmitted("a return that is not at the end")
                    return tuple([self.value(value) for value in stmt.values])
                self._statement(stmt)
            except NotEmitted as fault:
                if fault.place is None:
                    fault.place = place(stmt.at, stmt.span)
                raise
        return ()

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, (Assign, Unpack, Evaluate)):
            self._say(stmt)
        if isinstance(stmt, Assign):
            self._assign(stmt)
        elif isinstance(stmt, Unpack):
            values = self.value(stmt.value)
            if not isinstance(values, tuple) or len(values) != len(stmt.targets):
                raise NotEmitted(f"{len(stmt.targets)} results of this")
            for target, value in zip(stmt.targets, values):
                self.env[target.name] = value
        elif isinstance(stmt, Evaluate):
            self.frame.label = "value"
            self.value(stmt.value)
        elif isinstance(stmt, For):
            self._for(stmt)
        elif isinstance(stmt, While):
            self._while(stmt)
        elif isinstance(stmt, If):
            self._if(stmt)
        elif isinstance(stmt, Scope):
            self.block(stmt.body)
        else:
            raise NotEmitted("this statement in a kernel")

    def _say(self, stmt: Stmt) -> None:
        """A comment with the line of the program, when it is another than the last one."""
        where = self._locate(place(stmt.at, stmt.span))
        if where and where != self._comment:
            self.frame.code.line(f"// {where}")
            self._comment = where

    def _assign(self, stmt: Assign) -> None:
        target = stmt.target
        self.frame.label = target.label or "value"
        self.wanted_tile = self._wanted.get(target.name)
        value = self.value(stmt.value)
        self.wanted_tile = None
        if isinstance(value, Tensor) and value.view is not None and value.tile is None and _is_slice(stmt.value):
            if target.name in self.uses.values:
                loaded = load(self.frame, value.view, target.label)
                value = Tensor(value.shape, value.dtype, loaded.tile, value.view, shared=True)
        elif isinstance(value, Number) and value.constant is None and not value.text.isidentifier():
            name = self.frame.names.fresh(target.label)
            self.declare(name, f"const {scalar_type(value.dtype)} {name} = {bare(value.text)};")
            value = Number(name, value.dtype, None, value.multiple)
        elif isinstance(stmt.value, Var) and isinstance(value, Tensor):
            value = Tensor(value.shape, value.dtype, value.tile, value.view, shared=True)
        self.env[target.name] = value

    def _for(self, stmt: For) -> None:
        start, stop, step = self.numbers(ListExpr((stmt.start, stmt.stop, stmt.step)))
        if step.constant is not None and step.constant <= 0:
            raise NotEmitted("a loop whose step is not positive")
        self._say(stmt)
        carried = [self._carry_in(carry) for carry in stmt.carries]
        name = self.frame.names.fresh(stmt.var.label)
        self.env[stmt.var.name] = Number(name, "INDEX", None, gcd(start.multiple, step.multiple))
        body: list[Node] = []
        with self.frame.block(body):
            self._want_updates(stmt.carries, carried)
            if self.block(stmt.body):
                raise NotEmitted("a return inside a loop")
            results = self._carry_out(stmt.carries, carried)
        changing = {name, *[value.text for value in carried if isinstance(value, Number)]}
        moved, body = without_invariants(body, changing)
        for declaration in moved:
            self.frame.code.add(declaration)
        increment = f"++{name}" if step.constant == 1 else f"{name} += {bare(step.text)}"
        head = f"for (int64_t {name} = {bare(start.text)}; {name} < {stop.text}; {increment})"
        self.frame.code.add(Loop(head, body))
        for carry, value in zip(stmt.carries, results):
            self.env[carry.result.name] = self._after(value, {name, *declared_names(body)})

    def _while(self, stmt: While) -> None:
        self._say(stmt)
        carried = [self._carry_in(carry) for carry in stmt.carries]
        body: list[Node] = []
        with self.frame.block(body):
            self._want_updates(stmt.carries, carried)
            condition = self.as_number(self.value(stmt.condition)).text
            head = f"while ({bare(condition)})"
            if body:
                # What the condition is made of is computed anew before each trip.
                self.frame.code.line(f"if (!({bare(condition)})) break;")
                head = "while (true)"
            if self.block(stmt.body):
                raise NotEmitted("a return inside a loop")
            results = self._carry_out(stmt.carries, carried)
        self.frame.code.add(Loop(head, body))
        for carry, value in zip(stmt.carries, results):
            self.env[carry.result.name] = self._after(value, declared_names(body))

    def _carry_in(self, carry: Carry) -> KernelText:
        """The variable or tile that takes the value from trip to trip, filled with the first one."""
        value = self.value(carry.init)
        if isinstance(value, Number):
            name = self.frame.names.fresh(carry.inner.label)
            self.frame.code.line(f"{scalar_type(value.dtype)} {name} = {bare(value.text)};")
            value = Number(name, value.dtype)
        elif isinstance(value, Tensor) and value.tile is not None:
            tile = value.tile
            if not self.may_overwrite(carry.init, value):
                if tile.buffer.space is not Space.VEC:
                    raise NotEmitted(f"'{carry.inner.label}', a tile of the cube core that is also used elsewhere")
                shape = fixed(value.shape)
                tile = self.frame.vector_tile(shape, value.dtype, carry.inner.label, tile.valid)
                self.frame.copy(tile, value.tile)
            value = Tensor(value.shape, value.dtype, tile, undefined=value.undefined)
        self.env[carry.inner.name] = value
        return value

    def _after(self, value: KernelText, ended: set[str]) -> KernelText:
        """``value`` behind a loop or a branch, where the names ``ended`` are not known any more."""
        if not isinstance(value, Tensor) or value.tile is None or not value.tile.in_place:
            return value
        tile = value.tile
        if ended & set(_WORD.findall(" ".join([str(tile.offset), *tile.run_time]))):
            raise NotEmitted(f"'{tile.name}', of which what is valid is only known inside,")
        again = self.frame.alias(tile, tile.buffer.name, tile.dtype, tile.layout, tile.rows, tile.cols, tile.valid)
        return Tensor(value.shape, value.dtype, again, value.view, value.shared)

    def _want_updates(self, carries: tuple[Carry, ...], carried: list[KernelText]) -> None:
        """Accumulators cannot be copied: what becomes one for the next trip is computed in its place."""
        for carry, value in zip(carries, carried):
            if isinstance(value, Tensor) and value.tile is not None and isinstance(carry.update, Var):
                self._wanted[carry.update.name] = value.tile

    def _carry_out(self, carries: tuple[Carry, ...], carried: list[KernelText]) -> list[KernelText]:
        """Hand the values on to the next trip; what the names are after the loop."""
        results = list(carried)
        updates = [self.value(carry.update) for carry in carries]
        copies: list[tuple[Tile, Tile]] = []
        assignments: list[tuple[str, str, str]] = []
        for position, (carry, value, update) in enumerate(zip(carries, carried, updates)):
            label = carry.inner.label
            if isinstance(value, Number) and isinstance(update, Number):
                if update.text != value.text:
                    assignments.append((value.text, scalar_type(value.dtype), update.text))
            elif isinstance(value, Tensor) and isinstance(update, Tensor):
                if value.tile is None:
                    if update.view != value.view:
                        raise NotEmitted(f"'{label}', which is another place in memory after each trip,")
                    continue
                update = self.on_chip(update)
                assert update.tile is not None
                if (fixed(update.shape), update.dtype) != (fixed(value.shape), value.dtype):
                    raise NotEmitted(f"'{label}', which has another shape or type after a trip,")
                in_place = same_place(update.tile, value.tile)
                if update.tile.valid != value.tile.valid:
                    # What nothing was written to is valid as far as the first trip makes it.
                    if not (in_place and value.undefined):
                        raise NotEmitted(f"'{label}', of which another part is valid after a trip,")
                    results[position] = update
                if not in_place:
                    copies.append((value.tile, update.tile))
            elif value != update:
                raise NotEmitted(f"'{label}', carried from trip to trip")
        self._copy_all(copies)
        self._assign_all(assignments)
        return results

    def _copy_all(self, copies: list[tuple[Tile, Tile]]) -> None:
        """At the same time, as it were: a source that is another one's target is put aside first."""
        targets = {target for target, _ in copies}
        aside: list[tuple[Tile, Tile]] = []
        for target, source in copies:
            if source.buffer.space is not Space.VEC:
                raise NotEmitted("a copy of an accumulator")
            if source in targets:
                kept = self.frame.new_tile(
                    f"{source.name}_kept",
                    Space.VEC,
                    source.dtype,
                    source.layout,
                    source.rows,
                    source.cols,
                    source.valid,
                )
                self.frame.copy(kept, source)
                source = kept
            aside.append((target, source))
        for target, source in aside:
            self.frame.copy(target, source)

    def _assign_all(self, assignments: list[tuple[str, str, str]]) -> None:
        if len(assignments) > 1:
            kept: list[tuple[str, str, str]] = []
            for target, kind, text in assignments:
                name = self.frame.names.fresh(f"next_{target}")
                self.frame.code.line(f"const {kind} {name} = {bare(text)};")
                kept.append((target, kind, name))
            assignments = kept
        for target, _, text in assignments:
            self.frame.code.line(f"{target} = {bare(text)};")

    def _if(self, stmt: If) -> None:
        condition = self.value(stmt.condition)
        if not isinstance(condition, Number):
            raise NotEmitted("a condition that is no number")
        self._say(stmt)
        self._want_joins(stmt)
        then: list[Node] = []
        orelse: list[Node] = []
        joined: list[KernelText] = []
        with self.frame.block(then):
            if self.block(stmt.then):
                raise NotEmitted("a return inside an if")
            firsts = [self._end(phi.then) for phi in stmt.phis]
        for phi, first in zip(stmt.phis, firsts):
            joined.append(self._join(phi, first))
        with self.frame.block(orelse):
            for phi, first in zip(stmt.phis, firsts):
                if isinstance(first, Tensor) and first.tile is not None and isinstance(phi.orelse, Var):
                    self._wanted.setdefault(phi.orelse.name, first.tile)
            if self.block(stmt.orelse):
                raise NotEmitted("a return inside an if")
            seconds = [self._end(phi.orelse) for phi in stmt.phis]
            self._arrive(stmt.phis, joined, seconds)
        with self.frame.block(then):
            self._arrive(stmt.phis, joined, firsts)
        self.frame.code.add(Branch(bare(condition.text), then, orelse))
        ended = {*declared_names(then), *declared_names(orelse)}
        for phi, value in zip(stmt.phis, joined):
            self.env[phi.result.name] = self._after(value, ended)

    def _want_joins(self, stmt: If) -> None:
        """Where one arm adds to an accumulator in place, the other arm's product goes there too."""
        for phi in stmt.phis:
            for one, other in ((phi.then, phi.orelse), (phi.orelse, phi.then)):
                tile = self._accumulated(one, (*stmt.then, *stmt.orelse))
                if tile is not None and isinstance(other, Var):
                    self._wanted[other.name] = tile

    def _accumulated(self, end: Expr, block: Block) -> Tile | None:
        for stmt in block:
            if isinstance(stmt, Assign) and isinstance(end, Var) and stmt.target.name == end.name:
                op = stmt.value
                if isinstance(op, Op) and short_name(op) == "matmul_acc" and isinstance(op.args[0], Var):
                    held = self.env.get(op.args[0].name)
                    return held.tile if isinstance(held, Tensor) else None
        return None

    def _end(self, expr: Expr) -> KernelText:
        value = self.value(expr)
        return self.on_chip(value) if isinstance(value, Tensor) and value.view is None else value

    def _join(self, phi: Phi, first: KernelText) -> KernelText:
        """The variable or tile that has the value after either arm, declared before the branch."""
        if isinstance(first, Number):
            name = self.frame.names.fresh(phi.result.label)
            self.frame.code.line(f"{scalar_type(first.dtype)} {name} = 0;")
            return Number(name, first.dtype)
        if isinstance(first, Tensor) and first.tile is not None:
            if first.tile.buffer.space is Space.ACC:
                self.frame.touch(first.tile)
                return Tensor(first.shape, first.dtype, first.tile, undefined=first.undefined)
            if first.tile.run_time:
                raise NotEmitted(f"'{phi.result.label}', a partly valid tile that is made in a branch,")
            tile = self.frame.vector_tile(fixed(first.shape), first.dtype, phi.result.label, first.tile.valid)
            self.frame.touch(tile)
            return Tensor(first.shape, first.dtype, tile)
        return first

    def _arrive(self, phis: tuple[Phi, ...], joined: list[KernelText], ends: list[KernelText]) -> None:
        copies: list[tuple[Tile, Tile]] = []
        for phi, target, end in zip(phis, joined, ends):
            label = phi.result.label
            if isinstance(target, Number) and isinstance(end, Number):
                self.frame.code.line(f"{target.text} = {bare(end.text)};")
            elif isinstance(target, Tensor) and isinstance(end, Tensor):
                if target.tile is None:
                    if end.view != target.view:
                        raise NotEmitted(f"'{label}', which is another place in memory in each branch,")
                    continue
                if (fixed(end.shape), end.dtype) != (fixed(target.shape), target.dtype) or end.tile is None:
                    raise NotEmitted(f"'{label}', which is another thing in each branch,")
                if end.tile.valid != target.tile.valid:
                    raise NotEmitted(f"'{label}', of which another part is valid in each branch,")
                if not same_place(end.tile, target.tile):
                    copies.append((target.tile, end.tile))
            elif target != end:
                raise NotEmitted(f"'{label}', which is another thing in each branch,")
        self._copy_all(copies)

    def call(self, expr: Call | Submit) -> tuple[KernelText, ...]:
        callee = self._program.functions.get(expr.callee)
        if callee is None or callee.body is None:
            raise NotEmitted(f"a call of '{expr.callee}', whose body is not known,")
        inner = KernelLowering(self._program, callee, self.frame, self._locate)
        for param, arg in zip(callee.params, expr.args):
            value = self.value(arg)
            if isinstance(value, Tensor):
                value = Tensor(value.shape, value.dtype, value.tile, value.view, shared=True)
            inner.env[param.name] = value
        results = inner.block(callee.body)
        return (*results, None) if isinstance(expr, Submit) else results


def _is_slice(expr: Expr) -> bool:
    return isinstance(expr, Op) and short_name(expr) == "slice"
