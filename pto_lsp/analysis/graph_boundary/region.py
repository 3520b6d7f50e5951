"""The body of a Graph as one flat sequence in definition order, and what can be looked up in it."""

from __future__ import annotations

from enum import Enum

from pto_lsp.analysis.ir.expressions import Binary, Call, Const, Expr, Op, Submit, Unknown, Var
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    If,
    Opaque,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import TensorType, TupleType
from pto_lsp.analysis.ir.visitor import blocks, children, statement_exprs, variables
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.operator_effects import UPDATES
from pto_lsp.diagnostics import Span

COLLECTIVES = frozenset(name for name in UPDATES if name.startswith("pld.tensor."))
"""Operators that are lowered to the call of a kernel: a node each, and their result is what they update."""


@node
class Entry:
    """One statement, with the loops and branches around it, outermost first.

    A loop with carries or a branch with phis has a second entry, ``leaving``, after its body: that is where the
    names visible behind it are bound.
    """

    stmt: Stmt
    loops: tuple[For | While, ...]
    branches: tuple[If, ...]
    leaving: bool = False


class Role(Enum):
    """How a name came to be."""

    ASSIGNED = "assigned"
    RESULT = "result"
    INDEX = "index"
    CARRIED = "carried"
    MERGED = "merged"
    OPAQUE = "opaque"


@node
class Definition:
    """``value`` is the right side; for a carry its initial value; None where there is none. ``span`` is the name's."""

    role: Role
    var: Var
    value: Expr | None
    stmt: Stmt


@node
class Consumer:
    """The first task that a name is handed to."""

    callee: str
    at: Anchor
    span: Span


class Region:
    """A function body flattened once. ``complete`` is False when some statement is not known."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.entries: list[Entry] = []
        self.complete = function.complete and function.body is not None
        self._definitions: dict[str, Definition] | None = None
        self._consumers: dict[str, Consumer] | None = None
        self._names_by_entry: list[set[str]] | None = None
        self._used_names: set[str] | None = None
        self._flatten(function.body or (), (), ())

    @property
    def definitions(self) -> dict[str, Definition]:
        """Every name the region binds. Built on the first use: only findings need it."""
        if self._definitions is None:
            self._definitions = {}
            for entry in self.entries:
                for definition in _bound(entry):
                    self._definitions[definition.var.name] = definition
        return self._definitions

    def shown(self, var: Var) -> str:
        """What to call a variable in a message: the author's name, or the text of what was written in its place."""
        if var.label:
            return var.label
        definition = self.definitions.get(var.name)
        return var.name if definition is None or definition.value is None else print_expr(definition.value)

    def label_of(self, name: str) -> str:
        """What to call a parameter or variable of the region that is known by its unique name."""
        definition = self.definitions.get(name)
        return name if definition is None else self.shown(definition.var)

    @property
    def consumers(self) -> dict[str, Consumer]:
        if self._consumers is None:
            self._consumers = {}
            for entry in self.entries:
                launch = launch_of(entry.stmt)
                if launch is not None and not entry.leaving:
                    found = Consumer(launch.callee, entry.stmt.at, launch.span)
                    for arg in launch.args:
                        if isinstance(arg, Var):
                            self._consumers.setdefault(arg.name, found)
        return self._consumers

    @property
    def used_names(self) -> set[str]:
        """Every name that some expression of the region, or some type of its parameters, mentions."""
        if self._used_names is None:
            used: set[str] = set().union(*self.names_by_entry)
            for param in self.function.params:
                if isinstance(param.type, TensorType):
                    for extent in param.type.shape or ():
                        used.update([var.name for var in variables(extent)])
            self._used_names = used
        return self._used_names

    @property
    def names_by_entry(self) -> list[set[str]]:
        """For every entry the names that its own expressions mention, those of its body left out."""
        if self._names_by_entry is None:
            self._names_by_entry = []
            for entry in self.entries:
                names: set[str] = set()
                for expr in merged_exprs(entry.stmt) if entry.leaving else statement_exprs(entry.stmt):
                    _add_names(expr, names)
                self._names_by_entry.append(names)
        return self._names_by_entry

    def _flatten(self, block: Block, loops: tuple[For | While, ...], branches: tuple[If, ...]) -> None:
        for stmt in block:
            self.entries.append(Entry(stmt, loops, branches))
            if isinstance(stmt, (Assign, Unpack, Evaluate)):
                if isinstance(stmt.value, Unknown):
                    self.complete = False
            elif isinstance(stmt, (For, While)):
                self._flatten(stmt.body, (*loops, stmt), branches)
                if stmt.carries:
                    self.entries.append(Entry(stmt, loops, branches, True))
            elif isinstance(stmt, If):
                self._flatten(stmt.then, loops, (*branches, stmt))
                self._flatten(stmt.orelse, loops, (*branches, stmt))
                if stmt.phis:
                    self.entries.append(Entry(stmt, loops, branches, True))
            else:
                if isinstance(stmt, Opaque):
                    self.complete = False
                for body in blocks(stmt):
                    self._flatten(body, loops, branches)


def launch_of(stmt: Stmt) -> Call | Submit | None:
    """The call or submit that is the whole right side of a statement."""
    if isinstance(stmt, (Assign, Unpack, Evaluate)) and isinstance(stmt.value, (Call, Submit)):
        return stmt.value
    return None


def operator_of(stmt: Stmt) -> Op | None:
    """The operator that is the whole right side of a statement."""
    if isinstance(stmt, (Assign, Unpack, Evaluate)) and isinstance(stmt.value, Op):
        return stmt.value
    return None


def results_of(stmt: Stmt) -> tuple[Var, ...]:
    """The names a launch statement binds by result position; the task id of a submit is not among them."""
    if isinstance(stmt, Assign):
        return () if binds_tuple(stmt) else (stmt.target,)
    if isinstance(stmt, Unpack):
        return stmt.targets[:-1] if isinstance(stmt.value, Submit) else stmt.targets
    return ()


def _add_names(expr: Expr, names: set[str]) -> None:
    """Adds every variable of ``expr``; the kinds that are met most come first."""
    if isinstance(expr, Const):
        return
    if isinstance(expr, Var):
        names.add(expr.name)
    elif isinstance(expr, Binary):
        _add_names(expr.left, names)
        _add_names(expr.right, names)
    else:
        for child in children(expr):
            _add_names(child, names)


def merged_exprs(stmt: Stmt) -> list[Expr]:
    """What a loop hands on to its next trip, or a branch to the code behind it."""
    if isinstance(stmt, (For, While)):
        return [carry.update for carry in stmt.carries]
    if isinstance(stmt, If):
        return [side for phi in stmt.phis for side in (phi.then, phi.orelse)]
    return []


def binds_tuple(stmt: Assign) -> bool:
    """Whether a launch's results are bound as one tuple: a submit under one name, or several declared results."""
    return isinstance(stmt.value, Submit) or isinstance(stmt.target.type, TupleType)


def _bound(entry: Entry) -> list[Definition]:
    stmt = entry.stmt
    if isinstance(stmt, Assign):
        role = Role.RESULT if isinstance(stmt.value, (Call, Submit)) else Role.ASSIGNED
        return [Definition(role, stmt.target, stmt.value, stmt)]
    if isinstance(stmt, Unpack):
        return [Definition(Role.RESULT, target, stmt.value, stmt) for target in stmt.targets]
    if isinstance(stmt, (For, While)):
        carries = stmt.carries
        if entry.leaving:
            return [Definition(Role.CARRIED, carry.result, carry.init, stmt) for carry in carries]
        found = [Definition(Role.CARRIED, carry.inner, carry.init, stmt) for carry in carries]
        if isinstance(stmt, For):
            found.append(Definition(Role.INDEX, stmt.var, None, stmt))
        return found
    if isinstance(stmt, If):
        return [Definition(Role.MERGED, phi.result, None, stmt) for phi in stmt.phis] if entry.leaving else []
    if isinstance(stmt, Opaque):
        return [Definition(Role.OPAQUE, var, None, stmt) for var in stmt.binds]
    return []
