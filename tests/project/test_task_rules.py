"""The switch that leaves the task-graph rules out."""

from __future__ import annotations

from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.rules.rule import unmark
from pto_lsp.project import Project

CODE = "PTO803"


def codes(task_rules: bool) -> set[str]:
    project = Project(task_rules=task_rules)
    project.open("case.py", unmark(registry.rule(CODE).examples[0].bad)[0])
    return {d.code for d in project.check("case.py")}


def test_task_rules_can_be_left_out() -> None:
    assert CODE in codes(True)
    assert not any(code >= "PTO6" for code in codes(False))
