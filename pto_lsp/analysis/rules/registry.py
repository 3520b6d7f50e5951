"""All rules by code. Their modules hold text and plain functions, so ``explain`` and the editor load them cheaply."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import cast

from pto_lsp.analysis.rules.rule import Rule

PAGES = "https://github.com/hw-native-sys/pto-lsp/blob/main/docs/rules"
"""Where the generated rule pages are published."""


def url(code: str) -> str:
    """The address of a rule's page."""
    return f"{PAGES}/{code}.md"


@lru_cache(maxsize=1)
def codes() -> tuple[str, ...]:
    """The codes of all rules, sorted, without loading the rules."""
    return tuple(sorted(_modules()))


def rule(code: str) -> Rule:
    """The rule of that code; `KeyError` where there is none."""
    return cast(Rule, import_module(_modules()[code]).RULE)


def find(text: str) -> Rule | None:
    """The rule of that code or name, however it is capitalised."""
    code = text.upper()
    if code in codes():
        return rule(code)
    return next((each for each in rules() if each.name == text.lower()), None)


def rules() -> tuple[Rule, ...]:
    """All rules, sorted by code."""
    return tuple(rule(code) for code in codes())


@lru_cache(maxsize=1)
def _modules() -> dict[str, str]:
    # A rule's module is named after it: pto101_derived_boundary_scalar.
    package = __name__.rpartition(".")[0]
    found = {}
    for entry in os.listdir(os.path.dirname(__file__)):
        stem, extension = os.path.splitext(entry)
        if extension == ".py" and stem.startswith("pto"):
            found[stem.partition("_")[0].upper()] = f"{package}.{stem}"
    return found
