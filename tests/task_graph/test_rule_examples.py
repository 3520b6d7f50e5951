"""Every example of the task-graph rules reports exactly where it is marked, and its repaired form does not report."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.rules.rule import Rule, unmark
from tests.task_graph.build import Source

RULES = [registry.rule(code) for code in registry.codes() if code[3] in "678"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_bad_is_reported_and_good_is_not(rule: Rule) -> None:
    for example in rule.examples:
        bad, marks = unmark(example.bad)
        assert Source(bad).reported(rule.code) == sorted(marks)
        assert Source(example.good).reported(rule.code) == []


def test_messages_name_their_subject() -> None:
    for rule in RULES:
        for example in rule.examples:
            for finding in Source(unmark(example.bad)[0]).findings():
                assert f"'{finding.subject}'" in finding.message, finding
                assert finding.message[0] != " " and not finding.message.endswith(".")


def test_repaired_examples_break_no_rule_about_correctness() -> None:
    for rule in RULES:
        for example in rule.examples:
            codes = {finding.code for finding in Source(example.good).findings()}
            assert {code for code in codes if code < "PTO800"} <= {"PTO711"}, rule.code
