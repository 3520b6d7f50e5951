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


def test_large_programs_are_left_to_the_command_line() -> None:
    source = unmark(registry.rule(CODE).examples[0].bad)[0]
    head = "\n\n@pl.jit.inline\ndef filler(x: pl.Tensor[[8], pl.FP32]):\n"
    helper = head + "".join(f"    v{n} = {n}\n" for n in range(400)) + "    return x\n"

    def found(task_lines: int | None, text: str) -> set[str]:
        project = Project(task_lines=task_lines)
        project.open("case.py", text)
        return {d.code for d in project.check("case.py") if d.code >= "PTO6"}

    assert CODE in found(300, source)
    assert CODE in found(300, source + helper), "what the program does not reach does not count"
    assert CODE in found(None, source) and found(3, source) == set()
