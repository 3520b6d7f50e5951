"""The passes in PyPTO's order, with every program in between."""

from __future__ import annotations

from dataclasses import dataclass, field

from pto_lsp.analysis.findings import Finding
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


def run_standard(program: Program, conformance: str = "extended") -> Stages:
    """Take a program as the front end delivers it through all passes."""
    inlined, inline_findings = inline_functions.run(program)
    unrolled = unroll_loops.run(inlined)
    ssa = convert_to_ssa.run(unrolled)
    simplified = simplify.run(ssa)
    flattened = flatten_call_expr.run(simplified)
    graphs_outlined, graph_findings = outline_graph_scopes.run(flattened, conformance)
    outlined = outline_incore_scopes.run(graphs_outlined)
    directed = infer_parameter_directions.run(outlined)
    normalized = normalize_return_order.run(directed)
    # What was nested in a loop or branch of the caller may be the top level of an outlined Graph now (rules.md S4).
    final = simplify.run(normalized) if graphs_outlined is not flattened else normalized
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
