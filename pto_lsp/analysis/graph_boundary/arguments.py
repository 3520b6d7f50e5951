"""Scalars that reach tasks, and host accesses inside a region (rules.md A9–A13, X6, X15)."""

from __future__ import annotations

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.causes import Source, cause_notes, describe_cause, leaves
from pto_lsp.analysis.graph_boundary.region import Region
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet
from pto_lsp.analysis.graph_boundary.report import report
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.graph_boundary.scalars import derivable
from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Expr,
    ListExpr,
    Op,
    Submit,
    Symbol,
    TupleExpr,
    Unary,
    Var,
)
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.statements import Assign, Evaluate, Stmt, Unpack, While
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.ir.visitor import children, walk

ELEMENT_ACCESSES = frozenset({"tensor.read", "tensor.write"})


class ArgumentCheck:
    """Looks at what stays in the region after hoisting.

    ``invariants`` is the set of the rewritten body (I8), ``passed`` the names that a task may be handed as they are:
    scalar parameters, hoisted scalars and erased renames of them. ``moved`` are the ids of statements that leave.
    """

    def __init__(
        self,
        region: Region,
        maps: ReturnMaps,
        invariants: ReplayInvariantSet,
        stands: dict[str, Expr],
        passed: set[str],
        moved: set[int],
    ) -> None:
        self._region = region
        self._maps = maps
        self._invariants = invariants
        self._stands = stands
        self._passed = passed
        self._moved = moved
        self._findings: list[Finding] = []

    def run(self) -> list[Finding]:
        """Statements in order, inner calls before outer ones, arguments left to right (E3, A12)."""
        for entry in self._region.entries:
            stmt = entry.stmt
            if entry.leaving or id(stmt) in self._moved:
                continue
            if isinstance(stmt, (Assign, Unpack, Evaluate)):
                if isinstance(stmt.value, Op):
                    self._operator(stmt, stmt.value)
                elif isinstance(stmt.value, (Call, Submit)):
                    self._launch(stmt, stmt.value)
            elif isinstance(stmt, While):
                # Only the condition of a while loop and the options of a launch keep operators inside (S7).
                self._nested(stmt, stmt.condition)
        return self._findings

    def _launch(self, stmt: Stmt, launch: Call | Submit) -> None:
        for dep in launch.options.deps or ():
            self._nested(stmt, dep)
        if launch.options.predicate is not None:
            self._indices(stmt, launch.options.predicate)
        callee = self._maps.function(launch.callee)
        self._arguments(stmt, launch.args, callee.name if callee is not None else launch.callee)

    def _operator(self, stmt: Stmt, op: Op) -> None:
        self._arguments(stmt, op.args, f"pl.{op.name}")
        if op.name in ELEMENT_ACCESSES:
            self._indices(stmt, op)
            self._host_access(stmt, op)

    def _nested(self, stmt: Stmt, expr: Expr) -> None:
        for child in children(expr):
            self._nested(stmt, child)
        if isinstance(expr, Op):
            self._operator(stmt, expr)

    def _arguments(self, stmt: Stmt, args: tuple[Expr, ...], receiver: str) -> None:
        for arg in args:
            if not _is_scalar_value(arg) or self._invariants.holds(arg) is not False:
                continue
            if isinstance(arg, Var):
                if arg.name not in self._passed:
                    self._refuse_name(stmt, arg, self._region.shown(arg), arg.name, receiver)
            elif isinstance(arg, Symbol):
                self._refuse_name(stmt, arg, arg.name, arg.name, receiver)
            else:
                self._refuse_inline(stmt, arg, receiver)

    def _refuse_name(self, stmt: Stmt, arg: Expr, label: str, name: str, receiver: str) -> None:
        """A10."""
        graph = self._region.function
        message = (
            f"'{label}' is passed to '{receiver}' in Graph '{graph.name}', but it "
            f"{describe_cause(self._region, self._invariants, arg, label)}, and it is no boundary scalar: a replay "
            f"would pass the value of the first call. Pass it in from the call site, or compute it inside the kernel."
        )
        notes = cause_notes(self._region, self._invariants, arg)
        self._findings.append(
            report("PTO103", label, stmt.at, arg.span, message, graph.name, notes, graph=graph.key, variable=name)
        )

    def _refuse_inline(self, stmt: Stmt, arg: Expr, receiver: str) -> None:
        """A9, A9b."""
        graph = self._region.function
        text = print_expr(arg)
        caller_can = derivable(arg, self._stands)
        advice = (
            "Bind it to a name first: the compiler can then compute it at the call site."
            if caller_can
            else "Pass it as a parameter of the Graph."
        )
        message = (
            f"'{text}' is computed inside an argument of '{receiver}' in Graph '{graph.name}' and "
            f"{describe_cause(self._region, self._invariants, arg)}: a replay would pass the value of the first call. "
            f"{advice}"
        )
        notes = cause_notes(self._region, self._invariants, arg)
        self._findings.append(
            report(
                "PTO104",
                graph.name,
                stmt.at,
                arg.span,
                message,
                graph.name,
                notes,
                graph=graph.key,
                expression=text,
                derivable=caller_can,
            )
        )

    def _indices(self, stmt: Stmt, expr: Expr) -> None:
        """X6: the element index of a host access or of a predicate is recorded."""
        graph = self._region.function
        for op in walk(expr):
            if not isinstance(op, Op) or op.name not in ELEMENT_ACCESSES or len(op.args) < 2:
                continue
            index = op.args[1]
            for item in index.items if isinstance(index, (ListExpr, TupleExpr)) else ():
                if self._invariants.holds(item) is not False:
                    continue
                found = leaves(self._region, self._invariants, item)
                scalar = next((leaf.label for leaf in found if leaf.source is Source.BOUNDARY), None)
                if scalar is None:
                    continue
                label = self._region.shown(item) if isinstance(item, Var) else scalar
                message = (
                    f"the element index '{print_expr(item)}' depends on the boundary scalar '{scalar}', but Graph "
                    f"'{graph.name}' records which element is looked at: a replay looks at the element of the first "
                    f"call. Pass a view of one element, taken at the call site."
                )
                notes = cause_notes(self._region, self._invariants, item)
                self._findings.append(
                    report("PTO105", label, stmt.at, item.span, message, graph.name, notes, graph=graph.key)
                )

    def _host_access(self, stmt: Stmt, op: Op) -> None:
        """X15."""
        graph = self._region.function
        tensor = op.args[0] if op.args else None
        label = self._region.shown(tensor) if isinstance(tensor, Var) else print_expr(op)
        verb = "reads" if op.name == "tensor.read" else "writes"
        message = (
            f"Graph '{graph.name}' {verb} an element of '{label}' on the host: that happens once, while the first call "
            f"is recorded and possibly before the tasks that fill '{label}' have run; a replay does not repeat it."
        )
        self._findings.append(report("PTO421", label, stmt.at, op.span, message, graph.name, (), graph=graph.key))


def _is_scalar_value(expr: Expr) -> bool:
    """Whether a direct argument is a scalar; containers are not (A11), task ids are left out (A8)."""
    if isinstance(expr, (Var, Op)):
        return is_scalar(expr.type)
    return isinstance(expr, (Binary, Unary, Cast, Symbol))
