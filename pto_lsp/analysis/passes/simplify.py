"""Simplify: scalar arithmetic folded, decided branches and pointless loops removed, dead scalars dropped (rules.md S4).

* A literal bound at the top level of a function stands in the place of its name from then on; a literal bound in a loop
  or branch keeps its name and only says what range the name has. Every name is bound once by then, so nothing else has
  to be asked. Device regions and scopes do not count as nesting, only ``pl.spmd`` bodies do.
* An ``if`` whose condition holds for every value in range is replaced by its arm.
* A ``pl.range`` loop of no trip disappears (carried values are their initial ones), one of a single trip is replaced by
  its body. Other loop kinds promise the runtime something and stay.
* A scalar computed by arithmetic alone and used by nothing is dropped. Results of operators and calls stay: the
  compiler cannot know that they have no effect.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from pto_lsp.analysis.ir.bounds import Bounds, Interval, natural, refinements
from pto_lsp.analysis.ir.expressions import Binary, Cast, Const, Expr, Op, Symbol, Unary, Unknown, Var
from pto_lsp.analysis.ir.folding import fold
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    Evaluate,
    For,
    GraphScope,
    If,
    LoopKind,
    Opaque,
    Phi,
    Region,
    RegionKind,
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
    Yield,
)
from pto_lsp.analysis.ir.substitution import Substitution, respanned
from pto_lsp.analysis.ir.types import TensorType, UnknownType, is_scalar
from pto_lsp.analysis.ir.visitor import has_jump, variables
from pto_lsp.analysis.passes.dead_scalars import without_dead_scalars
from pto_lsp.analysis.passes.reruns import UNRECORDED, Reruns, Run, State, States
from pto_lsp.analysis.passes.statement_results import StatementResults

EXTENT = "extent"
"""``Unknown.what`` of an extent that specialisation will make a constant, which one is not known here."""


def run(program: Program) -> Program:
    """Every function with a body simplified; needs SSA form and keeps it."""
    return program.with_functions({key: simplify(function) for key, function in program.functions.items()})


def simplify(function: Function) -> Function:
    """``function`` simplified; the same object when there was nothing to do."""
    return simplify_again(function, StatementResults(), None)[0]


def simplify_again(function: Function, results: StatementResults, last: Run | None) -> tuple[Function, Run | None]:
    """`simplify`, beside the ``last`` run over a former version of the function; returns the run as well."""
    if function.body is None:
        return function, None
    simplifier = _Simplifier(function, results, last)
    body = without_dead_scalars(simplifier.block(function.body), results)
    return function if body is function.body else replace(function, body=body), simplifier.run


class _Folding(Substitution):
    """Substitution that folds every piece of scalar arithmetic on its way up.

    ``device``: inside device code, where an extent that is not known may stay what it is.
    """

    __slots__ = ("bounds", "device")

    def __init__(self, mapping: dict[str, Expr], bounds: Bounds, device: bool) -> None:
        super().__init__(mapping)
        self.bounds = bounds
        self.device = device

    def expr(self, expr: Expr) -> Expr:
        new = super().expr(expr)
        if isinstance(new, (Binary, Unary, Cast)):
            return fold(new, self.bounds)
        if isinstance(new, Op) and new.sugar and new.name == "tensor.dim":
            return self._extent(new)
        return new

    def _extent(self, dim: Op) -> Expr:
        """An extent that specialisation makes a constant (``Op`` on tensor.dim)."""
        base, axis = dim.args[0], dim.args[1]
        if isinstance(base, Var) and isinstance(axis, Const) and isinstance(axis.value, int):
            shape = base.type.shape if isinstance(base.type, TensorType) else None
            if shape is not None and -len(shape) <= axis.value < len(shape):
                extent = shape[axis.value]
                if isinstance(extent, (Const, Symbol)):
                    return respanned(extent, dim.span)
        if self.device:
            return dim
        return Unknown(EXTENT, (base,) if isinstance(base, Var) else (), dim.span)


class _Simplifier:
    def __init__(self, function: Function, results: StatementResults, last: Run | None) -> None:
        self._reruns = Reruns(results, last, function.kind.is_kernel)
        self._values: dict[str, Expr] = {}
        self._bounds = Bounds()
        self._folding = _Folding(self._values, self._bounds, function.kind.is_kernel)
        self._depth = 0
        for param in function.params:
            self._bounds.assume(param.name, natural(param.type))

    def block(self, block: Block) -> Block:
        return self._reruns.block(self, block, (self._depth == 0, self._folding.device))

    @property
    def run(self) -> Run:
        """The run over the body, once that is done."""
        return self._reruns.made[0] if self._reruns.made else UNRECORDED

    # ---- states, for `Reruns`

    def known(self) -> Set[str]:
        return self._values.keys() | self._bounds.names

    def state(self, name: str) -> State:
        value, known = self._values.get(name), self._bounds.known
        if value is None or type(value) is Const:
            return (value, known(name))
        if type(value) is Var:
            return (value, known(name), known(value.name))
        return (value, known(name), *[known(each.name) for each in variables(value)])

    def restore(self, states: States) -> None:
        for name, state in states:
            value = state[0]
            if value is None:
                self._values.pop(name, None)
            else:
                self._values[name] = value  # type: ignore[assignment]
            self._bounds.forget(name, state[1])  # type: ignore[arg-type]

    def work(self, stmt: Stmt, wanted: object) -> Stmt | Block:
        return self._statement(stmt)

    # ---- statements

    def _statement(self, stmt: Stmt) -> Stmt | Block:
        """The statement that takes the place of ``stmt``, or the statements."""
        if isinstance(stmt, Assign):
            return self._assign(stmt)
        if isinstance(stmt, Unpack):
            value = self._folding.expr(stmt.value)
            targets = tuple([self._retyped(t) for t in stmt.targets])
            same = value is stmt.value and all(a is b for a, b in zip(targets, stmt.targets))
            return stmt if same else Unpack(targets, value, stmt.at, stmt.span)
        if isinstance(stmt, Evaluate):
            value = self._folding.expr(stmt.value)
            return stmt if value is stmt.value else Evaluate(value, stmt.at, stmt.span)
        if isinstance(stmt, (Return, Yield)):
            values = self._folding.exprs(stmt.values)
            return stmt if values is stmt.values else replace(stmt, values=values)
        if isinstance(stmt, For):
            return self._for(stmt)
        if isinstance(stmt, If):
            return self._if(stmt)
        if isinstance(stmt, While):
            return self._while(stmt)
        if isinstance(stmt, Region):
            return self._region(stmt)
        if isinstance(stmt, (GraphScope, Scope)):
            body = self.block(stmt.body)
            return stmt if body is stmt.body else replace(stmt, body=body)
        if isinstance(stmt, Opaque):
            body = self._nested(stmt.body)
            return stmt if body is stmt.body else replace(stmt, body=body)
        return stmt

    def _region(self, stmt: Region) -> Region:
        options = self._folding.options(stmt.options)
        body = self._region_body(stmt)
        same = options is stmt.options and body is stmt.body
        return stmt if same else replace(stmt, options=options, body=body)

    def _region_body(self, region: Region) -> Block:
        outer = self._folding.device
        self._folding.device = outer or region.kind is not RegionKind.HIERARCHY
        try:
            return self._nested(region.body) if region.kind is RegionKind.SPMD else self.block(region.body)
        finally:
            self._folding.device = outer

    def _assign(self, stmt: Assign) -> Stmt | Block:
        value = self._folding.expr(stmt.value)
        target = stmt.target
        scalar = is_scalar(target.type) or (isinstance(target.type, UnknownType) and isinstance(value, Const))
        if scalar:
            if isinstance(value, Const) and self._depth == 0 and isinstance(value.value, (int, float)):
                self._values[target.name] = Const(value.value, value.span, target.label)
                return ()
            self._bounds.assume(target.name, self._bounds.of(value))
        target = self._retyped(target)
        if value is stmt.value and target is stmt.target:
            return stmt
        return Assign(target, value, stmt.at, stmt.span, stmt.annotated)

    def _retyped(self, var: Var) -> Var:
        """``var`` with the extents of its type simplified, which later uses take over."""
        type_ = self._folding.type(var.type)
        if type_ is var.type:
            return var
        new = Var(var.name, var.label, type_, var.span)
        self._values[var.name] = new
        return new

    def _nested(self, block: Block) -> Block:
        self._depth += 1
        try:
            return self.block(block)
        finally:
            self._depth -= 1

    # ---- loops

    def _for(self, stmt: For) -> Stmt | Block:
        folded = self._folding.expr
        start, stop, step = folded(stmt.start), folded(stmt.stop), folded(stmt.step)
        inits = tuple([folded(c.init) for c in stmt.carries])
        trips = self._few_trips(stmt, start, stop, step)
        if trips == 0:
            for carry, init in zip(stmt.carries, inits):
                self._values[carry.result.name] = init
            return ()
        if trips == 1:
            return self._single_trip(stmt, start, inits)
        self._note_index(stmt, start, stop, step)
        carries, body = self._loop(stmt, inits)
        same = start is stmt.start and stop is stmt.stop and step is stmt.step
        if same and carries is stmt.carries and body is stmt.body:
            return stmt
        return For(stmt.kind, stmt.var, start, stop, step, body, stmt.at, stmt.span, carries)

    def _note_index(self, stmt: For, start: Expr, stop: Expr, step: Expr) -> None:
        """The range of the index; one that can only have one value is that value."""
        if isinstance(start, Const) and isinstance(stop, Const):
            first, end = start.value, stop.value
            if isinstance(first, int) and isinstance(end, int) and first < end:
                self._bounds.assume(stmt.var.name, (first, end - 1))
                if first + 1 == end:
                    self._values[stmt.var.name] = Const(first, start.span, stmt.var.label)
                return
        if isinstance(step, Const) and isinstance(step.value, int) and step.value > 0:
            self._bounds.assume(stmt.var.name, (self._bounds.of(start)[0], None))

    def _few_trips(self, stmt: For, start: Expr, stop: Expr, step: Expr) -> int | None:
        """0 or 1 where the loop provably runs that often and may be removed."""
        proves = self._bounds.proves
        if stmt.kind is not LoopKind.RANGE or proves(Binary(">=", step, Const(1))) is not True:
            return None
        if proves(Binary("<=", stop, start)) is True:
            return 0
        once = proves(Binary("<", start, stop)) is True and proves(Binary("<=", stop, Binary("+", start, step))) is True
        return 1 if once and not has_jump(stmt.body) else None

    def _single_trip(self, stmt: For, start: Expr, inits: tuple[Expr, ...]) -> Block:
        index = start
        if isinstance(start, Const):
            index = Const(start.value, start.span, stmt.var.label)
        self._values[stmt.var.name] = index
        for carry, init in zip(stmt.carries, inits):
            self._values[carry.inner.name] = init
        body = self.block(stmt.body)
        for carry in stmt.carries:
            self._values[carry.result.name] = self._folding.expr(carry.update)
        return body

    def _while(self, stmt: While) -> Stmt:
        inits = tuple([self._folding.expr(c.init) for c in stmt.carries])
        condition = self._folding.expr(stmt.condition)
        carries, body = self._loop(stmt, inits)
        if condition is stmt.condition and carries is stmt.carries and body is stmt.body:
            return stmt
        return While(condition, body, stmt.at, stmt.span, carries)

    def _loop(self, stmt: For | While, inits: tuple[Expr, ...]) -> tuple[tuple[Carry, ...], Block]:
        inner = [self._retyped(c.inner) for c in stmt.carries]
        body = self._nested(stmt.body)
        carries: list[Carry] = []
        same = True
        for carry, first, init in zip(stmt.carries, inner, inits):
            update, result = self._folding.expr(carry.update), self._retyped(carry.result)
            if first is carry.inner and init is carry.init and update is carry.update and result is carry.result:
                carries.append(carry)
            else:
                same = False
                carries.append(Carry(first, init, update, result))
        return (stmt.carries if same else tuple(carries)), body

    # ---- branches

    def _if(self, stmt: If) -> Stmt | Block:
        condition = self._folding.expr(stmt.condition)
        proof = self._bounds.proves(condition)
        if proof is not None:
            body = self.block(stmt.then if proof else stmt.orelse)
            for phi in stmt.phis:
                self._values[phi.result.name] = self._folding.expr(phi.then if proof else phi.orelse)
            return body
        then, then_values = self._arm(stmt.then, condition, True, tuple([p.then for p in stmt.phis]))
        orelse, else_values = self._arm(stmt.orelse, condition, False, tuple([p.orelse for p in stmt.phis]))
        phis = stmt.phis
        results = tuple([self._retyped(p.result) for p in phis])
        if not (
            all(a is p.then for a, p in zip(then_values, phis))
            and all(a is p.orelse for a, p in zip(else_values, phis))
            and all(a is p.result for a, p in zip(results, phis))
        ):
            phis = tuple([Phi(*joined) for joined in zip(results, then_values, else_values)])
        if condition is stmt.condition and then is stmt.then and orelse is stmt.orelse and phis is stmt.phis:
            return stmt
        return If(condition, then, orelse, stmt.at, stmt.span, phis)

    def _arm(
        self, block: Block, condition: Expr, holds: bool, values: tuple[Expr, ...]
    ) -> tuple[Block, tuple[Expr, ...]]:
        before: list[tuple[str, Interval | None]] = []
        for name, interval in refinements(condition, holds):
            before.append((name, self._bounds.assume(name, interval)))
        body = self._nested(block)
        ends = tuple([self._folding.expr(v) for v in values])
        for name, interval_before in reversed(before):
            self._bounds.forget(name, interval_before)
        return body, ends
