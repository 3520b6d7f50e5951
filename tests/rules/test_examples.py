"""Every example of every rule page, checked: the bad one is reported where it is marked, the good one is clean."""

from __future__ import annotations

import sys

import pytest

from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.rules.rule import Example, unmark
from pto_lsp.checking import checked
from pto_lsp.config import Layer, Settings, resolve
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.project import Project

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAMELESS = {"PTO001", "PTO002", "PTO008"}
"""Rules about a line or a construct: there is no name they could quote."""

PATH = "/nowhere/example.py"
EXAMPLES = [
    pytest.param(rule.code, example, id=f"{rule.code}-{number}")
    for rule in registry.rules()
    for number, example in enumerate(rule.examples)
    if example.command == "check"
]


def findings(text: str, example: Example) -> tuple[Diagnostic, ...]:
    values = tomllib.loads("".join(f"{key} = {value}\n" for key, value in example.settings))
    settings, problems = resolve((Layer("example", values),), "/nowhere")
    assert problems == ()

    def settings_for(path: str) -> Settings:
        return settings

    project = Project(settings_for)
    project.open(PATH, text)
    return checked(project, PATH, settings)


@pytest.mark.parametrize(("code", "example"), EXAMPLES)
def test_the_bad_example_is_reported_where_it_is_marked(code: str, example: Example) -> None:
    text, marks = unmark(example.bad)
    found = [diagnostic for diagnostic in findings(text, example) if diagnostic.code == code]
    assert sorted(diagnostic.range for diagnostic in found) == sorted(marks)
    for diagnostic in found:
        rule = registry.rule(code)
        assert (diagnostic.name, diagnostic.severity) == (rule.name, rule.severity)
        assert code in NAMELESS or f"'{diagnostic.subject}'" in diagnostic.message


@pytest.mark.parametrize(("code", "example"), EXAMPLES)
def test_the_good_example_is_clean(code: str, example: Example) -> None:
    assert findings(example.good, example) == ()
