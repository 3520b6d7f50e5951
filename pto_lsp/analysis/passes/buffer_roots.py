"""Which buffer a name stands for, as coarsely as the compiler sees it for call directions (semantics.md 2.15).

Parameters, created tensors and slices are roots of their own; a result of a launch or assemble has the root of the
argument it came from; reshaped, transposed and viewed tensors have none. Where control flow decides, there are several.
"""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.ir.affine import structural_key
from pto_lsp.analysis.ir.expressions import Call, Const, Expr, Item, Op, Submit, Var
from pto_lsp.analysis.ir.program import Direction, Function, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Carry, For, If, Stmt, Unpack, While
from pto_lsp.analysis.ir.types import TensorType, TupleType, Type
from pto_lsp.analysis.ir.visitor import blocks

_OWN_ROOT = frozenset({"tensor.create", "tensor.slice"})


@dataclass(frozen=True, slots=True)
class Roots:
    """``names`` are the unique names of the possible roots, most likely first; ``ambiguous`` when that is not all of it
    or not one.
    """

    names: tuple[str, ...]
    ambiguous: bool = False

    @property
    def first(self) -> str | None:
        return self.names[0] if self.names else None


NO_ROOT = Roots(())


class BufferRoots:
    """Roots of every name of one function in SSA form."""

    def __init__(self, program: Program, function: Function) -> None:
        self._functions = program.functions
        self._roots: dict[str, Roots] = {p.name: Roots((p.name,)) for p in function.params}
        self._tuples: dict[str, list[Roots]] = {}
        self._block(function.body or ())

    def of(self, expr: Expr) -> Roots:
        """Roots of a bare name; anything else has none."""
        return self._roots.get(expr.name, NO_ROOT) if isinstance(expr, Var) else NO_ROOT

    def _block(self, block: Block) -> None:
        for stmt in block:
            self._statement(stmt)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign):
            self._assign(stmt.target, stmt.value)
        elif isinstance(stmt, Unpack):
            self._unpack(stmt)
        elif isinstance(stmt, (For, While)):
            inits = [self.of(c.init) for c in stmt.carries]
            for carry, init in zip(stmt.carries, inits):
                self._record(carry.inner, init.names, init.ambiguous)
            self._block(stmt.body)
            certain = isinstance(stmt, For) and _runs(stmt)
            for carry, init in zip(stmt.carries, inits):
                self._carried(carry, init, certain)
        elif isinstance(stmt, If):
            self._block(stmt.then)
            self._block(stmt.orelse)
            for phi in stmt.phis:
                then, orelse = self.of(phi.then), self.of(phi.orelse)
                missing = not then.names or not orelse.names
                self._record(phi.result, then.names + orelse.names, missing or then.ambiguous or orelse.ambiguous)
        else:
            for body in blocks(stmt):
                self._block(body)

    def _record(self, var: Var, names: tuple[str, ...], ambiguous: bool) -> None:
        unique = tuple(dict.fromkeys(names))
        if unique:
            self._roots[var.name] = Roots(unique, ambiguous or len(unique) > 1)

    def _carried(self, carry: Carry, init: Roots, certain: bool) -> None:
        end = self.of(carry.update)
        names, ambiguous = end.names, end.ambiguous or not end.names
        if not certain:
            names, ambiguous = names + init.names, ambiguous or not init.names
        self._record(carry.result, names, ambiguous)

    def _assign(self, target: Var, value: Expr) -> None:
        if isinstance(value, Op):
            if value.name in _OWN_ROOT:
                self._record(target, (target.name,), False)
            elif value.name == "tensor.assemble" and value.args:
                self._copy(target, self.of(value.args[0]))
        elif isinstance(value, (Call, Submit)):
            written = self._written(value)
            if isinstance(value, Submit) or isinstance(value.type, TupleType):
                self._tuples[target.name] = [roots for roots, _ in written]
            else:
                self._copy(target, _returned(written, value.type))
        elif isinstance(value, Var):
            self._copy(target, self.of(value))
            if value.name in self._tuples:
                self._tuples[target.name] = self._tuples[value.name]
        elif isinstance(value, Item) and isinstance(value.base, Var):
            items = self._tuples.get(value.base.name, [])
            if 0 <= value.index < len(items):
                self._copy(target, items[value.index])

    def _unpack(self, stmt: Unpack) -> None:
        value, targets = stmt.value, stmt.targets
        if isinstance(value, (Call, Submit)):
            items = [roots for roots, _ in self._written(value)]
            type_ = value.type
            many = isinstance(type_, TupleType) and len(type_.items) > 2
            if isinstance(value, Submit) and len(targets) == 2 and many:
                self._tuples[targets[0].name] = items
                return
        elif isinstance(value, Var):
            items = self._tuples.get(value.name, [])
        else:
            return
        for target, roots in zip(targets, items):
            self._copy(target, roots)

    def _copy(self, target: Var, roots: Roots) -> None:
        if roots.names:
            self._roots[target.name] = roots

    def _written(self, launch: Call | Submit) -> list[tuple[Roots, Type]]:
        """Roots and types of the arguments in the callee's Out and InOut slots, in parameter order."""
        callee = self._functions.get(launch.callee)
        if callee is None:
            return []
        return [
            (self.of(arg), param.type)
            for param, arg in zip(callee.params, launch.args)
            if param.direction is not Direction.IN
        ]


def _returned(written: list[tuple[Roots, Type]], type_: Type) -> Roots:
    """The written argument that a single result is: the only one, else the only one of its type, else the first."""
    if not written:
        return NO_ROOT
    if len(written) == 1:
        return written[0][0]
    matches = [roots for roots, other in written if roots.names and _same_tensor(other, type_)]
    if matches and all(m == matches[0] for m in matches):
        return matches[0]
    return written[0][0]


def _same_tensor(left: Type, right: Type) -> bool:
    if not isinstance(left, TensorType) or not isinstance(right, TensorType):
        return False
    if left.dtype != right.dtype or left.shape is None or right.shape is None:
        return False
    if len(left.shape) != len(right.shape):
        return False
    return all(structural_key(a) == structural_key(b) for a, b in zip(left.shape, right.shape))


def _runs(loop: For) -> bool:
    """Whether a loop with constant bounds has at least one trip."""
    bounds = [e.value if isinstance(e, Const) else None for e in (loop.start, loop.stop, loop.step)]
    start, stop, step = bounds
    if not isinstance(start, int) or not isinstance(stop, int) or not isinstance(step, int) or step == 0:
        return False
    return len(range(start, stop, step)) > 0
