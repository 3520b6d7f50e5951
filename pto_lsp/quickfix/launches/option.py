"""The option that drops the order of a loop goes from the calls of its function (diagnostics.md TG124)."""

from __future__ import annotations

import ast

from pto_lsp.analysis.source.text import LineTable
from pto_lsp.analysis.task_graph.checks.analysis_mode import OPTION
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    text = context.text
    try:
        tree = ast.parse(text.text)
    except (SyntaxError, ValueError, RecursionError):
        raise Refused("the file cannot be read as a whole") from None
    table = LineTable(text.text)
    rewriter = Rewriter()
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        if call.func.id == context.finding.function:
            for inner in ast.walk(call):
                if isinstance(inner, ast.Call):
                    _without_option(rewriter, text.path, text.text, table, inner)
    return Draft(rewriter, False, comparable=False)


def _without_option(rewriter: Rewriter, path: str, text: str, table: LineTable, call: ast.Call) -> None:
    """Delete the keyword with one comma."""

    def offset(line: int, column: int) -> int:
        start = table.offset(line - 1, 0)
        return start + len(text[start : start + column].encode()[:column].decode(errors="ignore"))

    for keyword in call.keywords:
        if keyword.arg != OPTION:
            continue
        start = offset(keyword.lineno, keyword.col_offset)
        end = offset(keyword.end_lineno or 0, keyword.end_col_offset or 0)
        before, after = text[:start].rstrip(), text[end:].lstrip()
        if before.endswith(","):
            start = len(before) - 1
        elif after.startswith(","):
            end = len(text) - len(after) + 1
            end += len(text[end:]) - len(text[end:].lstrip(" "))
        rewriter.replace(path, start, end, "")
