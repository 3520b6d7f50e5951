"""The passes in PyPTO's order, with every program in between."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.interruption import Interruption
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.passes import (
    convert_to_ssa,
    flatten_call_expr,
    infer_parameter_directions,
    inline_functions,
    normalize_return_order,
    outline_graph_scopes,
    outline_incore_scopes,
    simplify,
    unroll_loops,
)
from pto_lsp.analysis.passes.memo import FunctionPass, Memo
from pto_lsp.analysis.passes.reruns import Run
from pto_lsp.analysis.passes.statement_results import StatementResults


class _Memory(Protocol):
    def next_edit(self) -> None: ...
    def forget(self, gone: AbstractSet[SourceId]) -> None: ...


@dataclass(frozen=True, slots=True)
class Stages:
    """Programs by the pass they come out of. ``final`` is what plan and task graph work on.

    ``final`` is in SSA form, without Region, GraphScope or Yield; every launch is a Call or Submit of its own.
    """

    source: Program
    inlined: Program
    unrolled: Program
    ssa: Program
    simplified: Program
    flattened: Program
    graphs_outlined: Program
    outlined: Program
    final: Program
    findings: tuple[Finding, ...] = field(default=())


class StandardPasses:
    """The passes with what they found out about earlier programs: a function is not looked at again when it, and all
    that a pass looks at beside it, are the same objects. Not safe for use from several threads at once.
    """

    def __init__(
        self, conformance: str = "extended", interruption: Interruption | None = None, edits: bool = True
    ) -> None:
        """Without ``edits`` nothing is kept that only helps with another version of a function."""
        self._conformance = conformance
        self._results = StatementResults(interruption, edits)
        self._expansions: inline_functions.ExpansionMemo = Memo()
        results, step = self._results, self._results.next_function
        self._unroll = FunctionPass[None](lambda function, _: (unroll_loops.unroll(function, results), None), step)
        self._ssa = FunctionPass[Run](
            lambda function, last: convert_to_ssa.convert_again(function, results, last), step
        )
        self._simplify = FunctionPass[Run](
            lambda function, last: simplify.simplify_again(function, results, last), step
        )
        self._flatten = FunctionPass[None](
            lambda function, _: (flatten_call_expr.flatten(function, results), None), step
        )
        self._outlined: outline_incore_scopes.OutlineMemo = Memo()
        self._simplify_again = FunctionPass[Run](
            lambda function, last: simplify.simplify_again(function, results, last), step
        )

    def next_edit(self) -> None:
        """The programs are those after another edit: what was replaced before the last ones can go."""
        for each in self._memories():
            each.next_edit()

    def forget(self, gone: AbstractSet[SourceId]) -> None:
        """Forget functions that are ``gone``."""
        self._results.forget(gone)
        for each in self._memories():
            each.forget(gone)

    def _memories(self) -> tuple[_Memory, ...]:
        passes = (self._unroll, self._ssa, self._simplify, self._flatten, self._simplify_again)
        return (self._expansions, *passes, self._outlined)

    def run(self, program: Program) -> Stages:
        """Take a program as the front end delivers it through all passes."""
        self._results.begin()
        inlined, inline_findings = inline_functions.run(program, self._expansions, self._results)
        unrolled = self._unroll.run(inlined)
        ssa = self._ssa.run(unrolled)
        simplified = self._simplify.run(ssa)
        flattened = self._flatten.run(simplified)
        graphs_outlined, graph_findings = outline_graph_scopes.run(flattened, self._conformance, self._results)
        outlined = outline_incore_scopes.run(graphs_outlined, self._outlined, self._results)
        directed = infer_parameter_directions.run(outlined, self._results)
        normalized = normalize_return_order.run(directed, self._results)
        # What was nested in a loop or branch of the caller may be the top level of an outlined Graph now (rules.md S4).
        has_graph_scopes = len(graphs_outlined.functions) > len(flattened.functions)
        final = self._simplify_again.run(normalized) if has_graph_scopes else normalized
        return Stages(
            program,
            inlined,
            unrolled,
            ssa,
            simplified,
            flattened,
            graphs_outlined,
            outlined,
            final,
            (*inline_findings, *graph_findings),
        )


def run_standard(program: Program, conformance: str = "extended") -> Stages:
    """All passes over one program, without memory."""
    return StandardPasses(conformance, edits=False).run(program)
