"""Which scalar values are the same in every replay of a recording (rules.md section I).

The one decision that plan and verifier share. Answers are three-valued: None means that something unknown takes
part, so that nothing may be concluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.ir.expressions import (
    Binary,
    Cast,
    Const,
    DType,
    Enumerator,
    Expr,
    Item,
    ListExpr,
    Op,
    Symbol,
    TupleExpr,
    Unary,
    Unknown,
    Var,
)
from pto_lsp.analysis.ir.program import Param
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    For,
    If,
    Opaque,
    Scope,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ArrayType, ScalarType, TensorType, Type, UnknownType
from pto_lsp.analysis.ir.visitor import has_jump, variables, walk


def conjunction(left: bool | None, right: bool | None) -> bool | None:
    """Three-valued "and" in which unknown wins: an unknown part silences the whole."""
    if left is None or right is None:
        return None
    return left and right


def is_literal(expr: Expr) -> bool:
    """rules.md L1: a numeric or bool constant, or scalar operations over such."""
    if isinstance(expr, Const):
        return isinstance(expr.value, (int, float))
    if isinstance(expr, Binary):
        return is_literal(expr.left) and is_literal(expr.right)
    if isinstance(expr, (Unary, Cast)):
        return is_literal(expr.operand)
    return False


class ReplayInvariantSet:
    """The invariant set of one Graph body, built by one forward walk.

    ``params`` are the boundary; they may include values that legalization will append (rules.md I8): a statement
    that binds the name of a parameter is taken as already moved to the call sites.
    """

    def __init__(self, params: Iterable[Param], body: Block, conformance: Conformance = "extended") -> None:
        self._extended = conformance == "extended"
        self._tensors: dict[str, Type] = {}
        self._boundary: set[str] = set()
        self._invariant: set[str] = set()
        self._unknown: set[str] = set()
        self._literals: set[str] = set()
        self._symbols: set[str] = set()
        self._values: dict[str, Expr] = {}
        self._counted: set[str] = set()
        self._dependents: dict[str, list[str]] = {}
        for param in params:
            self._boundary.add(param.name)
            if isinstance(param.type, UnknownType):
                self._unknown.add(param.name)
            elif not isinstance(param.type, ScalarType):
                self._tensors[param.name] = param.type
                self._note_symbols(param.type)
        self._walk(body)

    def holds(self, expr: Expr) -> bool | None:
        """True: ``expr`` has the same value in every call. False: it may differ. None: not known."""
        if isinstance(expr, Const):
            return True
        if isinstance(expr, Var):
            if expr.name in self._invariant:
                return True
            return None if expr.name in self._unknown else False
        if isinstance(expr, Binary):
            return conjunction(self.holds(expr.left), self.holds(expr.right))
        if isinstance(expr, (Unary, Cast)):
            return self.holds(expr.operand)
        if isinstance(expr, (ListExpr, TupleExpr)):
            result: bool | None = True
            for item in expr.items:
                result = conjunction(result, self.holds(item))
            return result
        if isinstance(expr, Symbol):
            # One that no boundary shape mentions came in with an inlined helper: its extent is not known here.
            return self._extended if expr.name in self._symbols else None
        if isinstance(expr, (DType, Enumerator)):
            return True
        if isinstance(expr, Op):
            return self._holds_operator(expr)
        if isinstance(expr, Item):
            return None if self._is_unknown(expr) else False
        return None if self._is_unknown(expr) else False

    def literal(self, expr: Expr) -> bool | None:
        """rules.md L1; the extended mode also takes a name bound to a literal for one (X1)."""
        if is_literal(expr):
            return True
        found: bool | None = True
        for each in walk(expr):
            if self._is_unknown_leaf(each):
                return None
            if isinstance(each, Var):
                found = found and each.name in self._literals
            elif not isinstance(each, (Const, Binary, Unary, Cast)):
                found = False
        return found

    def is_tensor_of_boundary(self, name: str) -> bool:
        """A boundary tensor or a chain of bare renames of one (rules.md I6)."""
        return name in self._tensors

    def integer(self, expr: Expr, indices: Mapping[str, int]) -> int | None:
        """The value of an integer expression over constants and the given loop indices, None when it is not static.

        Names and extents of static shape are looked through in the extended mode only.
        """
        if isinstance(expr, Const):
            value = expr.value
            return value if isinstance(value, int) and not isinstance(value, bool) else None
        if isinstance(expr, Unary):
            operand = self.integer(expr.operand, indices)
            if operand is None or expr.op not in ("-", "abs"):
                return None
            return -operand if expr.op == "-" else abs(operand)
        if isinstance(expr, Binary):
            left, right = self.integer(expr.left, indices), self.integer(expr.right, indices)
            return None if left is None or right is None else _arithmetic(expr.op, left, right)
        if not self._extended:
            return None
        if isinstance(expr, Var):
            if expr.name in indices:
                return indices[expr.name]
            value_of = self._values.get(expr.name)
            return None if value_of is None else self.integer(value_of, indices)
        if isinstance(expr, Op):
            return self._static_extent(expr)
        return None

    def indices_in(self, expr: Expr) -> frozenset[str] | None:
        """The indices of statically counted loops that ``expr`` is computed from, None when it is not static."""
        if isinstance(expr, Const):
            return frozenset() if isinstance(expr.value, int) else None
        if isinstance(expr, Var):
            if not self._extended:
                return None
            if expr.name in self._counted:
                return frozenset((expr.name,))
            value = self._values.get(expr.name)
            return None if value is None else self.indices_in(value)
        if isinstance(expr, Binary):
            left, right = self.indices_in(expr.left), self.indices_in(expr.right)
            return None if left is None or right is None else left | right
        if isinstance(expr, Unary):
            return self.indices_in(expr.operand)
        if isinstance(expr, Op) and self._extended and self._static_extent(expr) is not None:
            return frozenset()
        return None

    def _walk(self, block: Block) -> None:
        for stmt in block:
            if isinstance(stmt, Assign):
                self._bind(stmt.target, stmt.value)
            elif isinstance(stmt, For):
                self._walk_for(stmt)
            elif isinstance(stmt, While):
                for carry in stmt.carries:
                    self._bind_varying(carry.inner, (carry.init,))
                self._walk(stmt.body)
                for carry in stmt.carries:
                    self._bind_varying(carry.result, (carry.init, carry.update))
            elif isinstance(stmt, If):
                self._walk_if(stmt)
            elif isinstance(stmt, Unpack):
                if self._is_unknown(stmt.value):
                    self._unknown.update(target.name for target in stmt.targets)
            elif isinstance(stmt, Opaque):
                self._unknown.update(name.name for name in stmt.binds)
                self._walk(stmt.body)
            elif isinstance(stmt, Scope):
                self._walk(stmt.body)

    def _bind(self, target: Var, value: Expr) -> None:
        name = target.name
        if name in self._boundary:
            return
        if isinstance(value, Var) and value.name in self._tensors:
            self._tensors[name] = self._tensors[value.name]
            return
        if isinstance(target.type, (TensorType, ArrayType)):
            return
        if isinstance(target.type, ScalarType) and target.type.is_task_id:
            return
        standing = self.holds(value)
        if standing is None:
            self._unknown.add(name)
        elif standing:
            self._invariant.add(name)
            if self._extended:
                self._values[name] = value
                self._depend(name, value)
                if self.literal(value):
                    self._literals.add(name)

    def _walk_for(self, loop: For) -> None:
        index = loop.var.name
        bounds = (loop.start, loop.stop, loop.step)
        steady: bool | None = True
        for bound in bounds:
            steady = conjunction(steady, self.holds(bound))
        whole = not has_jump(loop.body)
        counted = whole and self._is_counted(loop)
        if steady is None:
            self._unknown.add(index)
        elif counted or (self._extended and steady and whole):
            self._invariant.add(index)
            if self._extended:
                for bound in bounds:
                    self._depend(index, bound)
        if counted:
            self._counted.add(index)
        carried = bool(self._extended and steady and index in self._invariant)
        for carry in loop.carries:
            if carried and self.holds(carry.init) and _may_be_scalar(carry.inner):
                self._invariant.add(carry.inner.name)
                self._depend(carry.inner.name, carry.init, *bounds)
            else:
                self._bind_varying(carry.inner, (carry.init,))
        self._walk(loop.body)
        for carry in loop.carries:
            self._leave_carry(carry, bounds)

    def _is_counted(self, loop: For) -> bool:
        """I2; the extended mode adds bounds over outer counted indices and static extents."""
        if not self.integer(loop.step, {}):
            return False
        return self.indices_in(loop.start) is not None and self.indices_in(loop.stop) is not None

    def _leave_carry(self, carry: Carry, bounds: tuple[Expr, ...]) -> None:
        """X4: a carry that starts invariant and is updated from invariants stays so, by induction over the trips."""
        inner, result = carry.inner.name, carry.result.name
        if inner in self._invariant:
            standing = self.holds(carry.update)
            if standing:
                self._invariant.add(result)
                self._depend(inner, carry.update)
                self._depend(result, carry.init, carry.update, *bounds)
                return
            self._retract(inner, unknown=standing is None)
        self._bind_varying(carry.result, (carry.init, carry.update))

    def _walk_if(self, stmt: If) -> None:
        self._walk(stmt.then)
        self._walk(stmt.orelse)
        decided = self.holds(stmt.condition) if self._extended and stmt.phis else False
        for phi in stmt.phis:
            both = conjunction(self.holds(phi.then), self.holds(phi.orelse))
            if self._extended and both and (decided or _same_value(phi.then, phi.orelse)):
                self._invariant.add(phi.result.name)
                self._depend(phi.result.name, phi.then, phi.orelse, stmt.condition)
            else:
                self._bind_varying(phi.result, (phi.then, phi.orelse))

    def _bind_varying(self, var: Var, sources: tuple[Expr, ...]) -> None:
        if any(self._is_unknown(source) for source in sources):
            self._unknown.add(var.name)

    def _is_unknown(self, expr: Expr) -> bool:
        """Whether something unknown takes part. A result whose very type is unknown counts as such."""
        if isinstance(expr, Var):
            return expr.name in self._unknown
        if isinstance(expr, Op) and isinstance(expr.type, UnknownType):
            return True
        return any(self._is_unknown_leaf(each) for each in walk(expr))

    def _is_unknown_leaf(self, expr: Expr) -> bool:
        if isinstance(expr, Var):
            return expr.name in self._unknown
        return isinstance(expr, Unknown) or (isinstance(expr, Symbol) and expr.name not in self._symbols)

    def _holds_operator(self, op: Op) -> bool | None:
        if op.name == "tensor.dim" and len(op.args) == 2:
            tensor, axis = op.args
            if isinstance(tensor, Var) and isinstance(axis, Const):
                if tensor.name in self._tensors:
                    return True
                return None if tensor.name in self._unknown else False
        return None if self._is_unknown(op) else False

    def _static_extent(self, op: Op) -> int | None:
        if op.name != "tensor.dim" or len(op.args) != 2:
            return None
        tensor, axis = op.args
        if not (isinstance(tensor, Var) and isinstance(axis, Const) and isinstance(axis.value, int)):
            return None
        type_ = self._tensors.get(tensor.name)
        shape = type_.shape if isinstance(type_, TensorType) else None
        if shape is None or not 0 <= axis.value < len(shape):
            return None
        extent = shape[axis.value]
        return extent.value if isinstance(extent, Const) and isinstance(extent.value, int) else None

    def _note_symbols(self, type_: Type) -> None:
        """X2: the runtime compares every boundary shape, so a symbol in one is pinned within a recording."""
        if isinstance(type_, TensorType):
            for extent in type_.shape or ():
                self._symbols.update(each.name for each in walk(extent) if isinstance(each, Symbol))

    def _depend(self, name: str, *on: Expr) -> None:
        for expr in on:
            for var in variables(expr):
                self._dependents.setdefault(var.name, []).append(name)

    def _retract(self, name: str, unknown: bool) -> None:
        """Take back an assumption together with everything that was concluded from it."""
        pending = [name]
        while pending:
            current = pending.pop()
            if current in self._invariant:
                self._invariant.discard(current)
                self._values.pop(current, None)
                if unknown:
                    self._unknown.add(current)
                pending.extend(self._dependents.get(current, ()))


def trip_count(start: int, stop: int, step: int) -> int:
    """Trips of a counted loop, ``step`` not 0 (rules.md N3)."""
    distance = stop - start if step > 0 else start - stop
    return max(0, -(-distance // abs(step)))


def _may_be_scalar(var: Var) -> bool:
    return isinstance(var.type, UnknownType) or (isinstance(var.type, ScalarType) and not var.type.is_task_id)


def _same_value(left: Expr, right: Expr) -> bool:
    if isinstance(left, Const) and isinstance(right, Const):
        return type(left.value) is type(right.value) and left.value == right.value
    return isinstance(left, Var) and isinstance(right, Var) and left.name == right.name


def _arithmetic(op: str, left: int, right: int) -> int | None:
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if op == "//":
        return left // right if right else None
    if op == "%":
        return left % right if right else None
    if op == "min":
        return min(left, right)
    if op == "max":
        return max(left, right)
    return None
