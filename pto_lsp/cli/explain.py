"""``pto-lsp explain CODE``: the page of a rule."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pto_lsp.analysis.rules import page, registry
from pto_lsp.analysis.rules.rule import Rule
from pto_lsp.cli import USAGE_ERROR


def run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="pto-lsp explain", description="Print the page of a rule.")
    parser.add_argument("code", metavar="CODE", help="a rule's code or name, such as PTO101 or derived-boundary-scalar")
    options = parser.parse_args(arguments)
    rule = _find(options.code)
    if rule is None:
        print(f"pto-lsp: error: there is no rule '{options.code}'", file=sys.stderr)
        return USAGE_ERROR
    print(page.render(rule), end="")
    return 0


def _find(text: str) -> Rule | None:
    code = text.upper()
    if code in registry.codes():
        return registry.rule(code)
    return next((rule for rule in registry.rules() if rule.name == text.lower()), None)
