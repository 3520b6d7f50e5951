"""The ``GraphBoundaryLegalized`` verifier: decides a second time whether a program's Graphs replay (rules.md V).

It reads the IR after legalization and shares with the plan only the invariant set, the trace of return positions and
the runtime's sizes. A complaint about legalization's own output is a fault of this project, never of the user.
"""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.graph_boundary.limits import MAX_SCALARS, MAX_TENSORS, Conformance
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet
from pto_lsp.analysis.graph_boundary.verify_nodes import NodeVerifier
from pto_lsp.analysis.ir.affine import affine
from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Expr,
    Item,
    ListExpr,
    Op,
    Submit,
    Symbol,
    TupleExpr,
    Unary,
    Var,
)
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Return, Stmt, Unpack
from pto_lsp.analysis.ir.types import ScalarType, TensorType, UnknownType, is_scalar
from pto_lsp.analysis.ir.visitor import blocks, statement_exprs, walk, walk_block
from pto_lsp.analysis.passes.return_lineage import ReturnLineage


@dataclass(frozen=True, slots=True)
class Violation:
    """``rule`` is the statement of rules.md that does not hold: "D2", "V7", "N8" …"""

    rule: str
    function: str
    subject: str
    message: str
    place: Place


def verify(program: Program, conformance: Conformance = "extended") -> tuple[Violation, ...]:
    """Everything that contradicts ``GraphBoundaryLegalized``, functions in name order (V1)."""
    lineage = ReturnLineage(program)
    found: list[Violation] = []
    for function in sorted(program.functions.values(), key=lambda f: (f.name, f.key)):
        if function.kind is FunctionKind.GRAPH:
            found.extend(_GraphVerifier(program, function, lineage, conformance).run())
        found.extend(_verify_launches_of_graphs(program, function))
    return tuple(found)


class _GraphVerifier:
    def __init__(self, program: Program, graph: Function, lineage: ReturnLineage, conformance: Conformance) -> None:
        self._program = program
        self._graph = graph
        self._lineage = lineage
        self._body: Block = graph.body or ()
        self._invariants = ReplayInvariantSet(graph.params, self._body, conformance)
        self._scalars = {p.name for p in graph.params if isinstance(p.type, ScalarType)}
        self._roots = {p.name for p in graph.params if not isinstance(p.type, (ScalarType, UnknownType))}
        self._tuples: dict[str, Call | Submit] = {}
        self._found: list[Violation] = []

    def run(self) -> list[Violation]:
        """V9 of cases: signature first, then the body, then counts."""
        self._signature()
        self._returns()
        for stmt in walk_block(self._body):
            self._statement(stmt)
        for rule, message, where in NodeVerifier(self._program, self._graph, self._invariants).run():
            self._found.append(Violation(rule, self._graph.name, self._graph.name, message, where))
        return self._found

    def _report(self, rule: str, subject: str, message: str, where: Place) -> None:
        self._found.append(Violation(rule, self._graph.name, subject, message, where))

    def _signature(self) -> None:
        """V2."""
        graph = self._graph
        tensors = scalars = 0
        known = True
        for param in graph.params:
            where = place(param.at, param.span)
            if isinstance(param.type, UnknownType):
                known = False
            elif isinstance(param.type, ScalarType):
                scalars += 1
                if param.direction is not Direction.IN:
                    self._report("D1", param.name, f"scalar parameter is {param.direction.value}", where)
            elif isinstance(param.type, TensorType):
                tensors += 1
                if param.direction is Direction.OUT:
                    self._report("D2", param.name, "tensor parameter is out", where)
            else:
                tensors += 1
                self._report("V2", param.name, "parameter is neither tensor nor scalar", where)
        where = place(graph.at, graph.name_span)
        if known and tensors == 0:
            self._report("D4", graph.name, "no tensor parameter", where)
        if tensors > MAX_TENSORS:
            self._report("D5", graph.name, f"{tensors} tensor parameters", where)
        if scalars > MAX_SCALARS:
            self._report("D6", graph.name, f"{scalars} scalar parameters", where)

    def _returns(self) -> None:
        """V3."""
        graph = self._graph
        returned = next((s for s in walk_block(self._body) if isinstance(s, Return)), None)
        lineages = self._lineage.of(graph.key)
        if returned is None or lineages is None:
            return
        for lineage, value in zip(lineages, returned.values):
            copied = isinstance(value, Var) and is_scalar(value.type) and value.name not in self._scalars
            if lineage.known and (lineage.param is None or copied):
                self._report("D8", graph.name, f"returns '{print_expr(value)}'", place(returned.at, returned.span))

    def _statement(self, stmt: Stmt) -> None:
        for expr in statement_exprs(stmt):
            for each in walk(expr):
                if isinstance(each, Op):
                    self._operator(stmt, each)
                elif isinstance(each, (Call, Submit)):
                    self._launch(stmt, each)
        self._follow(stmt)

    def _follow(self, stmt: Stmt) -> None:
        """The roots of V5: renames and written-back results; a view of a root too, in-place ones included (X9)."""
        if isinstance(stmt, Unpack):
            count = len(stmt.targets) - 1 if isinstance(stmt.value, Submit) else len(stmt.targets)
            for index in range(count):
                self._bind(stmt.targets[index], Item(stmt.value, index))
        elif isinstance(stmt, Assign):
            value = stmt.value
            if isinstance(value, Submit) or (isinstance(value, Call) and not isinstance(stmt.target.type, TensorType)):
                self._tuples[stmt.target.name] = value
            self._bind(stmt.target, value)

    def _bind(self, target: Var, value: Expr) -> None:
        source: Expr | None = None
        if isinstance(value, Var):
            source = value
        elif isinstance(value, Op) and value.name in ("tensor.slice", "tensor.view"):
            source = value.args[0] if value.args else None
        elif isinstance(value, Call):
            source = self._written_back(value, 0)
        elif isinstance(value, Item):
            launch = self._tuples.get(value.base.name) if isinstance(value.base, Var) else value.base
            if isinstance(launch, (Call, Submit)):
                source = self._written_back(launch, value.index)
        if isinstance(source, Var) and source.name in self._roots:
            self._roots.add(target.name)

    def _written_back(self, launch: Call | Submit, position: int) -> Expr | None:
        returned = self._lineage.of(launch.callee)
        if returned is None or position >= len(returned):
            return None
        index = returned[position].param
        return launch.args[index] if index is not None and index < len(launch.args) else None

    def _operator(self, stmt: Stmt, op: Op) -> None:
        """V4 (F1, F2), V5–V7."""
        where = place(stmt.at, op.span)
        if op.name == "tensor.full":
            self._report("F1", self._graph.name, "tensor.full in the region", where)
        elif op.name == "tensor.create":
            extents = op.args[0].items if op.args and isinstance(op.args[0], ListExpr) else op.args[:1]
            if any(self._invariants.literal(extent) is False for extent in extents):
                self._report("F2", self._graph.name, f"'{print_expr(op)}' has no literal shape", where)
        elif op.name in ("tensor.slice", "tensor.view") and op.args:
            source = op.args[0]
            if isinstance(source, Var) and source.name in self._roots:
                self._view(stmt, op, source, where)

    def _view(self, stmt: Stmt, op: Op, source: Var, where: Place) -> None:
        label = print_expr(stmt.target if isinstance(stmt, Assign) else source)
        operands = (*op.args[1:], *(k.value for k in op.keywords if k.name == "valid_shape"))
        for operand in operands:
            for element in operand.items if isinstance(operand, (ListExpr, TupleExpr)) else (operand,):
                if self._invariants.holds(element) is False:
                    boundary = any(isinstance(v, Var) and v.name in self._scalars for v in walk(element))
                    rule = "V7" if boundary else "V5"
                    self._report(
                        rule, label, f"'{print_expr(element)}' in a view of '{print_expr(source)}' varies", where
                    )
        if isinstance(op.type, TensorType):
            for extent in op.type.shape or ():
                form = affine(extent)
                if self._invariants.holds(extent) is False and (form is None or not form.is_constant):
                    self._report("V6", label, f"the extent '{print_expr(extent)}' varies", where)

    def _launch(self, stmt: Stmt, launch: Call | Submit) -> None:
        """L2, V8, V9."""
        callee = self._program.functions.get(launch.callee)
        where = place(stmt.at, launch.span)
        core_num = launch.options.core_num
        if core_num is not None and self._invariants.literal(core_num) is False:
            self._report("L2", self._graph.name, f"core count '{print_expr(core_num)}' is no literal", where)
        if callee is not None and callee.kind is not FunctionKind.GRAPH:
            self._arity(launch, callee, where)
        for arg in launch.args:
            if isinstance(arg, (Var, Op)) and not is_scalar(arg.type):
                continue
            if not isinstance(arg, (Var, Op, Binary, Unary, Cast, Symbol)):
                continue
            if isinstance(arg, Var) and arg.name in self._scalars:
                continue
            if self._invariants.holds(arg) is False:
                subject = print_expr(arg)
                self._report("V9", subject, f"'{subject}' reaches a task and varies", where)

    def _arity(self, launch: Call | Submit, callee: Function, where: Place) -> None:
        passed, params = len(launch.args), callee.params
        if passed > len(params):
            self._report("V8", callee.name, f"{passed} arguments for {len(params)} parameters", where)
            return
        for param in params[passed:]:
            runtime_made = isinstance(launch, Submit) and param.direction is Direction.OUT
            if not runtime_made and not param.has_default:
                self._report("V8", param.name, f"'{callee.name}' is not passed '{param.name}'", where)
                return


def _verify_launches_of_graphs(program: Program, caller: Function) -> list[Violation]:
    """V13."""
    found: list[Violation] = []

    def visit(block: Block) -> None:
        for stmt in block:
            value = getattr(stmt, "value", None)
            if isinstance(value, (Call, Submit)):
                callee = program.functions.get(value.callee)
                if callee is not None and callee.kind is FunctionKind.GRAPH:
                    found.extend(_verify_launch_of_graph(caller, callee, value, place(stmt.at, value.span)))
            for body in blocks(stmt):
                visit(body)

    visit(caller.body or ())
    return found


def _verify_launch_of_graph(caller: Function, callee: Function, launch: Call | Submit, where: Place) -> list[Violation]:
    found: list[tuple[str, str]] = []
    if caller.kind is FunctionKind.GRAPH:
        found.append(("D7", f"Graph '{caller.name}' launches Graph '{callee.name}'"))
    elif caller.kind.is_kernel:
        found.append(("V13", f"'{caller.name}' is {caller.kind.value}"))
    if len(launch.args) != len(callee.params):
        found.append(("C5", f"{len(launch.args)} arguments for {len(callee.params)} parameters"))
    if launch.options.deps:
        found.append(("C6", "explicit dependencies"))
    if launch.options.predicate is not None:
        found.append(("C7", "a predicate"))
    return [Violation(rule, caller.name, callee.name, message, where) for rule, message in found]
