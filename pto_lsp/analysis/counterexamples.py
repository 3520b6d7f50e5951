"""Adds to findings about frozen values an example of what a replay would get wrong."""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.replay.counterexample import Counterexamples

FROZEN = frozenset({"PTO101", "PTO102", "PTO103", "PTO201", "PTO202", "PTO203", "PTO302"})
"""Codes of findings about a variable that would keep the value of the recording call."""


def with_counterexamples(program: Program, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings, those about frozen variables with the simulator's own example as a further note at their place."""
    graphs: dict[str, Counterexamples] = {}
    extended: list[Finding] = []
    for finding in findings:
        if finding.code in FROZEN:
            data = dict(finding.data)
            graph, variable = data.get("graph"), data.get("variable")
            if isinstance(graph, str) and isinstance(variable, str):
                examples = graphs.setdefault(graph, Counterexamples(program, graph))
                found = examples.of(variable)
                if found is not None:
                    finding = replace(finding, notes=(*finding.notes, Note(finding.place, found.message)))
        extended.append(finding)
    return tuple(extended)
