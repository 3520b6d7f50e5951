"""Prints every rule of the Graph rules that no test names, one a line; exit status 1 when there is any.

A test names rules with the decorator ``rules("A9", …)`` of ``tests/graph_boundary/naming.py``, or a case does in the
table ``RULES_OF_CASE`` of ``tests/graph_boundary/case_rules.py``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SECTIONS = {
    "G": 3, "E": 5, "L": 4, "I": 9, "A": 19, "B": 17, "F": 11, "C": 15, "D": 10, "N": 11, "V": 14, "O": 22, "R": 11,
    "K": 8, "X": 20,
}  # fmt: skip
EXTRA = ("A9b",)


def all_rules() -> list[str]:
    """Every id of the rule document, in its order of sections."""
    numbered = [f"{letter}{number}" for letter, count in SECTIONS.items() for number in range(1, count + 1)]
    return sorted([*numbered, *EXTRA], key=lambda rule: (list(SECTIONS).index(rule[0]), rule[1:].rjust(3)))


def named_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "rules":
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "RULES_OF_CASE" and node.value is not None:
            table: dict[str, str] = ast.literal_eval(node.value)
            for rules in table.values():
                yield from rules.split()


def untested(tests: Path) -> list[str]:
    """Rules that no test under ``tests`` names. Raises `ValueError` when a test names a rule that does not exist."""
    named = {rule for path in tests.rglob("*.py") for rule in named_in(path)}
    unknown = named - set(all_rules())
    if unknown:
        raise ValueError(f"no such rules: {', '.join(sorted(unknown))}")
    return [rule for rule in all_rules() if rule not in named]


def main() -> int:
    found = untested(Path(__file__).resolve().parent.parent / "tests")
    for rule in found:
        print(rule)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
