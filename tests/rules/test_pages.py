"""The registry and what is made of it."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest

from pto_lsp.analysis.rules import page, registry
from pto_lsp.analysis.rules.rule import Rule, unmark
from pto_lsp.diagnostics import Position, Range

ROOT = Path(__file__).parents[2]
RULES = registry.rules()


def test_codes_and_names_are_unique_and_agree_with_the_modules() -> None:
    assert [rule.code for rule in RULES] == sorted({rule.code for rule in RULES})
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert (ROOT / f"pto_lsp/analysis/rules/{rule.code.lower()}_{rule.name.replace('-', '_')}.py").is_file()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_is_complete(rule: Rule) -> None:
    text = page.render(rule)
    headings = re.findall(r"^## (.*?)(?: \(\d\))?$", text, re.MULTILINE)
    wanted = {"What it does", "Why is this bad?", "Example", "Use instead", "Fix safety"}
    assert wanted <= set(headings)
    assert text.startswith(f"# {rule.code} {rule.name}\n\n*{rule.severity.value}*")
    assert not rule.summary.endswith(".")
    assert "⟦" not in text and "<T>" not in text and "<W>" not in text and "<I>" not in text
    mentioned = set(re.findall(r"PTO\d{3}", text))
    assert mentioned <= set(registry.codes())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_examples_are_programs(rule: Rule) -> None:
    for example in rule.examples:
        ast.parse(example.good)
        bad, marks = unmark(example.bad)
        assert marks or example.command != "check"
        if rule.code not in ("PTO001", "PTO008"):
            ast.parse(bad)


def test_marks_give_ranges() -> None:
    assert unmark("a ⟦b⟧\n⟦c⟦d⟧⟧") == (
        "a b\ncd",
        (
            Range(Position(0, 2), Position(0, 3)),
            Range(Position(1, 1), Position(1, 2)),
            Range(Position(1, 0), Position(1, 2)),
        ),
    )
    with pytest.raises(ValueError, match="never closed"):
        unmark("⟦a")


def test_the_generated_documentation_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("generate_rule_pages", ROOT / "scripts/generate_rule_pages.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    present = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs/rules").glob("*.md")}
    assert present == script.pages(), "run scripts/generate_rule_pages.py"
