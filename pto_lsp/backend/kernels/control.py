"""Loops and branches of a kernel in tile code, and the values that pass through them."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from math import gcd

from pto_lsp.analysis.ir.expressions import Expr, ListExpr, Op, Unknown, Var
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Assign, Block, Carry, For, If, Phi, Stmt, While
from pto_lsp.analysis.passes.convert_to_ssa import UNBOUND
from pto_lsp.backend.kernels.code import Branch, Line, Loop, Node, declared_names
from pto_lsp.backend.kernels.expressions import ExpressionLowering
from pto_lsp.backend.kernels.frame import Frame, same_place
from pto_lsp.backend.kernels.invariants import without_invariants
from pto_lsp.backend.kernels.memory import fixed
from pto_lsp.backend.kernels.places import Places
from pto_lsp.backend.kernels.scalars import scalar_type
from pto_lsp.backend.kernels.tiles import Space, Tile, flat
from pto_lsp.backend.kernels.uses import short_name
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.scalars import bare

_WORD = re.compile(r"[A-Za-z_]\w*")
Locate = Callable[[Place], str]


class ControlLowering(ExpressionLowering):
    """``wanted`` are the tiles that values to come should be made in, by name.

    ``_later`` are names that have no value before the first trip of their loop.
    """

    def __init__(self, function: Function, frame: Frame, locate: Locate) -> None:
        super().__init__(function, frame)
        self._locate = locate
        self._comment = ""
        self.wanted: dict[str, Tile] = {}
        self._later: set[str] = set()

    @abstractmethod
    def block(self, block: Block) -> tuple[KernelText, ...]:
        """Write the statements; the values returned at their end."""

    def say(self, stmt: Stmt) -> None:
        """A comment with the line of the program, when it is another than the last one."""
        where = self._locate(place(stmt.at, stmt.span))
        if where and where != self._comment:
            self.frame.code.line(f"// {where}")
            self._comment = where

    def for_(self, stmt: For) -> None:
        start, stop, step = self.numbers(ListExpr((stmt.start, stmt.stop, stmt.step)))
        if step.constant == 0:
            raise NotEmitted("a loop with step 0")
        down = step.constant is not None and step.constant < 0
        self.say(stmt)
        places = Places(stmt.body)
        carried = [self._carry_in(carry, places) for carry in stmt.carries]
        name = self.frame.names.fresh(stmt.var.label)
        self.env[stmt.var.name] = Number(name, "INDEX", None, gcd(start.multiple, step.multiple))
        body: list[Node] = []
        with self.frame.block(body):
            self._want_updates(stmt.carries, carried)
            if self.block(stmt.body):
                raise NotEmitted("a return inside a loop")
            results = self._carry_out(stmt.carries, carried)
        results = self._leave(stmt.carries, results, body)
        changing = {name, *[value.text for value in carried if isinstance(value, Number)]}
        moved, body = without_invariants(body, changing)
        for declaration in moved:
            self.frame.code.add(declaration)
        increment = f"++{name}" if step.constant == 1 else f"{name} += {bare(step.text)}"
        head = f"for (int64_t {name} = {bare(start.text)}; {name} {'>' if down else '<'} {stop.text}; {increment})"
        self.frame.code.add(Loop(head, body))
        for carry, value in zip(stmt.carries, results):
            self.env[carry.result.name] = self._after(value, {name, *declared_names(body)})

    def while_(self, stmt: While) -> None:
        self.say(stmt)
        places = Places(stmt.body)
        carried = [self._carry_in(carry, places) for carry in stmt.carries]
        body: list[Node] = []
        with self.frame.block(body):
            self._want_updates(stmt.carries, carried)
            self.frame.label = "condition"
            condition = self.as_number(self.value(stmt.condition)).text
            head = f"while ({bare(condition)})"
            if body:
                # What the condition is made of is computed anew before each trip.
                self.frame.code.line(f"if (!({bare(condition)})) break;")
                head = "while (true)"
            if self.block(stmt.body):
                raise NotEmitted("a return inside a loop")
            results = self._carry_out(stmt.carries, carried)
        results = self._leave(stmt.carries, results, body)
        self.frame.code.add(Loop(head, body))
        for carry, value in zip(stmt.carries, results):
            self.env[carry.result.name] = self._after(value, declared_names(body))

    def _carry_in(self, carry: Carry, places: Places) -> KernelText:
        """The variable or tile that takes the value from trip to trip, filled with the first one."""
        if _is_unbound(carry.init):
            self._later.add(carry.inner.name)
            return None
        value = self.value(carry.init)
        if isinstance(value, Tensor) and value.tile is None and not places.stays(carry.update):
            value = self.on_chip(value)
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
                self.wanted[carry.update.name] = value.tile

    def _carry_out(self, carries: tuple[Carry, ...], carried: list[KernelText]) -> list[KernelText]:
        """Hand the values on to the next trip; what the names are after the loop."""
        results = list(carried)
        updates = [self.value(carry.update) for carry in carries]
        copies: list[tuple[Tile, Tile]] = []
        assignments: list[tuple[str, str, str]] = []
        for position, (carry, value, update) in enumerate(zip(carries, carried, updates)):
            label = carry.inner.label
            if _is_unbound(carry.init):
                results[position] = update
            elif isinstance(value, Number) and isinstance(update, Number):
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
                if value.undefined and same_place(update.tile, value.tile):
                    # What nothing was written to is valid as far as the first trip makes it.
                    results[position] = update
                else:
                    copies.extend(self._handed_on(f"'{label}'", value.tile, update.tile, flat(fixed(value.shape))))
            elif value != update:
                raise NotEmitted(f"'{label}', carried from trip to trip")
        self._copy_all(copies)
        self._assign_all(assignments)
        return results

    def _leave(self, carries: tuple[Carry, ...], results: list[KernelText], body: list[Node]) -> list[KernelText]:
        """What names stand for behind the loop that only have a value since a trip of it."""
        left = list(results)
        for position, (carry, value) in enumerate(zip(carries, results)):
            if not _is_unbound(carry.init):
                continue
            if isinstance(value, Number):
                name = self.frame.names.fresh(carry.result.label)
                self.frame.code.line(f"{scalar_type(value.dtype)} {name} = 0;")
                body.append(Line(f"{name} = {bare(value.text)};"))
                left[position] = Number(name, value.dtype)
            elif isinstance(value, Tensor) and value.tile is not None:
                self.frame.touch(value.tile)
        return left

    def _handed_on(self, name: str, target: Tile, source: Tile, extents: tuple[int, int]) -> list[tuple[Tile, Tile]]:
        """The copy to make ``source`` the content of ``target``, as far as both are valid; none if it is there."""
        if target.valid != source.valid:
            if target.valid == extents:
                target = self.frame.limited(target, source.valid)
            elif source.valid == extents:
                source = self.frame.limited(source, target.valid)
            else:
                raise NotEmitted(f"{name}, of which another part is valid each time,")
        return [] if same_place(source, target) else [(target, source)]

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

    def if_(self, stmt: If) -> None:
        self.frame.label = "condition"
        condition = self.value(stmt.condition)
        if not isinstance(condition, Number):
            raise NotEmitted("a condition that is no number")
        self.say(stmt)
        self._want_joins(stmt)
        then: list[Node] = []
        orelse: list[Node] = []
        with self.frame.block(then):
            if self.block(stmt.then):
                raise NotEmitted("a return inside an if")
            firsts = [self._end(phi.then) for phi in stmt.phis]
        for phi, first in zip(stmt.phis, firsts):
            if isinstance(first, Tensor) and first.tile is not None and isinstance(phi.orelse, Var):
                self.wanted.setdefault(phi.orelse.name, first.tile)
        with self.frame.block(orelse):
            if self.block(stmt.orelse):
                raise NotEmitted("a return inside an if")
            seconds = [self._end(phi.orelse) for phi in stmt.phis]
        # One place in memory needs no tile for both arms.
        same = [_same_memory(first, second) for first, second in zip(firsts, seconds)]
        with self.frame.block(then):
            firsts = [each if kept else self._held(each) for each, kept in zip(firsts, same)]
        with self.frame.block(orelse):
            seconds = [each if kept else self._held(each) for each, kept in zip(seconds, same)]
        ended = {*declared_names(then), *declared_names(orelse)}
        joined = [self._join(phi, one, two, ended) for phi, one, two in zip(stmt.phis, firsts, seconds)]
        with self.frame.block(then):
            self._arrive(stmt.phis, joined, firsts)
        with self.frame.block(orelse):
            self._arrive(stmt.phis, joined, seconds)
        self.frame.code.add(Branch(bare(condition.text), then, orelse))
        for phi, value in zip(stmt.phis, joined):
            self.env[phi.result.name] = self._after(value, ended)

    def _end(self, expr: Expr) -> KernelText:
        """None for a name without a value at the end of this arm: it is that of the other one, then."""
        return None if _is_unbound(expr) or self._is_from_earlier_trip(expr) else self.value(expr)

    def _is_from_earlier_trip(self, expr: Expr) -> bool:
        return isinstance(expr, Var) and expr.name in self._later

    def _held(self, value: KernelText) -> KernelText:
        return self.on_chip(value) if isinstance(value, Tensor) else value

    def _want_joins(self, stmt: If) -> None:
        """Where one arm adds to an accumulator in place, the other arm's product goes there too."""
        for phi in stmt.phis:
            for one, other in ((phi.then, phi.orelse), (phi.orelse, phi.then)):
                tile = self._accumulated(one, (*stmt.then, *stmt.orelse))
                if tile is not None and isinstance(other, Var):
                    self.wanted[other.name] = tile

    def _accumulated(self, end: Expr, block: Block) -> Tile | None:
        for stmt in block:
            if isinstance(stmt, Assign) and isinstance(end, Var) and stmt.target.name == end.name:
                op = stmt.value
                if isinstance(op, Op) and short_name(op) == "matmul_acc" and isinstance(op.args[0], Var):
                    held = self.env.get(op.args[0].name)
                    return held.tile if isinstance(held, Tensor) else None
        return None

    def _join(self, phi: Phi, first: KernelText, second: KernelText, ended: set[str]) -> KernelText:
        """The variable or tile that has the value after either arm, declared before the branch.

        ``ended`` are the names that are not known there.
        """
        first, second = (second, first) if first is None else (first, second)
        again = self._is_from_earlier_trip(phi.then) or self._is_from_earlier_trip(phi.orelse)
        if isinstance(first, Number) and again:
            raise NotEmitted(f"'{phi.result.label}', a number that the first trip may leave without a value,")
        if isinstance(first, Number):
            name = self.frame.names.fresh(phi.result.label)
            self.frame.code.line(f"{scalar_type(first.dtype)} {name} = 0;")
            return Number(name, first.dtype)
        if not isinstance(first, Tensor) or first.tile is None:
            return first
        if first.tile.buffer.space is Space.ACC:
            self.frame.touch(first.tile)
            return Tensor(first.shape, first.dtype, first.tile, undefined=first.undefined)
        shape = fixed(first.shape)
        if isinstance(second, Tensor) and second.tile is not None and _same_elements(first.tile, second.tile):
            # Both arms leave it where it was before.
            return Tensor(first.shape, first.dtype, first.tile, shared=first.shared or second.shared)
        other = second.tile.valid if isinstance(second, Tensor) and second.tile is not None else first.tile.valid
        valid = other if other == flat(shape) else first.tile.valid
        if ended & {str(extent) for extent in valid}:
            raise NotEmitted(f"'{phi.result.label}', of which what is valid is only known in a branch,")
        tile = self.frame.vector_tile(shape, first.dtype, phi.result.label, valid)
        self.frame.touch(tile)
        return Tensor(first.shape, first.dtype, tile)

    def _arrive(self, phis: tuple[Phi, ...], joined: list[KernelText], ends: list[KernelText]) -> None:
        copies: list[tuple[Tile, Tile]] = []
        for phi, target, end in zip(phis, joined, ends):
            label = phi.result.label
            if end is None:
                continue
            if isinstance(target, Number) and isinstance(end, Number):
                self.frame.code.line(f"{target.text} = {bare(end.text)};")
            elif isinstance(target, Tensor) and isinstance(end, Tensor):
                if target.tile is None:
                    if end.view != target.view:
                        raise NotEmitted(f"'{label}', which is another place in memory in each branch,")
                    continue
                if (fixed(end.shape), end.dtype) != (fixed(target.shape), target.dtype) or end.tile is None:
                    raise NotEmitted(f"'{label}', which is another thing in each branch,")
                copies.extend(self._handed_on(f"'{label}'", target.tile, end.tile, flat(fixed(target.shape))))
            elif target != end:
                raise NotEmitted(f"'{label}', which is another thing in each branch,")
        self._copy_all(copies)


def _same_memory(one: KernelText, other: KernelText) -> bool:
    return isinstance(one, Tensor) and isinstance(other, Tensor) and one.view is not None and one.view == other.view


def _is_unbound(expr: Expr) -> bool:
    """Whether a name has no value at this end of a loop or branch."""
    return isinstance(expr, Unknown) and expr.what == UNBOUND


def _same_elements(one: Tile, other: Tile) -> bool:
    return same_place(one, other) and one.valid == other.valid and one.offset == 0 and not one.in_place
