"""Every worked case of the rules, in every conformance mode it is about."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from pto_lsp.analysis.graph_boundary.graph_plan import REFUSALS
from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.graph_boundary.plan import plan_program
from pto_lsp.analysis.ir.printer import print_expr
from tests.graph_boundary.case_rules import RULES_OF_CASE
from tests.graph_boundary.cases import Case, cases
from tests.graph_boundary.harness import analysed, program_of

ROOT = Path(__file__).resolve().parents[2]
ALL = [(case, mode) for case in cases() for mode in case.modes]


def identity(value: object) -> str:
    return value.id if isinstance(value, Case) else str(value)


@pytest.mark.parametrize(("case", "mode"), ALL, ids=identity)
def test_case(case: Case, mode: Conformance) -> None:
    program = analysed(program_of(case.functions, case.main), mode, case.target)
    plan = program.plan
    expected = {(mark.code, mark.start, mark.end) for mark in program.marks}
    assert program.located(REFUSALS) == expected, [(f.code, f.message) for f in plan.findings]
    assert set(case.advice) <= set(program.codes)
    assert not set(case.absent) & set(program.codes)
    if case.subjects:
        assert tuple(f.subject for f in plan.findings if f.code in REFUSALS) == case.subjects
    if case.appended is not None:
        assert tuple(program.appended(case.graph)) == case.appended
    if case.nodes is not None:
        assert program.graph(case.graph).nodes == case.nodes
    if case.locals is not None:
        bound = [(local.var.name, print_expr(local.value)) for site in plan.call_sites for local in site.locals]
        assert tuple(bound) == case.locals
    if not expected:
        assert program.violations == ()
        again = plan_program(program.legal, mode, case.target)
        assert not any(graph.changes for graph in again.graphs.values())


def test_every_case_says_which_rules_it_is_about() -> None:
    assert set(RULES_OF_CASE) == {case.id for case in cases()}


def test_every_rule_is_named_by_a_test() -> None:
    # What only generated code shows (section K) is named by the tests of the code generator.
    script = runpy.run_path(str(ROOT / "scripts" / "list_untested_rules.py"))
    assert [rule for rule in script["untested"](ROOT / "tests") if not rule.startswith("K")] == []
