"""InlineFunctions: helpers spliced into their callers (pipeline.md §2).

A call of an Inline function is replaced by its body when it stands alone: ``x = f(…)``, ``x, y = f(…)``, ``f(…)``,
``return f(…)``. Names bound in the helper become ``name@helper``, at its second splice ``name@helper#2`` …:
one call more or less of a helper does not rename what others bind. Labels stay. A spliced statement keeps its own file
and offset, its anchor says through which call it came.

Parameters are replaced by name, as the compiler does it:

* A variable takes the place of the parameter, so both stay one value. A helper that binds the parameter again binds the
  caller's variable. Functions of the ``@pl.jit`` family rename a plain rebinding (not a subscript assignment) first,
  which makes it a variable of the helper.
* Literals and scalar arithmetic are put where the parameter is used; anything else is bound to a name before the body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.expressions import Call, Expr, ListExpr, Op, Submit, Symbol, TupleExpr, Unknown, Var
from pto_lsp.analysis.ir.place import Anchor, Place, place
from pto_lsp.analysis.ir.program import Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, Phi, Region, Return, Stmt, Unpack, While
from pto_lsp.analysis.ir.substitution import respanned
from pto_lsp.analysis.ir.types import UNKNOWN, ScalarType, TensorType, Type, UnknownType
from pto_lsp.analysis.ir.visitor import blocks, bound_variables, statement_exprs, walk, walk_block
from pto_lsp.analysis.passes.memo import Memo
from pto_lsp.analysis.passes.renaming import KnownCopies, Renaming, is_shareable
from pto_lsp.analysis.passes.statement_results import StatementResults

_IN_PLACE = frozenset({"tensor.assemble", "array.update_element"})


@dataclass(frozen=True, slots=True)
class _Expansion:
    """A function with its helpers expanded. ``helpers`` are what its calls named then: the expanded helper, or None.

    ``left`` are the helpers that some call in it still names.
    """

    function: Function
    helpers: tuple[tuple[str, Function | None], ...]
    left: frozenset[str]
    findings: tuple[Finding, ...]


ExpansionMemo = Memo[_Expansion]
"""Expansions of earlier programs; one is used again when every helper in it is the same object."""


def run(
    program: Program, memo: ExpansionMemo | None = None, results: StatementResults | None = None
) -> tuple[Program, tuple[Finding, ...]]:
    """The program with every possible splice done, and what stood in the way of the others.

    Helpers that are spliced everywhere are dropped; one that is the entry, or that some call still names, stays.
    Runs before SSA construction.
    """
    inliner = _Inliner(program, memo if memo is not None else Memo(), results or StatementResults())
    functions: dict[str, Function] = {}
    for key in program.functions:
        inliner.results.next_function()
        functions[key] = inliner.expanded(key)
    if not inliner.has_helpers:
        return program.with_functions(functions), ()
    wanted = [key for key, f in functions.items() if f.kind is not FunctionKind.INLINE or key == program.entry]
    for key in wanted:
        wanted.extend([left for left in inliner.left_in(key) if left not in wanted])
    kept = {key: function for key, function in functions.items() if key in wanted}
    return program.with_functions(kept), inliner.findings()


class _Inliner:
    def __init__(self, program: Program, memo: ExpansionMemo, results: StatementResults) -> None:
        self._program = program
        self.results = results
        self._memo = memo
        self._expansions: dict[str, _Expansion] = {}
        self._open: list[str] = []
        self.has_helpers = any(f.kind is FunctionKind.INLINE for f in program.functions.values())

    def findings(self) -> tuple[Finding, ...]:
        return tuple([f for expansion in self._expansions.values() for f in expansion.findings])

    def expanded(self, key: str) -> Function:
        """Function ``key`` with its own calls of helpers expanded."""
        done = self._expansions.get(key)
        if done is None:
            function = self._program.functions[key]
            self._open.append(key)
            done = self._expansions[key] = self._expand(function)
            self._open.pop()
        return done.function

    def _expand(self, function: Function) -> _Expansion:
        if function.body is None or not self.has_helpers:
            return _Expansion(function, (), frozenset(), ())
        known = self._memo.get(function)
        if known is not None and all(self.expansion_of(key) is helper for key, helper in known.helpers):
            return known
        caller = _Caller(self, function)
        body = caller.block(function.body)
        if body is not function.body:
            function = replace(function, body=body, complete=function.complete and caller.complete)
        helpers, left = tuple(caller.helpers.items()), frozenset(caller.left)
        made = _Expansion(function, helpers, left, tuple(caller.findings))
        if not left:
            self._memo.put(caller.function, made)
        return made

    def left_in(self, key: str) -> frozenset[str]:
        """Helpers that expanded function ``key`` still calls."""
        return self._expansions[key].left

    def expansion_of(self, callee: str) -> Function | None:
        """The expanded helper that ``callee`` names, None when it names no helper (or one that is being expanded)."""
        if self.helper(callee) is None or callee in self._open:
            return None
        return self.expanded(callee)

    def name(self, key: str) -> str:
        """What the author calls function ``key``."""
        return self._program.functions[key].name

    def is_inline(self, callee: str) -> bool:
        function = self._program.functions.get(callee)
        return function is not None and function.kind is FunctionKind.INLINE

    def helper(self, callee: str) -> Function | None:
        """The function to splice for a call of ``callee``; None for every other callee."""
        function = self._program.functions.get(callee)
        if function is None or function.kind is not FunctionKind.INLINE or function.body is None:
            return None
        return function

    def cycle(self, callee: str) -> list[str] | None:
        """The calls that lead from ``callee`` back to it, when it is being expanded right now."""
        if callee not in self._open:
            return None
        return [*self._open[self._open.index(callee) :], callee]


class _Caller:
    """Expands the calls of one function."""

    def __init__(self, inliner: _Inliner, function: Function) -> None:
        self._inliner = inliner
        self._splices: dict[str, int] = {}
        self._yields = 0
        self.function = function
        self.complete = True
        self.left: set[str] = set()
        self.helpers: dict[str, Function | None] = {}
        self.findings: list[Finding] = []

    def block(self, block: Block) -> Block:
        result: list[Stmt] = []
        changed = False
        for stmt in block:
            callees = self._inliner.results.facts(stmt).callees
            if not callees or (isinstance(stmt, Region) and not self._names_helper(callees)):
                result.append(stmt)
                continue
            spliced = self._spliced(stmt)
            if spliced is not None:
                result.extend(spliced)
                changed = True
                continue
            bodies = blocks(stmt)
            if bodies:
                named = self._with_named_ends(stmt)
                if named is not stmt:
                    stmt, bodies, changed = named, blocks(named), True
                new = tuple([self.block(body) for body in bodies])
                if any(a is not b for a, b in zip(new, bodies)):
                    stmt = self._inliner.results.rebuilt("inlined", stmt, new)
                    changed = True
            result.append(stmt)
        return tuple(result) if changed else block

    def _with_named_ends(self, stmt: Stmt) -> Stmt:
        """``pl.yield_(f(x))``: what a body hands on gets a name at its end, so that the call stands alone."""
        if isinstance(stmt, (For, While)):
            ends, body = self._named(tuple([c.update for c in stmt.carries]), stmt.body, stmt)
            if body is stmt.body:
                return stmt
            carries = tuple([replace(c, update=end) for c, end in zip(stmt.carries, ends)])
            return replace(stmt, body=body, carries=carries)
        if isinstance(stmt, If):
            then_ends, then = self._named(tuple([p.then for p in stmt.phis]), stmt.then, stmt)
            else_ends, orelse = self._named(tuple([p.orelse for p in stmt.phis]), stmt.orelse, stmt)
            if then is stmt.then and orelse is stmt.orelse:
                return stmt
            phis = tuple([Phi(p.result, a, b) for p, a, b in zip(stmt.phis, then_ends, else_ends)])
            return replace(stmt, then=then, orelse=orelse, phis=phis)
        return stmt

    def _named(self, ends: tuple[Expr, ...], body: Block, stmt: Stmt) -> tuple[tuple[Expr, ...], Block]:
        found: list[Expr] = []
        for end in ends:
            if isinstance(end, Call) and self._is_helper(end.callee):
                self._yields += 1
                var = Var(f"_yield@{self._yields}", "", end.type, end.span)
                body = (*body, Assign(var, end, stmt.at, end.span))
                end = var
            found.append(end)
        return tuple(found), body

    def _spliced(self, stmt: Stmt) -> list[Stmt] | None:
        """What takes the place of a statement that is a call of a helper; None for any other statement."""
        call = _lone_call(stmt)
        if call is None or not self._is_helper(call.callee):
            self._report_nested(stmt)
            return None
        cycle = self._inliner.cycle(call.callee)
        if cycle is not None:
            self.left.add(call.callee)
            names = " -> ".join([self._inliner.name(key) for key in cycle])
            self._report(
                stmt, call, f"the helper '{{}}' calls itself ({names}): an inline function cannot be recursive"
            )
            return None
        helper = self.helpers[call.callee] = self._inliner.expanded(call.callee)
        body = _body_and_results(helper, self._inliner.results)
        if body is None:
            self.left.add(call.callee)
            self._report(
                stmt, call, "the helper '{}' returns before its end: an inline function has one, trailing, return"
            )
            return None
        if len(call.args) != len(helper.params):
            self.left.add(call.callee)
            return None
        self.left |= self._inliner.left_in(call.callee)
        self.complete = self.complete and helper.complete
        results, source, number = self._inliner.results, self.function.at.source, self._number(call.callee)
        known = results.find("splice", stmt, number, (helper,))
        if isinstance(known, list):
            return known
        splice = _Splice(
            helper, call, stmt, number, results, KnownCopies(results, source, number, place(stmt.at, call.span))
        )
        spliced = results.settled("spliced", source, number, self._wired(stmt, call, splice, body))
        results.store("splice", stmt, number, spliced, (helper,))
        return spliced

    def _number(self, callee: str) -> str:
        """What tells the next splice of ``callee`` from all others in this function."""
        count = self._splices[callee] = self._splices.get(callee, 0) + 1
        return callee if count == 1 else f"{callee}#{count}"

    def _names_helper(self, callees: tuple[str, ...]) -> bool:
        found = [self._is_helper(callee) for callee in callees]
        return any(found)

    def _is_helper(self, callee: str) -> bool:
        if self._inliner.helper(callee) is not None:
            return True
        self.helpers[callee] = None
        if self._inliner.is_inline(callee):
            self.left.add(callee)
        return False

    def _wired(self, stmt: Stmt, call: Call, splice: _Splice, body: tuple[Block, tuple[Expr, ...]]) -> list[Stmt]:
        """The copied body with its results bound the way the call's were."""
        statements = splice.statements(body[0])
        values = splice.values(body[1])
        at = stmt.at
        if isinstance(stmt, Return):
            return [*statements, Return(values, at, stmt.span)]
        if isinstance(stmt, Evaluate):
            effects = [v for v in values if any(isinstance(e, (Call, Submit)) for e in walk(v))]
            return [*statements, *[Evaluate(v, at, stmt.span) for v in effects]]
        if isinstance(stmt, Assign):
            value: Expr = values[0] if len(values) == 1 else TupleExpr(values, call.span)
            if not values:
                value = Unknown("result of a helper without return", (), call.span)
            return [*statements, *_bindings((stmt.target,), (value,), at, stmt, splice)]
        assert isinstance(stmt, Unpack)
        if len(values) == 1 and isinstance(values[0], TupleExpr):
            values = values[0].items
        if len(values) != len(stmt.targets):
            return [*statements, *[Unpack(stmt.targets, v, at, stmt.span) for v in values[:1]]]
        return [*statements, *_bindings(stmt.targets, values, at, stmt, splice)]

    def _report_nested(self, stmt: Stmt) -> None:
        lone = _lone_call(stmt)
        for expr in statement_exprs(stmt):
            for each in walk(expr):
                if isinstance(each, Call) and each is not lone and self._is_helper(each.callee):
                    self.left.add(each.callee)
                    self._report(
                        stmt, each, "the helper '{}' is called inside an expression: bind its result to a name"
                    )

    def _report(self, stmt: Stmt, call: Call, message: str) -> None:
        name = self._inliner.name(call.callee)
        where = place(stmt.at, call.span)
        self.findings.append(Finding("PTO002", name, where, message.format(name), self.function.name))


def _lone_call(stmt: Stmt) -> Call | None:
    if isinstance(stmt, (Assign, Unpack, Evaluate)):
        return stmt.value if isinstance(stmt.value, Call) else None
    if isinstance(stmt, Return) and len(stmt.values) == 1:
        return stmt.values[0] if isinstance(stmt.values[0], Call) else None
    return None


def _body_and_results(helper: Function, results: StatementResults) -> tuple[Block, tuple[Expr, ...]] | None:
    """The helper's statements without the trailing return, and what that returns; None when there is another return."""
    assert helper.body is not None
    body = helper.body
    returned: tuple[Expr, ...] = ()
    if body and isinstance(body[-1], Return):
        returned = body[-1].values
        body = body[:-1]
    if any(results.holds(stmt, "returns") for stmt in body):
        return None
    return body, returned


def _bindings(
    targets: tuple[Var, ...], values: tuple[Expr, ...], at: Anchor, stmt: Assign | Unpack, splice: _Splice
) -> list[Stmt]:
    """Results bound to their names at the same time: none is lost when one name is also another's value."""
    wanted = [(t, v) for t, v in zip(targets, values) if not (isinstance(v, Var) and v.name == t.name)]
    found: list[Stmt] = []
    for index, (target, value) in enumerate(wanted):
        later = {v.name for _, w in wanted[index + 1 :] for v in walk(w) if isinstance(v, Var)}
        if target.name in later:
            # ``x, y = swap(x, y)``: the old x is still wanted, so all later values get names first.
            rest: list[tuple[Var, Expr]] = []
            for other, each in wanted[index + 1 :]:
                saved = Var(f"{other.name}@{splice.number}", other.label, other.type, other.span)
                found.append(Assign(saved, each, at, stmt.span))
                rest.append((other, saved))
            found.append(Assign(target, value, at, stmt.span))
            found.extend([Assign(t, v, at, stmt.span) for t, v in rest])
            return found
        found.append(Assign(target, value, at, stmt.span))
    return found


class _Splice:
    """One copy of a helper's body for one call."""

    def __init__(
        self,
        helper: Function,
        call: Call,
        stmt: Stmt,
        number: str,
        results: StatementResults,
        copies: KnownCopies,
    ) -> None:
        self.number = number
        self._call_span = call.span
        self._at = stmt.at
        self._before: list[Stmt] = []
        mapping: dict[str, Expr] = {}
        bound, rebound = _bindings_of(helper, results)
        for param, arg in zip(helper.params, call.args):
            mapping[param.name] = copies.earlier(
                param.name, self._argument(helper, param, arg, rebound.get(param.name))
            )
        for name, var in bound.items():
            if name not in mapping:
                mapping[name] = copies.local(name, f"{name}@{number}", var.label)
        self._renaming = Renaming(mapping, _Anchors(place(stmt.at, call.span)).of, copies)

    def statements(self, body: Block) -> list[Stmt]:
        return [*self._before, *self._renaming.block(body)]

    def values(self, results: tuple[Expr, ...]) -> tuple[Expr, ...]:
        # They stand in a statement of the caller from now on: what they point at there is the call.
        return tuple([respanned(self._renaming.expr(r), self._call_span) for r in results])

    def _argument(self, helper: Function, param: Param, arg: Expr, plain: bool | None) -> Expr:
        """What stands for ``param``. ``plain``: None when never rebound, False when by subscript assignments only."""
        if isinstance(arg, Var) and (plain is None or not plain or helper.method):
            return Var(arg.name, arg.label, _sharper(arg.type, param.type), arg.span)
        if plain is None and (
            isinstance(arg, Symbol) or (is_shareable(arg) and not isinstance(arg, (ListExpr, TupleExpr)))
        ):
            return arg
        local = Var(f"{param.name}@{self.number}", param.name, _sharper(_type_of(arg), param.type), param.name_span)
        binding = Var(local.name, local.label, local.type, arg.span)
        self._before.append(Assign(binding, arg, self._at, arg.span))
        return local


class _Anchors:
    """Anchors of statements that are spliced through ``call``."""

    def __init__(self, call: Place) -> None:
        self._call = call
        self._known: dict[int, tuple[Anchor, Anchor]] = {}

    def of(self, anchor: Anchor) -> Anchor:
        known = self._known.get(id(anchor))
        if known is None:
            known = self._known[id(anchor)] = (anchor, _reached_through(anchor, self._call))
        return known[1]


def _reached_through(anchor: Anchor, call: Place) -> Anchor:
    """``anchor`` with ``call`` as the outermost of the calls through which its statement was spliced."""
    inner = anchor.inlined_at
    if inner is None:
        return Anchor(anchor.source, anchor.line, call)
    outer = Place(_reached_through(inner.anchor, call), inner.local)
    return Anchor(anchor.source, anchor.line, outer)


def _bindings_of(helper: Function, results: StatementResults) -> tuple[dict[str, Var], dict[str, bool]]:
    """``bound_in`` the helper's body, and its rebinding kinds."""
    known = results.find("bindings", helper, None)
    if known is None:
        known = (results.bound_in(helper.body or ()), _rebinding_kinds(helper, results))
        results.store("bindings", helper, None, known)
    return known  # type: ignore[return-value]


def _rebinding_kinds(helper: Function, results: StatementResults) -> dict[str, bool]:
    """Parameters that the helper binds again → whether one of the bindings is more than a subscript assignment."""
    params = {p.name for p in helper.params}
    found: dict[str, bool] = {}
    body = helper.body or ()
    if results.edits:
        body = tuple([stmt for stmt in body if not params.isdisjoint(results.facts(stmt).bound)])
    for stmt in walk_block(body):
        for var in bound_variables(stmt):
            if var.name in params:
                in_place = isinstance(stmt, Assign) and isinstance(stmt.value, Op) and stmt.value.name in _IN_PLACE
                found[var.name] = found.get(var.name, False) or not (in_place and _is_sugar(stmt))
    return found


def _is_sugar(stmt: Stmt) -> bool:
    return isinstance(stmt, Assign) and isinstance(stmt.value, Op) and stmt.value.sugar


def _sharper(left: Type, right: Type) -> Type:
    """The type that says more: a helper's parameters are often bare."""
    if isinstance(left, UnknownType):
        return right
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        shape = left.shape if left.shape is not None else right.shape
        if shape is left.shape and left.dtype:
            return left
        return TensorType(shape, left.dtype or right.dtype, left.distributed or right.distributed)
    if isinstance(left, ScalarType) and not left.dtype:
        return right
    return left


def _type_of(expr: Expr) -> Type:
    return expr.type if isinstance(expr, (Var, Op, Call, Submit)) else UNKNOWN
