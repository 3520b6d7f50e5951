"""What the passes made of device regions when a function was analysed before.

An edit leaves most regions of a function alone: the front end hands them on as the same objects. A pass that finds one
again, under the same circumstances, takes the same result, which is again the same object for the next
pass. Circumstances are everything the result depends on beside the object itself.
"""

from __future__ import annotations

from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Block, For, If, Region, Stmt, While
from pto_lsp.analysis.ir.types import TensorType, TupleType, Type
from pto_lsp.analysis.ir.uses import bound_in, use_counts
from pto_lsp.analysis.ir.visitor import blocks, bound_variables, children, statement_exprs, walk_block, with_blocks
from pto_lsp.analysis.node import node

_KEPT_RUNS = 64
"""A result that so many runs of the passes did not ask for is dropped."""


@node
class RegionFacts:
    """``names`` are all variables in a region, its launch options and its types; ``bound`` those it binds and
    ``uses`` the counts of uses, as the functions of ``ir.uses`` have them; ``callees`` are the functions it calls.
    """

    names: tuple[str, ...]
    bound: dict[str, Var]
    uses: dict[str, int]
    callees: tuple[str, ...]


class _Entry:
    """``run`` is the last run of the passes that asked for it."""

    __slots__ = ("circumstances", "functions", "result", "run", "subject")

    def __init__(
        self, subject: object, circumstances: object, functions: tuple[object, ...], result: object, run: int
    ) -> None:
        self.subject = subject
        self.circumstances = circumstances
        self.functions = functions
        self.result = result
        self.run = run


class RegionResults:
    """A result per step and region (or function), for as long as it is asked for."""

    def __init__(self) -> None:
        self._run = 0
        self._entries: dict[tuple[str, int, object], _Entry] = {}
        self._same_types: dict[tuple[int, int], tuple[bool, Type, Type]] = {}

    def begin(self) -> None:
        """The passes run anew."""
        self._same_types = {}
        self._run += 1
        if self._run % _KEPT_RUNS == 0:
            oldest = self._run - _KEPT_RUNS
            self._entries = {key: entry for key, entry in self._entries.items() if entry.run > oldest}

    def find(
        self,
        step: str,
        subject: object,
        circumstances: object,
        functions: tuple[object, ...] = (),
        which: object = None,
    ) -> object:
        """The result of ``step`` for ``subject`` when it was stored under like ``circumstances`` and for the very same
        ``functions``; None otherwise. ``which`` tells several results for one subject apart.
        """
        key = (step, id(subject), which)
        entry = self._entries.get(key)
        if entry is None or entry.subject is not subject or len(entry.functions) != len(functions):
            return None
        if any(a is not b for a, b in zip(entry.functions, functions)):
            return None
        if not self._same(entry.circumstances, circumstances):
            return None
        entry.run = self._run
        return entry.result

    def store(
        self,
        step: str,
        subject: object,
        circumstances: object,
        result: object,
        functions: tuple[object, ...] = (),
        which: object = None,
    ) -> None:
        self._entries[step, id(subject), which] = _Entry(subject, circumstances, functions, result, self._run)

    def facts(self, region: Region) -> RegionFacts:
        # `find` without what it does about circumstances: this is asked for most.
        entry = self._entries.get(("facts", id(region), None))
        if entry is not None and entry.subject is region:
            entry.run = self._run
            return entry.result  # type: ignore[return-value]
        made = _facts(region)
        self.store("facts", region, None, made)
        return made

    def bound_in(self, block: Block) -> dict[str, Var]:
        """`uses.bound_in`, with the bindings of regions known."""
        found: dict[str, Var] = {}
        for stmt in block:
            if isinstance(stmt, Region):
                own = self.facts(stmt).bound
            else:
                own = {}
                for var in bound_variables(stmt):
                    own.setdefault(var.name, var)
                for body in blocks(stmt):
                    for name, var in self.bound_in(body).items():
                        own.setdefault(name, var)
            for name, var in own.items():
                found.setdefault(name, var)
        return found

    def use_counts(self, block: Block) -> dict[str, int]:
        """`uses.use_counts`, with the counts of regions known."""
        counts: dict[str, int] = {}
        pending = list(block)
        while pending:
            stmt = pending.pop()
            if isinstance(stmt, Region):
                own = self.facts(stmt).uses
            else:
                inner = blocks(stmt)
                for body in inner:
                    pending.extend(body)
                own = use_counts((with_blocks(stmt, tuple([() for _ in inner])) if inner else stmt,))
            for name, count in own.items():
                counts[name] = counts.get(name, 0) + count
        return counts

    def reachable(self, program: Program, callees: tuple[str, ...]) -> tuple[object, ...]:
        """The functions that calls of ``callees`` lead to, however far away; None for one that is not there."""
        found: dict[str, Function | None] = {}
        stack = list(callees)
        while stack:
            key = stack.pop()
            if key not in found:
                function = found[key] = program.functions.get(key)
                if function is not None:
                    stack.extend(self.callees(function))
        return tuple(found.values())

    def callees(self, function: Function) -> tuple[str, ...]:
        known = self.find("callees", function, None)
        if known is None:
            names: dict[str, None] = {}
            for stmt in walk_block(function.body or ()):
                for expr in (*statement_exprs(stmt), *_joined(stmt)):
                    _calls(expr, names)
            known = tuple(names)
            self.store("callees", function, None, known)
        return known  # type: ignore[return-value]

    def _same(self, left: object, right: object) -> bool:
        """`alike`, with comparisons of the same two objects made once: the same types turn up at many regions."""
        if left is right:
            return True
        if isinstance(left, tuple) and isinstance(right, tuple):
            return len(left) == len(right) and all(map(self._same, left, right))
        if isinstance(left, Var) and isinstance(right, Var):
            return (
                left.name == right.name
                and left.label == right.label
                and left.span == right.span
                and self._same_type(left.type, right.type)
            )
        return alike(left, right)

    def _same_type(self, left: Type, right: Type) -> bool:
        if left is right:
            return True
        key = (id(left), id(right))
        known = self._same_types.get(key)
        if known is None:
            # The entry keeps both types alive, so that no key is used again.
            known = self._same_types[key] = (alike(left, right), left, right)
        return known[0]


def _calls(expr: Expr, found: dict[str, None]) -> None:
    if isinstance(expr, (Call, Submit)):
        found[expr.callee] = None
    for child in children(expr):
        _calls(child, found)


def _joined(stmt: Stmt) -> list[Expr]:
    """What a loop hands on to its next trip, a branch to what follows it."""
    if isinstance(stmt, (For, While)):
        return [carry.update for carry in stmt.carries]
    return [end for phi in stmt.phis for end in (phi.then, phi.orelse)] if isinstance(stmt, If) else []


def _facts(region: Region) -> RegionFacts:
    names: dict[str, None] = {}
    callees: dict[str, None] = {}
    for stmt in walk_block((region,)):
        for var in bound_variables(stmt):
            names[var.name] = None
            _type_names(var.type, names)
        for expr in statement_exprs(stmt):
            _expr_names(expr, names, callees)
        for expr in _joined(stmt):
            _expr_names(expr, names, callees)
        if isinstance(stmt, Region):
            for keyword in stmt.options.keywords:
                _expr_names(keyword.value, names, callees)
    return RegionFacts(tuple(names), bound_in((region,)), use_counts((region,)), tuple(callees))


def _expr_names(expr: Expr, names: dict[str, None], callees: dict[str, None]) -> None:
    stack = [expr]
    while stack:
        current = stack.pop()
        if isinstance(current, Var):
            names[current.name] = None
            continue
        stack.extend(children(current))
        if isinstance(current, Op):
            _type_names(current.type, names)
        elif isinstance(current, (Call, Submit)):
            callees[current.callee] = None
            _type_names(current.type, names)
            stack.extend([keyword.value for keyword in current.options.keywords])


def _type_names(type_: Type, names: dict[str, None]) -> None:
    if isinstance(type_, TensorType):
        for extent in type_.shape or ():
            _expr_names(extent, names, {})
    elif isinstance(type_, TupleType):
        for item in type_.items:
            _type_names(item, names)
