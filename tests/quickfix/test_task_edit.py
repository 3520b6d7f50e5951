"""Which repairs of task launches there are, which are safe, and what becomes of lists (cases/ has the rest)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.analysis.rules import registry as rules
from pto_lsp.analysis.rules.rule import unmark
from pto_lsp.diagnostics import Applicability
from pto_lsp.quickfix import registry
from pto_lsp.quickfix.rewriter import Refused
from tests.quickfix.workbench import Workbench

SAFE = {
    "PTO601", "PTO602", "PTO604", "PTO605", "PTO606", "PTO607", "PTO608", "PTO609", "PTO611", "PTO613", "PTO614",
    "PTO615",
    "PTO619", "PTO620", "PTO622", "PTO701", "PTO702", "PTO703", "PTO704", "PTO705", "PTO706", "PTO707", "PTO708",
    "PTO709", "PTO710", "PTO712", "PTO713", "PTO714", "PTO718", "PTO722", "PTO723", "PTO803", "PTO804", "PTO805",
    "PTO806", "PTO812", "PTO813", "PTO816",
}  # fmt: skip
"""Repairs after which every task waits for at least what it waited for, as the examples of the rules have them."""

WITHOUT_REPAIR = {
    "PTO810": "reading later, or guarding instead, changes what the program does",
    "PTO814": "where to divide the scope is the author's to say",
}
"""Rules of the task graph that have no repair, and why."""

PROGRAMS = [code for code in sorted(registry.FIXABLE) if code > "PTO600"]


def bench(root: Path, text: str) -> Workbench:
    return Workbench(root, {"layer.py": text})


def test_every_rule_has_a_repair_or_a_reason() -> None:
    codes = {rule.code for rule in rules.rules() if rule.code > "PTO600"}
    assert codes == set(PROGRAMS) | set(WITHOUT_REPAIR)
    for code in PROGRAMS:
        assert rules.rule(code).fix
    for code in WITHOUT_REPAIR:
        assert not rules.rule(code).fix


@pytest.mark.parametrize("code", PROGRAMS)
def test_what_is_safe(code: str, tmp_path: Path) -> None:
    # About what is wrong in the first examples of these nothing can be done.
    text, _ = unmark(rules.rule(code).examples[code in ("PTO602", "PTO603")].bad)
    fix = bench(tmp_path, text).fix(code)
    assert (fix.applicability is Applicability.SAFE) == (code in SAFE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("deps=[a, b, a]", "deps=[a, b]"),
        ("deps=[a, a, b]", "deps=[a, b]"),
        ("deps=[\n                a,\n                a,\n            ]", "deps=[\n                a,\n            ]"),
    ],
)
def test_entries_leave_with_their_comma(before: str, after: str, tmp_path: Path) -> None:
    text, _ = unmark(rules.rule("PTO803").examples[0].bad)
    text = text.replace(
        "s, a = pl.submit(self.put, x, s)", "s, a = pl.submit(self.put, x, s)\n        y, b = pl.submit(self.put, x, y)"
    )
    text = text.replace("y, _b =", "y, _c =").replace("deps=[a, a]", before)
    work = bench(tmp_path, text)
    assert work.repair("PTO803") == text.replace(before, after)


def test_what_is_written_unusually_is_left_alone(tmp_path: Path) -> None:
    text, _ = unmark(rules.rule("PTO619").examples[0].bad)
    work = bench(tmp_path, text.replace("task_dummy([a, b])", "task_dummy(a, b)"))
    with pytest.raises(Refused):
        work.fix("PTO619")
