"""The page of a rule as Markdown: for ``explain``, hover and the generated documentation alike."""

from __future__ import annotations

from pto_lsp.analysis.rules.rule import Rule, unmark


def render(rule: Rule) -> str:
    """The whole page, with a final newline."""
    parts = [
        f"# {rule.code} {rule.name}",
        f"*{rule.severity.value}* · {_fix_word(rule)}",
        f"{rule.summary}.",
        _section("What it does", rule.what),
        _section("Why is this bad?", rule.why),
    ]
    several = len(rule.examples) > 1
    for number, example in enumerate(rule.examples, start=1):
        suffix = f" ({number})" if several else ""
        settings = "".join(f"{key} = {value}\n" for key, value in example.settings)
        if settings:
            parts.append(_section(f"Configuration of the example{suffix}", f"```toml\n{settings}```"))
        parts.append(_section(f"Example{suffix}", _code(_annotated(example.bad, rule.code))))
        parts.append(_section(f"Use instead{suffix}", _code(example.good)))
    parts.append(_section("Fix safety", rule.fix or "There is no automatic fix."))
    if rule.references:
        parts.append(_section("References", "\n".join(f"- {item}" for item in rule.references)))
    return "\n\n".join(parts) + "\n"


def _fix_word(rule: Rule) -> str:
    return "has a quick fix" if rule.fix else "no quick fix"


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n{text.strip()}"


def _code(text: str) -> str:
    return f"```python\n{text.strip()}\n```"


def _annotated(bad: str, code: str) -> str:
    """The program without its marks; each line on which a marked range begins carries the code as a comment."""
    plain, ranges = unmark(bad)
    reported = {place.start.line for place in ranges}
    lines = plain.split("\n")
    return "\n".join(f"{line}  # {code}" if number in reported else line for number, line in enumerate(lines))
