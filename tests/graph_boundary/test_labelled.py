"""Programs labelled by the reference compiler, where the specification lies beside the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pto_lsp.analysis.graph_boundary.graph_plan import REFUSALS
from pto_lsp.analysis.graph_boundary.plan import plan_program
from tests.graph_boundary.harness import Analysed

LABELLED = Path(__file__).resolve().parents[3] / "shared" / "spec" / "graph" / "labelled-programs.jsonl"
CHUNKS = 12

pytestmark = pytest.mark.skipif(not LABELLED.exists(), reason="no labelled programs beside the project")


def rows(chunk: int) -> list[dict[str, object]]:
    lines = LABELLED.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[chunk::CHUNKS]]


def disagreement(row: dict[str, object]) -> str:
    program = Analysed(str(row["source"]), "reference")
    refusals = [f for f in program.plan.findings if f.code in REFUSALS]
    if row["verdict"] == "accepted":
        if refusals:
            return f"accepted, but {[f.code for f in refusals]}"
        plan = program.graph()
        labels = {hoist.var.name: hoist.name for hoist in plan.hoisted}
        parameters = [[labels.get(p.name, p.name), p.direction.value] for p in plan.parameters]
        if parameters != row["parameters"]:
            return f"parameters {parameters}"
        if program.violations:
            return f"verifier: {program.violations}"
        again = plan_program(program.legal, "reference")
        return "not idempotent" if any(graph.changes for graph in again.graphs.values()) else ""
    first = row["first"]
    assert isinstance(first, dict)
    if any(
        finding.code == first["code"]
        and program.line_of(finding.place) == first["line"]
        and first.get("subject", finding.subject) == finding.subject
        for finding in refusals
    ):
        return ""
    return f"first {first} is not among {[(f.code, program.line_of(f.place), f.subject) for f in refusals]}"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_labelled_programs_agree(chunk: int) -> None:
    wrong = {str(row["id"]): reason for row in rows(chunk) if (reason := disagreement(row))}
    assert wrong == {}
