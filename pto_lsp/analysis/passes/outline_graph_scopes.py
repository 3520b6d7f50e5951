"""OutlineGraphScopes: ``with pl.graph("name"):`` becomes a Graph function and one call of it (rules.md O10-O22)."""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.expressions import Call, Expr, Var
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, GraphScope, Return, Stmt, Unpack
from pto_lsp.analysis.ir.types import UNKNOWN, TensorType, TupleType, Type, UnknownType
from pto_lsp.analysis.ir.uses import bound_in, use_counts
from pto_lsp.analysis.ir.visitor import blocks, with_blocks
from pto_lsp.analysis.passes.names import FunctionNames
from pto_lsp.analysis.passes.outlining import analyse_scope, make_function, make_params, parameters_for
from pto_lsp.analysis.passes.return_lineage import BodyLineage, body_lineage
from pto_lsp.analysis.passes.scope_directions import captured_directions, upgraded_directions
from pto_lsp.analysis.passes.statement_results import StatementResults

_PARENTS = frozenset({FunctionKind.ORCHESTRATION, FunctionKind.OPAQUE})


def run(
    program: Program, conformance: str = "extended", results: StatementResults | None = None
) -> tuple[Program, tuple[Finding, ...]]:
    """Needs SSA form and keeps it; no GraphScope is left. Findings: PTO503, PTO504 (only what the front end cannot see
    in the text, that is, what inlining brought together) and PTO505.

    A captured tensor that the region only writes becomes InOut; with ``conformance="reference"`` it becomes Out, which
    the boundary rules refuse (O18, X8).
    """
    results = results or StatementResults()
    names = FunctionNames(program.functions)
    functions: dict[str, Function] = {}
    findings: list[Finding] = []
    for key, function in program.functions.items():
        if function.body is None or not any(results.holds(stmt, "graph_scopes") for stmt in function.body):
            functions[key] = function
            continue
        results.next_function()
        outliner = _Outliner(program, function, names, conformance)
        body = outliner.block(function.body)
        functions[key] = replace(function, body=body)
        functions.update({made.key: made for made in outliner.made})
        findings.extend(outliner.findings)
    return program.with_functions(functions), tuple(findings)


class _Outliner:
    def __init__(self, program: Program, function: Function, names: FunctionNames, conformance: str) -> None:
        self._program = program
        self._function = function
        self._names = names
        self._conformance = conformance
        self._uses: dict[str, int] | None = None
        self._labels: set[str] = set()
        self._outer: GraphScope | None = None
        self.made: list[Function] = []
        self.findings: list[Finding] = []

    def block(self, block: Block) -> Block:
        result: list[Stmt] = []
        changed = False
        for stmt in block:
            if isinstance(stmt, GraphScope):
                result.extend(self._scope(stmt))
                changed = True
                continue
            bodies = blocks(stmt)
            if bodies:
                new = tuple([self.block(body) for body in bodies])
                if any(a is not b for a, b in zip(new, bodies)):
                    stmt = with_blocks(stmt, new)
                    changed = True
            result.append(stmt)
        return tuple(result) if changed else block

    def _scope(self, scope: GraphScope) -> Block:
        """What takes the place of a region: a call, or its plain statements where it may not stand."""
        if self._outer is not None:
            self._report_nested(scope, self._outer)
            return self.block(scope.body)
        if self._function.kind not in _PARENTS:
            self._report_misplaced(scope)
            return self.block(scope.body)
        self._outer = scope
        body = self.block(scope.body)
        self._outer = None
        return (self._outlined(scope, body),)

    def _outlined(self, scope: GraphScope, body: Block) -> Stmt:
        if self._uses is None:
            whole = self._function.body or ()
            self._uses = use_counts(whole)
            self._labels = {v.label for v in bound_in(whole).values()} | {p.name for p in self._function.params}
        seen = analyse_scope(body, self._uses)
        signature = parameters_for(seen)
        key = self._names.new(self._function.key, scope.name, self._labels)
        if key != scope.name:
            self._report_renamed(scope, key)
        directions = captured_directions([v.name for v in seen.captures], body, self._program)
        params = make_params(seen, signature, directions, scope.at, scope.span)
        graph = make_function(
            key, key, FunctionKind.GRAPH, params, (), signature.body, self._function, scope.at, scope.name_span
        )
        params = tuple(
            [
                replace(p, direction=self._boundary_direction(d, p.type))
                for p, d in zip(params, upgraded_directions(graph, self._program))
            ]
        )
        lineage = body_lineage(graph, self._program)
        at, span = scope.at, scope.span
        values = tuple([self._leaving(graph, v, signature.renaming.expr(v), lineage) for v in seen.results])
        types = tuple([v.type for v in seen.results])
        if values:
            graph = replace(graph, body=(*signature.body, Return(values, at, span)), returns=types)
        self.made.append(replace(graph, params=params))
        args: tuple[Expr, ...] = tuple([Var(v.name, v.label, v.type, span) for v in seen.captures])
        result: Type = types[0] if len(types) == 1 else TupleType(types) if types else UNKNOWN
        call = Call(key, args, result, callee_span=scope.name_span, span=span)
        if not seen.results:
            return Evaluate(call, at, span)
        if len(seen.results) == 1:
            return Assign(seen.results[0], call, at, span)
        return Unpack(seen.results, call, at, span)

    def _boundary_direction(self, direction: Direction, type_: Type) -> Direction:
        if not isinstance(type_, (TensorType, UnknownType)):
            return Direction.IN
        if direction is Direction.OUT and self._conformance != "reference":
            return Direction.INOUT
        return direction

    def _leaving(self, graph: Function, result: Var, value: Expr, lineage: BodyLineage) -> Expr:
        """A rebound captured tensor leaves as its parameter (O16), anything else as the value it is (O19)."""
        param = lineage.value(value).param
        if param is None or not isinstance(result.type, (TensorType, UnknownType)):
            return value
        chosen = graph.params[param]
        return Var(chosen.name, chosen.name, chosen.type, result.span)

    # ---- findings

    def _report(self, code: str, scope: GraphScope, message: str, *notes: Note) -> None:
        self.findings.append(Finding(code, scope.name, _name_place(scope), message, self._function.name, notes))

    def _report_nested(self, scope: GraphScope, outer: GraphScope) -> None:
        if scope.at.inlined_at is None:
            return
        self._report(
            "PTO504",
            scope,
            f"the Graph region '{scope.name}' ends up inside the Graph region '{outer.name}' of "
            f"'{self._function.name}': a Graph cannot record a Graph",
            Note(_name_place(outer), f"the region '{outer.name}' around it"),
            Note(scope.at.inlined_at, "spliced in by this call"),
        )

    def _report_misplaced(self, scope: GraphScope) -> None:
        if scope.at.inlined_at is None:
            return
        kind = self._function.kind
        code = "PTO504" if kind is FunctionKind.GRAPH else "PTO503"
        self._report(
            code,
            scope,
            f"the Graph region '{scope.name}' ends up in '{self._function.name}', a function of kind "
            f"'{kind.value}': only an orchestration can launch a Graph",
            Note(scope.at.inlined_at, "spliced in by this call"),
        )

    def _report_renamed(self, scope: GraphScope, key: str) -> None:
        self._report(
            "PTO505",
            scope,
            f"the name of the Graph region '{scope.name}' is taken: its function is called '{key}', and that is the "
            "name its recording is kept under",
        )


def _name_place(scope: GraphScope) -> Place:
    span = scope.name_span
    return place(scope.at, span if span.end > span.start else scope.span)
