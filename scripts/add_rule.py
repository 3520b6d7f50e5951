"""Creates the module of a new rule: its page, to be filled in, under the name that the registry looks for."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

RULES = Path(__file__).resolve().parents[1] / "pto_lsp" / "analysis" / "rules"
SEVERITIES = ("error", "warning", "information", "hint")

TEMPLATE = '''\
"""{code} {name}."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="{code}",
    name="{name}",
    severity=Severity.{severity},
    summary="{summary}",
    what="""\\
Reports …""",
    why="""\\
…""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    ⟦acc⟧ = accumulate(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc
""",
            ),
        ),
    ),
)
'''


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code", type=_code, help="such as PTO820")
    parser.add_argument("name", type=_name, help="what is wrong, such as useless-barrier")
    parser.add_argument("summary", help="one sentence without a full stop")
    parser.add_argument("--severity", choices=SEVERITIES, default="warning")
    parser.add_argument("--folder", type=Path, default=RULES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    taken = sorted(path.name for path in options.folder.glob(f"{options.code.lower()}_*.py"))
    if taken:
        parser.error(f"{options.code} is taken by {taken[0]}")
    path = options.folder / f"{options.code.lower()}_{options.name.replace('-', '_')}.py"
    summary = options.summary.rstrip(".").replace("\\", "\\\\").replace('"', '\\"')
    text = TEMPLATE.format(code=options.code, name=options.name, summary=summary, severity=options.severity.upper())
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path.name}")
    return 0


def _code(text: str) -> str:
    if re.fullmatch(r"PTO\d{3}", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not PTO and three digits")
    return text


def _name(text: str) -> str:
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not made of lower-case words and hyphens")
    return text


if __name__ == "__main__":
    sys.exit(main())
