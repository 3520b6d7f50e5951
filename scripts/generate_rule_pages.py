"""Writes ``docs/rules/`` from the rule registry. With ``--check``, only says what is out of date (exit code 1)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pto_lsp.analysis.rules import page, registry
from pto_lsp.analysis.rules.rule import Rule

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "rules"


def pages() -> dict[str, str]:
    """File name → content of everything in the folder."""
    rules = registry.rules()
    found = {f"{rule.code}.md": page.render(rule) for rule in rules}
    rows = [
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity.value} | {'yes' if rule.fix else ''} "
        f"| {_default(rule)} | {rule.summary} |"
        for rule in rules
    ]
    head = [
        "# Rules",
        "",
        "All rules are on by default, with the severity given here; `select`, `ignore` and `severity` in the",
        "configuration change that. A command under *Default* is the only one that reports the rule.",
        "`pto-lsp explain CODE` prints a page.",
        "",
        "| Code | Name | Severity | Fix | Default | What |",
        "|---|---|---|---|---|---|",
    ]
    found["index.md"] = "\n".join([*head, *rows]) + "\n"
    return found


def _default(rule: Rule) -> str:
    commands = {example.command for example in rule.examples}
    return "on" if "check" in commands else ", ".join(f"`{command}`" for command in sorted(commands))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    wanted = pages()
    FOLDER.mkdir(parents=True, exist_ok=True)
    present = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    stale = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
    for name in stale:
        print(name)
        if not check:
            if name in wanted:
                (FOLDER / name).write_text(wanted[name], encoding="utf-8")
            else:
                (FOLDER / name).unlink()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
