"""Repairs of task launches: what they change in the examples of their rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.analysis.rules import registry as rules
from pto_lsp.analysis.rules.rule import unmark
from pto_lsp.diagnostics import Applicability
from pto_lsp.quickfix import registry
from pto_lsp.quickfix.rewriter import Refused
from tests.quickfix.workbench import Workbench

AT = "with pl.at(level=pl.Level.CORE_GROUP, name_hint="
EXPECTED = {
    "PTO606": ('"use", deps=made):', '"use", deps=[made]):'),
    "PTO615": ('"make", no_dep_args=[y]):', '"make"):'),
    "PTO619": ("task_dummy([a, b])", "task_dummy(deps=[a, b])"),
    "PTO715": ("o: pl.Out[pl.Tensor", "o: pl.InOut[pl.Tensor"),
    "PTO720": (", y: pl.Tensor[[128, 128], pl.FP32]", ", y: pl.Out[pl.Tensor[[128, 128], pl.FP32]]"),
    "PTO721": ("y = pl.mul", "y[:] = pl.mul"),
    "PTO801": ('"use", deps=[made]):', '"use"):'),
    "PTO802": ("deps=[a, b]", "deps=[b]"),
    "PTO803": ("deps=[a, a]", "deps=[a]"),
    "PTO804": ("as made:", "as _made:"),
    "PTO809": ("o: pl.InOut[pl.Tensor", "o: pl.Out[pl.Tensor"),
    "PTO816": ('"a", no_dep_args=[x]):', '"a"):'),
    "PTO819": ("w: pl.InOut[pl.Tensor[[128, 128], pl.FP32]],", "w: pl.Tensor[[128, 128], pl.FP32],"),
}
SAFE = {"PTO606", "PTO615", "PTO619", "PTO803", "PTO804", "PTO816"}


def bench(root: Path, text: str) -> Workbench:
    return Workbench(root, {"layer.py": text})


def test_every_repair_has_an_expectation() -> None:
    assert {code for code in registry.FIXABLE if code > "PTO600"} == set(EXPECTED)
    for code in EXPECTED:
        assert rules.rule(code).fix


@pytest.mark.parametrize("code", sorted(EXPECTED))
def test_repair(code: str, tmp_path: Path) -> None:
    text, _ = unmark(rules.rule(code).examples[0].bad)
    old, new = EXPECTED[code]
    work = bench(tmp_path, text)
    fix = work.fix(code)
    work.apply(fix)
    assert (fix.applicability is Applicability.SAFE) == (code in SAFE)
    assert text.count(old) >= 1
    assert work.text() == text.replace(old, new, 1)
    assert all(finding.code != code for finding in work.findings())


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
