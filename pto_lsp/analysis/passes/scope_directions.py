"""Directions of what a region captures and of what a kernel's body does to its parameters (semantics.md 2.1-2.8).

Two readings, one after the other, as the compiler has them:

* ``captured_directions`` looks at a region when it is outlined. A captured tensor is written when it is itself a
  destination; it is read when it, or the value bound by a straight-line write to it, is used in any other way – handing
  it on at a loop's entry or at the end of an arm included (2.2, 2.4, 2.6).
* ``upgraded_directions`` looks at a whole function afterwards and follows buffers through loops, branches and views. It
  only upgrades parameters that still count as read-only, and does not know atomic writes (2.1, 2.5).
"""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Expr, Item, Op, Submit, Var
from pto_lsp.analysis.ir.program import Direction, Function, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, LoopKind, Region, Stmt, Unpack, While
from pto_lsp.analysis.ir.visitor import blocks, children, option_exprs, statement_exprs
from pto_lsp.analysis.ir.write_backs import written_back
from pto_lsp.analysis.passes.operator_effects import OVERWRITES, UPDATES, VIEWS, overwritten, written

_DESTINATIONS = frozenset({"tensor.assemble", "store", "tile.store"})
"""The operators that the first reading takes for writes; the others are left to the second."""

_RANK = {Direction.IN: 0, Direction.OUT: 1, Direction.INOUT: 2}


def merged(left: Direction, right: Direction) -> Direction:
    """Both observations kept: IN < OUT < INOUT."""
    return left if _RANK[left] >= _RANK[right] else right


def captured_directions(names: list[str], body: Block, program: Program) -> list[Direction]:
    """Directions of the variables ``names`` that the region ``body`` captures."""
    scan = _CaptureScan(names, program)
    scan.block(body)
    return [scan.direction(name) for name in names]


class _CaptureScan:
    def __init__(self, names: list[str], program: Program) -> None:
        self._program = program
        # Name → the captured variable whose buffer it names.
        self._alias = {name: name for name in names}
        self._read: set[str] = set()
        self._written: set[str] = set()
        self._from_callees: dict[str, Direction] = {}

    def direction(self, name: str) -> Direction:
        found = Direction.IN
        if name in self._written:
            found = Direction.INOUT if name in self._read else Direction.OUT
        callee = self._from_callees.get(name)
        if callee is None:
            return found
        if found is Direction.IN and callee is Direction.OUT and name in self._read:
            return Direction.INOUT
        return merged(found, callee)

    def block(self, block: Block) -> None:
        for stmt in block:
            self._statement(stmt)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign) and isinstance(stmt.value, Op) and stmt.value.name in _DESTINATIONS:
            slot = overwritten(stmt.value)
            target = stmt.value.args[slot] if slot is not None else None
            if isinstance(target, Var) and target.name in self._alias:
                self._alias[stmt.target.name] = self._alias[target.name]
        if isinstance(stmt, For) and stmt.kind is LoopKind.UNROLL:
            self._unrolled(stmt)
            return
        if isinstance(stmt, Region):
            for expr in option_exprs(stmt.options):
                self._reads(expr)
        else:
            for expr in statement_exprs(stmt):
                self._reads(expr)
        for body in blocks(stmt):
            self.block(body)
        for end in _handed_on(stmt):
            self._reads(end)

    def _unrolled(self, loop: For) -> None:
        """Copies in a row: what a trip hands on is simply another name for it."""
        for carry in loop.carries:
            self._rename(carry.init, carry.inner)
        self.block(loop.body)
        for carry in loop.carries:
            self._rename(carry.update, carry.result)

    def _rename(self, value: Expr, name: Var) -> None:
        if isinstance(value, Var) and value.name in self._alias:
            self._alias[name.name] = self._alias[value.name]
        else:
            self._reads(value)

    def _reads(self, expr: Expr) -> None:
        if isinstance(expr, Var):
            found = self._alias.get(expr.name)
            if found is not None:
                self._read.add(found)
            return
        if isinstance(expr, Op):
            self._operator(expr)
            return
        if isinstance(expr, (Call, Submit)):
            self._launch(expr)
            return
        for child in children(expr):
            self._reads(child)

    def _operator(self, op: Op) -> None:
        skipped = overwritten(op)
        if op.name in _DESTINATIONS:
            target = op.args[OVERWRITES[op.name]] if OVERWRITES[op.name] < len(op.args) else None
            if isinstance(target, Var) and target.name in self._alias:
                self._written.add(self._alias[target.name])
        else:
            skipped = None
        for index, arg in enumerate(op.args):
            if index != skipped:
                self._reads(arg)
        for keyword in op.keywords:
            self._reads(keyword.value)

    def _launch(self, launch: Call | Submit) -> None:
        callee = self._program.functions.get(launch.callee)
        for index, arg in enumerate(launch.args):
            direction = Direction.IN
            if callee is not None and index < len(callee.params):
                direction = callee.params[index].direction
            found = self._alias.get(arg.name) if isinstance(arg, Var) else None
            if found is not None and direction is not Direction.IN:
                self._from_callees[found] = merged(self._from_callees.get(found, Direction.IN), direction)
                if direction is Direction.OUT:
                    continue
            self._reads(arg)
        for expr in option_exprs(launch.options):
            if not any(expr is opted for opted in launch.options.no_dep_args):
                self._reads(expr)


def _handed_on(stmt: Stmt) -> tuple[Expr, ...]:
    if isinstance(stmt, (For, While)):
        return tuple([c.update for c in stmt.carries])
    if isinstance(stmt, If):
        return tuple([e for p in stmt.phis for e in (p.then, p.orelse)])
    return ()


def upgraded_directions(function: Function, program: Program) -> tuple[Direction, ...]:
    """Directions of a kernel's parameters, read-only tensors upgraded when the body writes them."""
    declared = tuple([p.direction for p in function.params])
    if function.body is None or Direction.IN not in declared:
        return declared
    scan = _AccessScan(function, program)
    scan.block(function.body)
    result = list(declared)
    for index, direction in enumerate(declared):
        if direction is Direction.IN and index in scan.written:
            result[index] = Direction.INOUT if index in scan.read else Direction.OUT
    return tuple(result)


_Origins = frozenset[int]
_NONE: _Origins = frozenset()


class _AccessScan:
    """Follows which parameters' buffers a name may be, through writes, views, loops, branches and calls."""

    def __init__(self, function: Function, program: Program) -> None:
        self._program = program
        self._origins: dict[str, _Origins] = {p.name: frozenset((i,)) for i, p in enumerate(function.params)}
        self.read: set[int] = set()
        self.written: set[int] = set()

    def block(self, block: Block) -> None:
        for stmt in block:
            self._statement(stmt)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign):
            self._access(stmt.value)
            self._bind(stmt.target, self._of(stmt.value))
        elif isinstance(stmt, Unpack):
            self._access(stmt.value)
            for index, target in enumerate(stmt.targets):
                self._bind(target, self._of_result(stmt.value, index))
        elif isinstance(stmt, Evaluate):
            self._access(stmt.value)
        elif isinstance(stmt, (For, While)):
            self._loop(stmt)
        elif isinstance(stmt, If):
            self._access(stmt.condition)
            self.block(stmt.then)
            self.block(stmt.orelse)
            for phi in stmt.phis:
                self._bind(phi.result, self._of(phi.then) | self._of(phi.orelse))
        else:
            if not isinstance(stmt, Region):
                # Returning a buffer, or handing it on, moves no data.
                for expr in statement_exprs(stmt):
                    if not isinstance(expr, Var):
                        self._access(expr)
            for body in blocks(stmt):
                self.block(body)

    def _loop(self, loop: For | While) -> None:
        if isinstance(loop, For):
            for expr in (loop.start, loop.stop, loop.step):
                self._access(expr)
        for carry in loop.carries:
            self._bind(carry.inner, self._of(carry.init))
        self._trip(loop)
        widened = False
        for carry in loop.carries:
            before = self._origins.get(carry.inner.name, _NONE)
            after = before | self._of(carry.update)
            widened = widened or after != before
            self._bind(carry.inner, after)
        if widened:
            self._trip(loop)
        for carry in loop.carries:
            self._bind(carry.result, self._origins.get(carry.inner.name, _NONE) | self._of(carry.update))

    def _trip(self, loop: For | While) -> None:
        if isinstance(loop, While):
            self._access(loop.condition)
        self.block(loop.body)

    def _bind(self, var: Var, origins: _Origins) -> None:
        if origins:
            self._origins[var.name] = origins
        else:
            self._origins.pop(var.name, None)

    def _of(self, expr: Expr) -> _Origins:
        """Parameters whose buffer the value of ``expr`` may be."""
        if isinstance(expr, Var):
            return self._origins.get(expr.name, _NONE)
        if isinstance(expr, Op):
            target = written_back(expr)
            if target is None and (expr.name in VIEWS or expr.name == "tensor.write") and expr.args:
                target = expr.args[0]
            return _NONE if target is None else self._of(target)
        if isinstance(expr, (Call, Submit)):
            return self._of_result(expr, 0)
        return self._of_result(expr.base, expr.index) if isinstance(expr, Item) else _NONE

    def _of_result(self, value: Expr, index: int) -> _Origins:
        """A callee's result may be any of the buffers that it writes."""
        if not isinstance(value, (Call, Submit)):
            return _NONE
        callee = self._program.functions.get(value.callee)
        if callee is None:
            return _NONE
        found = _NONE
        for param, arg in zip(callee.params, value.args):
            if param.direction is not Direction.IN:
                found |= self._of(arg)
        return found

    def _access(self, expr: Expr) -> None:
        """Record what evaluating ``expr`` reads and writes."""
        if isinstance(expr, Var):
            return
        if isinstance(expr, Op):
            self._operator(expr)
            return
        if isinstance(expr, (Call, Submit)):
            self._launch(expr)
            return
        for child in children(expr):
            self._uses(child)

    def _uses(self, expr: Expr) -> None:
        """``expr`` as an operand: a variable is read, anything else evaluated."""
        if isinstance(expr, Var):
            self.read |= self._origins.get(expr.name, _NONE)
        else:
            self._access(expr)
            if isinstance(expr, Op) and expr.name in VIEWS:
                self.read |= self._of(expr)

    def _operator(self, op: Op) -> None:
        name = op.name
        if name in VIEWS:
            # A view alone moves no data; who uses it reads.
            for arg in op.args[1:]:
                self._uses(arg)
            if op.args and not isinstance(op.args[0], Var):
                self._access(op.args[0])
            return
        targets = written(op)
        for index in targets:
            self.written |= self._of(op.args[index])
        updated = name in UPDATES
        for index, arg in enumerate(op.args):
            if index in targets and name in OVERWRITES:
                if not isinstance(arg, Var):
                    self._access(arg)
                continue
            if index in targets and not updated:
                continue
            if name == "tensor.dim":
                continue
            self._uses(arg)
        for keyword in op.keywords:
            self._uses(keyword.value)

    def _launch(self, launch: Call | Submit) -> None:
        callee = self._program.functions.get(launch.callee)
        for index, arg in enumerate(launch.args):
            direction = Direction.IN
            if callee is not None and index < len(callee.params):
                direction = callee.params[index].direction
            if direction is not Direction.IN:
                self.written |= self._of(arg)
            if direction is not Direction.OUT:
                self._uses(arg)
            elif not isinstance(arg, Var):
                self._access(arg)
