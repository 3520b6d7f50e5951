"""How the task-graph rules speak; that they report where they should is held with the examples of all rules."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.rules.rule import Rule, unmark
from tests.task_graph.build import Source

RULES = [registry.rule(code) for code in registry.codes() if code[3] in "678"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_findings_name_their_subject_and_know_their_place(rule: Rule) -> None:
    source = Source(unmark(rule.examples[0].bad)[0])
    found = source.findings()
    assert rule.code in {finding.code for finding in found}
    for finding in found:
        assert f"'{finding.subject}'" in finding.message, finding
        assert finding.message[0] != " " and not finding.message.endswith(".")
        assert source.locate(finding.place) is not None
        assert all(source.locate(note.place) is not None for note in finding.notes)
