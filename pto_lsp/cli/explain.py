"""``pto-lsp explain CODE``: the page of a rule."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pto_lsp.analysis.rules import page, registry
from pto_lsp.cli import USAGE_ERROR


def run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="pto-lsp explain", description="Print the page of a rule.")
    parser.add_argument("code", metavar="CODE", help="a rule's code or name, such as PTO101 or derived-boundary-scalar")
    options = parser.parse_args(arguments)
    rule = registry.find(options.code)
    if rule is None:
        print(f"pto-lsp: error: there is no rule '{options.code}'", file=sys.stderr)
        return USAGE_ERROR
    print(page.render(rule), end="")
    return 0
